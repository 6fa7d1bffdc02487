"""A memory that is only read, by one or by many."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory, ReadOnlyMemory, SceneMemoryError
from scenemind.memory.disk.folder import find_owner
from tests.unit.memory.walk import step

CONFIG = SceneMindConfig()
_READ = """
import sys
from pathlib import Path
from scenemind.config import SceneMindConfig
from scenemind.memory import ReadOnlyMemory
with ReadOnlyMemory.open(Path(sys.argv[1]), SceneMindConfig()) as memory:
    print(len(memory.snapshot().objects))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A stored memory of some chairs."""
    with Memory.create(tmp_path / "row", CONFIG) as memory:
        for number in range(40):
            seen = step(number)
            memory.integrate(seen.frame, seen.detections, seen.track_ids, seen.observations)
    return tmp_path / "row"


def files(path: Path) -> dict[str, bytes]:
    """Name -> content of the files of a memory."""
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.suffix in (".sqlite", ".jpg", ".png", ".tmp")
    }


def test_read_only_memory_equals_the_stored_one(path: Path) -> None:
    with Memory.open(path, CONFIG) as memory:
        objects = {i: thing.label for i, thing in memory.snapshot().objects.items()}
        frames, tree = memory.stored_frames(), memory.tree_json().text
    assert objects
    assert frames
    with ReadOnlyMemory.open(path, CONFIG) as stored:
        assert {i: thing.label for i, thing in stored.snapshot().objects.items()} == objects
        assert (stored.stored_frames(), stored.tree_json().text) == (frames, tree)
        assert stored.key_frame(frames[0]).jpeg
        assert len(stored.history.visits()) == 1


def test_several_processes_read_at_once(path: Path) -> None:
    with ReadOnlyMemory.open(path, CONFIG) as one, ReadOnlyMemory.open(path, CONFIG) as other:
        assert one.snapshot().objects.keys() == other.snapshot().objects.keys()
        child = subprocess.run(
            [sys.executable, "-c", _READ, path], capture_output=True, text=True, check=False
        )
        assert (child.stdout.strip(), child.stderr) == (str(len(one.snapshot().objects)), "")


def test_writing_is_refused_while_a_process_reads(path: Path) -> None:
    with ReadOnlyMemory.open(path, CONFIG):
        assert find_owner(path) is None
        with pytest.raises(SceneMemoryError, match="is being read by another command: wait"):
            Memory.open(path, CONFIG)
    Memory.open(path, CONFIG).close()


def test_reading_is_refused_while_a_process_writes(path: Path) -> None:
    with (
        Memory.open(path, CONFIG),
        pytest.raises(SceneMemoryError, match=r"open in process \d+, which may write to it: wait"),
    ):
        ReadOnlyMemory.open(path, CONFIG)
    ReadOnlyMemory.open(path, CONFIG).close()


def test_reading_changes_nothing(path: Path) -> None:
    half = path / "frames" / "000777.jpg.tmp"
    half.write_bytes(b"left by a killed process")
    before = files(path)
    gone = next(iter((path / "frames").glob("*.jpg")))
    before.pop(f"frames/{gone.name}")
    gone.unlink()
    tight = SceneMindConfig.from_flat({"store.budget_mb": 1})
    with ReadOnlyMemory.open(path, tight) as memory:
        assert int(gone.stem) not in memory.stored_frames()
        memory.snapshot()
        for refused in (
            lambda: memory.apply([Edit("delete", (1,))], "me", "no"),
            memory.undo,
            memory.redo,
        ):
            with pytest.raises(SceneMemoryError, match=r"open to be read only.*without read_only"):
                refused()
    assert files(path) == before
