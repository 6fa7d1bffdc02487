"""Metrics of answers."""

from scenemind.evaluation.metrics.matches import exact_match, soft_match
from scenemind.evaluation.metrics.sense_match import sense_match

__all__ = ["exact_match", "sense_match", "soft_match"]
