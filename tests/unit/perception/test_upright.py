"""Pictures turned upright, with a marker whose place in the picture is known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind.perception.types import BoxMask, Detections
from scenemind.perception.upright import detect_upright, quarter_turns

from .scenes import LOOKING_ALONG_Y

CAMERA = PinholeCamera(60, 40, 50.0, 50.0, 29.5, 19.5)


def rolled(degrees: float) -> Pose:
    """A camera that looks along +y, turned clockwise about its line of sight."""
    c, s = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    roll = np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)])
    return LOOKING_ALONG_Y @ Pose(roll, np.zeros(3))


def frame_at(pose: Pose, color: NDArray[np.uint8]) -> RGBDFrame:
    return RGBDFrame(0, 1, color, np.ones((40, 60), np.float32), CAMERA, pose)


def find_bright(color: NDArray[np.uint8]) -> Detections:
    """The bright pixels, as one detection."""
    bright = color[..., 0] > 0
    v, u = np.nonzero(bright)
    box = np.array([[u.min(), v.min(), u.max() + 1, v.max() + 1]], np.float32)
    bits = bright[v.min() : v.max() + 1, u.min() : u.max() + 1]
    mask = BoxMask(int(u.min()), int(v.min()), bits)
    return Detections(("marker",), np.ones(1, np.float32), box, (mask,))


@pytest.mark.parametrize("degrees", [0, 30, -40, 60, 90, 120, 180, -90, -130])
def test_gravity_points_to_the_lower_half_of_the_upright_picture(degrees: float) -> None:
    pose = rolled(degrees)
    turns = quarter_turns(pose)
    right, down, _ = -pose.rotation[2]
    for _ in range(turns):  # clockwise: what was at the right is below
        right, down = -down, right
    assert down >= np.cos(np.deg2rad(45.0)) - 1e-9
    assert abs(right) <= down


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_what_is_found_is_where_it_is_in_the_picture(degrees: float) -> None:
    color = np.zeros((40, 60, 3), np.uint8)
    color[3:9, 10:14] = 255
    color[8, 10:25] = 255  # an L, which no turn brings onto itself
    shapes = []

    def detect(upright: NDArray[np.uint8]) -> Detections:
        shapes.append(upright.shape[:2])
        return find_bright(upright)

    found, expected = detect_upright(frame_at(rolled(degrees), color), detect), find_bright(color)
    (mask,), (true,) = found.masks, expected.masks
    assert mask is not None
    assert true is not None
    assert shapes == [(60, 40) if degrees in (90, 270) else (40, 60)]
    np.testing.assert_array_equal(found.boxes_px, expected.boxes_px)
    assert (mask.x_px, mask.y_px) == (true.x_px, true.y_px)
    np.testing.assert_array_equal(mask.bits, true.bits)


def test_a_camera_that_looks_straight_down_has_no_upright_picture() -> None:
    down = Pose(np.array([(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)]), np.zeros(3))
    tilted = down @ Pose.from_matrix(
        [(0, -1, 0, 0), (0.995, 0, 0.1, 0), (-0.1, 0, 0.995, 0), (0, 0, 0, 1)]
    )
    assert quarter_turns(down) == quarter_turns(tilted) == 0
