"""Poses that are corrected afterwards: the memory is as if they had been right at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.geometry import Box3D, Pose, iou_3d
from scenemind.mapping import Mapper
from scenemind.memory import Edit, Memory, ReadOnlyMemory, SceneMemoryError, pose_migration
from scenemind.memory.objects import object_map
from scenemind.memory.objects.corrected_objects import (
    CorrectedObject,
    FrozenEntry,
    corrected_objects,
)
from scenemind.memory.objects.object_map import PoseUpdate
from scenemind.memory.state import IntegrationOptions, MemoryState
from scenemind.memory.types import MapObject
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.types import Observation
from scenemind.simulation import simulate
from tests.unit.memory import walk
from tests.unit.memory.walk import FRAME_NS

CONFIG = SceneMindConfig()
# The camera passes three chairs, and passes them again.
THERE = range(60)
TWICE = range(120)
STAMPS = np.arange(len(TWICE)) * FRAME_NS


def seen_at(number: int) -> walk.Step:
    """Frame `number` of two walks along the row, each a session of its own."""
    seen = walk.step(number % len(THERE))
    return replace(seen, frame=replace(seen.frame, stamp_ns=number * FRAME_NS))


def go(memory: Memory, numbers: Iterable[int], drift: dict[int, Pose] | None = None) -> None:
    """Walk with a drift of the second walk, so that its chairs stand beside those of the first."""
    for number in numbers:
        if number == len(THERE):
            memory.begin_session()
        seen = seen_at(number)
        off = (drift or {}).get(number, Pose.identity())
        frame = replace(seen.frame, world_T_camera=off @ seen.frame.world_T_camera)
        observations = [moved(o, off) for o in seen.observations]
        memory.integrate(frame, seen.detections, seen.track_ids, observations)


def moved(observation: Observation, off: Pose) -> Observation:
    points = off.transform(observation.points)
    box = Box3D.from_bounds(points.min(axis=0), points.max(axis=0))
    return replace(observation, points=points, box=box)


def true_poses(numbers: Iterable[int]) -> list[Pose]:
    return [seen_at(number).frame.world_T_camera for number in numbers]


def turned(x: float, y: float, yaw: float) -> Pose:
    c, s = np.cos(yaw), np.sin(yaw)
    return Pose(np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)]), np.array([x, y, 0.0]))


SECOND_WALK_IS_OFF = {number: turned(0.3, 0.8, 0.02) for number in range(60, 120)}


def assert_same_map(memory: Memory | ReadOnlyMemory, right: Memory) -> None:
    ours, theirs = memory.snapshot().objects, right.snapshot().objects
    assert len(ours) == len(theirs)
    for thing in theirs.values():
        assert max(iou_3d(thing.box, other.box) for other in ours.values()) > 0.85


def in_a_row(objects: Mapping[int, MapObject]) -> list[MapObject]:
    return sorted(objects.values(), key=lambda thing: thing.box.center)


@pytest.fixture(scope="module")
def right() -> Iterable[Memory]:
    with Memory.create(None, CONFIG) as memory:
        go(memory, TWICE)
        yield memory


def test_doubles_of_drift_become_the_older_object(tmp_path: Path, right: Memory) -> None:
    with Memory.create(tmp_path / "row", CONFIG) as memory:
        go(memory, TWICE, SECOND_WALK_IS_OFF)
        doubled = memory.snapshot().objects
        assert len(doubled) > len(right.snapshot().objects)
        noted = memory.correct_poses(STAMPS, true_poses(TWICE))
        assert noted is not None
        assert noted.largest_m == pytest.approx(0.85, abs=0.2)
        assert noted.frames == 60
        assert_same_map(memory, right)
        first = set(right.snapshot().objects)
        assert set(memory.snapshot().objects) == first
        same = dict(noted.same)
        assert doubled.keys() - first <= same.keys()
        assert set(same.values()) <= first
        assert memory.pose_corrections() == [noted]
        expected = right.trajectory()
        np.testing.assert_allclose(memory.trajectory(), expected, atol=1e-5)
    with ReadOnlyMemory.open(tmp_path / "row", CONFIG) as memory:
        assert_same_map(memory, right)
        assert memory.pose_corrections() == [noted]
        np.testing.assert_allclose(memory.trajectory(), expected, atol=1e-5)


@pytest.mark.parametrize("reopened", [False, True])
def test_the_shake_of_single_poses_goes_too(tmp_path: Path, right: Memory, reopened: bool) -> None:
    """Each frame was off by itself: a stretch of them cannot move as one."""
    rng = np.random.default_rng(3)
    shake = {n: turned(*rng.normal(0.0, (0.03, 0.03, 0.02)).tolist()) for n in TWICE}
    memory = Memory.create(tmp_path / "row", CONFIG)
    go(memory, TWICE, shake)
    if reopened:
        memory.close()
        memory = Memory.open(tmp_path / "row", CONFIG)
    with memory:
        before = mean_iou(memory, right)
        memory.correct_poses(STAMPS, true_poses(TWICE))
        after = mean_iou(memory, right)
    assert before < 0.8
    assert after > 0.93


def mean_iou(memory: Memory, right: Memory) -> float:
    ours, theirs = memory.snapshot().objects.values(), right.snapshot().objects.values()
    return float(np.mean([max(iou_3d(a.box, b.box) for b in ours) for a in theirs]))


@pytest.mark.parametrize("upkeep", [False, True])
def test_frames_are_mapped_between_the_steps_that_join_doubles(
    monkeypatch: pytest.MonkeyPatch, right: Memory, *, upkeep: bool
) -> None:
    """What a frame noted for the next comparison may be merged away by the next step; no frame
    joins doubles itself meanwhile."""
    with Memory.create(None, CONFIG) as memory:
        go(memory, TWICE, SECOND_WALK_IS_OFF)
        doubles = len(memory.snapshot().objects) - len(right.snapshot().objects)
        memory.begin_session()
        later = iter(range(140, 180))
        off = turned(0.0, 0.3, 0.0)  # so that it shows the double

        join_doubles, joined = MemoryState.join_doubles, []

        def join(state: MemoryState) -> PoseUpdate | None:
            joined.append(join_doubles(state))
            return joined[-1]

        def frame_comes(**_: bool) -> None:
            if not joined:  # they come later
                return
            seen = seen_at(next(later))
            frame = replace(seen.frame, world_T_camera=off @ seen.frame.world_T_camera)
            observations = [moved(o, off) for o in seen.observations]
            options = IntegrationOptions(upkeep=upkeep)  # False: put off by the governor
            given = seen.detections, seen.track_ids, observations
            memory.integrate(frame, *given, options=options)

        monkeypatch.setattr(object_map, "_JOINED_AT_ONCE", 1)
        monkeypatch.setattr(MemoryState, "join_doubles", join)
        monkeypatch.setattr(pose_migration, "give_way", frame_comes)
        memory.correct_poses(STAMPS, true_poses(TWICE))
        assert len(joined) > 2
        assert sum(len(update.merged) for update in joined if update) == doubles > 1
        go(memory, later)
        assert set(memory.snapshot().objects) == set(right.snapshot().objects)


def test_frames_join_doubles_themselves_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: MemoryState) -> None:
        raise RuntimeError("no memory left")

    with Memory.create(None, CONFIG) as memory:
        go(memory, TWICE, SECOND_WALK_IS_OFF)
        doubled = len(memory.snapshot().objects)
        with monkeypatch.context() as patched:
            patched.setattr(MemoryState, "join_doubles", fail)
            with pytest.raises(RuntimeError, match="no memory"):
                memory.correct_poses(STAMPS, true_poses(TWICE))
        memory.begin_session()
        go(memory, range(140, 180))
        assert len(memory.snapshot().objects) < doubled


@pytest.mark.parametrize("is_apart", [False, True])
def test_copies_follow_the_frames_that_come_before_they_take_their_place(
    monkeypatch: pytest.MonkeyPatch, right: Memory, *, is_apart: bool
) -> None:
    """Nothing that was seen meanwhile is done again under the lock, and nothing of it is lost; also
    where drift has put each chair into the next one, from which it comes apart."""
    done_again = []
    next_chair = dict.fromkeys(SECOND_WALK_IS_OFF, turned(walk.SPACING_M, 0.0, 0.0))
    drift = next_chair if is_apart else SECOND_WALK_IS_OFF

    def corrected_again(frozen: list[FrozenEntry], *given: Any) -> list[CorrectedObject]:
        done_again.extend(one.entry.object_id for one in frozen)
        return corrected_objects(frozen, *given)

    monkeypatch.setattr(object_map, "corrected_objects", corrected_again)
    with Memory.create(None, CONFIG) as memory:
        relate_anew = MemoryState.relate_anew

        def frames_come(state: MemoryState, *given: Any) -> Any:
            go(memory, range(90, 120), drift)
            return relate_anew(state, *given)

        go(memory, range(90), drift)
        monkeypatch.setattr(MemoryState, "relate_anew", frames_come)
        noted = memory.correct_poses(STAMPS[:90], true_poses(range(90)), keeps_odometry=True)
        assert noted is not None
        assert (len(noted.apart) > 0) == is_apart
        assert done_again == []
        assert_same_map(memory, right)
        monkeypatch.setattr(MemoryState, "relate_anew", relate_anew)
        with Memory.create(None, CONFIG) as before:  # the frames came before the correction
            go(before, TWICE, drift)
            before.correct_poses(STAMPS[:90], true_poses(range(90)), keeps_odometry=True)
            ours, theirs = memory.snapshot().objects, before.snapshot().objects
            assert is_apart or ours.keys() == theirs.keys()  # parts get other ids
            for thing, other in zip(in_a_row(ours), in_a_row(theirs), strict=True):
                assert thing.observation_count == other.observation_count
                assert thing.last_seen_ns == other.last_seen_ns
                assert set(thing.track_ids) == set(other.track_ids)
                assert iou_3d(thing.box, other.box) > 0.95
        for number, pose in zip(TWICE, memory.poses_at(STAMPS.tolist()), strict=True):
            assert pose.distance_m(seen_at(number).frame.world_T_camera) < 1e-6


def test_key_frames_locations_and_index_move(tmp_path: Path) -> None:
    with Memory.create(tmp_path / "row", CONFIG) as memory:
        go(memory, TWICE, SECOND_WALK_IS_OFF)
        memory.correct_poses(STAMPS, true_poses(TWICE))
        poses = true_poses(TWICE)
        for number in memory.stored_frames():
            assert memory.key_frame(number).world_T_camera.distance_m(poses[number]) < 1e-6
        index = memory.frame_index()
        for number, matrix in zip(index.frame_numbers, index.world_T_camera, strict=True):
            np.testing.assert_allclose(matrix, poses[number].matrix(), atol=1e-6)
        ours = memory.tree()
        for location in ours:
            anchor = poses[location.frame_numbers[0]]
            assert location.anchor.distance_m(anchor) < 0.5  # the frame that opened it, or before
            for tracklet in location.tracklets:
                thing = memory.snapshot().objects[tracklet.object_id or 0]
                assert thing.box.contains(tracklet.trajectory, margin_m=0.1).all()
        assert any(location.revisit_of is not None for location in ours)


def test_new_frames_go_on_in_the_corrected_world(right: Memory) -> None:
    with Memory.create(None, CONFIG) as memory:
        go(memory, range(90), SECOND_WALK_IS_OFF)
        memory.correct_poses(STAMPS[:90], true_poses(range(90)))
        go(memory, range(90, 120))
        assert_same_map(memory, right)


def test_ids_labels_and_corrections_stay_and_their_places_move() -> None:
    far = turned(20.0, -3.0, 1.2)
    with Memory.create(None, CONFIG) as memory:
        go(memory, THERE)
        memory.apply([Edit("rename", (1,), value="throne")], "Ada", "it is one")
        before = memory.snapshot().objects
        memory.correct_poses(STAMPS[:60], [far @ pose for pose in true_poses(THERE)])
        after = memory.snapshot().objects
        assert list(after) == list(before)
        assert after[1].label == "throne"
        (entry,) = memory.corrections()
        for center, was in [
            (entry.anchors[0].box.center, before[1].box.center),
            *((after[i].box.center, before[i].box.center) for i in before),
        ]:
            np.testing.assert_allclose(center, far.transform(np.array(was)), atol=0.05)


def test_a_correction_of_nothing_changes_nothing() -> None:
    with Memory.create(None, CONFIG) as memory:
        go(memory, THERE)
        before = memory.snapshot()
        assert memory.correct_poses(STAMPS[:60], true_poses(THERE)) is None
        assert memory.snapshot() is before
        with pytest.raises(SceneMemoryError, match="was mapped"):
            memory.correct_poses(np.array([10**15]), [Pose.identity()])


def test_two_corrections_are_as_one(right: Memory) -> None:
    with Memory.create(None, CONFIG) as memory:
        go(memory, TWICE, SECOND_WALK_IS_OFF)
        halfway = [
            SECOND_WALK_IS_OFF.get(n, Pose.identity()).interpolate(Pose.identity(), 0.5) @ pose
            for n, pose in zip(TWICE, true_poses(TWICE), strict=True)
        ]
        memory.correct_poses(STAMPS, halfway)
        memory.correct_poses(STAMPS, true_poses(TWICE))
        assert len(memory.pose_corrections()) == 2
        assert_same_map(memory, right)


def test_odometry_that_knows_of_no_correction_goes_on() -> None:
    """A simulated camera whose odometry is turned and shifted from the start."""
    exact = simulate(2, 24)
    off = turned(1.0, -2.0, 0.3)
    drifted = replace(exact, odometry=tuple(off @ pose for pose in exact.true_poses))
    frames = list(read_sequence(drifted))
    with Memory.create(None, CONFIG) as memory:
        mapper = Mapper(InstanceCamera(exact.class_names), memory, CONFIG)
        for frame in frames[:12]:
            mapper.process(frame)
        stamps = np.array([frame.stamp_ns for frame in frames[:12]])
        memory.correct_poses(stamps, exact.true_poses[:12], keeps_odometry=True)
        for frame in frames[12:]:
            mapper.process(frame)
        ours = memory.snapshot()
        assert ours.world_T_camera is not None
        assert ours.world_T_camera.distance_m(exact.true_poses[-1]) < 1e-6
        with Memory.create(None, CONFIG) as right:
            mapper = Mapper(InstanceCamera(exact.class_names), right, CONFIG)
            for frame in read_sequence(exact):
                mapper.process(frame)
            assert len(ours.objects) == len(right.snapshot().objects)
        Mapper(InstanceCamera(exact.class_names), memory, CONFIG)
        assert memory.world_T_input.distance_m(Pose.identity()) == 0.0


def test_a_copy_that_is_merged_doubles_nothing(right: Memory, tmp_path: Path) -> None:
    """Its world is the same: nothing moves, and everything is there already."""
    right.flush()
    with Memory.create(tmp_path / "copy", CONFIG) as memory:
        go(memory, TWICE)
        known = set(memory.snapshot().objects)
        merge = memory.merge(right, Pose.identity())
        assert set(memory.snapshot().objects) == known
        assert merge.same == frozenset(merge.object_ids)
