"""Rigid transforms in three dimensions (SE3): one `Pose`, and thousands of them as arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import scipy  # its parts are imported when they are first used
from numpy.typing import ArrayLike, NDArray

from scenemind.errors import GeometryError

# A rotation from a text file with four digits is this far from orthonormal; more is none.
_ORTHONORMAL_TOLERANCE = 2e-3

Number = TypeVar("Number", float, NDArray[np.float64])


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """A rigid transform; `world_T_camera` maps camera coordinates to world coordinates.

    Attributes:
        rotation: (3, 3) float64, orthonormal with determinant +1.
        translation: (3,) float64, metres.
    """

    rotation: NDArray[np.float64]
    translation: NDArray[np.float64]

    def __repr__(self) -> str:
        place, turn = (
            ", ".join(f"{x:.3f}" for x in xs) for xs in (self.translation, self.quaternion_xyzw())
        )
        return f"Pose(translation=({place}), quaternion_xyzw=({turn}))"

    @classmethod
    def identity(cls) -> Pose:
        return cls(np.eye(3), np.zeros(3))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Pose:
        """A pose from a (4, 4) homogeneous matrix.

        The rotation is re-orthonormalised: rounding errors of text files do not accumulate.

        Raises:
            GeometryError: wrong shape, not finite, or the 3x3 part is not a rotation.
        """
        m = np.asarray(matrix, dtype=np.float64)
        if m.shape != (4, 4):
            raise GeometryError(f"a pose is a 4x4 matrix, got shape {m.shape}")
        if not np.isfinite(m).all():
            raise GeometryError("the pose holds NaN or infinity: the odometry has lost track here")
        if not np.allclose(m[3], (0.0, 0.0, 0.0, 1.0), atol=1e-6):
            raise GeometryError(f"the last row of a pose is 0 0 0 1, got {m[3].tolist()}")
        return cls(_checked_rotation(m[:3, :3]), m[:3, 3].copy())

    @classmethod
    def from_quaternion(cls, translation: ArrayLike, xyzw: ArrayLike) -> Pose:
        """A pose from a translation (3,), metres, and a unit quaternion (x, y, z, w; ROS order).

        Raises:
            GeometryError: not finite, or the quaternion's norm is not 1 (within 1 %).
        """
        t = np.asarray(translation, dtype=np.float64)
        q = np.asarray(xyzw, dtype=np.float64)
        if t.shape != (3,) or q.shape != (4,):
            raise GeometryError(f"translation (3,) and quaternion (4,), got {t.shape}, {q.shape}")
        norm = float(np.linalg.norm(q))
        if not np.isfinite(t).all() or not np.isfinite(norm):
            raise GeometryError("the pose holds NaN or infinity: the odometry has lost track here")
        if abs(norm - 1.0) > 0.01:
            raise GeometryError(
                f"the quaternion {q.tolist()} has norm {norm:.3g}, not 1: no rotation"
                " (an odometry message that was never filled has 0 0 0 0)"
            )
        x, y, z, w = q.tolist()
        length = math.sqrt(x * x + y * y + z * z + w * w)
        rotation = np.array(rotation_rows(x / length, y / length, z / length, w / length))
        return cls(rotation, t.copy())

    def quaternion_xyzw(self) -> NDArray[np.float64]:
        """Unit quaternion (4,) in ROS order, w >= 0."""
        q: NDArray[np.float64] = scipy.spatial.transform.Rotation.from_matrix(
            self.rotation
        ).as_quat(canonical=True)
        return q

    def matrix(self) -> NDArray[np.float64]:
        """(4, 4) homogeneous matrix."""
        m = np.eye(4)
        m[:3, :3] = self.rotation
        m[:3, 3] = self.translation
        return m

    def inverse(self) -> Pose:
        rotation = self.rotation.T
        return Pose(rotation, -rotation @ self.translation)

    def __matmul__(self, other: Pose) -> Pose:
        """`a_T_b @ b_T_c` is `a_T_c`."""
        return Pose(
            self.rotation @ other.rotation, self.rotation @ other.translation + self.translation
        )

    def transform(self, points: NDArray[np.floating]) -> NDArray[np.floating]:
        """Points (..., 3) into the outer frame; float32 stays float32."""
        dtype = points.dtype
        moved = points @ self.rotation.T.astype(dtype) + self.translation.astype(dtype)
        return np.asarray(moved, dtype=dtype)

    def distance_m(self, other: Pose) -> float:
        return math.dist(self.translation.tolist(), other.translation.tolist())

    def angle_rad(self, other: Pose) -> float:
        """The angle of the rotation between both, in [0, pi]."""
        trace = float(np.vdot(self.rotation, other.rotation))  # of one's inverse times the other
        return math.acos(min(max((trace - 1.0) / 2.0, -1.0), 1.0))

    def interpolate(self, other: Pose, fraction: float) -> Pose:
        """Between this pose (0) and the other (1): linear in translation, slerp in rotation."""
        turn = scipy.spatial.transform.Rotation.from_matrix(
            self.rotation.T @ other.rotation
        ).as_rotvec()
        step = scipy.spatial.transform.Rotation.from_rotvec(fraction * turn).as_matrix()
        translation = (1.0 - fraction) * self.translation + fraction * other.translation
        return Pose(self.rotation @ step, translation)


def _checked_rotation(r: NDArray[np.float64]) -> NDArray[np.float64]:
    error = float(np.abs(r @ r.T - np.eye(3)).max())
    determinant = float(np.linalg.det(r))
    if error > _ORTHONORMAL_TOLERANCE or determinant < 0.0:
        raise GeometryError(
            f"the 3x3 part is no rotation: off orthonormal by {error:.2g}, determinant"
            f" {determinant:.3f} (a scaled, sheared or mirrored pose?)"
        )
    u, _, vt = np.linalg.svd(r)
    rotation: NDArray[np.float64] = u @ vt
    return rotation


POSE_NUMBERS = 7
_NORM_TOLERANCE = 0.01  # as of one pose


def matrices_of(poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Homogeneous matrices (N, 4, 4) of poses (N, 7): x, y, z, then a unit quaternion x, y, z, w.

    Raises:
        GeometryError: not finite, or a quaternion's norm is not 1 (within 1 %).
    """
    matrices = np.zeros((len(poses), 4, 4))
    matrices[:, 3, 3] = 1.0
    if len(poses):
        wrong = ~(np.abs(np.linalg.norm(poses[:, 3:], axis=1) - 1.0) <= _NORM_TOLERANCE)
        wrong |= ~np.isfinite(poses[:, :3]).all(axis=1)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise GeometryError(f"pose {row} of {len(poses)} is none: {poses[row].tolist()}")
        x, y, z, w = poses[:, 3:].T
        length = np.sqrt(x * x + y * y + z * z + w * w)
        rows = rotation_rows(x / length, y / length, z / length, w / length)
        for row, values in enumerate(rows):
            for column, value in enumerate(values):
                matrices[:, row, column] = value
        matrices[:, :3, 3] = poses[:, :3]
    return matrices


def poses_of(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, 7) of homogeneous matrices (N, 4, 4), the other way round; w >= 0."""
    if not len(matrices):
        return np.zeros((0, POSE_NUMBERS))
    turns = scipy.spatial.transform.Rotation.from_matrix(matrices[:, :3, :3]).as_quat(
        canonical=True
    )
    return np.hstack((matrices[:, :3, 3], turns))


def rotation_rows(x: Number, y: Number, z: Number, w: Number) -> list[list[Number]]:
    """The three rows of the rotation of a unit quaternion, or of many; as SciPy computes them."""
    xx, yy, zz, ww = x * x, y * y, z * z, w * w
    xy, xz, yz = x * y, x * z, y * z
    xw, yw, zw = x * w, y * w, z * w
    return [
        [xx - yy - zz + ww, 2 * (xy - zw), 2 * (xz + yw)],
        [2 * (xy + zw), -xx + yy - zz + ww, 2 * (yz - xw)],
        [2 * (xz - yw), 2 * (yz + xw), -xx - yy + zz + ww],
    ]
