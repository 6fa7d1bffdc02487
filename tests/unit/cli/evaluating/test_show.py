"""An evaluation as it is printed: notes, rows of a score, intervals, and nothing unmeasured."""

from __future__ import annotations

import pytest

from scenemind.evaluation.reliability import Reliability, ReliabilityBin
from scenemind.evaluation.result import Evaluation, Group, Score, ScoredRow
from scenemind.evaluation.terminal import print_evaluation


def evaluation(note: str) -> Evaluation:
    scores = {"llm_match": Score(75.0, 8, (70.0, 80.0)), "exact_match": Score(50.0, 12)}
    part = {"llm_match": Score(25.0, 3), "exact_match": Score(20.0, 5)}
    row = ScoredRow("1", "hm3d-v0/000", {}, ("hm3d",))
    groups = {"hm3d": Group(5, part)}
    bins = (ReliabilityBin(0.4, 0.5, 6, 45.0, 40.0), ReliabilityBin(0.9, 1.0, 4, 95.0, 75.0))
    return Evaluation(
        *("openeqa", "symbolic", "no scene", (row,), scores, groups, {}, {}, (note,)),
        policy="balanced",
        reliability=Reliability("sense_match", bins),
    )


def test_number_of_scored_rows_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    print_evaluation(evaluation("a note \x1b[31mof others"), unasked=0)
    printed = capsys.readouterr().out
    (line,) = (line for line in printed.splitlines() if "hm3d" in line)
    assert line.split() == ["hm3d", "5", "25.0", "(3)", "20.0"]
    assert printed.count("a note") == 1
    assert "\x1b[31m" not in printed


def test_unit_of_intervals_and_their_absence_are_explained(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_evaluation(evaluation("a note"), unasked=0)
    printed = capsys.readouterr().out
    assert "70.0 - 80.0" in printed
    assert "over scenes" in printed
    assert "no interval: all its rows are of one scene" in printed


def test_confidence_is_compared_with_the_truth(capsys: pytest.CaptureFixture[str]) -> None:
    """Six answers are 5 % off, four 20 %: 11 % on average. By all outcomes of two binomial
    numbers, (6, 0.45) and (4, 0.95), 95 % of perfect confidences are off by 5 to 31."""
    print_evaluation(evaluation("a note"), unasked=0)
    printed = capsys.readouterr().out
    assert "confidence (balanced): off by 11.0 % (10 bins of 10 answers" in printed
    assert "; a perfect one: 5.0 to 31.0 %)" in printed
    assert "of 4 that are 80% sure 75.0 % are right" in printed


def test_nothing_scored_prints_no_figure(capsys: pytest.CaptureFixture[str]) -> None:
    row = ScoredRow("1", "scene", {}, ())
    nothing = Evaluation("scanqa", "symbolic", "no scene", (row,), {}, {}, {}, {"not_found": 1})
    print_evaluation(nothing, unasked=0)
    printed = capsys.readouterr().out
    assert "no row could be scored" in printed
    assert "without an answer: 1 not_found" in printed
    assert not any(sign in printed for sign in ("nan", "None", "95 %"))
