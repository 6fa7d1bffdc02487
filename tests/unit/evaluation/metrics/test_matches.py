"""Exact match, and LLM-Match's formula."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from scenemind.evaluation.datasets import read_scanqa
from scenemind.evaluation.metrics import exact_match
from scenemind.evaluation.metrics.llm_match import llm_match


def test_exact_match_ignores_case_and_punctuation_only() -> None:
    assert exact_match("Trash can.", "trash  can")
    assert not exact_match("trashcan", "trash can")


def test_em_at_1_is_that_of_scanqa_s_script(shared_data: Path) -> None:
    """It compares to the letter (scripts/score.py, `answer in ref_answers`); ours lets case and
    punctuation pass, in which no two of its answers differ alone."""
    rows = list(read_scanqa(shared_data / "annotations" / "scanqa"))
    chance = random.Random(0)
    said = [chance.choice((row.answers[0], chance.choice(rows).answers[0])) for row in rows]
    ours = [any(exact_match(a, t) for t in r.answers) for a, r in zip(said, rows, strict=True)]
    assert ours == [a in row.answers for a, row in zip(said, rows, strict=True)]
    assert 0.4 < sum(ours) / len(ours) < 0.6


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
