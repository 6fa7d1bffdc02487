"""Exact match, and LLM-Match's formula."""

from __future__ import annotations

import pytest

from scenemind.evaluation.metrics import exact_match
from scenemind.evaluation.metrics.llm_match import llm_match


def test_exact_match_ignores_case_and_punctuation_only() -> None:
    assert exact_match("Trash can.", "trash  can")
    assert not exact_match("trashcan", "trash can")


@pytest.mark.parametrize(
    ("mark", "percent"),
    [(1, 0), (2, 25), (3, 50), (4, 75), (5, 100), (4.5, 87.5), (0, 0), (9, 100)],
)
def test_openeqa_s_formula(mark: float, percent: float) -> None:
    """100 (clip(mark, 1, 5) - 1) / 4, by hand."""
    score = llm_match("a lamp", mark)
    assert score is not None
    assert 100.0 * score == pytest.approx(percent)


def test_missing_answers_are_wrong_and_missing_marks_unscored() -> None:
    assert llm_match(" ", None) == 0.0
    assert llm_match("a lamp", None) is None
