"""How right an answer is, by three measures of what "right" is."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.evaluation.metrics.exact_match import exact_match
from scenemind.evaluation.metrics.sense_match import sense_match
from scenemind.evaluation.metrics.soft_match import soft_match

_METRICS = {"sense_match": sense_match, "soft_match": soft_match, "exact_match": exact_match}


def answer_scores(answer: str, truths: Sequence[str]) -> dict[str, float]:
    """0 or 1 by metric, of the truth that fits best.

    Args:
        answer: empty: there is none. `soft_match` gives credit for it in the paper; here nobody
            does, as a method that fails is not to profit from that.
    """
    if not answer.strip():
        return dict.fromkeys(_METRICS, 0.0)
    return {
        name: float(any(is_match(answer, truth) for truth in truths))
        for name, is_match in _METRICS.items()
    }
