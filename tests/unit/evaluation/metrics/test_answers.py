"""An answer by all metrics."""

from __future__ import annotations

import pytest

from scenemind.evaluation.metrics import answer_scores, exact_match


@pytest.mark.parametrize(
    ("answer", "by_sense", "by_soft", "by_exact"),
    [
        ("Window!", 1, 1, 1),
        ("windows", 1, 1, 0),
        ("win", 0, 1, 0),
        ("door", 0, 0, 0),
        ("", 0, 0, 0),
        ("  ", 0, 0, 0),
    ],
)
def test_metrics(answer: str, by_sense: int, by_soft: int, by_exact: int) -> None:
    found = answer_scores(answer, ["window"])
    assert found == {"sense_match": by_sense, "soft_match": by_soft, "exact_match": by_exact}


def test_the_truth_that_fits_best_counts() -> None:
    assert answer_scores("brown", ["dark grey", "brown"])["exact_match"] == 1.0


def test_exact_match_ignores_case_and_punctuation_only() -> None:
    assert exact_match("Trash can.", "trash  can")
    assert not exact_match("trashcan", "trash can")
