"""VADAR's scores on Omni3D-Bench (Marsili et al., CVPR 2025), as its evaluation computes them.

Counts, yes or no and multiple choice: exact. Other numbers: mean relative accuracy, the share of
ten thresholds from 0.05 to 0.5 that the relative error is below.
"""

from __future__ import annotations

import re

from scenemind.evaluation.datasets.omni3d import COUNT, OTHER_NUMBER
from scenemind.evaluation.metrics.exact_match import exact_match
from scenemind.words.english import find_number

_THRESHOLDS = (0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05)
_NUMERAL = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)


def vadar_score(answer: str, truth: str, category: str) -> float:
    """In [0, 1].

    Args:
        answer: a number may stand in words or between words ("2.5 m"); several numbers are none.
        category: `COUNT`, `OTHER_NUMBER`, or any other: words.
    """
    if category not in (COUNT, OTHER_NUMBER):
        return float(exact_match(answer, truth))
    said, meant = find_quantity(answer), float(truth)
    if said is None:
        return 0.0
    return float(said == meant) if category == COUNT else _relative_accuracy(said, meant)


def find_quantity(text: str) -> float | None:
    """The one number that a text gives."""
    numerals = _NUMERAL.findall(text.replace(",", ""))
    if numerals:
        return float(numerals[0]) if len(numerals) == 1 else None
    named = {find_number(word) for word in re.findall(r"[a-z]+", text.lower())} - {None}
    (number,) = named if len(named) == 1 else (None,)
    return None if number is None else float(number)


def _relative_accuracy(said: float, meant: float) -> float:
    if meant == 0.0:  # where VADAR's script divides by zero
        return float(said == meant)
    error = abs(meant - said) / abs(meant)
    return sum(error < threshold for threshold in _THRESHOLDS) / len(_THRESHOLDS)
