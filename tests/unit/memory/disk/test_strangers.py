"""A memory from a stranger: nothing outside it is touched, nothing waits, nothing bursts."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from scenemind.config import SceneMindConfig
from scenemind.frames import FrameError
from scenemind.memory import Memory, ReadOnlyMemory, SceneMemoryError, list_memories
from scenemind.memory.disk import images
from scenemind.memory.disk.changes import NO_CHANGES
from scenemind.memory.disk.examination import check, repair
from scenemind.memory.disk.folder import DATABASE, delete, describe, save_copy
from scenemind.memory.disk.schema import tables
from scenemind.memory.disk.store import Store, StoredMemory
from scenemind.untrusted import copy_regular
from tests.unit.memory import walk

CONFIG = SceneMindConfig()
PRECIOUS = "a file of somebody else"


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return walk.stored(tmp_path_factory.mktemp("memories") / "row", 30)


@pytest.fixture
def path(walked: Path, tmp_path: Path) -> Path:
    """A stored memory of some chairs."""
    return Path(shutil.copytree(walked, tmp_path / "row"))


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "000999.jpg").write_text(PRECIOUS)
    (folder / "0001.png.tmp").write_text(PRECIOUS)
    return folder


def linked(target: Path) -> Callable[[Path], None]:
    return lambda place: place.symlink_to(target)


@pytest.mark.parametrize(
    "name",
    ["memory.lock", DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal"],
)
@pytest.mark.parametrize("kind", ["link", "pipe"])
@pytest.mark.parametrize("opened", [Memory.open, ReadOnlyMemory.open])
def test_no_link_or_pipe_is_opened(
    path: Path, victim: Path, name: str, kind: str, opened: Callable[..., Memory]
) -> None:
    (path / name).unlink(missing_ok=True)
    if kind == "link":
        (path / name).symlink_to(victim / "000999.jpg")
    else:
        os.mkfifo(path / name)
    with pytest.raises(SceneMemoryError, match=r"link, a pipe|of no memory"):
        opened(path, CONFIG)
    assert describe(path).problem
    assert (victim / "000999.jpg").read_text() == PRECIOUS


def test_a_linked_folder_of_images_is_not_cleaned_up(path: Path, victim: Path) -> None:
    (path / "frames").rename(path.parent / "elsewhere")
    (path / "frames").symlink_to(victim)
    with pytest.raises(SceneMemoryError, match="is a link or a file"):
        Memory.open(path, CONFIG)
    assert sorted(file.read_text() for file in victim.iterdir()) == [PRECIOUS, PRECIOUS]
    delete(path)
    assert sorted(file.read_text() for file in victim.iterdir()) == [PRECIOUS, PRECIOUS]


def swapped(path: Path, victim: Path) -> None:
    """The folder of images becomes a link, as by somebody who may write beside it."""
    (path / "frames").rename(path.parent / "elsewhere")
    (path / "frames").symlink_to(victim)


def test_a_folder_of_images_that_becomes_a_link_while_it_is_opened_is_not_cleaned_up(
    path: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = Store.load

    def late(store: Store) -> StoredMemory:
        swapped(path, victim)
        return load(store)

    monkeypatch.setattr(Store, "load", late)
    with pytest.raises(SceneMemoryError, match="is a link or no folder"):
        Memory.open(path, CONFIG)
    assert sorted(file.read_text() for file in victim.iterdir()) == [PRECIOUS, PRECIOUS]


def test_a_folder_of_images_that_becomes_a_link_between_two_calls_loses_only_its_own(
    path: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is swapped after it was listed and before the first file is deleted."""
    scandir = os.scandir

    def late(folder: Any) -> Any:
        entries = scandir(folder)
        swapped(path, victim)
        return entries

    (path / "frames" / "000999.jpg").write_bytes(b"which no row names")
    monkeypatch.setattr(os, "scandir", late)
    images.remove_unnamed(path / "frames", {})
    monkeypatch.undo()
    assert sorted(file.read_text() for file in victim.iterdir()) == [PRECIOUS, PRECIOUS]
    assert not list((path.parent / "elsewhere").glob("*.jpg"))


def test_nothing_is_written_copied_or_removed_through_a_link(path: Path, victim: Path) -> None:
    store = images.FrameStore(path / "frames", CONFIG.store)
    swapped(path, victim)
    grey = np.full((walk.CAMERA.height, walk.CAMERA.width, 3), 128, np.uint8)
    store.put(999, grey, np.ones(grey.shape[:2], np.float32))
    store.remove([999])
    store.flush()
    assert store.counts.failed == 1
    with pytest.raises(OSError, match="is a link or no folder"):
        store.clear()
    store.close()
    with pytest.raises(OSError, match="is a link or no folder"):
        images.find_jpeg(path / "frames", 999, walk.CAMERA)
    with pytest.raises(OSError, match="is a link or no folder"):
        copy_regular(path / "frames" / "000999.jpg", path / "copy.jpg", may_share=True)
    assert sorted(file.read_text() for file in victim.iterdir()) == [PRECIOUS, PRECIOUS]


def test_a_pipe_is_not_waited_for_when_it_is_copied(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="no regular file"):
        copy_regular(tmp_path / "pipe", tmp_path / "copy")


def test_a_memory_that_the_person_reaches_by_a_link_is_opened(path: Path) -> None:
    (path.parent / "link").symlink_to(path)
    with Memory.open(path.parent / "link", CONFIG) as memory:
        assert memory.stored_frames()
        memory.save_as("copy")
    assert check(path.parent / "copy") == ()


def test_a_file_that_is_no_lock_is_not_emptied(path: Path) -> None:
    """As a hard link to another file would be."""
    (path / "memory.lock").write_text(PRECIOUS)
    with pytest.raises(SceneMemoryError, match="does not hold a process id"):
        Memory.open(path, CONFIG)
    assert (path / "memory.lock").read_text() == PRECIOUS


@pytest.mark.parametrize("opened", [Memory.open, ReadOnlyMemory.open])
def test_a_damaged_lock_is_no_lock(path: Path, opened: Callable[..., Memory]) -> None:
    (path / "memory.lock").write_bytes(b"1\x81")
    with pytest.raises(SceneMemoryError, match="does not hold a process id"):
        opened(path, CONFIG)
    assert describe(path).counts["objects"] == 3


def test_linked_images_are_missing(path: Path, victim: Path) -> None:
    with ReadOnlyMemory.open(path, CONFIG) as memory:
        number = memory.stored_frames()[0]
    image = images.color_path(path / "frames", number)
    whole = image.read_bytes()
    image.unlink()
    (victim / "linked.jpg").write_bytes(whole)
    image.symlink_to(victim / "linked.jpg")
    with ReadOnlyMemory.open(path, CONFIG) as memory:
        assert number not in memory.stored_frames()
    with pytest.raises(OSError, match="no regular file"):
        images.find_jpeg(path / "frames", number, walk.CAMERA)
    image.unlink()
    os.mkfifo(image)
    with pytest.raises(OSError, match="no regular file"):
        images.find_jpeg(path / "frames", number, walk.CAMERA)


def test_an_image_is_not_decoded_before_its_size_is_known(tmp_path: Path) -> None:
    """32000 x 32000 pixels in 16 MB would take gigabytes."""
    small = cv2.imencode(".jpg", np.zeros((8, 8, 3), np.uint8))[1].tobytes()
    at = small.index(b"\xff\xc0") + 5
    large = small[:at] + (32_000).to_bytes(2, "big") * 2 + small[at + 4 :]
    images.color_path(tmp_path, 1).write_bytes(large)
    with pytest.raises(FrameError, match="32000"):
        images.find_jpeg(tmp_path, 1, walk.CAMERA)
    png = cv2.imencode(".png", np.zeros((8, 8), np.uint16))[1].tobytes()
    large = png[:16] + (50_000).to_bytes(4, "big") * 2 + png[24:]
    images.depth_path(tmp_path, 1).write_bytes(large)
    with pytest.raises(FrameError, match="50000"):
        images.find_depth_image(tmp_path, 1, walk.CAMERA)


def test_a_camera_of_more_pixels_than_can_be_decoded_is_damage(path: Path) -> None:
    """Its images would take gigabytes, and each checksum can fit."""
    table = tables()["cameras"]
    with closing(sqlite3.connect(path / DATABASE)) as connection, connection:
        (row,) = connection.execute("SELECT * FROM cameras").fetchall()
        table.insert(connection, [(row[0], 20_000, 20_000, *row[3:-1])])
    with ReadOnlyMemory.open(path, CONFIG) as memory:
        assert memory.stats().damaged


def test_a_stored_image_of_passes_without_end_is_missing(path: Path) -> None:
    """Whoever decodes it would wait, although its checksum fits."""
    grey = np.full((walk.CAMERA.height, walk.CAMERA.width), 128, np.uint8)
    jpeg = cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_PROGRESSIVE, 1])[1].tobytes()
    last = jpeg[jpeg.rindex(b"\xff\xda") : -2]
    slow = images._sealed(jpeg[:-2] + last * 1000 + jpeg[-2:])
    with ReadOnlyMemory.open(path, CONFIG) as memory:
        number = memory.stored_frames()[0]
    images.color_path(path / "frames", number).write_bytes(slow)
    with pytest.raises(FrameError, match="in more than 50 passes"):
        images.find_jpeg(path / "frames", number, walk.CAMERA)


def test_a_changed_image_is_known_by_its_checksum(path: Path) -> None:
    folder = path / "frames"
    number = min(int(file.stem) for file in folder.glob("*.jpg"))
    assert images.find_jpeg(folder, number, walk.CAMERA)
    data = bytearray(images.color_path(folder, number).read_bytes())
    data[len(data) // 2] ^= 1
    images.color_path(folder, number).write_bytes(data)
    with pytest.raises(FrameError, match="checksum"):
        images.find_jpeg(folder, number, walk.CAMERA)


@pytest.mark.parametrize("table", ["meta", "views", "objects"])
def test_an_endless_view_in_place_of_a_table_is_refused(path: Path, table: str) -> None:
    with closing(sqlite3.connect(path / DATABASE)) as connection:
        connection.executescript(
            f"ALTER TABLE {table} RENAME TO old; CREATE VIEW {table} AS WITH RECURSIVE r (a) AS"
            " (SELECT 1 UNION ALL SELECT a + 1 FROM r) SELECT a AS key, a AS value FROM r"
        )
    for opened in (Memory.open, ReadOnlyMemory.open):
        with pytest.raises(SceneMemoryError, match=r"no scene memory|schema differs"):
            opened(path, CONFIG)
    assert list_memories(path.parent) == ["row"]
    assert describe(path).problem or not describe(path).counts


def test_endless_reading_is_interrupted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Should SQLite go in circles all the same."""
    monkeypatch.setattr("scenemind.memory.disk.connection._START_S", -1e9)
    with closing(Store(path / DATABASE, to_read=True)) as store:
        endless = "WITH RECURSIVE r (a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM r) SELECT a FROM r"
        ask = store._connection.execute
        monkeypatch.setattr(store._frames, "all", lambda: sum(a for (a,) in ask(endless)))
        with pytest.raises(SceneMemoryError, match="longer than its size allows"):
            store.load()


def test_reading_changes_no_file(path: Path) -> None:
    def state() -> dict[str, tuple[int, bytes]]:
        files = [file for file in sorted(path.rglob("*")) if file.is_file()]
        return {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in files}

    before = state()
    describe(path)
    save_copy(path, "copy")
    with ReadOnlyMemory.open(path, CONFIG) as memory:
        memory.key_frame(memory.stored_frames()[0])
        memory.history.visits()
    assert state() == before


def test_what_a_killed_process_left_in_its_log_is_read_and_stays(tmp_path: Path) -> None:
    memory = Memory.create(tmp_path / "row", CONFIG)
    seen = walk.step(0)
    memory.integrate(seen.frame, seen.detections, seen.track_ids, seen.observations)
    memory.flush()
    killed = tmp_path / "killed"
    killed.mkdir()
    for name in (DATABASE, f"{DATABASE}-wal"):
        (killed / name).write_bytes((tmp_path / "row" / name).read_bytes())
    memory.close()
    log = (killed / f"{DATABASE}-wal").read_bytes()
    assert log
    with ReadOnlyMemory.open(killed, CONFIG) as read:
        assert read.stats().frames == 1
    assert (killed / f"{DATABASE}-wal").read_bytes() == log
    with Memory.open(killed, CONFIG) as opened:
        assert opened.stats().frames == 1


@pytest.mark.parametrize(("private", "mode"), [(True, 0o700), (False, 0o755)])
def test_memories_are_for_their_user_unless_they_are_shared(
    tmp_path: Path, private: bool, mode: int
) -> None:
    config = SceneMindConfig.from_nested({"store": {"private": private}})
    before = os.umask(0o022)
    try:
        with Memory.create(tmp_path / "row", config) as memory:
            seen = walk.step(0)
            memory.integrate(seen.frame, seen.detections, seen.track_ids, seen.observations)
            memory.flush()
            memory.save_as("copy")
            for folder in (tmp_path / "row", tmp_path / "copy"):
                assert stat.S_IMODE(folder.stat().st_mode) == mode
                assert stat.S_IMODE((folder / "frames").stat().st_mode) == mode
                files = [file for file in folder.rglob("*") if file.is_file()]
                assert len(files) >= 3
                assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {mode & 0o666}
    finally:
        os.umask(before)


def test_a_full_disk_is_called_a_full_disk(path: Path) -> None:
    with closing(Store(path / DATABASE)) as store:
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(SceneMemoryError, match=r"the disk is full\. The memory is not damaged"):
            store.write(replace(NO_CHANGES, structure=bytes(2_000_000)))
        assert store.load().objects


def test_objects_without_end_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scenemind.memory.disk.sound_rows._MOST_ROWS", 2)
    with pytest.raises(SceneMemoryError, match="has more than 2 rows"):
        ReadOnlyMemory.open(path, CONFIG)


def test_reading_makes_no_lock_and_still_keeps_writers_away(path: Path) -> None:
    (path / "memory.lock").unlink()
    with ReadOnlyMemory.open(path, CONFIG), ReadOnlyMemory.open(path, CONFIG):
        assert not (path / "memory.lock").exists()
        with pytest.raises(SceneMemoryError, match="being read"):
            Memory.open(path, CONFIG)
    with Memory.open(path, CONFIG):
        (path / "memory.lock").unlink()  # by a person, while it is open
        with pytest.raises(SceneMemoryError, match="by another command"):
            ReadOnlyMemory.open(path, CONFIG)


def test_detections_of_no_frame_are_damage(path: Path) -> None:
    """Their checksum is another one, but nobody asks for them."""
    with closing(sqlite3.connect(path / DATABASE)) as connection, connection:
        connection.execute("UPDATE detections SET frame = 4611686018427387904 WHERE frame = 3")
    with ReadOnlyMemory.open(path, CONFIG) as memory:
        assert memory.stats().damaged == 1
    repair(path)
    assert check(path) == ()


def test_detections_that_a_damaged_key_hides_are_damage(path: Path) -> None:
    """SQLite's search goes astray at such a key, and finds nothing."""
    with ReadOnlyMemory.open(path, CONFIG) as memory:
        hidden = memory.stored_frames()[-1]
    with closing(sqlite3.connect(path / DATABASE)) as connection:
        query = "SELECT packed FROM detections WHERE frame = ?"
        ((before,),) = connection.execute(query, (hidden + 1,))  # rows grow to the front of a page
    data = bytearray((path / DATABASE).read_bytes())
    at = data.index(before) + len(before)
    data[at : at + 64] = bytes(64)
    (path / DATABASE).write_bytes(data)
    with ReadOnlyMemory.open(path, CONFIG) as memory:
        assert memory.stats().damaged == 0
        memory.frame_index()
        assert memory.stats().damaged == 1
    assert any(damage.where == "detections" for damage in check(path))


def test_holes_without_end_are_not_read(path: Path) -> None:
    database = path / DATABASE
    os.truncate(database, 2**40)
    for opened in (Memory.open, ReadOnlyMemory.open, save_copy):
        with pytest.raises(SceneMemoryError, match="holes"):
            opened(path, CONFIG)  # type: ignore[arg-type]
    assert "holes" in describe(path).problem


def test_a_kill_while_the_log_moves_into_the_file_is_no_damage(tmp_path: Path) -> None:
    """Page 1 says already how long the file is to be."""
    memory = Memory.create(tmp_path / "row", CONFIG)
    for number in range(30):
        seen = walk.step(number)
        memory.integrate(seen.frame, seen.detections, seen.track_ids, seen.observations)
    memory.begin_session()  # ends what closing would end
    memory.flush()
    log = (tmp_path / "row" / f"{DATABASE}-wal").read_bytes()
    memory.close()
    path = tmp_path / "row"
    whole = (path / DATABASE).read_bytes()
    (path / f"{DATABASE}-wal").write_bytes(log)
    for kept in (len(whole) // 2, len(whole) - 1):
        (path / DATABASE).write_bytes(whole[:kept])
        with ReadOnlyMemory.open(path, CONFIG) as read:
            assert (read.stats().frames, read.stats().damaged) == (30, 0)
        assert check(path) == ()
    (path / f"{DATABASE}-wal").write_bytes(log[: len(log) // 4])
    assert check(path) != ()
    (path / f"{DATABASE}-wal").write_bytes(log)
    with Memory.open(path, CONFIG) as opened:
        assert opened.stats().frames == 30
