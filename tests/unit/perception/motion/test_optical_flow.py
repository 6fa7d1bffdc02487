"""The camera's motion from pictures whose motion is known."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.perception import Detections
from scenemind.perception.motion import OpticalFlowMotion
from scenemind.perception.motion.places import centers_of, growth, places_at

from ..scenes import CAMERA, boxes_only, frame_of

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


def test_it_finds_a_similarity_in_the_image() -> None:
    """Turned by 3 degrees, 4 % larger and shifted: as pixels move, places do."""
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


def test_what_moves_on_its_own_is_left_out() -> None:
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
