"""Depth at samples: what is measured, what flies between two surfaces, what stands alone."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.config import DepthConfig
from scenemind.perception.depth_window import among_others, measured_depth
from scenemind.perception.sample_grids import Samples, sample

from .scenes import boxes_only


def whole_image(depth_m: np.ndarray) -> Samples:
    height, width = depth_m.shape
    return sample(boxes_only([(0.0, 0.0, float(width), float(height))]), [0], 0)


def measured(depth_m: np.ndarray) -> np.ndarray:
    """(H, W) bool of a small image."""
    samples = whole_image(depth_m)
    assert samples.stride_px.tolist() == [1]
    _, good = measured_depth(samples, depth_m, DepthConfig(), edge_ratio=0.05)
    return good.reshape(depth_m.shape)


def test_depth_is_that_of_the_samples_pixel() -> None:
    depth = np.random.default_rng(0).uniform(1.0, 2.0, (100, 120)).astype(np.float32)
    samples = whole_image(depth)
    found, _ = measured_depth(samples, depth, DepthConfig(), edge_ratio=0.05)
    np.testing.assert_array_equal(found, depth[samples.v_px, samples.u_px])


def test_both_sides_of_an_edge_are_left_out() -> None:
    depth = np.full((10, 20), 2.0, np.float32)
    depth[:, 12:] = 2.5
    expected = np.ones((10, 20), bool)
    expected[:, 11:13] = False
    np.testing.assert_array_equal(measured(depth), expected)


def test_a_pixel_between_two_surfaces_and_its_neighbours_are_left_out() -> None:
    depth = np.full((9, 9), 2.0, np.float32)
    depth[4, 4] = 2.3
    assert np.argwhere(~measured(depth)).tolist() == [[3, 4], [4, 3], [4, 4], [4, 5], [5, 4]]


@pytest.mark.parametrize("hole", [0.0, np.nan, -1.0])
def test_a_hole_is_no_edge(hole: float) -> None:
    depth = np.full((9, 9), 2.0, np.float32)
    depth[4, 4] = hole
    assert np.argwhere(~measured(depth)).tolist() == [[4, 4]]


def test_samples_with_fewer_than_two_neighbours_are_alone() -> None:
    samples = whole_image(np.zeros((6, 9), np.float32))
    kept = np.zeros((6, 9), bool)
    kept[1, 1:4] = True  # three in a row: the ends have one neighbour each
    kept[4, 6], kept[3:5, 7] = True, True  # a corner of three
    kept[0, 8] = True
    found = (among_others(samples, kept.ravel()) & kept.ravel()).reshape(6, 9)
    assert np.argwhere(found).tolist() == [[1, 2], [3, 7], [4, 6], [4, 7]]
