"""Points by voxel, and how much of two surfaces coincides."""

from __future__ import annotations

import numpy as np

from scenemind.memory.objects.voxels import cell_means, shared_surface


def test_shared_surface_is_the_share_of_the_smaller_cloud() -> None:
    line = np.column_stack((np.arange(10.0), np.zeros(10), np.zeros(10))).astype(np.float32)
    assert shared_surface(line, line[:4], 0.1) == 1.0
    assert shared_surface(line[:4] + np.float32(7.0), line, 0.1) == 0.0
    moved = line[:4] + np.array([8.0, 0.0, 0.0], np.float32)  # x 8..11: two of four coincide
    assert shared_surface(moved, line, 0.1) == 0.5


def test_cell_means_are_those_of_each_voxel() -> None:
    points = np.array([[0.1, 0.1, 0.1], [1.5, 0.0, 0.0], [0.3, 0.1, 0.1]], np.float32)
    keys, means = cell_means(points, 1.0)
    assert (np.diff(keys) > 0).all()
    np.testing.assert_allclose(means, [[0.2, 0.1, 0.1], [1.5, 0.0, 0.0]], atol=1e-6)
