"""Camera motion from poses and from the picture, and places that it moves."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from scenemind.frames import RGBDFrame
from scenemind.geometry import Pose
from scenemind.perception import Detections
from scenemind.perception.camera_motion import (
    OpticalFlowMotion,
    PoseMotion,
    are_in_front,
    centers_of,
    growth,
    places_at,
)

from .scenes import CAMERA, LOOKING_ALONG_Y, boxes_only, frame_of

small = st.floats(-0.3, 0.3)


@given(st.tuples(small, small, small), st.tuples(small, small, small), st.floats(1.0, 6.0))
def test_a_point_of_known_depth_lands_where_it_projects(
    turn: tuple[float, ...], step: tuple[float, ...], depth: float
) -> None:
    motion = Pose(Rotation.from_rotvec(turn).as_matrix(), np.array(step))
    start = np.array([(200.0, 300.0)])
    point = CAMERA.unproject(start[:, 0], start[:, 1], np.array([depth])).astype(np.float64)
    expected, z = CAMERA.project(motion.transform(point))

    place = places_at(start, np.array([1.0 / depth]), CAMERA)
    moved = place @ motion.matrix().T

    assert are_in_front(moved).all()
    np.testing.assert_allclose(centers_of(moved, CAMERA), expected, atol=1e-2)
    np.testing.assert_allclose(growth(place, moved), depth / z, rtol=1e-5)
    np.testing.assert_allclose(moved[:, 3] / moved[:, 2], 1.0 / z, rtol=1e-5)


def test_without_depth_only_the_rotation_counts() -> None:
    place = places_at(np.array([(CAMERA.cx, CAMERA.cy)]), np.zeros(1), CAMERA)
    step = Pose(np.eye(3), np.array([0.4, 0.0, 0.0]))
    np.testing.assert_allclose(place @ step.matrix().T, place)

    turned = Pose(Rotation.from_euler("y", 0.1).as_matrix(), np.zeros(3))
    center = centers_of(place @ turned.matrix().T, CAMERA)
    np.testing.assert_allclose(center[0, 0] - CAMERA.cx, CAMERA.fx * np.tan(0.1))


def test_a_place_behind_the_camera_comes_back_as_it_was() -> None:
    """Two places; the camera drives 2 m forward, past the nearer one, and back."""
    places = places_at(np.full((2, 2), 200.0), np.array([1.0, 0.25]), CAMERA)
    forward = Pose(np.eye(3), np.array([0.0, 0.0, -2.0]))
    passed = places @ forward.matrix().T
    back = passed @ forward.inverse().matrix().T

    assert are_in_front(passed).tolist() == [False, True]
    np.testing.assert_allclose(centers_of(back, CAMERA), 200.0)
    np.testing.assert_allclose(growth(places, passed) * growth(passed, back), 1.0)


NOTHING = Detections.empty()
DEPTH = np.zeros((480, 640), np.float32)


def at(x: float, number: int, turn_deg: float = 0.0, stamp_ns: int | None = None):  # type: ignore[no-untyped-def]
    turn = Rotation.from_euler("z", turn_deg, degrees=True).as_matrix()
    frame = frame_of(DEPTH, Pose(turn, np.array([x, 0.0, 0.0])) @ LOOKING_ALONG_Y, number=number)
    return frame if stamp_ns is None else replace(frame, stamp_ns=stamp_ns)


def test_motion_maps_the_last_camera_to_this_one() -> None:
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


EMPTY = frame_of(np.zeros((480, 640), np.float32))
POINTS = np.array([(100.0, 100.0), (320.0, 240.0), (500.0, 400.0)])


def blobs() -> NDArray[np.uint8]:
    """A picture with something to follow everywhere."""
    random = np.random.default_rng(1)
    noise = random.integers(0, 255, (60, 80), dtype=np.uint8)
    grey = cv2.GaussianBlur(cv2.resize(noise, (640, 480)), (0, 0), 3)
    return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2RGB), np.uint8)


def pictured(color: NDArray[np.uint8]) -> RGBDFrame:
    return replace(EMPTY, color=color)


def test_motion_in_the_image_is_a_similarity() -> None:
    """A picture turned by 3 degrees, enlarged by 4 % and shifted moves places like its pixels."""
    similarity = cv2.getRotationMatrix2D((300.0, 200.0), 3.0, 1.04)
    similarity[:, 2] += (6.0, -4.0)
    motion, nothing = OpticalFlowMotion(), Detections.empty()
    before = blobs()
    after = cv2.warpAffine(before, similarity, (640, 480), borderMode=cv2.BORDER_REFLECT)

    first = motion.advance(pictured(before), nothing)
    second = motion.advance(pictured(np.asarray(after, np.uint8)), nothing)

    np.testing.assert_array_equal(first, np.eye(4))
    places = places_at(POINTS, np.full(3, 0.5), CAMERA)
    moved = places @ second.T
    expected = POINTS @ similarity[:, :2].T + similarity[:, 2]
    np.testing.assert_allclose(centers_of(moved, CAMERA), expected, atol=0.5)
    np.testing.assert_allclose(growth(places, moved), 1.04, atol=0.005)
    assert motion.failures == 0


def test_moving_things_are_left_out() -> None:
    """A large thing moves by 8 px before a still background, and is detected."""
    motion, color = OpticalFlowMotion(), blobs()
    thing = np.asarray(color[40:440, 40:440])
    box = boxes_only([(30.0, 30.0, 460.0, 450.0)])
    matrix = np.eye(4)
    for step in (0, 8):
        shown = color.copy()
        shown[40:440, 40 + step : 440 + step] = thing
        matrix = motion.advance(pictured(shown), box)
    np.testing.assert_allclose(matrix, np.eye(4), atol=1e-3)


def test_a_bare_wall_or_another_image_size_count_as_still() -> None:
    motion, nothing = OpticalFlowMotion(), Detections.empty()
    wall = pictured(np.full((480, 640, 3), 90, np.uint8))
    for _ in range(3):
        np.testing.assert_array_equal(motion.advance(wall, nothing), np.eye(4))
    assert motion.failures == 2
    half = replace(
        EMPTY, color=blobs()[::2, ::2].copy(), depth_m=EMPTY.depth_m[::2, ::2],
        camera=CAMERA.resized(320, 240),
    )  # fmt: skip
    np.testing.assert_array_equal(motion.advance(half, nothing), np.eye(4))
