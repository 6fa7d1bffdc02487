"""Progress of a long run, on a terminal and in a log."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from scenemind.evaluation import terminal as progress
from scenemind.evaluation.datasets import Question
from scenemind.evaluation.predictions import AnswerPrediction
from scenemind.evaluation.terminal import RunProgress
from scenemind.models import Usage

ROW = Question("q", "scene", "?", ())
SAID = AnswerPrediction(ROW, "yes", 0.1, usage=Usage(1, 700, 0, 50, 0.25))


def followed(console: Console) -> str:
    shown = RunProgress("openeqa [red]", console)
    with shown.shown():
        shown.begin(40, [SAID, SAID])
        for _ in range(3):
            shown.answered(SAID)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_log_has_a_line_only_now_and_then() -> None:
    said = followed(Console(file=io.StringIO(), width=200))
    assert said == "2 of 40 rows were answered before\n"


def test_a_line_has_rows_time_left_tokens_and_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_LINE_EVERY_S", 0.0)
    lines = followed(Console(file=io.StringIO(), width=200)).splitlines()
    assert lines[1].startswith("openeqa [red]: 3 of 40 rows, about ")
    assert lines[-1].endswith("3750 tokens, cost 1.25")
    assert "rows/s" in lines[-1]


def test_a_terminal_has_a_bar_that_goes() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=200)
    said = followed(console)
    assert "5/40" in said
    assert "cost 1.25" in said
