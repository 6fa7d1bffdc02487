"""Many poses at once, as arrays: thousands of `Pose` take a second to make."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from scenemind.geometry.errors import GeometryError

POSE_NUMBERS = 7
_NORM_TOLERANCE = 0.01  # as of one pose


def matrices_of(poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Homogeneous matrices (N, 4, 4) of poses (N, 7): x, y, z, then a unit quaternion x, y, z, w.

    Raises:
        GeometryError: not finite, or a quaternion's norm is not 1 (within 1 %).
    """
    matrices = np.zeros((len(poses), 4, 4))
    matrices[:, 3, 3] = 1.0
    if len(poses):  # SciPy has no rotations of which there are none
        wrong = ~(np.abs(np.linalg.norm(poses[:, 3:], axis=1) - 1.0) <= _NORM_TOLERANCE)
        wrong |= ~np.isfinite(poses[:, :3]).all(axis=1)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise GeometryError(f"pose {row} of {len(poses)} is none: {poses[row].tolist()}")
        matrices[:, :3, :3] = Rotation.from_quat(poses[:, 3:]).as_matrix()
        matrices[:, :3, 3] = poses[:, :3]
    return matrices


def poses_of(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, 7) of homogeneous matrices (N, 4, 4), the other way round; w >= 0."""
    if not len(matrices):
        return np.zeros((0, POSE_NUMBERS))
    turns = Rotation.from_matrix(matrices[:, :3, :3]).as_quat(canonical=True)
    return np.hstack((matrices[:, :3, 3], turns))
