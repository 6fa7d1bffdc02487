"""Masks without a model against true ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.frames import RGBDFrame, read_sequence
from scenemind.geometry import PinholeCamera, Pose
from scenemind.perception import PerceptionError
from scenemind.perception.backends.depth_segmenter import DepthSegmenter
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.types import BoxMask
from scenemind.simulation import Sensors, simulate

CAMERA = PinholeCamera(160, 120, 140.0, 140.0, 79.5, 59.5)
BOX = (60, 40, 100, 85)
GREY, BROWN = 200, (120, 80, 40)


def scene(depth_m: float = 2.0, every_px: int = 1) -> tuple[RGBDFrame, np.ndarray]:
    """A brown rectangle before, or on, a grey wall 3 m away, and its true mask."""
    truth = np.zeros((120, 160), np.bool_)
    truth[BOX[1] : BOX[3], BOX[0] : BOX[2]] = True
    color = np.full((120, 160, 3), GREY, np.uint8)
    color[truth] = BROWN
    measured = np.zeros((120, 160), np.float32)
    places = (slice(None, None, every_px),) * 2
    measured[places] = np.where(truth, depth_m, 3.0)[places]
    return RGBDFrame(0, 0, color, measured, CAMERA, Pose.identity()), truth


def full(mask: BoxMask | None, shape: tuple[int, ...]) -> np.ndarray:
    bits = np.zeros(shape, np.bool_)
    if mask is not None:
        height, width = mask.bits.shape
        bits[mask.y_px : mask.y_px + height, mask.x_px : mask.x_px + width] = mask.bits
    return bits


def iou(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.count_nonzero(a & b) / np.count_nonzero(a | b))


def cut(frame: RGBDFrame, *boxes: tuple[float, ...]) -> list[np.ndarray]:
    masks = DepthSegmenter().segment(frame, np.array(boxes, np.float32))
    return [full(mask, frame.depth_m.shape) for mask in masks]


@pytest.mark.parametrize("depth_m", [2.0, 3.0], ids=["before the wall", "a picture on it"])
@pytest.mark.parametrize("margin", [0, 6], ids=["tight", "loose"])
def test_an_object_is_told_from_the_wall_around_it(depth_m: float, margin: int) -> None:
    frame, truth = scene(depth_m)
    x0, y0, x1, y1 = BOX
    (found,) = cut(frame, (x0 - margin, y0 - margin, x1 + margin, y1 + margin))
    assert iou(found, truth) > 0.95


@pytest.mark.parametrize("every_px", [2, 3, 4])
def test_masks_are_dense_where_only_every_nth_pixel_has_depth(every_px: int) -> None:
    frame, truth = scene(every_px=every_px)
    (found,) = cut(frame, BOX)
    assert iou(found, truth) > 0.85


def test_occluder_that_goes_on_outside_the_box_is_not_in_the_mask() -> None:
    frame, truth = scene()
    pole = np.zeros_like(truth)
    pole[:, 75:85] = True
    depth_m = np.where(pole, np.float32(1.0), frame.depth_m)
    (found,) = cut(replace(frame, depth_m=depth_m), BOX)
    assert iou(found, truth & ~pole) > 0.9


def test_boxes_without_depth_have_no_mask() -> None:
    frame, _ = scene()
    depth_m = frame.depth_m.copy()
    depth_m[BOX[1] : BOX[3], BOX[0] : BOX[2]] = 0.0
    boxes = np.array([BOX, (0, 0, 30, 30), (-50, -50, -20, -20), (10, 10, 10, 10)], np.float32)
    masks = DepthSegmenter().segment(replace(frame, depth_m=depth_m), boxes)
    assert [mask is None for mask in masks] == [True, False, True, True]
    assert DepthSegmenter().segment(frame, np.zeros((0, 4), np.float32)) == ()


@pytest.mark.parametrize("boxes", [np.zeros(4), np.full((1, 4), np.nan), np.zeros((2, 3))])
def test_error_names_an_invalid_box(boxes: np.ndarray) -> None:
    with pytest.raises(PerceptionError, match=r"\(N, 4\) finite numbers"):
        DepthSegmenter().segment(scene()[0], boxes)


@given(
    corners=st.tuples(*(st.floats(-40, 200) for _ in range(4))),
    every_px=st.integers(1, 5),
)
def test_masks_lie_in_the_image(corners: tuple[float, ...], every_px: int) -> None:
    frame, _ = scene(every_px=every_px)
    (mask,) = DepthSegmenter().segment(frame, np.array([corners], np.float32))
    if mask is not None:
        height, width = mask.bits.shape
        assert mask.x_px >= 0
        assert mask.y_px >= 0
        assert mask.x_px + width <= CAMERA.width
        assert mask.y_px + height <= CAMERA.height
        assert mask.bits.any()


@pytest.mark.parametrize(
    ("every_px", "least_mean", "least_share"), [(1, 0.76, 0.85), (3, 0.70, 0.78)]
)
def test_in_simulated_rooms(every_px: int, least_mean: float, least_share: float) -> None:
    """Depth is noisy, things hide others, and the camera sees through between tables' legs."""
    found: list[float] = []
    boxes_alone: list[float] = []
    for seed in (1, 2, 3):
        sequence = simulate(seed, 8, Sensors(480, 360))
        camera = InstanceCamera(sequence.class_names, 150)
        for frame in read_sequence(sequence):
            true = camera.detect(frame)
            depth_m = np.zeros_like(frame.depth_m)
            depth_m[::every_px, ::every_px] = frame.depth_m[::every_px, ::every_px]
            seen = replace(frame, depth_m=depth_m, instances=None)
            masks = DepthSegmenter().segment(seen, true.boxes_px)
            for mask, true_mask in zip(masks, true.masks, strict=True):
                assert true_mask is not None
                truth = full(true_mask, depth_m.shape)
                found.append(iou(full(mask, depth_m.shape), truth))
                boxes_alone.append(float(true_mask.bits.mean()))
    assert len(found) > 100
    assert np.mean(boxes_alone) < 0.70
    assert np.mean(found) > least_mean
    assert np.mean(np.array(found) > 0.5) > least_share
