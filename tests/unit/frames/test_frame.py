"""A frame is checked when it is made, and its error says what to give instead."""

from __future__ import annotations

import numpy as np
import pytest

import scenemind as sm
from scenemind.frames import FrameError

CAMERA = sm.PinholeCamera(8, 6, 7.0, 7.0, 3.5, 2.5)
COLOR = np.zeros((6, 8, 3), np.uint8)
DEPTH_M = np.full((6, 8), 2.0, np.float32)


def make(**changed: object) -> sm.RGBDFrame:
    given = {
        "number": 0,
        "stamp_ns": 1,
        "color": COLOR,
        "depth_m": DEPTH_M,
        "camera": CAMERA,
        "world_T_camera": sm.Pose.identity(),
    }
    return sm.RGBDFrame(**{**given, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"world_T_camera": np.eye(4)}, r"float64 \(4, 4\): give sm\.Pose\.from_matrix"),
        ({"camera": np.eye(3)}, r"float64 \(3, 3\): give sm\.PinholeCamera\(width, height, fx"),
        ({"stamp_ns": 1.5}, r"stamp_ns is 1\.5: give whole nanoseconds"),
        ({"color": COLOR / 255.0}, r"colour is an array of float64 \(6, 8, 3\): give uint8"),
        ({"color": COLOR[:4]}, r"colour is \(4, 8, 3\), the camera says \(6, 8, 3\)"),
        ({"depth_m": DEPTH_M.astype(np.uint16)}, r"uint16 \(6, 8\): give float32 metres"),
        ({"depth_m": DEPTH_M.astype(np.float64)}, r"float64 .*astype\(np\.float32\)"),
        ({"depth_m": [[2.0]]}, "depth is of type list"),
        ({"depth_m": DEPTH_M[:4]}, r"depth is \(4, 8\), colour is \(6, 8\): .*align_depth"),
        ({"depth_m": 1000.0 * DEPTH_M}, "2000 m: depth is in metres: divide by 1000"),
    ],
)
def test_a_wrong_part_is_named_with_the_right_one(changed: dict[str, object], message: str) -> None:
    with pytest.raises(FrameError, match=message):
        make(**changed)


def test_depth_that_is_unknown_has_no_unit() -> None:
    for unknown in (0.0, np.inf, np.nan):
        depth_m = np.full_like(DEPTH_M, unknown)
        assert make(depth_m=depth_m).depth_m is depth_m
