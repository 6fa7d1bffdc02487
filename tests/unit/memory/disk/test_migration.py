"""A memory of an older version is refused by name, and is the same memory after its migration."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from itertools import islice

import numpy as np
import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Memory, SceneMemoryError
from scenemind.memory.disk.folder import MemoryFolder
from scenemind.memory.disk.migration import migrate as migrate_folder
from scenemind.memory.disk.migration import upgrade
from scenemind.memory.disk.migration import version_1 as from_version_1
from scenemind.memory.disk.store import Store
from scenemind.memory.disk.store_schema import VERSION
from tests.unit.memory.disk import version_1, version_2

CONFIG = SceneMindConfig()


@pytest.fixture
def old(tmp_path):
    """The folder of a memory of version 1."""
    path = tmp_path / "kitchen"
    version_1.write_memory(path)
    return path


@pytest.fixture
def old_2(tmp_path):
    """The folder of a memory of version 2."""
    path = tmp_path / "hall"
    version_2.write_memory(path)
    return path


def test_old_memory_is_refused_with_what_to_type(old, old_2):
    with pytest.raises(SceneMemoryError, match=r"version 1.*scenemind memory migrate kitchen"):
        Memory.open(old, CONFIG)
    with pytest.raises(SceneMemoryError, match=r"version 2.*scenemind memory migrate hall"):
        Memory.open(old_2, CONFIG)


@pytest.mark.parametrize("version", ["0", "4", "new"])
def test_version_from_elsewhere_is_named_and_left_alone(old, version):
    with closing(sqlite3.connect(old / "memory.sqlite")) as database:
        database.execute("UPDATE meta SET value = ? WHERE key = 'version'", (version,))
        database.commit()
    with pytest.raises(SceneMemoryError, match=f"of version {version}: .* versions 1 to 2"):
        migrate(old)


def test_migrated_memory_has_all_that_was_in_it(old):
    assert migrate(old) == 1
    store = Store(old / "memory.sqlite")
    stored = store.load()
    assert stored.image_bytes == {0: 15, 1: 16}
    assert np.array_equal(stored.path, np.tile(version_1.POSE[:3], (3, 1)).astype(np.float32))
    frame = store.find_frame(3)
    assert (frame.labels, frame.track_ids) == (("chair", "cup"), (5, -1))
    assert [d.box_px for d in frame.detections] == [(10, 20, 30, 60.5), (1, 2, 3, 4)]
    assert [5 in store.find_frame(number).track_ids for number in (1, 2)] == [True, True]
    (record,) = stored.objects
    assert record.votes == version_1.SUMMARY["votes"]
    assert np.array_equal(record.points, version_1.POINTS)
    assert np.array_equal(record.hits, version_1.HITS)
    assert (record.stays, record.gone_ns, record.appearance) == ((), None, None)
    assert record.colors == {"black": 900.0}  # what its mean colour is called
    assert [t.location_id for t in stored.tree.tracklets] == [0, 1]
    assert np.array_equal(stored.tree.tracklets[0].tracklet.trajectory, version_1.TRAJECTORY)
    store.close()


def test_migrated_memory_opens_with_its_evidence_and_corrections(old):
    migrate(old)
    with Memory.open(old, CONFIG) as memory:
        assert memory.snapshot().objects[1].label == "stool"
        assert memory.last_frame_number == version_1.FRAME_COUNT - 1
        assert [node.revisit_of for node in memory.tree()] == [None, 0]
        shown = memory.key_frames_of([1], 5)
        assert [(k.frame_number, k.score) for k in shown] == [(1, 0.75), (0, 0.5)]
        assert shown[0].jpeg == b"j" * 11
        assert shown[0].boxes_px == {1: (10, 20, 30, 60.5)}


def test_migrating_twice_changes_nothing(old):
    migrate(old)
    before = (old / "memory.sqlite").read_bytes()
    assert migrate(old) == VERSION
    assert (old / "memory.sqlite").read_bytes() == before


def test_migrated_memory_of_version_2_has_all_that_was_in_it(old_2):
    assert migrate(old_2) == 2
    store = Store(old_2 / "memory.sqlite")
    stored = store.load()
    assert stored.image_bytes == {0: 15}
    assert store.find_frame(3).labels == ("chair",)
    (record,) = stored.objects
    assert np.array_equal(record.points, version_1.POINTS)
    assert (record.viewpoints, record.missed, record.doubt) == ({7: 3}, 1, 0.5)
    assert record.colors == {"black": 900.0}
    assert record.stays[0].gone_ns == 90
    renamed, reddened = stored.corrections
    assert (renamed.edit.value, renamed.undone_ns, renamed.anchors) == ("stool", 0, ())
    assert (reddened.edit.value, reddened.undone, reddened.undone_ns) == ("red", True, 8)
    assert (stored.descriptions, stored.embeddings, stored.structure) == ((), (), None)
    store.close()


def test_migrated_file_has_the_tables_of_a_new_one(old_2, tmp_path):
    migrate(old_2)
    Store.create(tmp_path / "new.sqlite").close()
    assert columns(old_2 / "memory.sqlite") == columns(tmp_path / "new.sqlite")


def test_migrated_memory_of_version_2_opens_and_goes_on(old_2):
    migrate(old_2)
    with Memory.open(old_2, CONFIG) as memory:
        assert memory.snapshot().objects[1].label == "stool"
        assert memory.last_frame_number == version_2.FRAME_COUNT - 1
        (shown,) = memory.key_frames_of([1], 5)
        assert shown.boxes_px == {1: version_2.BOX_PX}
        (anchor,) = memory.corrections()[0].anchors  # where it stands now
        assert (anchor.label, anchor.box) == ("chair", memory.snapshot().objects[1].box)
        memory.undo()
        memory.redo(2)
        assert memory.snapshot().objects[1].label == "chair"
        assert memory.snapshot().objects[1].attributes["color"] == "red"


@pytest.mark.parametrize("at", ["_rewrite", "_verify"])
@pytest.mark.parametrize("version", [1, 2])
def test_memory_is_as_it_was_when_migrating_breaks_off(old, old_2, monkeypatch, at, version):
    old = (old, old_2)[version - 1]
    before = (old / "memory.sqlite").read_bytes()
    whole = getattr(upgrade, at)

    def breaks(*arguments):
        whole(*arguments)
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(upgrade, at, breaks)
    with pytest.raises(SceneMemoryError, match=r"migrating failed.*disk is full"):
        migrate(old)
    assert (old / "memory.sqlite").read_bytes() == before
    assert sorted(p.name for p in old.iterdir()) == ["frames", "memory.lock", "memory.sqlite"]
    monkeypatch.undo()
    (old / "memory.migrating").write_bytes(b"what a killed process left")
    assert migrate(old) == version


def test_memory_that_came_out_short_is_not_put_in_place(old, monkeypatch):
    frames = from_version_1._frames
    monkeypatch.setattr(from_version_1, "_frames", lambda source: islice(frames(source), 3))
    with pytest.raises(SceneMemoryError, match="3 of 4 frames"):
        migrate(old)
    monkeypatch.undo()
    assert migrate(old) == 1


def test_newer_memory_and_other_files_are_refused(old):
    with sqlite3.connect(old / "memory.sqlite") as connection:
        connection.execute("UPDATE meta SET value = '4' WHERE key = 'version'")
    connection.close()
    with pytest.raises(SceneMemoryError, match="version 4: this SceneMind migrates versions 1 to"):
        migrate(old)
    (old / "memory.sqlite").write_bytes(b"not a database, but long enough for one" * 40)
    with pytest.raises(SceneMemoryError, match="no scene memory"):
        migrate(old)


def test_open_memory_is_not_migrated(old):
    folder = MemoryFolder.open(old)
    with pytest.raises(SceneMemoryError, match="open in process"):
        migrate(old)
    folder.close()


def test_copy_of_an_old_memory_is_its_own(old, tmp_path):
    shutil.copytree(old, tmp_path / "copy")
    migrate(tmp_path / "copy")
    with pytest.raises(SceneMemoryError, match="version 1"):
        Memory.open(old, CONFIG)


def migrate(path) -> int:
    folder = MemoryFolder.open(path)
    try:
        return migrate_folder(folder)
    finally:
        folder.close()


def columns(database) -> dict[str, list[tuple]]:
    """Table -> its columns: position, name, type, not null, default, primary key."""
    with closing(sqlite3.connect(database)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
        return {
            table: connection.execute(f"PRAGMA table_info({table})").fetchall()
            for table in sorted(tables)
        }
