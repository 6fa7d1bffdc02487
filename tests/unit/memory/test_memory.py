"""The memory through its public methods, also after a restart, a kill and a full disk."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory, SceneMemoryError, list_memories, tree_json
from tests.unit.memory import walk
from tests.unit.memory.tree.test_mem_tree import assert_same_nodes

CONFIG = SceneMindConfig()
REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture
def memory(tmp_path):
    memory = Memory.create(tmp_path / "row", CONFIG)
    yield memory
    memory.close()


def test_each_chair_of_the_row_is_one_object_where_it_stands(memory):
    walk.go(memory, range(60))
    found = sorted(memory.snapshot().objects.values(), key=lambda o: o.box.center[0])
    assert [o.label for o in found] == ["chair"] * 4
    for chair, o in enumerate(found):
        assert o.box.center == pytest.approx(walk.chair_center(chair), abs=0.05)
        assert o.track_ids == (chair,)


def test_snapshot_is_the_same_value_until_something_changes(memory):
    walk.go(memory, range(5))
    before = memory.snapshot()
    assert memory.snapshot() is before
    walk.go(memory, range(5, 6))
    after = memory.snapshot()
    assert after.revision > before.revision
    assert (before.stamp_ns, after.stamp_ns) == (4 * walk.FRAME_NS, 5 * walk.FRAME_NS)
    assert after.world_T_camera.translation[0] == pytest.approx(0.5)
    count = {i: o.observation_count for i, o in before.objects.items()}
    assert {i: after.objects[i].observation_count - n for i, n in count.items()} == {1: 1}


def test_frame_without_detections_moves_the_camera_only(memory):
    walk.go(memory, range(5))
    before = memory.snapshot()
    empty = walk.step(5).detections.select([])
    changed = memory.integrate(walk.frame(5, x=0.9), empty, np.zeros(0, np.int64), [])
    after = memory.snapshot()
    assert changed == frozenset()
    assert after.revision == before.revision
    assert after.stamp_ns == 5 * walk.FRAME_NS
    assert memory.tree()[-1].frame_numbers == (0, 5)


def test_tree_names_the_objects_that_its_tracklets_fed(memory):
    walk.go(memory, range(60))
    objects = memory.snapshot().objects
    locations = memory.tree()
    # 0.1 m a frame: the 16th frame after an anchor is the first beyond 1.5 m.
    assert [node.frame_numbers for node in locations] == [(0, 16), (17, 32), (33, 48), (49, 59)]
    for node in locations:
        for tracklet in node.tracklets:
            assert tracklet.object_id in objects
            assert objects[tracklet.object_id].track_ids == (tracklet.track_id,)
            assert tracklet.trajectory[-1] == pytest.approx(
                walk.chair_center(tracklet.track_id), abs=0.05
            )


def test_key_frames_show_the_object_best_first(memory):
    walk.go(memory, range(60))
    of_chair = {o.track_ids[0]: i for i, o in memory.snapshot().objects.items()}
    key_frames = memory.key_frames_of([of_chair[1]], count=2)
    scores = [key_frame.score for key_frame in key_frames]
    assert scores == sorted(scores, reverse=True)
    best = key_frames[0]
    # The camera is beside chair 1 at frame 20; a key frame is at most 0.15 m (2 frames) away.
    assert abs(best.frame_number - 20) <= 2
    row = list(walk.step(best.frame_number).track_ids).index(1)
    expected_box = walk.step(best.frame_number).detections.boxes_px[row]
    assert best.boxes_px == {of_chair[1]: pytest.approx(tuple(expected_box))}
    image = cv2.imdecode(np.frombuffer(best.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert image.shape == (walk.CAMERA.height, walk.CAMERA.width, 3)
    assert image[0, 0, 2] == pytest.approx(best.frame_number, abs=3)  # red tells the frame
    assert best.location_id != key_frames[1].location_id


def test_frames_of_a_moved_object_that_show_it_where_it_is_now_come_first(memory, monkeypatch):
    walk.go(memory, range(60))
    snapshot = memory.snapshot()
    chair = next(o for o in snapshot.objects.values() if o.track_ids[0] == 1)
    best, *_ = memory.key_frames_of([chair.object_id], 1)
    moved = replace(chair, here_since_ns=best.stamp_ns + 1)
    now = replace(snapshot, objects={**snapshot.objects, chair.object_id: moved})
    monkeypatch.setattr(memory, "snapshot", lambda: now)
    frames = memory.key_frames_of([chair.object_id], 100)
    is_of_now = [frame.stamp_ns > best.stamp_ns for frame in frames]
    assert is_of_now == sorted(is_of_now, reverse=True)
    assert {True, False} == set(is_of_now)
    assert best.frame_number in [frame.frame_number for frame in frames]


def test_one_frame_a_location_is_selected_by_key_and_cue_objects(memory):
    walk.go(memory, range(60))
    of_chair = {o.track_ids[0]: i for i, o in memory.snapshot().objects.items()}
    first, second = of_chair[0], of_chair[1]
    frames = memory.select_key_frames([second], [first], count=2)
    assert [f.location_id for f in frames] == [1, 0]  # the camera is beside chair 1 at frame 20
    assert abs(frames[0].frame_number - 20) <= 2
    assert second in frames[1].boxes_px
    (last,) = memory.select_key_frames([second], locations=[3])
    assert (last.location_id, last.score, last.boxes_px) == (3, 0.0, {})


def test_tree_as_text_for_a_language_model(memory):
    walk.go(memory, range(60))
    text = memory.tree_json()
    assert text == tree_json(memory.tree(), memory.snapshot().objects)
    assert text.text.splitlines()[0] == '{"id":0,"sees":{"chair":[1,2]}}'
    assert text.clutter_level == 1.0  # four chairs, four locations
    closed = "".join(text.text.splitlines(keepends=True)[:-1])
    walk.go(memory, range(60, 100))
    assert memory.tree_json().text.startswith(closed)
    assert [n.location_id for n in memory.tree(newest=2)] == [5, 6]
    assert len(memory.tree(newest=99)) == 7


def test_newest_frame_can_be_shown_at_once(memory):
    walk.go(memory, range(1))
    key_frame = memory.key_frame(0)
    assert key_frame.stamp_ns == 0
    assert key_frame.camera == walk.CAMERA
    walk.go(memory, range(1, 4))
    assert set(memory.key_frame(0).boxes_px) == set(memory.snapshot().objects)


def test_error_names_a_frame_that_is_no_key_frame(memory):
    walk.go(memory, range(20))
    memory.flush()
    assert memory.stats().images == len(list(memory.path.glob("frames/*.jpg"))) < 20
    missing = [n for n in range(20) if not (memory.path / f"frames/{n:06d}.jpg").exists()]
    with pytest.raises(SceneMemoryError, match=f"frame {missing[0]} has no stored image"):
        memory.key_frame(missing[0])
    with pytest.raises(SceneMemoryError, match="frame 999 has no stored image"):
        memory.key_frame(999)


def test_first_and_clearly_better_views_are_kept_while_the_camera_stands(memory):
    for number, near in enumerate((0, 0, 0, 0, 0, 8, 8, 8, 17, 20)):
        step = walk.step(near)
        seen = step.track_ids == 1 if near else step.track_ids == 0
        memory.integrate(
            walk.frame(number),  # from one place
            step.detections.select(seen),
            step.track_ids[seen],
            [o for o in step.observations if o.track_id in step.track_ids[seen]],
        )
    # 0 is the first frame. At 7 chair 1 is confirmed, far away; at 8 it is seen 1.7 times as well,
    # at 9 hardly better.
    memory.flush()
    stored = [n for n in range(10) if (memory.path / f"frames/{n:06d}.jpg").exists()]
    assert stored == [0, 7, 8]


def test_numbers_must_rise_within_a_session(memory):
    walk.go(memory, range(5))
    with pytest.raises(SceneMemoryError, match="frame 2 comes after frame 4"):
        walk.go(memory, range(2, 3))
    memory.begin_session()
    walk.go(memory, range(2, 3))
    assert memory.last_frame_number == 7
    assert [node.frame_numbers for node in memory.tree()] == [(0, 4), (7, 7)]
    assert memory.tree()[1].revisit_of == 0
    assert [t.track_id for t in memory.tree()[1].tracklets] == [1]


def test_reopened_memory_is_the_same_and_goes_on(tmp_path):
    path = tmp_path / "row"
    with Memory.create(path, CONFIG) as memory:
        walk.go(memory, range(60))
        memory.apply([Edit("rename", (1,), value="stool")], "anna", "that is a stool")
        before, tree = memory.snapshot(), memory.tree()
        trajectory = memory.trajectory()
        best = memory.key_frames_of([2], 3)

    with Memory.open(path, CONFIG) as memory:
        after = memory.snapshot()
        assert list(after.objects) == list(before.objects)
        for object_id, o in after.objects.items():
            was = before.objects[object_id]
            assert (o.label, o.corrected) == (was.label, was.corrected)
            assert o.box == was.box
            assert o.points == pytest.approx(was.points, abs=1e-6)
            assert (o.observation_count, o.track_ids) == (was.observation_count, was.track_ids)
        assert after.objects[1].label == "stool"
        assert after.relations == before.relations
        assert after.stamp_ns == before.stamp_ns
        assert np.array_equal(memory.trajectory(), trajectory)
        assert [k.frame_number for k in memory.key_frames_of([2], 3)] == [
            k.frame_number for k in best
        ]
        assert_same_stored_tree(memory.tree(), tree)

        walk.go(memory, range(60))  # the same walk again
        assert memory.last_frame_number == 119
        assert list(memory.snapshot().objects) == list(before.objects)
        assert memory.snapshot().objects[2].track_ids[0] == before.objects[2].track_ids[0]
        assert len(memory.snapshot().objects[2].track_ids) == 2
        assert [node.revisit_of for node in memory.tree()[4:]] == [0, 1, 2, 3]


def test_objects_of_the_tree_follow_a_merge_and_a_deletion(memory):
    walk.go(memory, range(20))
    memory.apply([Edit("delete_object", (1,))], "anna", "a reflection")
    assert 1 not in memory.snapshot().objects
    assert all(t.object_id != 1 for node in memory.tree() for t in node.tracklets)
    memory.undo()
    assert any(t.object_id == 1 for node in memory.tree() for t in node.tracklets)


def test_correction_is_on_disk_when_apply_returns(memory):
    walk.go(memory, range(20))
    memory.apply([Edit("rename", (1,), value="stool")], "anna", "that is a stool")
    memory.apply([Edit("set_attribute", (2,), "color", "green")], "anna", "it is green")
    memory.undo()
    rows = stored(
        memory,
        "SELECT json_extract(entry, '$.kind'), json_extract(entry, '$.object_ids'),"
        " json_extract(entry, '$.value'), undone_ns > 0 FROM corrections ORDER BY id",
    )
    assert rows == [("rename", "[1]", "stool", 0), ("set_attribute", "[2]", "green", 1)]
    # The objects that they speak of went along, though no commit was due.
    assert {row[0] for row in stored(memory, "SELECT id FROM objects")} >= {1, 2}


def test_correction_of_nothing_changes_nothing(memory):
    walk.go(memory, range(20))
    before = memory.snapshot()
    with pytest.raises(SceneMemoryError, match="99"):
        memory.apply([Edit("rename", (99,), value="stool")], "anna", "that is a stool")
    with pytest.raises(SceneMemoryError, match="no correction to undo"):
        memory.undo()
    assert memory.snapshot() is before
    assert memory.corrections() == []


def test_full_disk_stops_nothing_and_rows_are_written_later(tmp_path, caplog):
    config = SceneMindConfig.from_flat({"store.commit_s": 0.02})
    memory = Memory.create(tmp_path / "row", config)
    walk.go(memory, range(20))
    memory.apply([Edit("rename", (1,), value="stool")], "anna", "that is a stool")
    with files_up_to(4096):
        walk.go(memory, range(20, 60), noisy_images=True)
        with pytest.raises(SceneMemoryError, match=r"memory\.sqlite: storing failed"):
            memory.flush()
        with pytest.raises(SceneMemoryError, match="storing failed"):
            memory.apply([Edit("rename", (2,), value="bench")], "anna", "that is a bench")
        with pytest.raises(SceneMemoryError, match="storing failed"):
            memory.undo()
    assert [(c.correction_id, c.undone) for c in memory.corrections()] == [(1, False)]
    assert len(memory.snapshot().objects) == 4
    assert memory.stats().failed_commits > 0
    assert memory.stats().images_failed > 0
    assert memory.stats().lost_frames == 0
    assert caplog.text.count("tries again") == caplog.text.count("was not stored") == 1

    memory.flush()  # there is room again
    before = memory.snapshot()
    memory.close()
    with Memory.open(tmp_path / "row", config) as memory:
        assert memory.last_frame_number == 59
        assert list(memory.snapshot().objects) == list(before.objects)
        assert memory.snapshot().objects[1].label == "stool"
        # Frames whose image could not be written are no evidence.
        for key_frame in memory.key_frames_of(list(before.objects), 20):
            assert key_frame.frame_number < 20


@pytest.mark.parametrize("retention", ["all", "best_views", "byte_budget"])
def test_killed_process_loses_at_most_a_second(tmp_path, retention):
    path = tmp_path / "row"
    images = {"store.retention": retention, "store.views_per_object": 1, "store.budget_mb": 0.02}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])}
    child = subprocess.Popen(
        [
            *(sys.executable, Path(__file__).with_name("walking_child.py"), path, "115"),
            json.dumps({"store.commit_s": 0.2, **images}),
        ],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    printed: list[tuple[int, float]] = []
    for line in child.stdout:
        word, seconds = line.split()
        if word == "corrected":
            break
        printed.append((int(word), float(seconds)))
    killed_at = time.monotonic()
    child.kill()
    child.communicate()
    assert child.returncode == -9
    # No row names an image that is gone, before anything is cleaned up.
    rows = image_rows(path)
    assert rows == {number: size for number, size in image_files(path).items() if number in rows}

    with Memory.open(path, SceneMindConfig.from_flat(images)) as memory:
        assert image_files(path).keys() == rows.keys()
        assert not list(path.glob("frames/*.tmp"))
        safe = [number for number, seconds in printed if seconds < killed_at - 1.0]
        assert memory.last_frame_number >= max(safe, default=115) >= 1
        assert memory.last_frame_number >= 115  # a correction commits what it stands on
        objects = memory.snapshot().objects
        assert objects[1].label == "stool"
        for o in objects.values():
            assert o.box.center == pytest.approx(walk.chair_center(o.track_ids[0]), abs=0.05)
        assert len(objects) >= 5
        shown = memory.key_frames_of(list(objects), 50)
        assert len(shown) >= 3
        walk.go(memory, range(3))
        assert memory.tree()[-1].frame_numbers[0] > 115


@pytest.mark.parametrize(
    ("retention", "expected"), [("all", 70), ("best_views", 60), ("byte_budget", 20)]
)
def test_images_on_disk_are_those_that_the_policy_keeps(tmp_path, retention, expected):
    settings = {"store.retention": retention, "store.views_per_object": 1}
    config = SceneMindConfig.from_flat({**settings, "store.budget_mb": 0.02})
    with Memory.create(tmp_path / "row", config) as memory:
        for _ in range(2):  # there, and once more
            for start in range(0, 70, 10):  # none is dropped because the disk is behind
                walk.go(memory, range(start, start + 10))
                memory.flush()
            memory.begin_session()
        stats, files = memory.stats(), image_files(memory.path)
        assert image_rows(memory.path) == files
        assert (stats.images, stats.image_bytes) == (len(files), sum(files.values()))
        assert stats.images <= expected
        if retention == "all":
            assert (stats.images, stats.images_removed) == (70, 0)
        else:
            assert stats.images_removed > 0
        if retention == "byte_budget":
            assert stats.image_bytes <= 20_000
        else:
            for object_id in memory.snapshot().objects:
                shown = memory.key_frames_of([object_id], 4)
                assert {object_id} <= set(shown[0].boxes_px)
        kept = set(files)
    with Memory.open(tmp_path / "row", config) as memory:
        assert set(image_files(memory.path)) == kept


def test_missing_image_makes_room_for_the_next_best(memory):
    walk.go(memory, range(60))
    memory.flush()
    best, second = memory.key_frames_of([2], 2)
    (memory.path / f"frames/{best.frame_number:06d}.jpg").unlink()
    assert memory.key_frames_of([2], 1)[0].frame_number == second.frame_number
    with pytest.raises(SceneMemoryError, match="has no stored image"):
        memory.key_frame(best.frame_number)


def test_location_without_its_best_image_gives_the_next_best(memory):
    walk.go(memory, range(60))
    memory.flush()
    of_chair = {o.track_ids[0]: i for i, o in memory.snapshot().objects.items()}
    second = of_chair[1]
    files = memory.path / "frames"
    best, other = memory.select_key_frames([second], count=2)
    (files / f"{best.frame_number:06d}.jpg").unlink()
    found = memory.select_key_frames([second], count=2)
    assert {f.location_id for f in found} == {best.location_id, other.location_id}
    assert best.frame_number not in {f.frame_number for f in found}
    assert [f.score for f in found] == sorted((f.score for f in found), reverse=True)
    (next_best,) = memory.select_key_frames([second], locations=[best.location_id])
    (files / f"{next_best.frame_number:06d}.jpg").write_bytes(b"")  # as a power cut leaves it
    (third,) = memory.select_key_frames([second], locations=[best.location_id])
    assert third.frame_number not in (best.frame_number, next_best.frame_number)
    assert second in third.boxes_px
    for image in files.glob("*.jpg"):
        image.write_bytes(b"")
    assert memory.select_key_frames([second]) == []


def test_copies_are_whole_while_images_come_and_go(tmp_path):
    settings = {"store.budget_mb": 0.02, "store.commit_s": 0.01, "store.views_per_object": 1}
    with Memory.create(tmp_path / "row", SceneMindConfig.from_flat(settings)) as memory:
        walker = threading.Thread(target=walk.go, args=(memory, range(200)))
        walker.start()
        copies = []
        for number in range(5):
            while memory.last_frame_number < 40 * number:
                walker.join(0.001)
            copies.append(memory.save_as(f"copy-{number}"))
        walker.join()
    for copy in copies:
        assert image_rows(copy) == image_files(copy)
    assert len({tuple(image_files(copy)) for copy in copies}) > 1


def test_memory_is_open_in_one_process_at_a_time(memory):
    with pytest.raises(SceneMemoryError, match=f"open in process {os.getpid()}"):
        Memory.open(memory.path, CONFIG)
    memory.close()
    Memory.open(memory.path, CONFIG).close()


def test_error_of_open_lists_the_memories(tmp_path, memory):
    with pytest.raises(SceneMemoryError, match=r"no memory at .*kitchen; memories beside it: row"):
        Memory.open(tmp_path / "kitchen", CONFIG)
    with pytest.raises(SceneMemoryError, match=r"there is a memory at .*row already"):
        Memory.create(memory.path, CONFIG)


def test_save_as_is_a_whole_memory_and_stays_as_it_was(tmp_path, memory):
    walk.go(memory, range(30))
    path = memory.save_as("monday-1")
    saved = memory.snapshot()
    walk.go(memory, range(30, 60))
    memory.reset()
    assert list_memories(tmp_path) == ["monday-1", "row"]
    with Memory.open(path, CONFIG) as copy:
        assert list(copy.snapshot().objects) == list(saved.objects)
        assert copy.last_frame_number == 29
        assert copy.key_frames_of([1], 1)[0].boxes_px.keys() == {1}
        images = list((path / "frames").glob("*.jpg"))
        assert len(images) == copy.stats().images > 5
        assert copy.stats().image_bytes == sum(f.stat().st_size for f in path.glob("frames/*"))
    with pytest.raises(SceneMemoryError, match="monday-1 exists already"):
        memory.save_as("monday-1")


def test_save_as_on_a_full_disk_leaves_no_half_memory(tmp_path, memory):
    walk.go(memory, range(30))
    memory.flush()
    with files_up_to(8192), pytest.raises(SceneMemoryError, match="copying the memory failed"):
        memory.save_as("monday")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["row"]
    memory.save_as("monday")


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../other", "a/b", ".hidden", "a b", "ä", "x" * 65, "a\n", "a\0"]
)
def test_name_that_could_be_a_path_is_refused(tmp_path, memory, name):
    with pytest.raises(SceneMemoryError, match="is no name for a memory"):
        memory.save_as(name)
    assert list_memories(tmp_path) == ["row"]


def test_temporary_memory_leaves_nothing():
    memory = Memory.create(None, CONFIG)
    walk.go(memory, range(5))
    path = memory.path
    assert path.exists()
    with pytest.raises(SceneMemoryError, match="temporary"):
        memory.save_as("kept")
    memory.close()
    memory.close()
    assert not path.exists()


def test_reset_forgets_everything_on_disk_too(memory):
    walk.go(memory, range(30))
    memory.apply([Edit("rename", (1,), value="stool")], "anna", "that is a stool")
    revision = memory.snapshot().revision
    memory.reset()
    assert memory.snapshot().revision > revision
    assert (len(memory.snapshot().objects), memory.tree(), memory.corrections()) == (0, (), [])
    assert list((memory.path / "frames").iterdir()) == []
    walk.go(memory, range(30, 35))  # the camera goes on counting
    assert [node.frame_numbers for node in memory.tree()] == [(30, 34)]
    memory.flush()
    assert memory._disk.store.frame_stamps()[:, 0].tolist() == [30, 31, 32, 33, 34]


def test_readers_on_other_threads_see_whole_states(memory):
    """Every snapshot's relations speak of its own objects, while frames come in."""
    stop, wrong, seen = threading.Event(), [], []

    def read() -> None:
        while not stop.is_set():
            snapshot = memory.snapshot()
            seen.append(snapshot.revision)
            for relation in snapshot.relations:
                if not {relation.subject_id, relation.object_id} <= set(snapshot.objects):
                    wrong.append(relation)
            for node in memory.tree():
                wrong.extend(t for t in node.tracklets if t.detection_count < 1)
            memory.key_frames_of(list(snapshot.objects)[:2], 1)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    walk.go(memory, range(60))
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert len(seen) > 2


@contextmanager
def files_up_to(size: int):
    """Writing further than this into a file fails, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def image_rows(path: Path) -> dict[int, int]:
    """Frame -> bytes of its image, as the database says; of no open memory."""
    connection = sqlite3.connect(path / "memory.sqlite")
    rows = connection.execute("SELECT frame, bytes FROM images")
    found = dict(rows.fetchall())
    connection.close()
    return found


def image_files(path: Path) -> dict[int, int]:
    """Frame -> bytes of its files."""
    sizes: dict[int, int] = {}
    for file in sorted((path / "frames").iterdir()):
        if file.suffix != ".tmp":
            sizes[int(file.stem)] = sizes.get(int(file.stem), 0) + file.stat().st_size
    return sizes


def assert_same_stored_tree(ours, theirs) -> None:
    """Assert that the trees are equal but for the open location, which a restart closes."""
    assert [node.is_open for node in theirs] == [False] * (len(theirs) - 1) + [True]
    assert not any(node.is_open for node in ours)
    assert_same_nodes(ours, theirs)


def stored(memory: Memory, query: str) -> list[tuple]:
    connection = sqlite3.connect(memory.path / "memory.sqlite")
    rows = connection.execute(query).fetchall()
    connection.close()
    return rows
