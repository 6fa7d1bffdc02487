"""Commands that share a stored memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind.cli.memories import open_memory, read_memory
from scenemind.config import SceneMindConfig
from tests.unit.cli.asking import run

READING = {
    "ask": ("how many chairs are there?",),
    "ground": ("the chair",),
    "find": ("chair",),
    "keyframes": ("the chair", "--selector", "objects"),
}


@pytest.mark.parametrize("command", sorted(READING))
def test_commands_that_only_read_do_so_at_once(command: str, rooms: Path) -> None:
    first, *more = READING[command]
    with read_memory("room", rooms, SceneMindConfig()):
        status, output = run(command, first, rooms, *more)
    assert status == 0, output


def test_so_do_the_graph_and_changes(rooms: Path) -> None:
    with read_memory("room", rooms, SceneMindConfig()):
        for command in ("graph", "changes"):
            result = CliRunner().invoke(app, [command, "room", "--memory-root", str(rooms)])
            assert "open in process" not in result.output
            assert "being read" not in result.output
    assert "chair" in CliRunner().invoke(app, ["graph", "room", "--memory-root", str(rooms)]).output


def test_who_writes_waits_for_who_reads(rooms: Path) -> None:
    with read_memory("room", rooms, SceneMindConfig()):
        status, output = run("align", "chair 1 is red", rooms)
    assert status == 1
    assert "is being read by another command: wait until that ends" in output


def test_who_reads_is_told_who_writes(rooms: Path) -> None:
    with open_memory("room", rooms, SceneMindConfig()):
        status, output = run("ask", "how many chairs are there?", rooms)
    assert status == 1
    assert "which may write to it: wait until that ends" in output
