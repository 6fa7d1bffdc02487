"""Measured boxes and objects of the map, in the small room of the tests."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from scenemind.geometry import Box3D, Pose
from scenemind.memory import KeyFrame, MapObject, MemorySnapshot
from scenemind.memory.types import Stay
from scenemind.perception.backends.depth_segmenter import DepthSegmenter
from scenemind.perception.types import BoxMask
from scenemind.reasoning.types import MEASURED, SAME_AS
from scenemind.reasoning.vlm_grounder.confidence import confidences
from scenemind.reasoning.vlm_grounder.map_match import find_match
from scenemind.reasoning.vlm_grounder.result import (
    BEST_VIEW,
    MEASURED_FROM,
    Grounded,
    as_mapped,
    as_measured,
)
from scenemind.reasoning.vlm_grounder.telling import sentence_on
from scenemind.reasoning.vlm_grounder.types import Measured, MeasuredView, Target
from tests.unit.reasoning.scene import ROOM, snapshot_of

from .film import CAMERA

SNAPSHOT = snapshot_of(ROOM)
TABLE, CUP, CHAIR = 1, 2, 4
BOX_PX = (10.0, 10.0, 50.0, 50.0)


def frame(number: int = 7) -> KeyFrame:
    return KeyFrame(number, 1000 * number, 0, CAMERA, Pose.identity(), b"")


def target(object_id: int | None = None) -> Target:
    return Target(frame(), BOX_PX, object_id, 0.8)


def measured(box: Box3D, views: int = 5) -> Measured:
    """A box filled with points."""
    low, high = box.bounds()
    points = np.random.default_rng(0).uniform(low, high, (5000, 3)).astype(np.float32)
    mask = BoxMask(0, 0, np.ones((1, 1), bool))
    seen = [
        MeasuredView(frame(7 + n), BOX_PX, mask, points, 0.02 if n else 0.0) for n in range(views)
    ]
    return Measured(box, points, tuple(seen), "sam", ("seen in views",))


def moved(box: Box3D, by_m: Sequence[float], times: float = 1.0) -> Box3D:
    center = np.add(box.center, by_m)
    return Box3D(tuple(center.tolist()), tuple(times * side for side in box.size))


def with_object(
    object_id: int, snapshot: MemorySnapshot = SNAPSHOT, **more: object
) -> MemorySnapshot:
    objects = {**snapshot.objects, object_id: replace(snapshot.objects[object_id], **more)}
    return replace(snapshot, objects=objects)


def ground(
    box: Box3D, object_id: int | None = None, snapshot: MemorySnapshot = SNAPSHOT, views: int = 5
) -> Grounded:
    return as_measured(target(object_id), measured(box, views), snapshot, "mug")


CHAIR_BOX = SNAPSHOT.objects[CHAIR].box


def test_an_object_at_the_measured_place_explains_it_whoever_was_detected() -> None:
    for object_id in (CHAIR, None, 99):
        match = find_match(target(object_id), measured(moved(CHAIR_BOX, (0.05, 0, 0))), SNAPSHOT)
        assert match is not None
        assert (match.thing.object_id, match.bond) == (CHAIR, "same")
        assert match.iou > 0.7


def test_a_piece_of_what_was_detected_is_that_but_no_piece_of_something_else() -> None:
    """A cup stands within reach of the table, and is no piece of it."""
    corner = Box3D((0.5, 0.2, 0.7), (0.3, 0.3, 0.1))
    piece = find_match(target(TABLE), measured(corner), SNAPSHOT)
    assert piece is not None
    assert piece.thing.object_id == TABLE
    assert find_match(target(), measured(corner), SNAPSHOT) is None


def test_what_the_map_does_not_know_is_reported_as_measured() -> None:
    found = ground(Box3D((3.0, -3.0, 0.2), (0.1, 0.1, 0.1)))
    (thing,) = found.objects
    assert (thing.object_id, thing.label) == (MEASURED, "mug")
    assert thing.attributes == {MEASURED_FROM: "5 key frames", BEST_VIEW: "7"}
    assert (thing.first_seen_ns, thing.last_seen_ns) == (7000, 11000)
    assert found.key_frames()[0].boxes_px == {MEASURED: BOX_PX}
    assert sentence_on(found.objects) == "That is a mug at x 3.00, y -3.00, z 0.20 m."


def test_the_likelier_box_comes_first() -> None:
    """Views that agree by a model's masks make a good box; one view by depth, whose mask is more
    than the thing, makes a worse one than a map that has looked often."""
    snapshot = with_object(CHAIR, observation_count=60)
    good = as_measured(target(CHAIR), measured(CHAIR_BOX), snapshot, "mug")
    larger = replace(measured(moved(CHAIR_BOX, (0, 0, 0), 1.3), views=1), masks=DepthSegmenter.name)
    bad = as_measured(target(CHAIR), larger, snapshot, "mug")
    for found, first, said in ((good, MEASURED, "measured"), (bad, CHAIR, "map")):
        other = {MEASURED: CHAIR, CHAIR: MEASURED}[first]
        assert [thing.object_id for thing in found.objects] == [first, other]
        assert 1.0 > found.box_right[0] > found.box_right[1] > 0.0
        assert f"the {said} box comes first" in found.steps[-1]
    assert good.box_right[0] > bad.box_right[1]


def test_whichever_comes_first_both_are_of_one_thing() -> None:
    found = ground(CHAIR_BOX, CHAIR)
    (box,) = (thing for thing in found.objects if thing.object_id == MEASURED)
    assert (box.label, box.attributes[SAME_AS]) == ("chair", str(CHAIR))
    assert found.key_frames()[0].boxes_px == {CHAIR: BOX_PX}
    assert "chair" in sentence_on(found.objects)
    assert " and " not in sentence_on(found.objects)


def test_what_was_moved_since_is_where_the_map_has_it() -> None:
    snapshot = with_object(CHAIR, here_since_ns=8000)
    found = ground(moved(CHAIR_BOX, (3.0, 0, 0)), CHAIR, snapshot)
    assert [thing.object_id for thing in found.objects] == [CHAIR]
    assert "elsewhere since" in found.steps[-1]


def test_what_is_gone_since_is_said_and_hardly_believed() -> None:
    chair = SNAPSHOT.objects[CHAIR]
    gone = replace(chair, stays=(Stay(CHAIR_BOX, 0, 7000, 9000),))
    objects = {i: thing for i, thing in SNAPSHOT.objects.items() if i != CHAIR}
    found = ground(CHAIR_BOX, None, replace(SNAPSHOT, objects=objects, gone={CHAIR: gone}))
    assert [thing.object_id for thing in found.objects] == [MEASURED]
    assert '"chair" 4 is gone since' in found.steps[-1]
    assert max(confidences(found, 0, 1, by_class=True)) < 0.4


def test_what_cannot_be_measured_is_where_the_map_has_it() -> None:
    found = as_mapped(target(CHAIR), SNAPSHOT.objects[CHAIR], "no depth")
    assert [thing.object_id for thing in found.objects] == [CHAIR]
    assert found.steps == ('the box is the map\'s, of "chair" 4: no depth',)
    assert found.key_frames()[0].boxes_px == {CHAIR: BOX_PX}


def test_one_thing_seen_twice_is_one() -> None:
    one, again = ground(CHAIR_BOX, CHAIR), ground(moved(CHAIR_BOX, (0.1, 0, 0)), CHAIR)
    other = ground(SNAPSHOT.objects[5].box, 5)
    assert one.is_same_as(again)
    assert not one.is_same_as(other)
    unknown = ground(Box3D((3.0, -3.0, 0.2), (0.1, 0.1, 0.1)))
    assert unknown.is_same_as(unknown)
    assert not unknown.is_same_as(one)


def test_confidence_is_of_the_thing_and_of_its_box() -> None:
    good = ground(CHAIR_BOX, CHAIR)
    sure = confidences(good, 0, 1, by_class=True)
    assert sure == pytest.approx([0.87 * right for right in good.box_right])
    assert len(sure) == len(good.objects) == 2


def test_confidence_falls_with_what_speaks_against_an_answer() -> None:
    good = ground(CHAIR_BOX, CHAIR)
    falling = [
        confidences(good, 0, 1, by_class=True),
        confidences(good, 1, 1, by_class=True),
        confidences(good, 1, 0, by_class=True),  # maybe more things to mix it up with
        confidences(good, 1, 4, by_class=False),
        confidences(good, 3, 4, by_class=False),
        confidences(ground(CHAIR_BOX, CHAIR, views=1), 3, 4, by_class=False),
    ]
    assert all(max(a) > max(b) > 0.0 for a, b in itertools.pairwise(falling))


def test_points_are_a_sample() -> None:
    (thing, *_) = (t for t in ground(CHAIR_BOX, CHAIR).objects if t.object_id == MEASURED)
    assert isinstance(thing, MapObject)
    assert 1000 < len(thing.points) <= 2000
    assert not thing.points.flags.writeable


def test_a_box_that_a_few_points_have_blown_up_gives_way_to_the_map() -> None:
    chair = SNAPSHOT.objects[CHAIR].box
    low, high = chair.bounds()
    rng = np.random.default_rng(0)
    floor = rng.uniform((-3, -2, 0), (0, 2, 0.02), (600, 3))
    points = np.concatenate((rng.uniform(low, high, (3000, 3)), floor)).astype(np.float32)
    corner, end = points.min(axis=0), points.max(axis=0)
    box = Box3D(tuple(((corner + end) / 2).tolist()), tuple((end - corner).tolist()))
    blown_up = replace(measured(box), points=points)
    found = as_measured(target(CHAIR), blown_up, SNAPSHOT, "chair")
    assert [thing.object_id for thing in found.objects] == [CHAIR]
    assert "is left out" in found.steps[-1]


def test_a_larger_box_full_of_points_stays_beside_the_map_s() -> None:
    larger = moved(SNAPSHOT.objects[CHAIR].box, (0, 0, 0), times=1.5)
    found = ground(larger, CHAIR)
    assert sorted(thing.object_id for thing in found.objects) == [MEASURED, CHAIR]
