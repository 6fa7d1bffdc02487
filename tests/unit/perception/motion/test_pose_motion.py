"""The camera's motion from poses, and poses that jump."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from scenemind.geometry import Pose
from scenemind.perception import Detections
from scenemind.perception.motion import PoseMotion

from ..scenes import LOOKING_ALONG_Y, frame_of

NOTHING = Detections.empty()
DEPTH = np.zeros((480, 640), np.float32)


def at(x: float, number: int, turn_deg: float = 0.0, stamp_ns: int | None = None):  # type: ignore[no-untyped-def]
    turn = Rotation.from_euler("z", turn_deg, degrees=True).as_matrix()
    frame = frame_of(DEPTH, Pose(turn, np.array([x, 0.0, 0.0])) @ LOOKING_ALONG_Y, number=number)
    return frame if stamp_ns is None else replace(frame, stamp_ns=stamp_ns)


def test_it_maps_the_last_camera_to_this_one() -> None:
    """A step of 0.1 m to the right: everything moves 0.1 m to the left."""
    motion = PoseMotion()
    np.testing.assert_array_equal(motion.advance(at(0.0, 0), NOTHING), np.eye(4))
    moved = motion.advance(at(0.1, 1), NOTHING) @ np.array([0.0, 0.0, 2.0, 1.0])
    np.testing.assert_allclose(moved, (-0.1, 0.0, 2.0, 1.0), atol=1e-12)


@pytest.mark.parametrize(("x", "turn_deg"), [(2.0, 0.0), (0.0, 90.0)])
def test_a_jump_of_the_pose_is_no_motion(x: float, turn_deg: float) -> None:
    """A relocalisation moves the pose, not the camera; from there on motion counts again."""
    motion = PoseMotion()
    motion.advance(at(0.0, 0), NOTHING)
    np.testing.assert_array_equal(motion.advance(at(x, 1, turn_deg), NOTHING), np.eye(4))
    after = motion.advance(at(x + 0.1, 2, turn_deg), NOTHING)
    assert np.linalg.norm(after[:3, 3]) == pytest.approx(0.1)
    assert motion.jumps == 1


def test_a_long_pause_explains_a_long_way() -> None:
    motion = PoseMotion()
    motion.advance(at(0.0, 0), NOTHING)
    moved = motion.advance(at(2.0, 1, stamp_ns=1_000_000_000), NOTHING)
    assert np.linalg.norm(moved[:3, 3]) == pytest.approx(2.0)
    assert motion.jumps == 0


@pytest.mark.parametrize("stamp_ns", [100_000_000, 20_000_000])
def test_repeated_and_late_stamps_still_move(stamp_ns: int) -> None:
    motion = PoseMotion()
    motion.advance(at(0.0, 0, stamp_ns=100_000_000), NOTHING)
    moved = motion.advance(at(0.1, 1, stamp_ns=stamp_ns), NOTHING)
    assert np.linalg.norm(moved[:3, 3]) == pytest.approx(0.1)
