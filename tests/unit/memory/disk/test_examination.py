"""Damage is named by table and row, what is whole is read and kept, and the original stays."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory, ReadOnlyMemory, SceneMemoryError
from scenemind.memory.disk.examination import check, repair
from scenemind.memory.disk.folder import DATABASE, save_copy
from scenemind.memory.disk.schema import tables
from tests.unit.memory import walk

CONFIG = SceneMindConfig()


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("memories") / "row"
    with Memory.create(path, CONFIG) as memory:
        walk.go(memory, range(60))
        memory.apply([Edit("rename", (1,), value="stool")], "anna", "that is a stool")
    return path


@pytest.fixture
def path(walked: Path, tmp_path: Path) -> Path:
    """A stored memory with corrections, to damage."""
    return Path(shutil.copytree(walked, tmp_path / "row"))


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path / DATABASE)) as connection, connection:
        connection.execute(statement)


def test_a_whole_memory_is_whole_and_repairing_changes_nothing(path: Path) -> None:
    before = (path / DATABASE).read_bytes()
    assert check(path) == ()
    assert repair(path).damage == ()
    assert (path / DATABASE).read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["row"]


@pytest.mark.parametrize(
    ("statement", "table", "key"),
    [
        ("UPDATE objects SET summary = 'X' || substr(summary, 2) WHERE id = 2", "objects", "2"),
        ("UPDATE objects SET id = -2 WHERE id = 2", "objects", "-2"),
        ("UPDATE objects SET points = substr(points, 2) WHERE id = 2", "objects", "2"),
        ("UPDATE corrections SET undone_ns = 5", "corrections", "1"),
        ("UPDATE tracklets SET label = 3.5 WHERE track_id = 1", "tracklets", ", 1"),
        ("UPDATE views SET packed = zeroblob(16) WHERE object_id = 1", "views", ", 1"),
        ("UPDATE detections SET packed = substr(packed, 3) WHERE frame = 7", "detections", "7"),
        ("UPDATE labels SET label = 'table'", "labels", "1"),
        ("UPDATE cameras SET fx = fx * 2", "cameras", "1"),
    ],
)
def test_a_damaged_row_is_named_and_left_out(
    path: Path, statement: str, table: str, key: str
) -> None:
    change(path, statement)
    damage = check(path)
    assert any(one.where == table and one.key.endswith(key) for one in damage), damage
    done = repair(path)
    assert done.damage == damage
    assert check(path) == ()
    assert done.original is not None
    assert check(done.original) == damage
    with Memory.open(path, CONFIG) as memory:
        walk.go(memory, range(5))
        assert memory.snapshot()
    assert check(path) == ()


def test_opening_reads_what_is_whole_and_says_so_once(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    change(path, "UPDATE objects SET summary = '{' WHERE id = 2")
    with caplog.at_level(logging.WARNING), ReadOnlyMemory.open(path, CONFIG) as memory:
        assert 2 not in memory.snapshot().objects
        assert {1, 3} <= memory.snapshot().objects.keys()
        assert memory.stats().damaged == 1
    (said,) = caplog.messages
    assert "objects 2" in said
    assert "scenemind memory repair --memory row" in said


def test_a_damaged_memory_is_neither_written_nor_copied(path: Path) -> None:
    change(path, "UPDATE objects SET summary = '{' WHERE id = 2")
    before = (path / DATABASE).read_bytes()
    with pytest.raises(SceneMemoryError, match=r"objects 2.*memory repair"):
        Memory.open(path, CONFIG)
    with pytest.raises(SceneMemoryError, match=r"objects 2.*memory repair"):
        save_copy(path, "copy")
    assert (path / DATABASE).read_bytes() == before


@pytest.mark.parametrize("damaged", ["pages", "cut"])
def test_what_unreadable_pages_leave_is_kept(path: Path, damaged: str) -> None:
    data = bytearray((path / DATABASE).read_bytes())
    page = 4096
    if damaged == "cut":
        del data[-3 * page - 100 :]
    else:
        # A page in the middle of the tracklets or detections, and not the root of a table.
        with closing(sqlite3.connect(path / DATABASE)) as connection:
            roots = {root for (root,) in connection.execute("SELECT rootpage FROM sqlite_master")}
        number = max(set(range(2, len(data) // page)) - roots)
        data[(number - 1) * page : number * page] = b"\x17" * page
    (path / DATABASE).write_bytes(data)
    assert check(path)
    done = repair(path)
    assert done.damage
    assert check(path) == ()
    with Memory.open(path, CONFIG) as memory:
        assert memory.snapshot().objects
        assert memory.corrections()


def test_new_things_never_get_the_ids_of_lost_ones(path: Path) -> None:
    with ReadOnlyMemory.open(path, CONFIG) as memory:
        objects, locations = memory.snapshot().objects, [n.location_id for n in memory.tree()]
    change(path, "UPDATE locations SET first_frame = first_frame + 1 WHERE id = 0")
    repair(path)
    with Memory.open(path, CONFIG) as memory:
        assert set(memory.snapshot().objects) == set(objects)
        assert [node.location_id for node in memory.tree()] == locations[1:]
        go_again = range(60, 90)
        memory.begin_session()
        walk.go(memory, go_again)
        ids = [node.location_id for node in memory.tree()]
        assert len(set(ids)) == len(ids)
        assert ids[: len(locations) - 1] == locations[1:]


def test_a_damaged_image_is_named_and_its_row_goes(path: Path) -> None:
    image = sorted((path / "frames").glob("*.jpg"))[0]
    data = bytearray(image.read_bytes())
    data[-40] ^= 4
    image.write_bytes(data)
    (one,) = check(path)
    assert (one.where, "checksum" in one.reason) == (f"frames/{image.name}", True)
    repair(path)
    assert check(path) == ()
    with ReadOnlyMemory.open(path, CONFIG) as memory:
        assert int(image.stem) not in memory.stored_frames()


def test_every_table_has_a_checksum_that_tells_any_changed_byte(path: Path) -> None:
    with closing(sqlite3.connect(path / DATABASE)) as connection:
        for table in tables().values():
            for row in connection.execute(f"SELECT * FROM {table.name} LIMIT 3").fetchall():
                assert table.whole([row])
                for column, value in enumerate(row):
                    other = value[1:] if isinstance(value, bytes | str) else (value or 0) + 1
                    assert not table.whole([(*row[:column], other, *row[column + 1 :])])
                moved = next(t for t in tables().values() if t.kinds == table.kinds)
                assert moved is table or not moved.whole([row])
