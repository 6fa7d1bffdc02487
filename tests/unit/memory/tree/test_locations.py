"""Trajectories and packed locations."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from scenemind.geometry import Pose
from scenemind.memory.tree.locations import (
    NO_OBJECT,
    LocationRecord,
    PackedLocation,
    Trajectory,
    simplify,
)
from scenemind.memory.types import DetectionNode, ObjectTracklet
from tests.unit.memory.tree.test_mem_tree import facts

trajectories = npst.arrays(
    np.float32,
    st.tuples(st.integers(0, 40), st.just(3)),
    elements=st.floats(-5.0, 5.0, width=32),
)


@settings(deadline=None)
@given(count=st.integers(1, 500), bound=st.integers(2, 40))
def test_trajectory_is_an_even_bounded_subsequence(count, bound):
    trajectory = Trajectory(bound)
    for i in range(count):
        trajectory.add((i, 0.0, 0.0))
    kept = trajectory.array()[:, 0].astype(int).tolist()
    assert 1 <= len(kept) <= bound
    assert kept[0] == 0
    assert len({b - a for a, b in pairwise(kept)}) <= 1
    assert len(kept) * 2 >= min(count, bound)


def test_straight_way_is_two_points_and_a_corner_a_third():
    way = np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0), (2, 2, 0)], np.float32)
    assert simplify(way[:3], 0.1, 8).tolist() == way[[0, 2]].tolist()
    assert simplify(way, 0.1, 8).tolist() == way[[0, 2, 4]].tolist()


def test_way_there_and_back_keeps_its_far_end():
    way = np.array([(0, 0, 0), (3, 0, 0), (7, 0, 0), (4, 0, 0), (0, 0, 0)], np.float32)
    assert simplify(way, 0.1, 8).tolist() == way[[0, 2, 4]].tolist()


def test_thing_at_rest_is_two_points():
    way = np.random.default_rng(1).normal(0.0, 0.01, (32, 3)).astype(np.float32)
    assert simplify(way, 0.1, 8).tolist() == way[[0, 31]].tolist()


@settings(deadline=None)
@given(trajectories, st.floats(0.01, 2.0), st.integers(2, 12))
def test_simplified_trajectory_is_near_to_every_point_or_full(points, tolerance_m, most):
    kept = simplify(points, tolerance_m, most)
    assert len(kept) <= max(most, min(len(points), 2))
    if not len(points):
        return
    assert kept[[0, -1]].tolist() == points[[0, -1]].tolist()
    if len(kept) < most:
        assert max(distance_m(point, kept) for point in points) <= tolerance_m + 1e-4


def distance_m(point: np.ndarray, line: np.ndarray) -> float:
    """To a broken line, each of its pieces sampled."""
    share = np.linspace(0.0, 1.0, 2001)[:, None]
    pieces = [a + share * (b - a) for a, b in pairwise(line.astype(float))] or [line]
    return min(float(np.linalg.norm(piece - point, axis=1).min()) for piece in pieces)


def test_all_points_of_a_given_trajectory_are_kept():
    points = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert Trajectory.through(points).array().tolist() == points.tolist()
    assert Trajectory.through(points[:0]).array().shape == (0, 3)
    with pytest.raises(ValueError, match="read-only"):
        Trajectory.through(points).array()[0] = 1.0


RECORD = LocationRecord(7, Pose.identity(), 10, 90, (3, 12), revisit_of=2)
stamps = st.integers(0, 2**62)
score32 = st.floats(0.0, 1.0, width=32)
pixel32 = st.floats(0.0, 4000.0, width=32)
points = st.lists(st.tuples(*[st.floats(-100, 100, width=32)] * 3), max_size=5).map(
    lambda rows: np.array(rows, np.float32).reshape(-1, 3)
)


@st.composite
def tracklets(draw: st.DrawFn) -> list[ObjectTracklet]:
    track_ids = draw(st.lists(st.integers(0, 2**31 - 1), unique=True, max_size=6))
    return [
        ObjectTracklet(
            track_id=track_id,
            label=draw(st.sampled_from(["cup", "table", "Küchenschrank"])),
            object_id=draw(st.none() | st.integers(1, 4)),
            detection_count=draw(st.integers(1, 1000)),
            first_seen_ns=draw(stamps),
            last_seen_ns=draw(stamps),
            best=DetectionNode(
                draw(st.integers(0, 2**31 - 1)),
                draw(stamps),
                draw(score32),
                draw(st.tuples(*[pixel32] * 4)),
            ),
            trajectory=draw(points),
        )
        for track_id in track_ids
    ]


def assert_same(ours: list[ObjectTracklet], theirs: list[ObjectTracklet]) -> None:
    assert list(map(facts, ours)) == list(map(facts, theirs))
    for a, b in zip(ours, theirs, strict=True):
        assert a.trajectory.tolist() == b.trajectory.tolist()


@settings(deadline=None)
@given(tracklets())
def test_tracklets_come_back_as_they_went_in(given_tracklets):
    packed = PackedLocation.pack(RECORD, True, given_tracklets)
    assert_same(packed.tracklets(), given_tracklets)
    node = packed.node(known_objects={1, 2, 3, 4})
    assert_same(list(node.tracklets), given_tracklets)
    assert (node.location_id, node.frame_numbers, node.revisit_of) == (7, (3, 12), 2)
    assert node.is_open


@settings(deadline=None)
@given(tracklets(), st.integers(1, 4), st.none() | st.integers(1, 5))
def test_objects_are_exchanged_in_a_new_value(given_tracklets, gone, kept):
    packed = PackedLocation.pack(RECORD, False, given_tracklets)
    before = packed.contents()
    other, track_ids = packed.relinked(gone, kept)
    fed = [t.track_id for t in given_tracklets if t.object_id == gone]
    assert track_ids == fed
    expected = [replace(t, object_id=kept) if t.object_id == gone else t for t in given_tracklets]
    assert_same(other.tracklets(), expected)
    assert_same(packed.tracklets(), given_tracklets)
    assert packed.contents() is before
    asked = [t.track_id for t in expected]
    unknown = 2**31 - 1 if 2**31 - 1 not in asked else -5
    found = other.objects_of(np.array([*asked, unknown], np.int32)).tolist()
    assert found == [NO_OBJECT if t.object_id is None else t.object_id for t in expected] + [
        NO_OBJECT
    ]


@settings(deadline=None)
@given(tracklets())
def test_contents_name_each_object_once_and_each_loose_tracklet(given_tracklets):
    contents = PackedLocation.pack(RECORD, False, given_tracklets).contents()
    objects = {t.object_id for t in given_tracklets if t.object_id is not None}
    loose = sorted(t.label for t in given_tracklets if t.object_id is None)
    assert contents.object_ids == (*[NO_OBJECT] * len(loose), *sorted(objects))
    assert list(contents.labels[: len(loose)]) == loose
    assert (contents.location_id, contents.revisit_of) == (7, 2)


@settings(deadline=None)
@given(tracklets(), st.sets(st.integers(1, 4)))
def test_unknown_objects_are_not_named(given_tracklets, known):
    node = PackedLocation.pack(RECORD, False, given_tracklets).node(known)
    expected = [t.object_id if t.object_id in known else None for t in given_tracklets]
    assert [t.object_id for t in node.tracklets] == expected
