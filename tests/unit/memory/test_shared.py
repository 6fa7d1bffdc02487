"""A stored memory that several processes use at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory, ReadOnlyMemory, SceneMemoryError, SharedMemory
from tests.unit.viewer.room import map_room

CONFIG = SceneMindConfig()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Memory.create(tmp_path / "room", CONFIG) as memory:
        map_room(memory, 12)
    return tmp_path / "room"


@pytest.fixture
def shared(folder: Path) -> Iterator[SharedMemory]:
    with SharedMemory(folder, CONFIG) as shared:
        yield shared


def label_of(memory: SharedMemory | Memory | ReadOnlyMemory, object_id: int) -> str:
    return memory.snapshot().objects[object_id].label


def test_others_write_while_it_is_open_and_it_shows_what_they_wrote(shared: SharedMemory) -> None:
    before = shared.snapshot()
    thing = min(before.objects)
    with Memory.open(shared.path, CONFIG) as other:
        other.apply([Edit("rename", (thing,), value="stool")], "another", "it is one")
    after = shared.snapshot()
    assert after.objects[thing].label == "stool"
    assert after.revision > before.revision
    assert shared.snapshot() is after
    assert [entry.by for entry in shared.corrections()] == ["another"]
    assert shared.key_frames_of([thing], 1)


def test_its_corrections_are_on_disk_and_lock_nothing_afterwards(shared: SharedMemory) -> None:
    thing = min(shared.snapshot().objects)
    shared.apply([Edit("rename", (thing,), value="stool")], "Ada", "it is one")
    assert label_of(shared, thing) == "stool"
    with Memory.open(shared.path, CONFIG) as other:
        assert label_of(other, thing) == "stool"
    shared.undo()
    assert label_of(shared, thing) != "stool"
    shared.redo()
    with ReadOnlyMemory.open(shared.path, CONFIG) as other:
        assert label_of(other, thing) == "stool"


def test_while_another_process_writes_the_last_objects_are_shown(
    shared: SharedMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scenemind.memory.disk.folder._PATIENCE_S", 0.0)
    before = shared.snapshot()
    thing = min(before.objects)
    edit = Edit("rename", (thing,), value="stool")
    with Memory.open(shared.path, CONFIG) as other:
        other.apply([edit], "another", "it is one")
        assert shared.snapshot() is before
        with pytest.raises(SceneMemoryError, match="is open in process"):
            shared.apply([edit], "Ada", "it is one")
        with pytest.raises(SceneMemoryError, match="is open in process"):
            shared.key_frames_of([thing], 1)
    assert label_of(shared, thing) == "stool"


def test_to_read_only_refuses_corrections(folder: Path) -> None:
    with SharedMemory(folder, CONFIG, read_only=True) as shared:
        with pytest.raises(SceneMemoryError, match="read only"):
            shared.undo()
        assert shared.stored_frames()
        assert len(shared.frame_index()) == len(shared.stored_frames())
