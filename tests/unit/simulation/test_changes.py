"""Moved and removed objects: frames show the true room of their stamps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.geometry import iou_3d
from scenemind.simulation import Sensors, SimulatedSequence, SimulationError, simulate
from scenemind.simulation.ground_truth import VisibilityCounter

SMALL = Sensors(64, 48, depth_noise=0.0)
quick = settings(max_examples=6, deadline=None)


def drive(seed: int, count: int = 6, loops: int = 2, **options: object) -> SimulatedSequence:
    return simulate(seed, 60 * loops, SMALL, loops=loops, changes=count, **options)


@quick
@given(st.integers(0, 10_000), st.none() | st.integers(30, 60))
def test_number_of_changes_each_of_another_object(seed, objects):
    sequence = drive(seed, 6, objects=objects)
    changes = sequence.changes
    assert len(changes) == len({change.instance_id for change in changes}) == 6
    stamps = [change.stamp_ns for change in changes]
    assert stamps == sorted(stamps)
    still_there = {item.instance_id for item in sequence.room_at(2**62).objects}
    for change in changes:
        assert change.kind == ("moved" if change.instance_id in still_there else "removed")


@quick
@given(st.integers(0, 10_000))
def test_objects_move_to_a_free_place_and_stand_there(seed):
    sequence = drive(seed, 8)
    room = sequence.room_at(2**62)
    for change in sequence.changes:
        if change.after is None:
            continue
        after = room.get_object(change.instance_id)
        assert after == change.after
        moved_m = np.linalg.norm(np.subtract(after.box.center, change.old_box.center))
        assert moved_m > 0.3
        others = [o for o in room.objects if o is not after]
        hit = {o.instance_id for o in others if iou_3d(o.box, after.box) > 0}
        assert hit <= {after.supported_by}
        floor_z = [0.0] if after.supported_by is None else []
        if after.supported_by is not None:
            floor_z = [s.bottom_z for s in room.get_object(after.supported_by).spaces]
        assert any(after.box.bottom_z == pytest.approx(z, abs=1e-6) for z in floor_z)
        corners = np.vstack([part.corners() for part in after.parts])
        assert after.box.contains(corners, margin_m=1e-9).all()


@pytest.mark.parametrize("seed", [1, 2])
def test_frames_show_the_room_of_their_stamp_and_no_change_is_seen_to_happen(seed):
    sequence = drive(seed, 6)
    by_stamp = {change.stamp_ns: change for change in sequence.changes}
    rows, columns = np.indices((48, 64))
    before = None
    for frame in sequence:
        room = sequence.room_at(frame.stamp_ns)
        shown = set(np.unique(frame.instances)) - {0}
        assert shown <= set(room.class_names)
        camera_points = sequence.camera.unproject(
            columns.ravel(), rows.ravel(), frame.depth_m.ravel()
        )
        world = frame.world_T_camera.transform(camera_points)
        for number in shown:
            box = room.get_object(int(number)).box
            assert box.contains(world[frame.instances.ravel() == number], margin_m=2e-3).all()
        if (change := by_stamp.get(frame.stamp_ns)) is not None:
            assert before is not None
            assert change.instance_id not in shown | before
        before = shown


def test_changes_fall_between_rounds() -> None:
    sequence = drive(3, 6, loops=3)
    frames = np.array([(c.stamp_ns - 1e9) * 30e-9 for c in sequence.changes])
    rounds = frames / 60
    assert np.abs(rounds - np.rint(rounds)).max() < 0.31
    assert set(np.rint(rounds)) == {1.0, 2.0}


def test_a_room_with_gaps_counts_and_names_by_id() -> None:
    sequence = drive(1, 8)
    removed = next(c for c in sequence.changes if c.kind == "removed")
    room = sequence.room_at(2**62)
    with pytest.raises(SimulationError, match=f"no object {removed.instance_id}"):
        room.get_object(removed.instance_id)
    last = room.objects[-1]
    assert room.get_object(last.instance_id) is last
    counter = VisibilityCounter(room, min_pixels=1)
    counter.add(np.full((4, 4), last.instance_id, np.int32))
    assert counter.seen(1) == {last.instance_id}


def test_nothing_changes_before_the_first_stamp_nor_without_being_asked() -> None:
    sequence = drive(1, 4)
    assert sequence.room_at(sequence.changes[0].stamp_ns - 1) == sequence.room
    assert sequence.room_at(sequence.changes[0].stamp_ns) != sequence.room
    assert drive(1, 0).changes == ()
    assert drive(1, 4).changes == sequence.changes


def test_changes_need_two_rounds_and_enough_objects() -> None:
    with pytest.raises(SimulationError, match="between loops"):
        simulate(1, 60, SMALL, changes=1)
    with pytest.raises(SimulationError, match="90 changes are too many"):
        drive(1, 90)
