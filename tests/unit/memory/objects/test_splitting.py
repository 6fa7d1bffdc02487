"""What was merged by mistake comes apart again, and what is one thing does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scenemind.config import ObjectMapConfig
from scenemind.geometry import Box3D
from scenemind.memory.objects.object_map import ObjectMap
from scenemind.memory.objects.splitting import SPLIT_AFTER
from scenemind.perception.types import Observation
from tests.unit.memory.things import empty_frame, observe


def left(seed: int, track_id: int = 1) -> Observation:
    return observe((0, 0, 0), (0.6, 0.5, 0.5), track_id=track_id, seed=seed, score=0.9)


def right(seed: int, track_id: int = 2) -> Observation:
    return observe((0.75, 0, 0), (0.5, 0.5, 0.5), track_id=track_id, seed=seed, score=0.8)


def both_as_one(seed: int) -> Observation:
    parts = left(seed), right(seed)
    points = np.concatenate([part.points for part in parts])
    box = Box3D.from_bounds(points.min(axis=0), points.max(axis=0))
    return replace(parts[0], points=points, box=box)


def watch(object_map: ObjectMap, frames: list[list[Observation]], start: int) -> None:
    for number, frame in enumerate(frames, start=start):
        object_map.update(frame, empty_frame(number))


def merged_map() -> ObjectMap:
    object_map = ObjectMap(ObjectMapConfig())
    watch(object_map, [[both_as_one(i)] for i in range(12)], 0)
    return object_map


def test_two_things_that_are_seen_apart_again_and_again_are_two_objects() -> None:
    object_map = merged_map()
    watch(object_map, [[left(i), right(i)] for i in range(SPLIT_AFTER + 8)], 100)
    objects = object_map.objects()
    assert len(objects) == 2
    first, second = objects.values()
    # The older id stays with the larger part.
    assert first.object_id == 1
    assert first.box.center[0] == pytest.approx(0.0, abs=0.06)
    assert second.box.center[0] == pytest.approx(0.75, abs=0.06)
    assert second.label == "chair"
    assert 2 in second.track_ids
    assert not set(first.track_ids) & set(second.track_ids)


def test_the_parts_stay_two_objects() -> None:
    object_map = merged_map()
    watch(object_map, [[left(i), right(i)] for i in range(60)], 100)
    ids = list(object_map.objects())
    watch(object_map, [[left(i), right(i)] for i in range(60)], 200)
    assert list(object_map.objects()) == ids
    assert len(ids) == 2


def test_one_thing_that_falls_apart_now_and_then_stays_one() -> None:
    object_map = merged_map()
    for start in range(100, 800, 4):
        frames = [[both_as_one(start)], [left(start), right(start)], [both_as_one(start + 1)]]
        watch(object_map, frames, start)
    assert list(object_map.objects()) == [1]


def test_what_is_split_goes_through_a_restart() -> None:
    object_map = merged_map()
    watch(object_map, [[left(i), right(i)] for i in range(SPLIT_AFTER + 8)], 100)
    restarted = ObjectMap(ObjectMapConfig())
    restarted.restore(object_map.export(object_map.objects()))
    for a, b in zip(object_map.objects().values(), restarted.objects().values(), strict=True):
        assert a.object_id == b.object_id
        np.testing.assert_allclose(a.box.center, b.box.center, atol=0.02)
