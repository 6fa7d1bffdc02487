"""Maps compared with the room."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from scenemind.geometry import Box3D, Pose
from scenemind.simulation import Sensors, make_room, simulate
from scenemind.simulation.ground_truth import (
    MatchTable,
    VisibilityCounter,
    match_objects,
    places_seen_again,
    stale_objects,
)

ROOM = make_room(1)


@dataclass(frozen=True)
class Mapped:
    object_id: int
    label: str
    box: Box3D


def perfect_map() -> list[Mapped]:
    """Ids 100, 101, ... so that none is an instance id by chance."""
    return [Mapped(99 + item.instance_id, item.label, item.box) for item in ROOM.objects]


def mean_iou(table: MatchTable) -> float:
    return float(np.mean([row.iou for row in table.matches]))


def test_a_perfect_map_meets_every_object():
    table = match_objects(reversed(perfect_map()), ROOM)
    assert [row.iou for row in table.matches] == pytest.approx([1.0] * len(ROOM.objects))
    assert table.unmatched == table.duplicates == ()
    assert table.instance_of == {99 + item.instance_id: item.instance_id for item in ROOM.objects}


def test_a_missing_object_has_no_partner():
    table = match_objects(perfect_map()[1:], ROOM)
    missing, *rest = table.matches
    assert (missing.object_id, missing.object_label, missing.iou) == (None, None, 0.0)
    assert min(row.iou for row in rest) > 0.99
    assert table.unmatched == ()


def test_a_second_box_for_one_object_is_a_duplicate_and_a_ghost_is_not():
    item = ROOM.objects[0]
    half = Box3D(item.box.center, (item.box.size[0] / 2, *item.box.size[1:]))
    ghost = Box3D((0.0, 0.0, 2.4), (0.1, 0.1, 0.1))
    extra = [Mapped(900, item.label, half), Mapped(901, "person", ghost)]
    table = match_objects(extra + perfect_map(), ROOM)
    assert table.unmatched == (900, 901)
    assert table.duplicates == (900,)


def test_an_overlapping_box_of_another_label_is_no_duplicate():
    item = ROOM.objects[0]
    half = Box3D(item.box.center, (item.box.size[0] / 2, *item.box.size[1:]))
    table = match_objects([*perfect_map(), Mapped(900, "ghost", half)], ROOM)
    assert table.unmatched == (900,)
    assert table.duplicates == ()


def test_a_box_that_overlaps_nothing_has_no_partner():
    ghost = Box3D((0.0, 0.0, 2.4), (0.1, 0.1, 0.1))
    table = match_objects([Mapped(900, ROOM.objects[0].label, ghost)], ROOM)
    assert {row.object_id for row in table.matches} == {None}
    assert table.unmatched == (900,)


def test_a_box_half_as_long_has_half_the_iou():
    item = ROOM.objects[0]
    half = Box3D(item.box.center, (item.box.size[0] / 2, *item.box.size[1:]))
    table = match_objects([Mapped(1, "desk", half)], ROOM)
    assert table.matches[0].iou == pytest.approx(0.5)
    assert table.matches[0].object_label == "desk"


def test_an_empty_map_finds_nothing():
    table = match_objects([], ROOM)
    assert {row.object_id for row in table.matches} == {None}
    assert table.unmatched == table.duplicates == ()


def test_a_map_is_compared_with_the_room_of_its_moment():
    sequence = simulate(1, 60, Sensors(64, 48), loops=2, changes=6)
    changed = {change.instance_id for change in sequence.changes}
    late = sequence.room_at(sequence.changes[-1].stamp_ns)
    of_first_round = match_objects(perfect_map(), late)
    as_before = {row.instance_id for row in of_first_round.matches if row.iou >= 0.9}
    assert as_before == {item.instance_id for item in ROOM.objects} - changed
    now = [Mapped(item.instance_id, item.label, item.box) for item in late.objects]
    assert min(row.iou for row in match_objects(now, late).matches) > 0.99


def test_a_map_in_a_drifted_frame_is_compared_where_it_stands():
    sequence = simulate(1, 60, Sensors(64, 48, odometry_noise=2.0), loops=3)
    world_T_odometry = sequence.world_T_odometry()
    odometry_T_world = world_T_odometry.inverse()
    drifted = [
        Mapped(
            item.instance_id,
            item.label,
            Box3D(
                tuple(odometry_T_world.transform(np.array(item.box.center)).tolist()),
                item.box.size,
                -np.arctan2(world_T_odometry.rotation[1, 0], world_T_odometry.rotation[0, 0]),
            ),
        )
        for item in ROOM.objects
    ]
    assert mean_iou(match_objects(drifted, ROOM)) < 0.6
    assert mean_iou(match_objects(drifted, ROOM, world_T_odometry)) > 0.95
    assert simulate(1, 4).world_T_odometry().distance_m(Pose.identity()) < 1e-9


@pytest.mark.parametrize("min_frames", [1, 2, 4])
def test_seen_objects_are_shown_well_by_enough_frames(min_frames):
    sequence = simulate(1, 4, Sensors(80, 60))
    counter = VisibilityCounter(sequence.room, min_pixels=10)
    images = [frame.instances for frame in sequence]
    for image in images:
        counter.add(image)
    expected = {
        number
        for number in sequence.class_names
        if sum(np.sum(image == number) >= 10 for image in images) >= min_frames
    }
    assert counter.seen(min_frames) == expected < set(sequence.class_names)


SEQUENCE = simulate(2, 80, Sensors(64, 48, 0.0), loops=2, changes=6)


def test_places_seen_again_are_in_view_after_the_change() -> None:
    again = places_seen_again(SEQUENCE, min_frames=2)
    assert again <= {change.instance_id for change in SEQUENCE.changes}
    assert len(again) >= 3
    for change in SEQUENCE.changes:
        if change.instance_id not in again:
            continue
        frames_in_view = 0
        for number, pose in enumerate(SEQUENCE.true_poses):
            point = pose.inverse().transform(np.array(change.old_box.center))
            (u, v), depth = SEQUENCE.camera.project(point)
            is_later = number / 30 >= change.stamp_ns * 1e-9 - 1.0 - 1e-6
            frames_in_view += bool(is_later and depth > 0 and -9 < u < 73 and -9 < v < 57)
        assert frames_in_view >= 2


def test_without_time_left_nothing_is_seen_again() -> None:
    assert places_seen_again(SEQUENCE, min_frames=80) == frozenset()
    assert places_seen_again(simulate(2, 8, Sensors(64, 48))) == frozenset()


def test_frames_before_the_change_do_not_count() -> None:
    *_, last = (frame.stamp_ns for frame in SEQUENCE)
    late = tuple(replace(change, stamp_ns=last) for change in SEQUENCE.changes)
    assert places_seen_again(replace(SEQUENCE, changes=late), min_frames=2) == frozenset()


def test_a_map_of_the_first_round_is_stale_and_one_of_the_last_is_not() -> None:
    changed = {change.instance_id for change in SEQUENCE.changes}
    rooms = (SEQUENCE.room, SEQUENCE.room_at(2**62))
    first, last = (
        [Mapped(900 + item.instance_id, item.label, item.box) for item in room.objects]
        for room in rooms
    )
    assert set(stale_objects(first, SEQUENCE, changed)) == {900 + number for number in changed}
    assert stale_objects(last, SEQUENCE, changed) == ()
    one = min(changed)
    assert stale_objects(first, SEQUENCE, {one}) == (900 + one,)
