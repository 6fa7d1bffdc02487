"""An evaluation as it is printed: each note once, and how many rows a score is of."""

from __future__ import annotations

import pytest

from scenemind.cli.evaluating.show import print_evaluation
from scenemind.evaluation.result import Evaluation, Group, Score, ScoredRow


def evaluation(note: str) -> Evaluation:
    scores = {"llm_match": Score(75.0, 8, 70.0, 80.0), "exact_match": Score(50.0, 12, 40.0, 60.0)}
    part = {"llm_match": Score(25.0, 3), "exact_match": Score(20.0, 5)}
    row = ScoredRow("1", "hm3d-v0/000", {}, ("hm3d",))
    groups = {"hm3d": Group(5, part)}
    return Evaluation("openeqa", "blind", "no scene", (row,), scores, groups, {}, {}, (note,))


def test_it_is_told_how_many_rows_a_score_is_of(capsys: pytest.CaptureFixture[str]) -> None:
    print_evaluation(evaluation("a note \x1b[31mof others"), unasked=0)
    printed = capsys.readouterr().out
    (line,) = (line for line in printed.splitlines() if "hm3d" in line)
    assert line.split() == ["hm3d", "5", "25.0", "(3)", "20.0"]
    assert printed.count("a note") == 1
    assert "\x1b[31m" not in printed
