"""MemTree3D against a literal transcription of the paper's Algorithm 1, and its bookkeeping."""

from __future__ import annotations

from collections.abc import Container
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from scenemind.config import TreeConfig
from scenemind.geometry import Pose
from scenemind.memory.tree.locations import LocationRecord, TrackletRecord
from scenemind.memory.tree.mem_tree import (
    Anchors,
    FrameInTree,
    MemTree,
    TrackedDetections,
    TreeChanges,
)
from scenemind.memory.types import LocationNode, ObjectTracklet
from scenemind.perception.types import Detections
from scenemind.simulation.trajectory import look

CONFIG = TreeConfig()


def nodes_of(tree: MemTree, known: Container[int]) -> tuple[LocationNode, ...]:
    return tuple(location.node(known) for location in tree.locations())


def algorithm_1(poses: list[Pose], t_thres: float, r_thres_deg: float) -> list[list[int]]:
    """The pseudo code, line by line; a location is the list of the frames in its buffer d. The
    buffer that is left at the end is the open location."""
    locations: list[list[int]] = []
    p_prev = poses[0]
    d: list[int] = []
    for t, p_t in enumerate(poses):
        d = [*d, t]
        t_delta = np.sqrt(((p_t.translation - p_prev.translation) ** 2).sum())
        between = Rotation.from_matrix(p_prev.rotation).inv() * Rotation.from_matrix(p_t.rotation)
        r_delta = np.degrees(between.magnitude())
        assume(abs(t_delta - t_thres) > 1e-6 and abs(r_delta - r_thres_deg) > 1e-6)
        if t_delta > t_thres or r_delta > r_thres_deg:
            locations.append(d)
            d, p_prev = [], p_t
    return [*locations, d] if d else locations


steps = st.tuples(st.tuples(*[st.floats(-0.9, 0.9)] * 3), st.tuples(*[st.floats(-0.5, 0.5)] * 3))


@settings(max_examples=60, deadline=None)
@given(st.lists(steps, min_size=1, max_size=60))
def test_locations_are_those_of_algorithm_1(walk):
    poses = [Pose.identity()]
    for shift, turn in walk:
        step = Pose(Rotation.from_rotvec(turn).as_matrix(), np.array(shift))
        poses.append(poses[-1] @ step)
    expected = algorithm_1(poses, CONFIG.translation_m, CONFIG.rotation_deg)

    tree = MemTree(CONFIG)
    for t, pose in enumerate(poses):
        add(tree, t, pose)
    nodes = nodes_of(tree, ())

    assert [n.frame_numbers for n in nodes] == [(frames[0], frames[-1]) for frames in expected]
    assert [n.location_id for n in nodes] == list(range(len(expected)))
    assert all(not node.is_open for node in nodes[:-1])
    opened_at = [0] + [frames[-1] for frames in expected[:-1]]
    for node, t in zip(nodes, opened_at, strict=True):
        assert np.array_equal(node.anchor.matrix(), poses[t].matrix())


def test_frame_that_crosses_belongs_to_the_location_that_it_closes():
    tree = MemTree(CONFIG)
    for t, x in enumerate((0.0, 1.4, 1.6, 1.7)):
        add(tree, t, at(x), tracks={5: 0.9})
    first, second = nodes_of(tree, ())
    assert first.frame_numbers == (0, 2)
    assert not first.is_open
    assert second.frame_numbers == (3, 3)
    assert second.is_open
    assert second.anchor.translation[0] == 1.6
    assert [t.detection_count for n in (first, second) for t in n.tracklets] == [3, 1]


def test_rotation_alone_closes_a_location():
    tree = MemTree(CONFIG)
    for t, degrees in enumerate((0.0, 44.0, 46.0, 50.0)):
        add(tree, t, at(0.0, degrees))
    assert [n.frame_numbers for n in nodes_of(tree, ())] == [(0, 2), (3, 3)]


def test_revisit_is_linked_to_the_nearest_earlier_anchor_and_not_merged():
    tree = MemTree(CONFIG)
    there_and_back = [0.0, 1.6, 3.2, 4.8, 3.2, 1.6, 1.5]
    for t, x in enumerate(there_and_back):
        add(tree, t, at(x))
    by_anchor = {n.location_id: (n.anchor.translation[0], n.revisit_of) for n in nodes_of(tree, ())}
    # Frame 0 and 1 make location 0; afterwards each frame crosses and closes one.
    assert by_anchor == {
        0: (0.0, None),
        1: (1.6, None),
        2: (3.2, None),
        3: (4.8, None),
        4: (3.2, 2),
        5: (1.6, 1),
    }


def test_looking_the_other_way_is_no_revisit():
    tree = MemTree(CONFIG)
    for t, degrees in enumerate((0.0, 60.0, 120.0, 180.0, 180.0)):
        add(tree, t, at(0.0, degrees))
    assert [n.revisit_of for n in nodes_of(tree, ())] == [None] * 4


def test_tracklet_sums_up_its_detections():
    tree = MemTree(CONFIG)
    rows = [(0.5, "couch"), (0.8, "chair"), (0.6, "couch"), (0.7, "chair")]
    for t, (score, label) in enumerate(rows):
        add(tree, t, at(0.1 * t), tracks={3: score}, labels=[label], centers={3: (t, 0.0, 1.0)})
    (node,) = nodes_of(tree, ())
    (tracklet,) = node.tracklets
    assert tracklet.label == "chair"  # 1.5 of the scores spoke for it, 1.1 for the couch
    assert tracklet.detection_count == 4
    assert (tracklet.first_seen_ns, tracklet.last_seen_ns) == (0, 3_000)
    assert (tracklet.best.frame_number, tracklet.best.score) == (1, pytest.approx(0.8))
    assert tracklet.trajectory[:, 0].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_detection_without_track_is_a_leaf_without_tracklet():
    tree = MemTree(CONFIG)
    frame = add(tree, 0, at(0.0), tracks={-1: 0.2, 4: 0.9})
    assert [d.score for d in frame.detections] == pytest.approx([0.2, 0.9])
    assert frame.tracklets[0] is None
    assert [t.track_id for t in nodes_of(tree, ())[0].tracklets] == [4]


def test_tracklets_name_only_known_objects():
    tree = MemTree(CONFIG)
    add(tree, 0, at(0.0), tracks={1: 0.9}, objects={1: 70})
    assert linked(tree, known=()) == [None]
    assert linked(tree, known={70}) == [70]
    assert linked(tree, known=()) == [None]


def test_merged_and_removed_objects_are_followed():
    tree = MemTree(CONFIG)
    frame = add(tree, 0, at(0.0), tracks={1: 0.9, 2: 0.8, 3: 0.7}, objects={1: 70, 2: 71, 3: 72})
    assert frame.object_ids() == [70, 71, 72]
    tree.follow(merged={71: 70}, removed={71, 72})
    assert linked(tree, known={70}) == [70, 70, None]
    assert frame.object_ids() == [70, 70, None]


def test_changes_are_taken_once_and_restore_the_same_tree():
    tree = MemTree(CONFIG)
    for t in range(8):
        add(
            tree,
            t,
            at(0.5 * t),
            tracks={1: 0.5 + 0.05 * t, 9: 0.4},
            objects={1: 7},
            centers={1: (0.1 * t, 2.0, 0.5)},
        )
    changes = tree.take_changes()
    assert tree.take_changes().tracklets == ()
    tree.give_back(changes)
    changes = tree.take_changes()
    tree.close_location()

    again = MemTree(CONFIG)
    again.restore(changes)
    assert again.take_changes().locations == ()
    assert_same_nodes(nodes_of(again, {7}), nodes_of(tree, {7}))
    add(again, 8, at(3.5))
    assert nodes_of(again, ())[-1].location_id == len(nodes_of(tree, ()))


def test_every_loop_is_linked_to_the_first_one():
    tree = MemTree(CONFIG)
    rng = np.random.default_rng(3)
    corners = [(0, 0), (4, 0), (4, 4), (0, 4)]
    loop = [
        (x0 + (x1 - x0) * s, y0 + (y1 - y0) * s, 90.0 * side)
        for side, ((x0, y0), (x1, y1)) in enumerate(pairwise([*corners, corners[0]]))
        for s in np.linspace(0.0, 1.0, 20, endpoint=False)
    ]
    for t, (x, y, yaw) in enumerate(loop * 5):
        pose = at(x, yaw)
        shift = np.array([0.0, y, 0.0]) + rng.normal(0.0, 0.02, 3)
        add(tree, t, Pose(pose.rotation, pose.translation + shift))
    nodes = nodes_of(tree, ())
    firsts = [node.location_id for node in nodes if node.revisit_of is None]
    assert firsts == list(range(len(firsts)))
    assert len(nodes) > 4 * len(firsts) > 20
    for node in nodes[len(firsts) :]:
        first = nodes[node.revisit_of]
        assert first.revisit_of is None
        assert node.anchor.distance_m(first.anchor) <= CONFIG.translation_m
        assert np.degrees(node.anchor.angle_rad(first.anchor)) <= CONFIG.rotation_deg


@pytest.mark.parametrize("restarts", [False, True])
def test_a_place_near_a_revisit_alone_is_a_first_visit(restarts):
    """From 0 m to 10 m and back to 1.2 m, which is near enough to 0; then 2.4 m is not."""
    tree = MemTree(CONFIG)
    for t, x in enumerate((0.0, 10.0, 1.2, 10.0, 2.4)):
        add(tree, t, at(x))
    if restarts:
        stored, tree = tree.take_changes(), MemTree(CONFIG)
        tree.restore(stored)
    add(tree, 5, at(2.4))
    assert [node.anchor.translation[0] for node in nodes_of(tree, ())] == [0, 10, 1.2, 10, 2.4]
    assert [node.revisit_of for node in nodes_of(tree, ())] == [None, None, 0, 1, None]


def test_between_two_first_visits_the_older_one_is_taken_every_time():
    anchors = Anchors(1.5, np.radians(45.0))
    for location_id, x in enumerate((0.0, 2.0)):
        anchors.add(location_id, at(x))
    found = [anchors.find_near(at(x)) for x in (0.5, 0.95, 1.05, 1.2, 2.0, 3.6)]
    assert found == [0, 0, 0, 1, 1, None]


def test_places_are_found_at_once_as_one_after_the_other():
    """More than are looked at in one step, of which later ones return to earlier ones."""
    rng = np.random.default_rng(0)
    turns = [look(*rng.uniform(0.0, 9.0, 2), 1.0, rng.uniform(-3.0, 3.0), 0.1) for _ in range(300)]
    one_by_one, at_once = Anchors(1.5, np.radians(45.0)), Anchors(1.5, np.radians(45.0))
    found = []
    for location_id, pose in enumerate(turns):
        found.append(one_by_one.find_near(pose))
        if found[-1] is None:
            one_by_one.add(location_id, pose)
    assert at_once.place(range(300), turns) == found
    assert 40 < found.count(None) < 260


class Plainly:
    """The object that each tracklet fed, in a dict."""

    def __init__(self) -> None:
        self.objects: dict[tuple[int, int], int | None] = {}

    def follow(self, merged: dict[int, int], removed: set[int]) -> None:
        for key, object_id in self.objects.items():
            if object_id in merged or object_id in removed:
                self.objects[key] = merged.get(object_id)


moves = st.lists(
    st.tuples(
        st.sampled_from([0.1, 1.6, -1.6]),
        st.dictionaries(st.integers(0, 4), st.integers(1, 6), max_size=4),
        st.sampled_from([{}, {}, {2: 1}, {6: 3}, {5: 4}]),
        st.sampled_from([set(), set(), {3}, {1, 4}]),
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(moves, st.data())
def test_packed_tree_answers_as_a_plain_one_and_stores_the_same(run, data):
    tree, plain = MemTree(CONFIG), Plainly()
    rows: dict[tuple[int, int], ObjectTracklet] = {}
    locations: dict[int, LocationRecord] = {}

    def store(changes: TreeChanges) -> None:
        rows.update({(r.location_id, r.tracklet.track_id): r.tracklet for r in changes.tracklets})
        locations.update({r.location_id: r for r in changes.locations})

    x = 0.0
    for t, (step, fed, merged, removed) in enumerate(run):
        x += step
        frame = add(tree, t, at(x), tracks=dict.fromkeys(fed, 0.5), objects=fed)
        plain.objects.update({(frame.location_id, track): i for track, i in fed.items()})
        gone = {*merged, *removed.difference(merged.values())}  # what is kept is not removed
        tree.follow(merged, gone)
        plain.follow(merged, gone)
        if data.draw(st.booleans()):
            changes = tree.take_changes()
            if data.draw(st.booleans()):
                store(changes)
            else:
                tree.give_back(changes)
    store(tree.take_changes())

    nodes = nodes_of(tree, range(10))
    seen = {(n.location_id, s.track_id): s.object_id for n in nodes for s in n.tracklets}
    assert seen == plain.objects
    assert {key: tree.objects_of(key[0], [key[1]])[0] for key in plain.objects} == plain.objects
    assert {key: row.object_id for key, row in rows.items()} == plain.objects
    tree.close_location()
    again = MemTree(CONFIG)
    records = [TrackletRecord(location_id, rows[location_id, track]) for location_id, track in rows]
    again.restore(TreeChanges(tuple(locations.values()), tuple(records)))
    assert_same_nodes(nodes_of(again, range(10)), nodes_of(tree, range(10)))


def at(x: float, yaw_deg: float = 0.0) -> Pose:
    return Pose(Rotation.from_euler("z", yaw_deg, degrees=True).as_matrix(), np.array([x, 0, 1.2]))


def add(
    tree: MemTree,
    number: int,
    pose: Pose,
    tracks: dict[int, float] | None = None,
    labels: list[str] | None = None,
    objects: dict[int, int] | None = None,
    centers: dict[int, tuple[float, float, float]] | None = None,
) -> FrameInTree:
    """A frame with one detection a track: track id -> score."""
    tracks = tracks or {}
    n = len(tracks)
    detections = Detections(
        tuple(labels or ["chair"] * n),
        np.array(list(tracks.values()), np.float32),
        np.tile(np.array([10, 20, 30, 60], np.float32), (n, 1)),
        (None,) * n,
    )
    return tree.add_frame(
        number,
        number * 1_000,
        pose,
        TrackedDetections(
            detections, np.array(list(tracks), np.int64), centers or {}, objects or {}
        ),
    )


def linked(tree: MemTree, known) -> list[int | None]:
    return [t.object_id for node in nodes_of(tree, known) for t in node.tracklets]


def assert_same_nodes(ours: tuple[LocationNode, ...], theirs: tuple[LocationNode, ...]) -> None:
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert (a.location_id, a.frame_numbers, a.revisit_of) == (
            b.location_id,
            b.frame_numbers,
            b.revisit_of,
        )
        assert len(a.tracklets) == len(b.tracklets)
        for s, t in zip(a.tracklets, b.tracklets, strict=True):
            assert facts(s) == facts(t)
            assert np.array_equal(s.trajectory, t.trajectory)


def facts(tracklet: ObjectTracklet) -> tuple:
    best = tracklet.best
    counts = (tracklet.detection_count, tracklet.first_seen_ns, tracklet.last_seen_ns)
    names = (tracklet.track_id, tracklet.label, tracklet.object_id)
    return (*names, *counts, best.frame_number, best.stamp_ns, best.score, best.box_px)
