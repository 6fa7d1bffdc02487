"""`scenemind memory`: what it lists, copies and deletes, by name."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from scenemind.cli.main import app
from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from tests.unit.memory import walk

CONFIG = SceneMindConfig()
FRAMES = 20


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Folder with `kitchen`, of this version, and `attic`, of another one."""
    with Memory.create(tmp_path / "kitchen", CONFIG) as memory:
        walk.go(memory, range(FRAMES))
    Memory.create(tmp_path / "attic", CONFIG).close()
    with closing(sqlite3.connect(tmp_path / "attic" / "memory.sqlite")) as database:
        database.execute("UPDATE meta SET value = '2' WHERE key = 'version'")
        database.commit()
    return tmp_path


def test_list_shows_the_contents_of_each_memory(root: Path) -> None:
    kitchen = Memory.open(root / "kitchen", CONFIG)
    listed = run_json(root, "list")
    attic, open_one = listed["memories"]
    assert listed["root"] == str(root)
    assert (attic["name"], attic["version"], attic["open_in"]) == ("attic", "2", None)
    assert (attic["frames"], attic["objects"], attic["corrections"]) == (None, None, None)
    assert open_one["open_in"] == str(os.getpid())
    assert open_one["frames"] == FRAMES
    assert open_one["objects"] == len(kitchen.snapshot().objects)
    assert open_one["images"] == kitchen.stats().images
    folder = root / "kitchen"
    assert open_one["disk_bytes"] == sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    kitchen.close()
    status, output = run(root, "list")
    assert status == 0
    assert "of another version of SceneMind" in output


def test_list_shows_a_damaged_memory_too(root: Path) -> None:
    (root / "kitchen" / "memory.sqlite").write_bytes(b"no database at all" * 100)
    damaged = run_json(root, "list")["memories"][1]
    assert (damaged["version"], damaged["images"] > 0) == (None, True)
    assert "no scene memory" in damaged["problem"]


def test_no_memories_are_no_error(tmp_path: Path) -> None:
    assert run_json(tmp_path, "list")["memories"] == []
    assert "make one with" in run(tmp_path, "list")[1]


def test_info_is_readable(root: Path) -> None:
    status, output = run(root, "info", "--memory", "kitchen")
    assert status == 0
    assert f"frames      {FRAMES}" in output


def test_copy_is_a_memory_of_its_own(root: Path) -> None:
    assert run_json(root, "save-as", "monday", "--memory", "kitchen")["path"] == str(
        root / "monday"
    )
    assert run_json(root, "delete", "--memory", "kitchen", "--yes")["deleted"]
    assert [m["name"] for m in run_json(root, "list")["memories"]] == ["attic", "monday"]
    assert sorted(path.name for path in root.iterdir()) == ["attic", "monday"]
    with Memory.open(root / "monday", CONFIG) as memory:
        assert memory.last_frame_number == FRAMES - 1
        assert memory.key_frames_of([1], 1)


def test_delete_asks_first(root: Path) -> None:
    status, _ = run(root, "delete", "--memory", "kitchen", typed="n\n")
    assert status == 1
    assert (root / "kitchen").exists()
    status, _ = run(root, "delete", "--memory", "kitchen", typed="y\n")
    assert status == 0
    assert not (root / "kitchen").exists()


def test_to_delete_what_is_not_there_makes_nothing(root: Path) -> None:
    status, output = run(root, "delete", "--memory", "cellar", "--yes")
    assert status == 1
    assert "scenemind map" not in output


@pytest.mark.parametrize("command", [("info",), ("delete", "--yes")])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cellar", "there: attic, kitchen"),
        ("../kitchen", "--memory ../kitchen is a path: leave out"),
    ],
)
def test_no_other_memory_is_taken(
    root: Path, command: tuple[str, ...], name: str, reason: str
) -> None:
    status, output = run(root, *command, "--memory", name)
    assert status == 1
    assert reason in output.replace("\n", " ")


@pytest.mark.parametrize(
    "command", [("save-as", "b", "--memory", "kitchen"), ("delete", "--memory", "kitchen", "--yes")]
)
def test_open_memory_is_left_alone(root: Path, command: tuple[str, ...]) -> None:
    with Memory.open(root / "kitchen", CONFIG):
        status, output = run(root, *command)
    assert status == 1
    assert "is open in process" in output.replace("\n", " ")
    assert sorted(path.name for path in root.iterdir()) == ["attic", "kitchen"]


def run(root: Path, *arguments: str, typed: str | None = None) -> tuple[int, str]:
    """Exit status, and both outputs together."""
    command = ["memory", *arguments, "--memory-root", str(root)]
    result = CliRunner().invoke(app, command, input=typed)
    return result.exit_code, result.output


def run_json(root: Path, *arguments: str) -> Any:
    status, output = run(root, *arguments, "--json")
    assert status == 0, output
    return json.loads(output.splitlines()[-1])
