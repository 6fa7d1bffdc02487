"""Stretches of the way: whether they saw one thing or two, and how they move."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.config import ObjectMapConfig
from scenemind.geometry import Pose
from scenemind.geometry.pose import poses_of
from scenemind.memory.frame_corrections import FrameCorrections, FrameTable
from scenemind.memory.objects.map_entry import MapEntry, View
from scenemind.memory.objects.object_record import Stretch
from scenemind.memory.objects.stretches import (
    STRETCH_M,
    corrected,
    never_seen_apart,
    surface_of,
)
from scenemind.memory.objects.surface_evidence import DECAY_EVERY
from tests.unit.memory.things import Vector, observe


def stretch(first: int, last: int, seen: int) -> Stretch:
    nothing = np.zeros(0, np.float32)
    return Stretch(
        frames=(first, last),
        votes={"cup": float(seen)},
        observation_count=seen,
        whole_count=seen,
        first_seen_ns=first,
        last_seen_ns=last,
        track_ids=(),
        colors=nothing,
        appearance=None,
        noise=np.zeros((1, 2)),
        cell_m=0.03,
        keys=np.zeros(0, np.int64),
        points=np.zeros((0, 3), np.float32),
        hits=nothing,
        weights=nothing,
        shown=np.zeros((0, 4), np.uint16),
        view_frames=(),
    )


def test_two_things_in_view_are_seen_twice_a_frame() -> None:
    one, other = [stretch(0, 29, 28)], [stretch(0, 29, 27)]
    assert not never_seen_apart(one, other)


def test_one_thing_under_two_names_takes_turns() -> None:
    assert never_seen_apart([stretch(0, 29, 18)], [stretch(5, 29, 11)])


def test_what_was_seen_at_other_times_may_be_one() -> None:
    assert never_seen_apart([stretch(0, 29, 30)], [stretch(300, 329, 30)])
    assert not never_seen_apart([], [stretch(300, 329, 30)])


@pytest.mark.parametrize("shake_m", [0.0, 0.02])
def test_only_where_single_poses_were_corrected_it_is_made_again(shake_m: float) -> None:
    """Drift moves it as one, by the mean; each view that shook is moved by itself."""
    frames = range(21)
    shake = shake_m * (-1.0) ** np.arange(21)
    entry = MapEntry(7, ObjectMapConfig(), 0)
    for n in frames:
        seen = observe((shake[n], 0, 0), track_id=0, seed=n)
        entry.add(seen, View(n, np.array([0.0, -2.0, 1.0]), n, 0.0, shake_m / 2.0))
    (before,) = entry.sealed()
    poses = np.tile(np.eye(4), (21, 1, 1))
    table = FrameTable(np.arange(21), np.arange(21) * 33_000_000, poses_of(poses))
    drift = 0.001 * np.arange(21)
    right = [Pose(np.eye(3), np.array([drift[n] - shake[n], 0.0, 0.0])) for n in frames]
    found = FrameCorrections.of_stamps(table, table.stamps_ns, right)
    mean = found.of_stretches([0], [20])
    (after,) = corrected([before], entry.box.corners(), mean, found)
    as_one = before.moved(mean[0])
    is_as_one = after.points.shape == as_one.points.shape and (after.points == as_one.points).all()
    assert is_as_one == (shake_m == 0.0)
    if shake_m:
        # Along x all of the shake was taken out, and what is left is the noise of depth.
        assert after.noise[2] == pytest.approx(before.noise[2] - before.noise[8], rel=1e-6)
        assert before.noise[8] > 0.4 * before.noise[2]
        assert after.noise[4] == pytest.approx(before.noise[4], rel=1e-6)  # they shook along x only
        assert np.ptp(after.points[:, 0]) < np.ptp(as_one.points[:, 0]) - shake_m


def test_what_the_surface_forgot_is_there_again_in_corrected_poses() -> None:
    """The first views, too few to last, showed all of it where drift had put it; later ones, which
    image borders do not cut, the left half alone."""
    entry, few, many = MapEntry(7, ObjectMapConfig(), 0), 2, 2 * DECAY_EVERY
    off_m = np.array([0.0, 0.0, 0.3])

    def look(n: int, center: NDArray[np.float64], size: Vector) -> None:
        view = View(n, np.array([0.0, -2.0, 1.0]), n, STRETCH_M * (n >= few))
        x, y, z = center.tolist()
        entry.add(observe((x, y, z), size, track_id=0, seed=n % 3), view)

    for n in range(few):
        look(n, np.array([0.25, 0.0, 0.0]) + off_m, (1.0, 0.5, 0.5))
    for n in range(few, few + many):
        look(n, np.zeros(3), (0.5, 0.5, 0.5))
    first, _ = entry.sealed()
    high = entry.surface.points[:, 2] > 0.35  # only the first views showed something there
    assert not high.any()
    back = first.moved(Pose(np.eye(3), -off_m).matrix())
    again = surface_of([back], entry.surface.max_points)
    assert again.points[:, 0].max() == pytest.approx(0.75, abs=0.05)
