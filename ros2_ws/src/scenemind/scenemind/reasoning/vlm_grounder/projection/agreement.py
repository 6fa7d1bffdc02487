"""How points stand to what another view saw."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.memory import DepthImage
from scenemind.perception.types import BoxMask
from scenemind.reasoning.vlm_grounder.projection.surface import NOISE_1M_M

_SLACK_M = 0.02  # of calibration and poses
_DEVIATIONS = 3.0
_NEAREST_M = 0.05
_DECIDED = 20  # points that a depth image must say something about to contradict a pose


class Agreement(NamedTuple):
    """Columns (M,), one entry a point. Neither `seen` nor `through`: hidden, or not measured there.

    Attributes:
        seen: bool, the depth image has a surface there.
        in_mask: bool, the point's pixel is in the mask.
        through: bool, rays go on behind the point, in all pixels around: nothing is there. (In a
            single pixel they do beside every thin thing.)
        sigma_m: float32, standard deviation of a depth that is measured there.
    """

    seen: NDArray[np.bool_]
    in_mask: NDArray[np.bool_]
    through: NDArray[np.bool_]
    sigma_m: NDArray[np.float32]

    @property
    def contradicts_pose(self) -> bool:
        """Most rays go on behind the points: the pose is off, or the thing was not there."""
        through, seen = int(self.through.sum()), int(self.seen.sum())
        return through + seen >= _DECIDED and through > seen


def agreement(
    points: NDArray[np.float32],
    sigma_m: NDArray[np.float32] | float,
    depth: DepthImage,
    world_T_camera: Pose,
    mask: BoxMask | None = None,
    slack_m: float = 0.0,
) -> Agreement:
    """World points (M, 3) against a depth image.

    Args:
        sigma_m: (M,) of the points.
        mask: in colour pixels; None: nothing is in it.
        slack_m: by how much more they may be off.
    """
    looked = _look(points, sigma_m, depth, world_T_camera, slack_m)
    u, v, every = looked.u_px, looked.v_px, depth.every_px
    through = looked.measured & (looked.off_m > looked.reach_m)
    rows = np.flatnonzero(through)
    farthest_m = looked.z_m[rows] + looked.reach_m[rows]
    through[rows] = _is_open(depth, u[rows], v[rows], farthest_m)
    return Agreement(
        seen=looked.seen,
        in_mask=looked.inside & _in_mask(mask, u * every, v * every),
        through=through,
        sigma_m=looked.sigma_m,
    )


def seen_in(
    points: NDArray[np.float32],
    sigma_m: NDArray[np.float32] | float,
    depth: DepthImage,
    world_T_camera: Pose,
    slack_m: float = 0.0,
) -> NDArray[np.bool_]:
    """`Agreement.seen` alone (M,), in half the time."""
    return _look(points, sigma_m, depth, world_T_camera, slack_m).seen


class _Looked(NamedTuple):
    """Columns (M,), one entry a point.

    Attributes:
        inside: its pixel is in the image. measured: there is depth in it.
        off_m: how far behind the point the depth is. reach_m: how far it may be.
    """

    u_px: NDArray[np.int32]
    v_px: NDArray[np.int32]
    z_m: NDArray[np.float32]
    inside: NDArray[np.bool_]
    measured: NDArray[np.bool_]
    off_m: NDArray[np.float32]
    reach_m: NDArray[np.float32]
    sigma_m: NDArray[np.float32]

    @property
    def seen(self) -> NDArray[np.bool_]:
        return self.measured & (np.abs(self.off_m) <= self.reach_m)


def _look(
    points: NDArray[np.float32],
    sigma_m: NDArray[np.float32] | float,
    depth: DepthImage,
    world_T_camera: Pose,
    slack_m: float,
) -> _Looked:
    camera = depth.camera
    x, y, z = _in_camera(points, world_T_camera)
    near = np.maximum(z, np.float32(_NEAREST_M))
    u = np.rint(x * (np.float32(camera.fx) / near) + np.float32(camera.cx)).astype(np.int32)
    v = np.rint(y * (np.float32(camera.fy) / near) + np.float32(camera.cy)).astype(np.int32)
    inside = (z >= _NEAREST_M) & (u >= 0) & (v >= 0) & (u < camera.width) & (v < camera.height)
    pixel = np.where(inside, v * camera.width + u, 0)
    off_m = depth.depth_m.reshape(-1).take(pixel) - z
    own_sigma = np.float32(NOISE_1M_M) * z * z
    reach_m = np.float32(_DEVIATIONS) * (sigma_m + own_sigma) + np.float32(_SLACK_M + slack_m)
    return _Looked(u, v, z, inside, inside & (off_m > -z), off_m, reach_m, own_sigma)


def _in_camera(
    points: NDArray[np.float32], world_T_camera: Pose
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """x, y and z (M,) in the camera's frame; single precision is a hundredth of a millimetre."""
    camera_T_world = world_T_camera.inverse()
    rotation = camera_T_world.rotation.astype(np.float32)
    columns = rotation @ points.T + camera_T_world.translation.astype(np.float32)[:, None]
    return columns[0], columns[1], columns[2]


def _is_open(
    depth: DepthImage,
    u: NDArray[np.int32],
    v: NDArray[np.int32],
    farthest_m: NDArray[np.float32],
) -> NDArray[np.bool_]:
    """Whether no measured depth within 3x3 pixels is nearer than a limit, for each pixel (K,)."""
    is_open = np.ones(len(u), np.bool_)
    if len(u) == 0:
        return is_open
    height, width = depth.depth_m.shape
    flat = depth.depth_m.reshape(-1)
    rows = (np.maximum(v - 1, 0), v, np.minimum(v + 1, height - 1))
    columns = (np.maximum(u - 1, 0), u, np.minimum(u + 1, width - 1))
    for row in rows:
        start = row * width
        for column in columns:
            there_m = flat.take(start + column)
            is_open &= (there_m > farthest_m) | ~(there_m > 0.0)
    return is_open


def _in_mask(
    mask: BoxMask | None, u_px: NDArray[np.int32], v_px: NDArray[np.int32]
) -> NDArray[np.bool_]:
    if mask is None or mask.bits.size == 0:
        return np.zeros(len(u_px), np.bool_)
    height, width = mask.bits.shape
    x, y = u_px - mask.x_px, v_px - mask.y_px
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    found: NDArray[np.bool_] = mask.bits.reshape(-1).take(np.where(inside, y * width + x, 0))
    return inside & found
