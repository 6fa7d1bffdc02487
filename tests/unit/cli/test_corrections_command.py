"""`scenemind corrections`: the journal of a stored memory, by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory
from tests.unit.memory import walk

CONFIG = SceneMindConfig()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Folder with `row`, whose chair 1 a person called a stool, and `again`, the same row."""
    for name in ("row", "again"):
        with Memory.create(tmp_path / name, CONFIG) as memory:
            walk.go(memory, range(40))
            if name == "row":
                memory.apply([Edit("rename", (1,), value="stool")], "Ada", "it has no back")
                memory.apply([Edit("delete_object", (2,))], "Ada", "a reflection")
    return tmp_path


def test_list_undo_and_redo(root: Path) -> None:
    assert [c["kind"] for c in run_json(root, "list")["corrections"]] == ["rename", "delete_object"]
    (undone,) = run_json(root, "undo")["corrections"]
    assert (undone["id"], undone["undone"], undone["undone_ns"] > 0) == (2, True, True)
    assert run_json(root, "undo", "1")["corrections"][0]["id"] == 1
    assert run_json(root, "redo")["corrections"][0]["id"] == 1
    with Memory.open(root / "row", CONFIG) as memory:
        assert memory.snapshot().objects[1].label == "stool"
        assert 2 in memory.snapshot().objects
    status, output = run(root, "list")
    assert status == 0
    assert "it has no back" in output
    assert "taken back" in output


def test_errors_are_sentences(root: Path) -> None:
    for command in (("undo", "9"), ("redo",), ("similar", "9"), ("import", str(root / "none"))):
        status, _ = run(root, *command)
        assert status == 1


def test_journal_goes_to_another_memory_by_a_file(root: Path) -> None:
    file = root / "row.json"
    assert run(root, "export", "--out", str(file))[0] == 0
    assert json.loads(run(root, "export")[1]) == json.loads(file.read_text())
    shown = run_json(root, "import", str(file), "--preview", memory="again")
    assert (shown["preview"], len(shown["applied"]), shown["left_out"]) == (True, 2, [])
    assert run_json(root, "list", memory="again")["corrections"] == []
    assert len(run_json(root, "import", str(file), memory="again")["applied"]) == 2
    again = run_json(root, "import", str(file), memory="again")
    assert [left["id"] for left in again["left_out"]] == [1, 2]
    status, output = run(root, "import", str(file), memory="again")
    assert status == 0
    assert "applied: 0; left out: 2" in output
    assert "correction 1: correction 1 is the same already" in output
    with Memory.open(root / "again", CONFIG) as memory:
        assert memory.snapshot().objects[1].label == "stool"
        assert 2 not in memory.snapshot().objects


def test_similar_objects_are_shown_and_corrected_by_number(root: Path) -> None:
    (similar,) = run_json(root, "similar", "1")["similar"]
    assert (similar["id"], similar["label"]) == (3, "chair")
    assert "also perceived as chair" in run(root, "similar", "1")[1]
    (written,) = run_json(root, "similar", "1", "--apply", "3")["corrections"]
    assert (written["value"], written["object_ids"]) == ("stool", [3])
    assert written["reason"] == "like correction 1"
    assert run_json(root, "similar", "1")["similar"] == []
    assert "no similar objects" in run(root, "similar", "1")[1]


def run(root: Path, command: str, *arguments: str, memory: str = "row") -> tuple[int, str]:
    options = ["--memory", memory, "--memory-root", str(root)]
    done = CliRunner().invoke(app, ["corrections", command, *arguments, *options])
    return done.exit_code, done.stdout


def run_json(root: Path, command: str, *arguments: str, memory: str = "row") -> dict[str, Any]:
    status, output = run(root, command, *arguments, "--json", memory=memory)
    assert status == 0, output
    result: dict[str, Any] = json.loads(output.splitlines()[-1])
    return result
