"""Changes between two moments, and between two maps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory.history import (
    CameraViews,
    SceneChanges,
    TimeSpan,
    compare_maps,
    find_changes,
    find_place,
)
from scenemind.memory.types import DepthImage, MapObject, MemorySnapshot, Stay
from tests.unit.memory.things import solid, surface_points, thing

CAMERA = PinholeCamera(640, 480, 500.0, 500.0, 319.5, 239.5)
ALONG_X = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])  # world z is up


def views(*x_m: float) -> CameraViews:
    poses = [Pose(ALONG_X, np.array([x, 0.0, 1.0])) for x in x_m]
    return CameraViews.of(poses, [CAMERA] * len(x_m))


def counts(seen: CameraViews, *points: tuple[float, float, float]) -> list[int]:
    return seen.count(np.array(points)).tolist()


def test_points_in_view_are_ahead_in_reach_and_within_the_borders() -> None:
    ahead, behind, near, far = (2.0, 0.0, 1.0), (-2.0, 0.0, 1.0), (0.1, 0.0, 1.0), (9.0, 0.0, 1.0)
    assert counts(views(0.0), ahead, behind, near, far) == [1, 0, 0, 0]
    # At 2 m the picture is 2 * 640 / 500 = 2.56 m wide and 1.92 m high.
    assert counts(views(0.0), (2.0, 1.0, 1.0), (2.0, 1.4, 1.0)) == [1, 0]
    assert counts(views(0.0), (2.0, 0.0, 1.8), (2.0, 0.0, 2.1)) == [1, 0]
    assert counts(views(0.0), (2.0, 0.0, 0.2), (2.0, 0.0, -0.1)) == [1, 0]


def test_every_view_counts_once_however_many_there_are() -> None:
    assert counts(views(*[0.0] * 5000), (2.0, 0.0, 1.0)) == [5000]
    assert counts(views(0.0, 1.0, 3.0), (2.0, 0.0, 1.0)) == [2]
    assert counts(views(), (2.0, 0.0, 1.0)) == [0]
    assert views(0.0).count(np.zeros((0, 3))).shape == (0,)


FIRST, SECOND = TimeSpan(0, 100), TimeSpan(1000, 1100)
NOWHERE_CHANGES = CameraViews.of([], [])
_DOWN = np.diag([1.0, -1.0, -1.0])
_CAMERA = PinholeCamera(640, 640, 100.0, 100.0, 319.5, 319.5)


def from_above(depth_m: float | None) -> CameraViews:
    """Three views of everything from 3.5 m above the floor, with this depth in all pixels; None:
    depth was not stored."""
    poses = [Pose(_DOWN, np.array([0.0, 0.0, 3.5]))] * 3
    if depth_m is None:
        return CameraViews.of(poses, [_CAMERA] * 3)
    image = DepthImage(np.full((640, 640), depth_m, np.float32), 1, _CAMERA)
    return CameraViews.of(poses, [_CAMERA] * 3, [lambda: image] * 3)


EVERYWHERE_CHANGES = from_above(3.5)  # the bare floor


def seen(
    object_id: int, first_ns: int, last_ns: int, x: float = 0.0, label: str = "chair"
) -> MapObject:
    bare = solid(object_id, label, (x, 0.0, 0.5), (0.5, 0.5, 1.0))
    return replace(bare, first_seen_ns=first_ns, last_seen_ns=last_ns, here_since_ns=first_ns)


def moved(object_id: int, from_x: float, to_x: float) -> MapObject:
    old = Box3D((from_x, 0.0, 0.5), (0.5, 0.5, 1.0))
    now = seen(object_id, 1050, 1090, to_x)
    return replace(now, first_seen_ns=10, stays=(Stay(old, 10, 90, 1020),))


def changes(
    *things: MapObject,
    gone: tuple[MapObject, ...] = (),
    before: CameraViews = EVERYWHERE_CHANGES,
    after: CameraViews = EVERYWHERE_CHANGES,
) -> SceneChanges:
    of_id = {o.object_id: o for o in things}
    left = {o.object_id: o for o in gone}
    scene = MemorySnapshot(1, 1100, of_id, (), None, gone=left)
    return find_changes(scene, FIRST, SECOND, before, after)


def test_object_at_its_place_is_no_change() -> None:
    assert changes(seen(1, 10, 1010)) == SceneChanges((), 1, ())


def test_moved_object_has_distance_and_time() -> None:
    (change,) = changes(moved(1, 0.0, 2.0)).changes
    assert (change.kind, change.object_id, change.earlier_id) == ("moved", 1, 1)
    assert change.distance_m == pytest.approx(2.0)
    assert change.between_ns == (90, 1020)  # last seen there, first found not to be


def test_shift_within_the_accuracy_of_a_map_is_no_move() -> None:
    assert changes(moved(1, 0.0, 0.1)) == SceneChanges((), 1, ())


def test_object_whose_place_was_seen_empty_is_removed() -> None:
    stay = Stay(Box3D((0.0, 0.0, 0.5), (0.5, 0.5, 1.0)), 10, 90, 1040)
    (change,) = changes(gone=(replace(seen(1, 10, 90), stays=(stay,)),)).changes
    assert (change.kind, change.before, change.after) == ("removed", stay.box, None)
    assert (change.between_ns, change.distance_m) == ((90, 1040), None)


def test_what_was_hardly_ever_detected_is_a_ghost_and_was_not_removed() -> None:
    stay = Stay(Box3D((0.0, 0.0, 0.5), (0.5, 0.5, 1.0)), 10, 90, 1040)
    taken = replace(seen(1, 10, 90), stays=(stay,), is_ghost=True)
    (change,) = changes(gone=(taken,)).changes
    assert (change.kind, change.before, change.between_ns) == ("ghost", stay.box, (90, 1040))
    place = find_place(taken, 1050, is_gone=True)
    assert place is not None
    assert place.knowledge == "ghost"


@pytest.mark.parametrize("label", ["person", "cat"])
def test_who_comes_and_goes_is_no_change(label: str) -> None:
    left = replace(seen(1, 10, 90, label=label), stays=moved(1, 0.0, 2.0).stays)
    arrived, walked = seen(2, 1050, 1090, 4.0, label), replace(moved(3, 0.0, 2.0), label=label)
    assert changes(arrived, walked, seen(4, 10, 1010, 6.0), gone=(left,)) == SceneChanges((), 1, ())

    before, after = scene(box(1, label, 0.0)), scene(box(2, label, 3.0))
    assert compare(before, after) == SceneChanges((), 0, ())


def test_object_gone_before_the_first_moment_is_no_change() -> None:
    stay = Stay(Box3D((0.0, 0.0, 0.5), (0.5, 0.5, 1.0)), 10, 20, 50)
    assert changes(gone=(replace(seen(1, 10, 20), stays=(stay,)),)) == SceneChanges((), 0, ())


@pytest.mark.parametrize(
    ("depth_m", "kind"),
    [
        pytest.param(3.5, "added", id="looked through"),
        pytest.param(2.5, "new", id="something was there"),
        pytest.param(1.0, "new", id="the view was blocked"),
        pytest.param(0.0, "new", id="a hole of the depth image"),
        pytest.param(None, "new", id="depth was not stored"),
    ],
)
def test_object_is_added_only_where_depth_had_looked_through_its_place(
    depth_m: float | None, kind: str
) -> None:
    assert [c.kind for c in changes(seen(1, 1010, 1090), before=from_above(depth_m)).changes] == [
        kind
    ]
    before, after = scene(), scene(box(1, "chair", 0.0))
    found = compare_maps(before, after, from_above(depth_m), EVERYWHERE_CHANGES)
    assert [c.kind for c in found.changes] == [kind]


def test_nothing_was_moved_to_where_something_had_stood() -> None:
    """A chair that was not detected again, and one that had not been detected before."""
    seat = surface_points((2.0, 0.0, 0.97), (0.5, 0.5, 0.06), 100, seed=1)  # all that was seen
    things = seen(1, 10, 90, x=0.0), replace(seen(2, 1010, 1090, x=2.0), points=seat)
    assert {c.kind for c in changes(*things).changes} == {"moved"}
    found = changes(*things, before=from_above(2.5))
    assert {(c.kind, c.object_id) for c in found.changes} == {("missing", 1), ("new", 2)}


def test_new_object_is_added_only_where_frames_had_looked_before() -> None:
    (added,) = changes(seen(1, 1010, 1090)).changes
    assert (added.kind, added.between_ns) == ("added", (100, 1010))
    (new,) = changes(seen(1, 1010, 1090), before=NOWHERE_CHANGES).changes
    assert (new.kind, new.earlier_id) == ("new", None)


def test_object_seen_in_the_first_frame_of_the_later_span_is_still_there() -> None:
    assert changes(seen(1, 10, SECOND.first_ns)) == SceneChanges((), 1, ())


def test_object_in_view_that_was_not_seen_is_missing() -> None:
    (change,) = changes(seen(1, 10, 90)).changes
    assert (change.kind, change.between_ns) == ("missing", (90, SECOND.last_ns))
    assert changes(seen(1, 10, 90), after=NOWHERE_CHANGES) == SceneChanges((), 0, (1,))


def test_lookalike_of_a_missing_object_is_that_object_moved() -> None:
    found = changes(seen(1, 10, 90, x=0.0), seen(2, 1010, 1090, x=2.0), seen(3, 10, 90, x=1.0))
    assert {(c.kind, c.object_id, c.earlier_id) for c in found.changes} == {
        ("moved", 2, 3),  # the nearer one of two lookalikes
        ("missing", 1, 1),
    }
    other = changes(seen(1, 10, 90, x=0.0), seen(2, 1010, 1090, x=2.0, label="lamp"))
    assert {c.kind for c in other.changes} == {"missing", "added"}


def test_events_after_the_second_moment_do_not_count() -> None:
    assert changes(seen(1, 1200, 1300)) == SceneChanges((), 0, ())


def test_an_empty_map_has_no_changes() -> None:
    assert changes() == SceneChanges((), 0, ())


def box(object_id: int, label: str, x: float, color: str = "", size_m: float = 0.5) -> MapObject:
    bare = solid(object_id, label, (x, 0.0, 0.5), (size_m, size_m, 1.0))
    return replace(bare, attributes={"color": color} if color else {})


def scene(*things: MapObject) -> MemorySnapshot:
    return MemorySnapshot(1, 0, {o.object_id: o for o in things}, (), None)


def compare(before: MemorySnapshot, after: MemorySnapshot) -> SceneChanges:
    return compare_maps(before, after, EVERYWHERE_CHANGES, EVERYWHERE_CHANGES)


def test_the_same_things_under_other_ids_are_no_change() -> None:
    before = scene(box(1, "chair", 0.0), box(2, "sofa", 2.0))
    after = scene(box(8, "couch", 2.05), box(9, "chair", 0.03))
    assert compare(before, after) == SceneChanges((), 2, ())


def test_added_missing_and_moved() -> None:
    before = scene(box(1, "chair", 0.0, "red"), box(2, "lamp", 1.0), box(3, "cup", 2.0))
    after = scene(box(4, "chair", -2.0, "dark red"), box(5, "cup", 2.0), box(6, "vase", 1.0))
    found = compare(before, after)
    assert [(c.kind, c.object_id, c.earlier_id) for c in found.changes] == [
        ("moved", 4, 1),
        ("renamed", 6, 2),  # something stands exactly where the lamp stood
    ]
    assert found.changes[0].distance_m == pytest.approx(2.0)
    assert found.changes[1].old_label == "lamp"
    assert found.unchanged == 1


def test_object_of_another_size_or_colour_is_another_thing() -> None:
    before = scene(box(1, "chair", 0.0, "red"), box(2, "table", 1.0, size_m=0.4))
    after = scene(box(3, "chair", -2.0, "blue"), box(4, "table", 2.5, size_m=2.0))
    kinds = sorted(change.kind for change in compare(before, after).changes)
    assert kinds == ["added", "added", "missing", "missing"]


@pytest.mark.parametrize(
    ("color", "is_it"),
    [("red", True), ("light red", True), ("red and white", True), ("", True), ("dark blue", False)],
)
def test_shades_of_one_colour_may_be_one_thing(color: str, is_it: bool) -> None:
    before, after = scene(box(1, "chair", 0.0, "dark red")), scene(box(3, "chair", -2.0, color))
    assert (compare(before, after).counts()["moved"] == 1) == is_it


def test_no_change_is_reported_where_the_other_camera_did_not_look() -> None:
    before, after = scene(box(1, "lamp", 0.0)), scene(box(2, "vase", 2.0))
    found = compare_maps(before, after, NOWHERE_CHANGES, NOWHERE_CHANGES)
    assert ([c.kind for c in found.changes], found.unseen) == (["new"], (1,))


def test_object_pushed_a_little_has_moved() -> None:
    found = compare(scene(box(1, "sofa", 0.0, size_m=1.5)), scene(box(2, "sofa", 0.6, size_m=1.5)))
    (change,) = found.changes
    assert (change.kind, change.distance_m) == ("moved", pytest.approx(0.6))


CHAIR = solid(1, "chair", (0.0, 0.0, 0.45), (0.5, 0.5, 0.9))
TABLE = solid(2, "table", (2.0, 0.0, 0.35), (1.6, 0.8, 0.7))
BACKREST = solid(5, "chair", (0.0, 0.21, 0.75), (0.45, 0.06, 0.25))
TABLE_TOP = solid(6, "table", (2.05, 0.0, 0.75), (1.7, 0.7, 0.08))


def test_a_map_that_shows_the_tops_of_things_alone_differs_in_nothing() -> None:
    """Of what stands behind a table, or above a floor out of view."""
    whole, tops = scene(CHAIR, TABLE), scene(BACKREST, TABLE_TOP)
    assert compare(whole, tops) == compare(tops, whole) == SceneChanges((), 2, ())


@pytest.mark.parametrize("dx", [0.4, -0.4])
def test_a_top_beside_its_whole_has_moved(dx: float) -> None:
    """By as much as the whole would have, and it stays that thing."""
    pushed = solid(6, "table", (2.0 + dx, 0.0, 0.75), (1.7, 0.7, 0.08))
    (change,) = compare(scene(CHAIR, TABLE), scene(CHAIR, pushed)).changes
    assert (change.kind, change.object_id, change.earlier_id) == ("moved", 6, 2)


def test_a_thing_below_another_of_its_kind_is_another() -> None:
    """A box of a shelf's upper board and one of its lower board: tops at two heights."""
    upper = solid(1, "book", (0.0, 0.0, 1.45), (0.3, 0.3, 0.1))
    lower = solid(2, "book", (0.0, 0.0, 1.05), (0.3, 0.3, 0.1))
    found = compare(scene(upper), scene(upper, lower))
    assert (found.unchanged, [c.object_id for c in found.changes]) == (1, [2])
    assert compare(scene(upper), scene(lower)).unchanged == 0


LABELS = st.sampled_from(["chair", "sofa", "couch", "lamp"])
THINGS = st.lists(st.tuples(LABELS, st.integers(-6, 6)), max_size=8)


def of(rows: list[tuple[str, int]]) -> MemorySnapshot:
    return scene(*(box(i, label, x / 4) for i, (label, x) in enumerate(rows, start=1)))


@given(THINGS, THINGS)
def test_every_thing_is_accounted_for_exactly_once(
    before: list[tuple[str, int]], after: list[tuple[str, int]]
) -> None:
    found = compare(of(before), of(after))
    count = found.counts()
    both = found.unchanged + count["moved"] + count["renamed"]
    assert both + count["missing"] + count["removed"] + len(found.unseen) == len(before)
    assert both + count["added"] + count["new"] == len(after)


@given(THINGS)
def test_a_map_does_not_differ_from_itself(rows: list[tuple[str, int]]) -> None:
    assert compare(of(rows), of(rows)) == SceneChanges((), len(rows), ())


def test_thousands_of_things_are_compared_in_a_moment() -> None:
    rng = np.random.default_rng(3)
    places = rng.uniform(-40.0, 40.0, (2000, 2))
    things = [
        thing(i, f"kind {i % 50}", (x, y, 0.5), (0.5, 0.5, 1.0))
        for i, (x, y) in enumerate(places, start=1)
    ]
    found = compare(scene(*things[:1900]), scene(*things[100:]))
    assert found.unchanged == 1800
    assert found.counts()["moved"] + found.counts()["added"] + found.counts()["new"] == 100
