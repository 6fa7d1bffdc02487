"""The index of stored frames agrees with the frames, whatever the history of the memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper
from scenemind.memory import Edit, Memory, ReadOnlyMemory, SceneMemoryError
from scenemind.memory.frame_index import FrameIndexer
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.types import Detections
from scenemind.simulation import Sensors, simulate
from tests.unit.memory import walk
from tests.unit.memory.index_rows import assert_is_of_the_key_frames, assert_same_index
from tests.unit.memory.things import observe

CONFIG = SceneMindConfig()
# Every frame is stored, and its row is on disk when somebody asks for it.
LATE = SceneMindConfig.from_flat(
    {
        "store.commit_s": 600.0,
        "store.retention": "all",
        "store.key_frame_translation_m": walk.STEP_M / 2,
    }
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.create(tmp_path / "row", LATE) as memory:
        yield memory


def chairs(memory: Memory) -> dict[int, int]:
    """Chair -> object."""
    return {o.track_ids[0]: i for i, o in memory.snapshot().objects.items()}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory that has seen a simulated room."""
    folder = tmp_path_factory.mktemp("rooms") / "room"
    sequence = simulate(1, 40, Sensors(160, 120))
    with Memory.create(folder, CONFIG) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, CONFIG)
        for frame in read_sequence(sequence):
            mapper.process(frame)
    return folder


def test_index_of_a_room_agrees_with_its_frames(room: Path) -> None:
    with ReadOnlyMemory.open(room, CONFIG) as memory:
        index = memory.frame_index()
        assert_is_of_the_key_frames(index, memory)
        assert len(index) > 10
        labels_of = {
            i: {index.labels[label] for label in index.detection_labels[index.is_of([i])]}
            for i in memory.snapshot().objects
        }
        for object_id, thing in memory.snapshot().objects.items():
            assert thing.perceived_label in labels_of[object_id]
        assert set(labels_of) == set(index.detection_objects.tolist()) - {0}
    with Memory.open(room, CONFIG) as memory:
        assert_same_index(memory.frame_index(), index)


def test_index_has_every_detection_unchanged(memory: Memory) -> None:
    walk.go(memory, range(30))
    index = memory.frame_index()
    for row, number in enumerate(index.frame_numbers.tolist()):
        seen = walk.step(number).detections
        there = index.detection_frames == row
        np.testing.assert_array_equal(index.detection_scores[there], seen.scores)
        np.testing.assert_array_equal(index.detection_boxes_px[there], seen.boxes_px)
    assert index.labels == ("chair",)
    assert not index.detection_labels.any()
    assert len(index.detection_frames) == sum(
        len(walk.step(number).track_ids) for number in index.frame_numbers.tolist()
    )


def test_detections_without_a_track_or_an_object_have_none(memory: Memory) -> None:
    boxes_px = np.array([(0, 0, 9, 9), (5, 5, 30, 30), (1, 2, 3, 4)], np.float32)
    seen = Detections(
        ("lamp", "chair", "cup"), np.array([0.9, 0.8, 0.7], np.float32), boxes_px, (None,) * 3
    )
    for number in range(4):
        chair = observe(walk.chair_center(0), track_id=6, seed=number)
        frame = walk.frame(number, x=0.3 * number)
        memory.integrate(frame, seen, np.array([-1, 6, 7]), [chair])
    index = memory.frame_index()
    (object_id,) = memory.snapshot().objects
    assert index.detection_objects.tolist() == [0, object_id, 0] * 4
    labels = [index.labels[i] for i in index.detection_labels.tolist()]
    assert labels == ["lamp", "chair", "cup"] * 4
    assert index.is_called({"cup", "lamp", "door"}).tolist() == [True, False, True] * 4
    assert index.is_of([object_id, 99]).tolist() == [False, True, False] * 4
    assert not (index.is_called(()) | index.is_of(())).any()


def test_only_labels_in_stored_frames_are_named(memory: Memory) -> None:
    walk.go(memory, range(3))
    memory.frame_index()
    for number in range(3, 6):
        step = walk.step(number)
        lamps = Detections(
            ("lamp",) * len(step.track_ids), step.detections.scores, step.detections.boxes_px,
            (None,) * len(step.track_ids),
        )  # fmt: skip
        memory.integrate(step.frame, lamps, step.track_ids, step.observations)
    assert memory.frame_index().labels == ("chair", "lamp")
    walk.give_up(memory, memory.stored_frames()[:3])
    index = memory.frame_index()
    assert (index.labels, set(index.detection_labels.tolist())) == (("lamp",), {0})


def test_index_has_frames_that_are_being_written(memory: Memory) -> None:
    assert len(memory.frame_index()) == 0
    for number in range(4):
        walk.go(memory, range(number, number + 1))
        index = memory.frame_index()
        assert index.frame_numbers.tolist() == list(range(number + 1))
    assert_is_of_the_key_frames(index, memory)


def test_index_is_the_same_value_until_something_changes(memory: Memory) -> None:
    assert memory.frame_index() is memory.frame_index()
    walk.go(memory, range(20))
    before = memory.frame_index()
    assert memory.frame_index() is before
    renamed = min(memory.snapshot().objects)
    memory.apply([Edit("rename", (renamed,), value="stool")], "Ada", "")
    assert memory.frame_index() is before, "it says what the detector said"
    numbers = before.frame_numbers.copy()
    walk.go(memory, range(20, 30))
    assert memory.frame_index() is not before
    np.testing.assert_array_equal(before.frame_numbers, numbers)
    with pytest.raises(ValueError, match="read-only"):
        before.detection_objects[0] = 7


def test_merged_split_and_deleted_objects_are_as_people_see_them(memory: Memory) -> None:
    walk.go(memory, range(60))
    of_chair = chairs(memory)
    before = memory.frame_index()
    memory.apply([Edit("merge", (of_chair[0], of_chair[2]))], "Ada", "a bench")
    merged = memory.frame_index()
    assert_is_of_the_key_frames(merged, memory)
    as_one = np.where(
        before.detection_objects == of_chair[2], of_chair[0], before.detection_objects
    )
    np.testing.assert_array_equal(merged.detection_objects, as_one)
    x, y, z = walk.chair_center(3)
    split = Edit("split", (of_chair[3],), places=((x - 0.2, y, z), (x + 0.2, y, z)))
    memory.apply([split, Edit("delete_object", (of_chair[1],))], "Ada", "")
    after = memory.frame_index()
    assert_is_of_the_key_frames(after, memory)
    assert of_chair[1] in merged.detection_objects
    assert of_chair[1] not in after.detection_objects
    for _ in range(2):
        memory.undo()
    assert_same_index(memory.frame_index(), before)


def test_objects_that_perception_merges_are_one_in_older_frames_too(memory: Memory) -> None:
    left = observe((-0.7, 0, 0.4), (0.6, 0.8, 0.8), label="couch", track_id=1, truncated=True)
    right = observe((0.7, 0, 0.4), (0.6, 0.8, 0.8), label="couch", track_id=2, truncated=True)
    whole = observe((0, 0, 0.4), (2.0, 0.8, 0.8), label="couch", track_id=3, count=600)
    for number in range(30):
        seen = (left, right, whole)[number // 12]
        one = Detections(
            (seen.label,), np.array([seen.score], np.float32), seen.box_px[None], (None,)
        )
        frame = walk.frame(number, x=0.2 * number)
        memory.integrate(frame, one, np.array([seen.track_id]), [seen])
        if number in (11, 23):
            assert set(memory.frame_index().detection_objects.tolist()) - {0} == set(
                memory.snapshot().objects
            )
    (kept,) = memory.snapshot().objects
    index = memory.frame_index()
    assert_is_of_the_key_frames(index, memory)
    assert set(index.detection_objects[index.frame_numbers[index.detection_frames] < 24]) == {kept}


def test_later_index_lacks_frames_whose_images_were_deleted(tmp_path: Path) -> None:
    tight = {"store.budget_mb": 0.02, "store.views_per_object": 1, "store.commit_s": 600.0}
    with Memory.create(tmp_path / "row", SceneMindConfig.from_flat(tight)) as memory:
        ever: set[int] = set()
        for start in range(0, 60, 5):
            walk.go(memory, range(start, start + 5))
            ever |= set(memory.frame_index().frame_numbers.tolist())
            memory.flush()
            assert_is_of_the_key_frames(memory.frame_index(), memory)
        assert memory.stats().images_removed > 0
        assert ever > set(memory.stored_frames())


def test_frames_of_earlier_locations_go_one_by_one(memory: Memory) -> None:
    for start in range(0, 60, 15):
        walk.go(memory, range(start, start + 15))
        memory.flush()
    memory.frame_index()
    assert memory.location_count == 4
    while numbers := memory.stored_frames():
        walk.give_up(memory, numbers[len(numbers) // 3 :: 5])
        assert_is_of_the_key_frames(memory.frame_index(), memory)


def test_reset_empties_the_index(memory: Memory) -> None:
    walk.go(memory, range(20))
    before = memory.frame_index()
    memory.reset()
    assert len(memory.frame_index()) == 0
    assert memory.frame_index().labels == ()
    memory.begin_session()
    walk.go(memory, range(30, 40))
    after = memory.frame_index()
    assert_is_of_the_key_frames(after, memory)
    assert len(before.frame_numbers) > 0


def test_failing_disk_is_an_error_and_the_next_call_is_complete(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk.go(memory, range(10))
    memory.frame_index()
    walk.go(memory, range(10, 20))

    def fail(_: object) -> None:
        raise SceneMemoryError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(memory._disk.store, "write", fail)  # as SQLite fails
        with pytest.raises(SceneMemoryError, match="disk is full"):
            memory.frame_index()
    assert_is_of_the_key_frames(memory.frame_index(), memory)


def test_index_is_complete_while_frames_arrive_and_threads_read(tmp_path: Path) -> None:
    tight = {"store.budget_mb": 0.03, "store.commit_s": 0.01, "store.views_per_object": 1}
    with Memory.create(tmp_path / "row", SceneMindConfig.from_flat(tight)) as memory:
        stop = threading.Event()

        def ask() -> list[int]:
            wrong = []
            while not stop.is_set():
                index = memory.frame_index()
                for row, number in enumerate(index.frame_numbers.tolist()):
                    seen = walk.step(number).detections.scores
                    if index.detection_scores[index.detection_frames == row].tolist() != list(seen):
                        wrong.append(number)
            return wrong

        with ThreadPoolExecutor(2) as pool:
            askers = [pool.submit(ask) for _ in range(2)]
            try:
                walk.go(memory, range(40))
            finally:
                stop.set()
            assert [asker.result(20.0) for asker in askers] == [[], []]
        memory.flush()
        assert_is_of_the_key_frames(memory.frame_index(), memory)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("go"), st.integers(1, 20)),
        st.tuples(st.just("merge"), st.integers(0, 5)),
        st.tuples(st.just("delete"), st.integers(0, 5)),
        st.tuples(st.just("undo"), st.just(0)),
        st.tuples(st.just("session"), st.just(0)),
        st.tuples(st.just("give up"), st.integers(0, 30)),
        st.tuples(st.just("ask"), st.just(0)),
    ),
    min_size=3,
    max_size=10,
)


@settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(steps)
def test_index_that_grew_equals_one_made_at_once(steps: list[tuple[str, int]]) -> None:
    with Memory.create(None, LATE) as memory:
        walk.go(memory, range(10))
        memory.flush()
        walk.go(memory, range(10, 20))
        at = 20
        memory.frame_index()
        for what, number in steps:
            ids = list(memory.snapshot().objects)
            if what == "go":
                walk.go(memory, range(at, at + number))
                at += number
            elif what == "merge" and len(ids) > 1:
                pair = ids[number % len(ids)], ids[(number + 1) % len(ids)]
                memory.apply([Edit("merge", pair)], "Ada", "")
            elif what == "delete" and ids:
                memory.apply([Edit("delete_object", (ids[number % len(ids)],))], "Ada", "")
            elif what == "undo" and any(not c.undone for c in memory.corrections()):
                memory.undo()
            elif what == "session":
                memory.begin_session()
                at = 0
            elif what == "give up":
                walk.give_up(memory, memory.stored_frames()[number : number + 3])
            elif what == "ask":
                memory.frame_index()
        grown = memory.frame_index()
        assert_is_of_the_key_frames(grown, memory)
        memory._frame_indexer = FrameIndexer()  # as if nobody had asked before
        assert_same_index(grown, memory.frame_index())
