"""Worker processes on this machine; few are started, since each takes a second or two."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.runner import run
from scenemind.evaluation.workers import InProcess, Processes
from tests.unit.evaluation.workers.recipes import ROWS, Recipe


def test_several_agree_with_one_although_one_of_them_is_killed(tmp_path: Path) -> None:
    """Scene 1's rows are 1, 5, 9 ...: the first of them are there when its worker is lost."""
    alone = run(ROWS, InProcess(Recipe(tmp_path)))
    killed = run(ROWS, Processes(Recipe(tmp_path, dies_at="9"), 2))
    assert (tmp_path / "0").exists()
    assert killed == alone


def test_scene_that_cannot_be_opened_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="there is no scene0"):
        run(ROWS, Processes(Recipe(tmp_path, refuses_at="scene0"), 1))
