"""Every object of the map has its detections in MemTree3D and in the index of frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from scenemind.perception.types import Detections
from tests.unit.memory import walk
from tests.unit.memory.things import observe

# Every frame is stored, and every object is shown from its first view on.
EVERYTHING = SceneMindConfig.from_flat(
    {
        "store.retention": "all",
        "store.key_frame_translation_m": walk.STEP_M / 2,
        "object_map.confirm_observations": 1,
    }
)
# A frame: track -> where the tracked thing was seen (x, metres), and whether it was lifted.
Seen = dict[int, tuple[float, bool]]


def look(memory: Memory, frames: Sequence[Seen], first: int = 0) -> None:
    memory.begin_session()
    for number, seen in enumerate(frames, start=first):
        tracks = list(seen)
        count = len(tracks)
        detections = Detections(
            ("cup",) * count,
            np.full(count, 0.8, np.float32),
            np.tile(np.array((4.0, 4.0, 30.0, 30.0), np.float32), (count, 1)),
            (None,) * count,
        )
        observations = [
            observe((x, 40.0, 0.5), (0.3, 0.3, 0.3), "cup", track, seed=number, count=30)
            for track, (x, is_lifted) in seen.items()
            if is_lifted
        ]
        frame = walk.step(number).frame
        memory.integrate(frame, detections, np.array(tracks, np.int64), observations)


def assert_objects_have_their_detections(memory: Memory) -> None:
    in_tree, tracklets = Counter[int](), set()
    for location in memory.tree():
        for tracklet in location.tracklets:
            if tracklet.object_id is not None:
                in_tree[tracklet.object_id] += tracklet.detection_count
                tracklets.add((tracklet.object_id, tracklet.track_id))
    in_index = Counter(memory.frame_index().detection_objects.tolist())
    for thing in memory.snapshot().objects.values():
        assert in_tree[thing.object_id] >= thing.observation_count
        assert in_index[thing.object_id] == in_tree[thing.object_id]
        assert {(thing.object_id, track_id) for track_id in thing.track_ids} <= tracklets


def test_a_track_that_goes_over_to_another_thing_leaves_the_first_its_detections(
    tmp_path: Path,
) -> None:
    """The tracker takes one cup for another for a while, and then for the first one again."""
    there, elsewhere = {7: (0.0, True)}, {7: (3.0, True)}
    with Memory.create(tmp_path / "cups", EVERYTHING) as memory:
        look(memory, [*[there] * 4, *[elsewhere] * 2, *[there] * 3])
        objects = memory.snapshot().objects
        assert {o.observation_count for o in objects.values()} == {7, 2}
        assert_objects_have_their_detections(memory)
        look(memory, [{7: (0.0, True), 8: (3.0, True)}], first=9)
    with Memory.open(tmp_path / "cups", EVERYTHING) as memory:
        look(memory, [{7: (0.0, True), 8: (3.0, True)}], first=10)
        assert {o.observation_count for o in memory.snapshot().objects.values()} == {9, 4}
        assert_objects_have_their_detections(memory)


_places = st.integers(0, 12).map(lambda i: i * 0.2)  # near ones overlap, and become one
_frames = st.dictionaries(st.integers(0, 3), st.tuples(_places, st.booleans()), max_size=4)


@settings(deadline=None, max_examples=25)
@given(st.lists(_frames, min_size=1, max_size=12), st.integers(0, 12))
def test_every_object_has_its_detections_whatever_tracks_do(frames: list[Seen], cut: int) -> None:
    with Memory.create(None, EVERYTHING) as memory:
        look(memory, frames[:cut])
        look(memory, frames[cut:], first=min(cut, len(frames)))
        assert_objects_have_their_detections(memory)


def test_both_parts_of_what_was_split_have_their_detections() -> None:
    """Two cups that were merged by mistake, as one view showed both."""
    with Memory.create(None, EVERYTHING) as memory:
        both: Seen = {1: (0.0, True), 2: (0.5, True)}
        look(memory, [{1: (0.0, True)}] * 3 + [{1: (0.25, True)}] * 3 + [both] * 40)
        assert len(memory.snapshot().objects) == 2
        assert_objects_have_their_detections(memory)
