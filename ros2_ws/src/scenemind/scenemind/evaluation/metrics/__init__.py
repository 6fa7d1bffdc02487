"""How right answers and groundings are."""

from scenemind.evaluation.metrics.exact_match import exact_match
from scenemind.evaluation.metrics.sense_match import sense_match
from scenemind.evaluation.metrics.soft_match import soft_match

__all__ = ["exact_match", "sense_match", "soft_match"]
