"""What a map should have noticed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scenemind.geometry import Box3D
from scenemind.simulation import simulate
from scenemind.simulation.stale_places import places_seen_again, stale_objects

SEQUENCE = simulate(2, 80, 64, 48, 0.0, loops=2, changes=6)


@dataclass(frozen=True)
class Mapped:
    object_id: int
    label: str
    box: Box3D


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
    assert places_seen_again(simulate(2, 8, 64, 48)) == frozenset()


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
