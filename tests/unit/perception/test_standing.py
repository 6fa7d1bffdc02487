"""Places from pictures, against rendered things whose boxes are known and that have no depth."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.config import DepthConfig, LiftingConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D, Pose, iou_3d
from scenemind.perception import Observation
from scenemind.perception.lifting import lift
from scenemind.perception.standing import Ground, Stance, find_standing

from .scenes import LOOKING_ALONG_Y, depth_and_ids, detection_of, frame_of

FLOOR_Z = -1.4
FLOOR = Box3D((0.0, 3.0, FLOOR_Z - 0.5), (20.0, 20.0, 1.0))
CHAIR = Stance((0.75, 1.10), (0.45, 0.65), on_floor=True)
DEPTH = DepthConfig()
_TILT = np.deg2rad(25.0)
# The camera at the origin, which looks along world +y and down.
LOOKING_DOWN = LOOKING_ALONG_Y @ Pose.from_matrix(
    [
        (1, 0, 0, 0),
        (0, np.cos(_TILT), np.sin(_TILT), 0),
        (0, -np.sin(_TILT), np.cos(_TILT), 0),
        (0, 0, 0, 1),
    ]
)


def standing(x: float, y: float, size: tuple[float, float, float] = (0.5, 0.5, 0.85)) -> Box3D:
    """A box on the floor."""
    return Box3D((x, y, FLOOR_Z + size[2] / 2.0), size)


def view(*boxes: Box3D) -> tuple[RGBDFrame, NDArray[np.int32]]:
    """The boxes on the floor before a wall; the first one is black: it has no depth. The image has
    1 where that one shows."""
    depth, ids = depth_and_ids([*boxes, FLOOR], wall_y=7.0, pose=LOOKING_DOWN)
    depth[ids == 1] = 0.0
    return frame_of(depth, LOOKING_DOWN), ids


def place_of(frame: RGBDFrame, pixels: NDArray[np.bool_], stance: Stance = CHAIR) -> Box3D | None:
    (mask,) = detection_of(pixels, with_mask=True).masks
    assert mask is not None
    (found,) = find_standing([mask], [stance], frame, DEPTH)
    return None if found is None else found.box


@pytest.mark.parametrize(("x", "y"), [(0.0, 2.5), (0.7, 3.2), (-1.0, 2.8), (0.3, 4.5)])
def test_a_thing_without_any_depth_is_found_where_it_stands(x: float, y: float) -> None:
    box = standing(x, y)
    frame, ids = view(box)

    found = place_of(frame, ids == 1)

    assert found is not None
    np.testing.assert_allclose(found.center, box.center, atol=0.1)
    assert found.bottom_z == pytest.approx(FLOOR_Z, abs=0.01)
    assert iou_3d(found, box) > 0.45, "a box is wider across its corner than the round footprint"


def test_a_foot_behind_something_tells_no_place() -> None:
    """A table hides the lower two thirds: the mask seems to end on the floor farther off."""
    chair = standing(0.0, 3.5)
    table = Box3D((0.0, 2.4, FLOOR_Z + 0.35), (1.5, 0.7, 0.7))
    frame, ids = view(chair, table)
    assert np.count_nonzero(ids == 1) > 0

    assert place_of(frame, ids == 1) is None


def test_two_things_in_one_mask_are_not_one() -> None:
    frame, ids = view(standing(0.0, 2.8), standing(0.9, 2.8))
    both = (ids == 1) | (ids == 2)

    assert place_of(frame, both) is None


def test_what_the_border_cuts_is_completed_on_that_side() -> None:
    box = standing(1.45, 2.4)
    frame, ids = view(box)
    assert (ids == 1)[:, -1].any(), "the border cuts it"

    found = place_of(frame, ids == 1)

    assert found is not None
    assert abs(found.center[0] - box.center[0]) < 0.15
    assert abs(found.center[1] - box.center[1]) < 0.15


def test_nothing_is_told_where_the_support_is_no_level() -> None:
    """Before a wall, below which is nothing but wall: a picture hangs."""
    depth, ids = depth_and_ids([Box3D((0.0, 2.9, 0.2), (0.5, 0.05, 0.8))], wall_y=3.0)
    depth[ids == 1] = 0.0

    assert place_of(frame_of(depth), ids == 1) is None


def test_from_right_above_nothing_is_told() -> None:
    """A camera that looks straight down on the middle of a stool."""
    down = Pose.from_matrix([(1, 0, 0, 0), (0, -1, 0, 0), (0, 0, -1, 0), (0, 0, 0, 1)])
    v, u = np.mgrid[:480, :640]
    depth = np.full(v.shape, -FLOOR_Z, np.float32)
    inside = (np.abs(u - 319.5) < 105) & (np.abs(v - 239.5) < 105)
    depth[inside] = 0.0
    stance = Stance((0.3, 0.6), (0.3, 0.5), on_floor=True)

    assert place_of(frame_of(depth, down), inside, stance) is None


def test_kinds_of_any_depth_are_not_placed() -> None:
    frame, ids = view(standing(0.0, 2.5))

    assert place_of(frame, ids == 1, Stance((0.6, 1.1), on_floor=True)) is None


def lifted(frame: RGBDFrame, pixels: NDArray[np.bool_], ground: Ground) -> list[Observation]:
    found = detection_of(pixels, with_mask=True)
    return lift(found, np.array([0]), frame, LiftingConfig(), DEPTH, ground)


def test_floor_seen_through_a_black_frame_is_not_the_chair() -> None:
    """A cantilever chair: the mask has depth only where the floor shows through it."""
    box = standing(0.2, 2.6)
    frame, ids = view(box)
    open_depth, _ = depth_and_ids([FLOOR], wall_y=7.0, pose=LOOKING_DOWN)
    v, _ = np.nonzero(ids == 1)
    below = (ids == 1) & (np.arange(480)[:, None] > np.percentile(v, 50))
    frame.depth_m[below] = open_depth[below]
    knows = Ground({"chair": CHAIR}.get, FLOOR_Z)

    (slab,) = lifted(frame, ids == 1, Ground())
    (chair,) = lifted(frame, ids == 1, knows)

    assert slab.box.size[2] < 0.1, "what depth alone shows"
    assert chair.from_picture
    assert iou_3d(chair.box, box) > 0.6
    assert box.contains(chair.points, margin_m=0.1).all()


def test_a_thing_with_depth_keeps_its_measured_box() -> None:
    box = standing(0.2, 2.6)
    depth, ids = depth_and_ids([box, FLOOR], wall_y=7.0, pose=LOOKING_DOWN)
    frame = frame_of(depth, LOOKING_DOWN)

    (plain,) = lifted(frame, ids == 1, Ground())
    (chair,) = lifted(frame, ids == 1, Ground({"chair": CHAIR}.get, None))

    assert not chair.from_picture
    assert chair.box == plain.box


def test_the_floor_in_a_mask_does_not_widen_a_table() -> None:
    """A table seen from above; its mask takes in the floor half a metre around its foot."""
    top = Box3D((0.0, 2.6, FLOOR_Z + 0.72), (1.0, 0.8, 0.06))
    depth, ids = depth_and_ids([top, FLOOR], wall_y=7.0, pose=LOOKING_DOWN)
    frame = frame_of(depth, LOOKING_DOWN)
    v, u = np.nonzero(ids == 1)
    leaky = np.zeros_like(ids, dtype=bool)
    leaky[v.min() : v.max() + 60, u.min() - 50 : u.max() + 50] = True
    knows = Ground({"chair": Stance((0.6, 0.9), on_floor=True, flat_top=True)}.get, FLOOR_Z)

    for seen in lifted(frame, leaky, knows):
        assert seen.points[:, 2].min() > FLOOR_Z + 0.03


def test_the_table_behind_a_cup_is_not_the_cup() -> None:
    """Of the cup's mask the upper part shows it, the lower part runs out onto the table."""
    table = Box3D((0.0, 1.2, FLOOR_Z), (3.0, 2.0, 1.6))
    cup = Box3D((0.0, 1.2, 0.2 + FLOOR_Z + 0.65), (0.09, 0.09, 0.1))
    depth, ids = depth_and_ids([cup, table], wall_y=7.0, pose=LOOKING_DOWN)
    frame = frame_of(depth, LOOKING_DOWN)
    v, u = np.nonzero(ids == 1)
    leaky = ids == 1
    leaky[v.max() - 12 : v.max() + 4, u.min() - 12 : u.max() + 12] = True
    knows = Ground({"chair": Stance((0.07, 0.15), (0.06, 0.11))}.get)

    (plain,) = lifted(frame, leaky, Ground())
    (seen,) = lifted(frame, leaky, knows)

    assert plain.box.size[0] > 0.11, "the mask runs out"
    assert seen.box.size[0] < 0.125
    assert seen.box.size[0] < plain.box.size[0] - 0.02
