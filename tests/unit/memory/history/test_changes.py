"""What changed between two visits, of things whose past is written by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory.history import CameraViews, SceneChanges, TimeSpan, find_changes
from scenemind.memory.types import MapObject, MemorySnapshot, Stay
from tests.unit.memory.things import thing

FIRST, SECOND = TimeSpan(0, 100), TimeSpan(1000, 1100)
NOWHERE = CameraViews.of([], [])
_DOWN = np.diag([1.0, -1.0, -1.0])
_CAMERA = PinholeCamera(640, 640, 100.0, 100.0, 319.5, 319.5)
EVERYWHERE = CameraViews.of([Pose(_DOWN, np.array([0.0, 0.0, 3.5]))] * 3, [_CAMERA] * 3)


def seen(
    object_id: int, first_ns: int, last_ns: int, x: float = 0.0, label: str = "chair"
) -> MapObject:
    bare = thing(object_id, label, (x, 0.0, 0.5), (0.5, 0.5, 1.0))
    return replace(bare, first_seen_ns=first_ns, last_seen_ns=last_ns, here_since_ns=first_ns)


def moved(object_id: int, from_x: float, to_x: float) -> MapObject:
    old = Box3D((from_x, 0.0, 0.5), (0.5, 0.5, 1.0))
    now = seen(object_id, 1050, 1090, to_x)
    return replace(now, first_seen_ns=10, stays=(Stay(old, 10, 90, 1020),))


def changes(
    *things: MapObject,
    gone: tuple[MapObject, ...] = (),
    before: CameraViews = EVERYWHERE,
    after: CameraViews = EVERYWHERE,
) -> SceneChanges:
    of_id = {o.object_id: o for o in things}
    left = {o.object_id: o for o in gone}
    scene = MemorySnapshot(1, 1100, of_id, (), None, gone=left)
    return find_changes(scene, FIRST, SECOND, before, after)


def test_what_stands_where_it_stood_is_no_change() -> None:
    assert changes(seen(1, 10, 1010)) == SceneChanges((), 1, ())


def test_what_was_moved_says_how_far_and_when() -> None:
    (change,) = changes(moved(1, 0.0, 2.0)).changes
    assert (change.kind, change.object_id, change.earlier_id) == ("moved", 1, 1)
    assert change.distance_m == pytest.approx(2.0)
    assert change.between_ns == (90, 1020)  # last seen there, first found not to be


def test_less_than_a_map_can_tell_is_no_move() -> None:
    assert changes(moved(1, 0.0, 0.1)) == SceneChanges((), 1, ())


def test_what_was_found_to_have_left_is_removed() -> None:
    stay = Stay(Box3D((0.0, 0.0, 0.5), (0.5, 0.5, 1.0)), 10, 90, 1040)
    (change,) = changes(gone=(replace(seen(1, 10, 90), stays=(stay,)),)).changes
    assert (change.kind, change.before, change.after) == ("removed", stay.box, None)
    assert (change.between_ns, change.distance_m) == ((90, 1040), None)


def test_what_is_gone_since_before_the_first_moment_is_no_change() -> None:
    stay = Stay(Box3D((0.0, 0.0, 0.5), (0.5, 0.5, 1.0)), 10, 20, 50)
    assert changes(gone=(replace(seen(1, 10, 20), stays=(stay,)),)) == SceneChanges((), 0, ())


def test_what_appeared_was_added_only_where_somebody_had_looked_before() -> None:
    (added,) = changes(seen(1, 1010, 1090)).changes
    assert (added.kind, added.between_ns) == ("added", (100, 1010))
    (new,) = changes(seen(1, 1010, 1090), before=NOWHERE).changes
    assert (new.kind, new.earlier_id) == ("new", None)


def test_what_was_looked_for_and_not_seen_is_missing() -> None:
    assert changes(seen(1, 10, 90)).counts()["missing"] == 1
    assert changes(seen(1, 10, 90), after=NOWHERE) == SceneChanges((), 0, (1,))


def test_a_lookalike_of_what_is_missing_is_that_thing_elsewhere() -> None:
    found = changes(seen(1, 10, 90, x=0.0), seen(2, 1010, 1090, x=2.0), seen(3, 10, 90, x=1.0))
    assert {(c.kind, c.object_id, c.earlier_id) for c in found.changes} == {
        ("moved", 2, 3),  # the nearer one of two lookalikes
        ("missing", 1, 1),
    }
    other = changes(seen(1, 10, 90, x=0.0), seen(2, 1010, 1090, x=2.0, label="lamp"))
    assert {c.kind for c in other.changes} == {"missing", "added"}


def test_what_came_after_the_second_moment_counts_for_nothing() -> None:
    assert changes(seen(1, 1200, 1300)) == SceneChanges((), 0, ())


def test_an_empty_map_has_no_changes() -> None:
    assert changes() == SceneChanges((), 0, ())
