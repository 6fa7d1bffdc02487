"""Omni3D-Bench's scores by type of answer."""

from __future__ import annotations

import pytest

from scenemind.evaluation.datasets.omni3d import COUNT, OTHER_NUMBER
from scenemind.evaluation.metrics.vadar_score import find_quantity, vadar_score


@pytest.mark.parametrize(
    ("answer", "share"),
    # By hand: an error of 12 % is below 8 of the thresholds 0.05, 0.10 ... 0.50.
    [
        ("2", 1.0),
        ("2.24", 0.8),
        ("1.76 m", 0.8),
        ("2.92", 0.1),
        ("3", 0.0),
        ("0.5", 0.0),
        ("", 0.0),
    ],
)
def test_numbers_by_mean_relative_accuracy(answer: str, share: float) -> None:
    assert vadar_score(answer, "2.0", OTHER_NUMBER) == pytest.approx(share)


def test_an_error_at_a_threshold_is_not_below_it() -> None:
    assert vadar_score("1.5", "1.0", OTHER_NUMBER) == 0.0
    assert vadar_score("0", "0.0", OTHER_NUMBER) == 1.0


@pytest.mark.parametrize(
    ("answer", "truth", "kind", "score"),
    [
        ("3", "3", COUNT, 1.0),
        ("three", "3", COUNT, 1.0),
        ("There are 3 chairs.", "3", COUNT, 1.0),
        ("4", "3", COUNT, 0.0),
        ("3 or 4", "3", COUNT, 0.0),
        ("Yes", "yes", "yes/no", 1.0),
        ("no", "yes", "yes/no", 0.0),
        ("The Chair", "chair", "multiple choice", 0.0),
        ("Chair.", "chair", "multiple choice", 1.0),
    ],
)
def test_others_are_exact(answer: str, truth: str, kind: str, score: float) -> None:
    assert vadar_score(answer, truth, kind) == score


@pytest.mark.parametrize(
    ("text", "number"),
    [("1,200 cm", 1200.0), ("-3", -3.0), (".5", 0.5), ("1e2", 100.0), ("two", 2.0), ("no", None)],
)
def test_quantities(text: str, number: float | None) -> None:
    assert find_quantity(text) == number
