"""Depth on colour: an offset that was put in is measured."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.doctor.image_checks import check_alignment, edge_offset


def scene(shift_x: int = 0, shift_y: int = 0) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Grey boxes before a wall; depth is shifted against colour."""
    rng = np.random.default_rng(3)
    color = np.full((240, 320, 3), 200, np.uint8)
    depth_m = np.full((240, 320), 4.0, np.float32)
    for x, y in rng.integers((60, 60), (240, 160), (8, 2)):
        width, height = rng.integers(15, 40, 2)
        color[y : y + height, x : x + width] = rng.integers(0, 120)
        moved = (slice(y + shift_y, y + height + shift_y), slice(x + shift_x, x + width + shift_x))
        depth_m[moved] = rng.uniform(1.0, 3.0)
    return cv2.GaussianBlur(color, (0, 0), 0.7), depth_m


@pytest.mark.parametrize(("x", "y"), [(0, 0), (12, 0), (-7, 9), (0, -20)])
def test_the_offset_is_found(x: int, y: int) -> None:
    found = edge_offset([scene(x, y)])
    assert found is not None
    assert found[:2] == pytest.approx((x, y), abs=1.5)
    assert found[2] > 5.0


def test_an_offset_fails_with_the_fix() -> None:
    finding = check_alignment(edge_offset([scene(12, 5)]), 320)
    assert finding.status == "fail"
    assert "align_depth.enable:=true" in finding.fix
    assert finding.measured.startswith("13 px")
    aligned = check_alignment(edge_offset([scene()]), 320)
    assert (aligned.status, aligned.fix) == ("ok", "")


def test_edges_that_hardly_agree_tell_nothing() -> None:
    """An aligned recording was seen to have its weak peak 16 px away."""
    finding = check_alignment((16.0, 0.0, 2.9), 640)
    assert finding.status == "warn"
    assert finding.measured.startswith("cannot tell")
    assert check_alignment((16.0, 0.0, 4.0), 640).status == "fail"


def test_small_images_are_looked_at_too() -> None:
    color, depth_m = (image[::4, ::4].copy() for image in scene(12, 8))
    found = edge_offset([(color, depth_m)] * 4)
    assert color.shape[:2] == (60, 80)
    assert found is not None
    assert found[:2] == pytest.approx((3, 2), abs=1.5)


@pytest.mark.parametrize("size", [(1, 1), (3, 50), (12, 16)])
def test_images_of_a_few_pixels_tell_nothing(size: tuple[int, int]) -> None:
    assert edge_offset([(np.zeros((*size, 3), np.uint8), np.ones(size, np.float32))]) is None


def test_a_bare_wall_tells_nothing() -> None:
    color, _ = scene()
    offset = edge_offset([(color, np.full((240, 320), 2.0, np.float32))])
    assert offset is None
    assert check_alignment(offset, 320).status == "warn"
