"""Several methods' answers, weighed by a language model."""

from scenemind.reasoning.ensemble.method import Ensemble

__all__ = ["Ensemble"]
