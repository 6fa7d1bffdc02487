"""How much of an object a frame shows, where geometry gives the answer."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.describing.visibility import visible_share
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory import KeyFrame, MapObject
from tests.unit.memory.things import thing

CAMERA = PinholeCamera(200, 200, 100.0, 100.0, 100.0, 100.0)
# At the origin, looking along the world's x: right is -y, down is -z.
LOOKING_AHEAD = Pose(np.array([(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)]), np.zeros(3))
FLAT = 0.001


def plate(
    object_id: int, distance_m: float, y: float, width_m: float, depth_m: float = FLAT
) -> MapObject:
    """An upright square across the view; `distance_m` is that of its front."""
    center = (distance_m + depth_m / 2, y, 0.0)
    return thing(object_id, "plate", center, (depth_m, width_m, width_m))


def box_px(obj: MapObject) -> tuple[float, float, float, float]:
    """Where a detector would see the front of it, cut by the image."""
    distance_m = obj.box.center[0] - obj.box.size[0] / 2
    u = 100.0 - 100.0 * obj.box.center[1] / distance_m
    half = 50.0 * obj.box.size[1] / distance_m
    return (max(u - half, 0.0), 100.0 - half, min(u + half, 200.0), 100.0 + half)


def share_of(first: MapObject, *others: MapObject, moved_to: float | None = None) -> float:
    things = {obj.object_id: obj for obj in (first, *others)}
    boxes_px = {i: box_px(obj) for i, obj in things.items()}
    if moved_to is not None:
        things[first.object_id] = plate(first.object_id, 2.0, moved_to, 0.5)
    frame = KeyFrame(0, 0, 0, CAMERA, LOOKING_AHEAD, b"", 1.0, boxes_px)
    return visible_share(things[first.object_id], frame, things)


def test_a_thing_that_stands_free_is_seen_whole() -> None:
    assert share_of(plate(1, 2.0, 0.0, 0.5)) == pytest.approx(1.0)


@pytest.mark.parametrize(("y", "share"), [(-2.0, 0.5), (-1.9, 0.6), (2.1, 0.4)])
def test_what_the_border_cuts_off_is_not_seen(y: float, share: float) -> None:
    # At 2 m the image ends 2 m beside the axis; the plate is 1 m wide.
    assert share_of(plate(1, 2.0, y, 1.0)) == pytest.approx(share, abs=0.01)


def test_what_stands_before_it_hides_it() -> None:
    behind = plate(1, 4.0, 0.0, 1.0)
    left_half = plate(2, 2.0, 0.25, 0.5)
    assert share_of(behind, left_half) == pytest.approx(0.5, abs=0.05)
    right_half = plate(3, 2.0, -0.25, 0.5)
    assert share_of(behind, left_half, right_half) == pytest.approx(0.0, abs=0.05)
    assert share_of(behind, left_half, plate(4, 1.0, 0.125, 0.25)) == pytest.approx(0.5, abs=0.05)


def test_what_is_behind_hides_nothing() -> None:
    assert share_of(plate(1, 2.0, 0.0, 0.5), plate(2, 4.0, 0.0, 3.0)) == pytest.approx(1.0)


def test_what_it_stands_on_hides_nothing() -> None:
    cup = plate(1, 2.0, 0.0, 0.1)
    table = plate(2, 1.2, 0.0, 1.5, depth_m=1.2)
    assert share_of(cup, table) == pytest.approx(1.0)


@pytest.mark.parametrize(("seen_at", "share"), [(0.0, 1.0), (-2.0, 0.5)])
def test_of_what_was_moved_since_only_the_detection_tells(seen_at: float, share: float) -> None:
    assert share_of(plate(1, 2.0, seen_at, 0.5), moved_to=1.5) == pytest.approx(share)
