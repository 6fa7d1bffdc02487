"""Commands that share a stored memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import scenemind as sm
from scenemind.cli.main import app
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
    with sm.open(rooms / "room", read_only=True):
        status, output = run(command, first, rooms, *more)
    assert status == 0, output


def test_graph_and_changes_read_at_once(rooms: Path) -> None:
    with sm.open(rooms / "room", read_only=True):
        for command in ("graph", "changes"):
            result = CliRunner().invoke(
                app, [command, "--memory", "room", "--memory-root", str(rooms)]
            )
            assert "open in process" not in result.output
            assert "being read" not in result.output
    assert (
        "chair"
        in CliRunner()
        .invoke(app, ["graph", "--memory", "room", "--memory-root", str(rooms)])
        .output
    )


def test_writer_waits_for_readers(rooms: Path) -> None:
    with sm.open(rooms / "room", read_only=True):
        status, output = run("align", "chair 1 is red", rooms)
    assert status == 1
    assert "is being read by another command: wait until that ends" in output


def test_error_of_a_reader_names_the_writer(rooms: Path) -> None:
    with sm.open(rooms / "room"):
        status, output = run("ask", "how many chairs are there?", rooms)
    assert status == 1
    assert "which may write to it: wait until that ends" in output


def test_a_memory_is_named_by_its_path_too(rooms: Path) -> None:
    for command in (["find", "chair"], ["memory", "info"], ["graph"], ["ask", "any chairs?"]):
        result = CliRunner().invoke(app, [*command, "--memory", str(rooms / "room")])
        assert (result.exit_code, "chair" in result.output or "folder" in result.output) == (
            0,
            True,
        )


@pytest.mark.parametrize(
    "command",
    [
        ["find", "chair"],
        ["memory", "info"],
        ["graph"],
        ["ask", "any chairs?"],
        ["changes"],
        ["view"],
    ],
)
def test_error_without_a_current_memory_lists_the_memories(
    rooms: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCENEMIND_HOME", str(rooms))
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 1
    assert "(there: room): add --memory room" in result.output


def test_error_without_a_memory_says_how_to_name_one(rooms: Path) -> None:
    result = CliRunner().invoke(app, ["memory", "delete", "room", "--memory-root", str(rooms)])
    assert result.exit_code == 2
    assert "Memories are named by --memory NAME" in result.output


def test_a_ros_parameter_file_is_no_file_of_settings(tmp_path: Path) -> None:
    file = tmp_path / "default.yaml"
    file.write_text("mapping_node:\n  ros__parameters:\n    map_frame: map\n")
    result = CliRunner().invoke(app, ["ask", "any chairs?", "--config", str(file)])
    assert result.exit_code == 1
    assert f"{file} is a ROS parameter file, for `scenemind up --config`" in result.output
