"""The SQLite file: committed rows are read back, and errors name files that are no memory."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from scenemind.config import SceneMindConfig
from scenemind.geometry import Pose
from scenemind.memory import Correction, Description, Edit, Memory, SceneMemoryError
from scenemind.memory.disk.changes import NO_CHANGES, FrameRecord
from scenemind.memory.disk.schema import VERSION
from scenemind.memory.disk.store import Store
from scenemind.memory.types import Embedding
from tests.unit.memory import walk

CONFIG = SceneMindConfig()
STEPS = 60
CORRECTION = Correction(1, Edit("rename", (1,), value="stool"), "anna", "no, a stool", 5)


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """The database of a closed memory of 60 frames."""
    path = tmp_path_factory.mktemp("memories") / "row"
    with Memory.create(path, CONFIG) as memory:
        walk.go(memory, range(STEPS))
    return path / "memory.sqlite"


@pytest.fixture
def database(walked, tmp_path):
    """A copy to damage."""
    copy = tmp_path / "memory.sqlite"
    copy.write_bytes(walked.read_bytes())
    return copy


def test_every_detection_is_there_again(database):
    store = Store(database)
    for number in (0, 17, STEPS - 1):
        step, stored = walk.step(number), store.find_frame(number)
        assert stored.stamp_ns == step.frame.stamp_ns
        assert stored.camera == walk.CAMERA
        assert np.allclose(
            stored.world_T_camera.matrix(), step.frame.world_T_camera.matrix(), atol=1e-12
        )
        assert stored.track_ids == tuple(step.track_ids)
        assert stored.labels == step.detections.labels
        assert [d.score for d in stored.detections] == step.detections.scores.tolist()
        assert [d.box_px for d in stored.detections] == [
            tuple(box) for box in step.detections.boxes_px.tolist()
        ]
    assert store.find_frame(STEPS) is None


def test_a_frame_is_kept_until_somebody_writes(database):
    store = Store(database)
    assert store.find_frame(17) is store.find_frame(17)
    with closing(sqlite3.connect(database)) as of_another_process, of_another_process:
        of_another_process.execute("DELETE FROM frames")
    assert store.find_frame(17) is None
    store.close()


def test_failed_write_leaves_no_trace(database):
    store = Store(database)
    before = dump(database)
    locker = sqlite3.connect(database, isolation_level=None)
    locker.execute(
        "CREATE TRIGGER stop BEFORE INSERT ON corrections BEGIN SELECT RAISE(ABORT, 'no more'); END"
    )
    with Memory.create(None, CONFIG) as memory:
        step = walk.step(STEPS)
        memory.integrate(step.frame, step.detections, step.track_ids, step.observations)
        changes = replace(memory._take(), corrections=(CORRECTION,))
    with pytest.raises(SceneMemoryError, match="no more"):
        store.write(changes)
    locker.execute("DROP TRIGGER stop")
    locker.close()
    assert dump(database) == before
    store.write(changes)
    assert store.load().corrections == (CORRECTION,)
    store.close()


def test_what_was_removed_leaves_no_rows(database):
    store = Store(database)
    (gone, kept, *_) = (record.object_id for record in store.load().objects)
    vector = np.array([0.6, 0.8], np.float32)
    store.write(
        replace(
            NO_CHANGES,
            descriptions=tuple(Description(i, {}, "seer", "chair", 0, 5) for i in (gone, kept)),
            embeddings=tuple(Embedding(i, "clip", vector, 1) for i in (gone, kept)),
        )
    )
    dropped, *other_views = store.load().views
    store.write(
        replace(
            NO_CHANGES,
            removed_objects=frozenset({gone}),
            views=(replace(dropped, packed=b""),),
        )
    )
    stored = store.load()
    assert gone not in {record.object_id for record in stored.objects}
    assert [note.object_id for note in stored.descriptions] == [kept]
    assert [note.object_id for note in stored.embeddings] == [kept]
    assert stored.views == tuple(other_views)
    store.close()


def test_views_between_two_stamps_are_those_where_the_camera_had_moved(tmp_path):
    """Five frames 1 m and 10 ns apart; during the third the camera stood still."""
    store = Store.create(tmp_path / "memory.sqlite")
    poses = [Pose(np.eye(3), np.array([float(x), 0.0, 1.0])) for x in (0, 1, 1, 2, 3)]
    frames = tuple(
        FrameRecord(n, 10 * n, 0, walk.CAMERA, pose, on_path=n != 2) for n, pose in enumerate(poses)
    )
    store.write(replace(NO_CHANGES, frames=frames))
    assert [pose.translation[0] for _, pose, _ in store.views(10, 30)] == [1.0, 2.0]
    assert store.load().path[:, 0].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert store.frame_stamps().tolist() == [[n, 10 * n] for n in range(5)]
    store.close()


def test_clear_leaves_an_empty_memory(database):
    store = Store(database)
    store.clear()
    stored = store.load()
    assert stored.last_frame is None
    assert stored.largest_track_id == -1
    assert (stored.objects, stored.tree.locations, len(stored.path)) == ((), (), 0)
    store.close()


@pytest.mark.parametrize("share", [0.02, 0.5, 0.95])
def test_truncated_file_is_refused(database, share):
    data = database.read_bytes()
    database.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(SceneMemoryError, match=r"memory\.sqlite is .*damaged"):
        Store(database)


def test_overwritten_middle_is_refused(database):
    data = bytearray(database.read_bytes())
    data[8192:16384] = b"\x17" * 8192
    database.write_bytes(data)
    with pytest.raises(SceneMemoryError, match=r"memory\.sqlite is .*damaged"):
        Store(database)


@pytest.mark.parametrize("content", [b"not a database, but long enough for one" * 40, b""])
def test_other_file_is_no_memory(tmp_path, content):
    path = tmp_path / "memory.sqlite"
    path.write_bytes(content)
    with pytest.raises(SceneMemoryError, match="no scene memory"):
        Store(path)
    assert path.read_bytes() == content


def test_other_database_is_no_memory(tmp_path):
    path = tmp_path / "memory.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    with pytest.raises(SceneMemoryError, match="no scene memory"):
        Store(path)


@pytest.mark.parametrize("version", ["3", "0.1 (beta)"])
def test_error_names_another_version(database, version):
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'version'", (version,))
    connection.close()
    with pytest.raises(SceneMemoryError) as caught:
        Store(database)
    assert f"version {version}" in str(caught.value)
    assert f"reads version {VERSION}" in str(caught.value)


def dump(path) -> list[str]:
    with sqlite3.connect(path) as connection:
        lines = [line for line in connection.iterdump() if "TRIGGER" not in line]
    connection.close()
    return lines
