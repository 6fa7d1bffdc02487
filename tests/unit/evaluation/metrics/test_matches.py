"""Matches of answers as the papers define them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from scenemind.evaluation.datasets import read_scanqa
from scenemind.evaluation.datasets.questions import COUNT, OTHER_NUMBER
from scenemind.evaluation.metrics import exact_match, soft_match
from scenemind.evaluation.metrics.matches import (
    find_quantity,
    llm_match,
    refined_match,
    vadar_score,
)


def test_exact_match_ignores_case_and_punctuation_only() -> None:
    assert exact_match("Trash can.", "trash  can")
    assert not exact_match("trashcan", "trash can")


def test_em_at_1_is_that_of_scanqa_s_script(shared_data: Path) -> None:
    """The script compares exact strings (scripts/score.py, `answer in ref_answers`). Our metric
    ignores case and punctuation; no two of its answers differ in these alone."""
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


@pytest.mark.parametrize(
    ("truth", "prediction"),
    [
        ("rectangle", "rectangular"),
        ("forward", "front"),
        ("up", "covered up"),
        ("TV", "picture, TV"),
        ("toilet", "sink, toilet"),
        ("red", "black, red"),
    ],
)
def test_examples_of_table_s2(truth: str, prediction: str) -> None:
    assert soft_match(prediction, truth)


@pytest.mark.parametrize(
    ("answer", "truth"),
    [("2", "two"), ("21 chairs", "twenty one"), ("8 o'clock", "behind"), ("8 o'clock", "left")],
)
def test_numerals_and_hours(answer: str, truth: str) -> None:
    assert soft_match(answer, truth)


@pytest.mark.parametrize(
    ("answer", "truth"), [("chair", "table"), ("3 o'clock", "left"), ("one", "two")]
)
def test_answers_that_even_the_refined_match_rejects(answer: str, truth: str) -> None:
    assert not soft_match(answer, truth)


@pytest.mark.parametrize(
    ("answer", "truth"), [("", "chair"), ("no", "notebook"), ("not a chair", "a table")]
)
def test_quirks_of_the_published_function_are_kept(answer: str, truth: str) -> None:
    assert soft_match(answer, truth)


@pytest.mark.parametrize(
    ("answer", "truth", "is_match"),
    # Each computed by LEO's own functions (embodied-generalist/embodied-generalist, data_utils.py
    # clean_answer and scanqa_eval.py answer_match, as of 2024-11), run once beside this one.
    [
        ("Window!", "window", True),
        ("the office chair", "chair", True),
        ("2", "two", True),
        ("two chairs", "2", True),
        ("21", "twenty-one", False),
        ("none", "0", True),
        ("to the rigth", "right", True),
        ("trash can", "trashcan", True),
        ("tv stand", "TV", True),
        ("backwards", "backward", True),
        ("10 o clock", "10 o'clock", False),
        ("10 oclock", "ten o'clock", True),
        ("no", "notebook", True),
        ("mat2", "mat", True),
        ("brown, black", "brown", True),
        ("brown chair", "chair brown", False),
        ("couch", "sofa", False),
        ("caf\u00e9", "cafe", True),
        ("it\u2019s red", "its red", True),
    ],
)
def test_examples_of_the_published_function(answer: str, truth: str, is_match: bool) -> None:
    assert refined_match(answer, truth) is is_match


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
