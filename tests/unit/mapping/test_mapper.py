"""The mapper and its timings."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D, Pose
from scenemind.mapping import Mapper, Plan, StageTimings
from scenemind.memory import Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from tests.unit.perception.scenes import FRAME_NS, LOOKING_ALONG_Y, depth_and_ids, frame_of


@given(st.lists(st.floats(0.0, 1e4), min_size=1, max_size=50), st.integers(1, 20))
def test_statistics_are_those_of_the_last_frames(values, window):
    timings = StageTimings(window)
    for ms in values:
        timings.add({"detect": ms, "track": 1.0})
    stats = timings.stats()
    assert list(stats) == ["detect", "track"]
    assert stats["detect"].median_ms == np.median(values[-window:])
    assert stats["detect"].count == len(values)


def test_no_frames_no_statistics():
    assert StageTimings().stats() == {}


CONFIG = SceneMindConfig()
BOXES = {
    "cabinet": Box3D((-0.6, 2.5, 0.0), (0.6, 0.4, 0.8)),
    "toolbox": Box3D((0.5, 2.0, -0.2), (0.4, 0.3, 0.3)),
}
STEPS_PUT_OFF = ("relations", "upkeep", "lifting")
STAGES = ["detect", "track", "lift", "fuse", "graph", "tree", "store"]


@pytest.fixture
def memory():
    memory = Memory.create(None, CONFIG)
    yield memory
    memory.close()


@pytest.fixture
def mapper(memory):
    return Mapper(InstanceCamera(dict(enumerate(BOXES, start=1))), memory, CONFIG)


def frame(number: int, x: float = 0.0) -> RGBDFrame:
    return replace(seen_from(x), number=number, stamp_ns=number * FRAME_NS)


@lru_cache(maxsize=32)
def seen_from(x: float) -> RGBDFrame:
    pose = Pose(LOOKING_ALONG_Y.rotation, np.array([x, 0.0, 0.3]))
    depth_m, ids = depth_and_ids(list(BOXES.values()), wall_y=4.0, pose=pose)
    return replace(frame_of(depth_m, pose), instances=ids)


def test_boxes_become_objects_where_they_stand(mapper, memory):
    reports = [mapper.process(frame(number, x=0.05 * number)) for number in range(8)]
    objects = {o.label: o for o in memory.snapshot().objects.values()}
    assert objects.keys() == BOXES.keys()
    for label, box in BOXES.items():
        found_low, found_high = objects[label].box.bounds()
        low, high = box.bounds()
        # The back is never seen; the side that faces the camera is.
        assert found_low == pytest.approx(low, abs=0.04)
        assert found_high[[0, 2]] == pytest.approx(high[[0, 2]], abs=0.04)
        assert found_high[1] <= high[1] + 0.04
    assert [r.frame_number for r in reports] == list(range(8))
    assert reports[-1].changed == frozenset(memory.snapshot().objects)
    assert len(reports[-1].observations) == len(reports[-1].detections) == 2


def test_stages_are_timed_in_order_and_summed_up(mapper):
    reports = [mapper.process(frame(number)) for number in range(3)]
    assert list(reports[0].stage_ms) == STAGES
    stats = mapper.timings.stats()
    assert list(stats) == STAGES
    for stage in STAGES:
        assert stats[stage].count == 3
        assert stats[stage].median_ms == np.median([r.stage_ms[stage] for r in reports])


def test_failing_detector_is_counted_and_the_frame_goes_on(mapper, memory, caplog):
    for number in range(6):
        seen = frame(number, x=0.6 * number)
        # Without instance ids the instance camera fails.
        mapper.process(seen if number == 0 else replace(seen, instances=None))
    assert mapper.failed_detections == 5
    assert len(caplog.records) == 1
    assert "simulated instance camera failed on frame 1" in caplog.text
    assert memory.last_frame_number == 5
    assert [node.frame_numbers for node in memory.tree()] == [(0, 3), (4, 5)]


def test_second_mapper_on_a_memory_goes_on_with_new_numbers(mapper, memory):
    for number in range(5):
        mapper.process(frame(number))
    again = Mapper(mapper.detector, memory, CONFIG)
    reports = [again.process(frame(number)) for number in range(5)]
    assert [r.frame_number for r in reports] == [5, 6, 7, 8, 9]
    objects = memory.snapshot().objects.values()
    assert sorted(o.label for o in objects) == sorted(BOXES)
    tracks = [track_id for o in objects for track_id in o.track_ids]
    assert len(tracks) == len(set(tracks)) == 4
    assert memory.tree()[1].revisit_of == 0


def test_halves_on_two_threads_equal_process(mapper, memory):
    frames = [frame(number, x=0.05 * number) for number in range(6)]
    reports = [mapper.integrate(detected) for detected in [mapper.detect(f) for f in frames]]
    with Memory.create(None, CONFIG) as other:
        whole = Mapper(mapper.detector, other, CONFIG)
        assert [r.changed for r in reports] == [whole.process(f).changed for f in frames]
        boxes = [o.box for o in memory.snapshot().objects.values()]
        assert boxes == [o.box for o in other.snapshot().objects.values()]
    assert reports[0].mapping_ms == pytest.approx(sum(reports[0].stage_ms[s] for s in STAGES[1:]))


@pytest.mark.parametrize("step", [1, 2], ids=["every frame comes", "every second one is dropped"])
def test_every_object_is_placed_in_every_other_frame_when_lifting_is_put_off(mapper, memory, step):
    plan = Plan(STEPS_PUT_OFF)
    numbers = range(0, 6 * step, step)
    reports = [mapper.integrate(mapper.detect(frame(number)), plan) for number in numbers]
    lifted = [{o.label for o in report.observations} for report in reports]
    assert all(one | two == BOXES.keys() for one, two in pairwise(lifted))
    assert all(len(labels) == 1 for labels in lifted)
    assert {o.label for o in memory.snapshot().objects.values()} == BOXES.keys()
    assert reports[0].put_off == STEPS_PUT_OFF


def test_relations_that_were_put_off_are_computed_when_read(mapper, memory):
    for number in range(6):
        mapper.integrate(mapper.detect(frame(number)), Plan(("relations",)))
    with Memory.create(None, CONFIG) as other:
        whole = Mapper(mapper.detector, other, CONFIG)
        for number in range(6):
            whole.process(frame(number))
        assert memory.snapshot().relations == other.snapshot().relations
