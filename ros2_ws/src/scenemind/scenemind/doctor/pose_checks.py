"""Checks of poses: rotations, jumps, the up axis and the floor."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.doctor.findings import Finding, Status
from scenemind.frames import SensorFrame
from scenemind.geometry import PinholeCamera, Pose

_STRIDE = 6  # pixels between samples: wide enough for a normal despite noise
_SMOOTH = 5  # median filter, pixels
_FLAT = 0.06  # relative depth step within a surface
_FARTHEST_M = 6.0


def surface_points(
    frames: Iterable[SensorFrame], camera: PinholeCamera
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Points and unit normals (N, 3), (N, 3), world; depth is aligned to `camera`."""
    parts = [_of_frame(frame, camera) for frame in frames]
    if not parts:
        return np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32)
    points, normals = zip(*parts, strict=True)
    return np.concatenate(points), np.concatenate(normals)


def _of_frame(
    frame: SensorFrame, camera: PinholeCamera
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    depth_m = cv2.medianBlur(frame.depth_m, _SMOOTH)[::_STRIDE, ::_STRIDE]
    v, u = np.mgrid[0 : frame.depth_m.shape[0] : _STRIDE, 0 : frame.depth_m.shape[1] : _STRIDE]
    grid = camera.unproject(u, v, depth_m)
    across, along = grid[:-1, 1:] - grid[:-1, :-1], grid[1:, :-1] - grid[:-1, :-1]
    normals = np.cross(across, along)
    length = np.linalg.norm(normals, axis=-1)
    z = depth_m[:-1, :-1]
    step = np.maximum(np.abs(across[..., 2]), np.abs(along[..., 2]))
    good = (z > 0) & (z < _FARTHEST_M) & (step < _FLAT * z) & (length > 0)
    turn = frame.world_T_camera.rotation.astype(np.float32)
    points = frame.world_T_camera.transform(grid[:-1, :-1][good]).astype(np.float32)
    return points, (normals[good] / length[good, None]) @ turn.T


_UNIT = 1e-3  # largest error of a quaternion's norm
_FASTEST_M_S, _FASTEST_RAD_S = 4.0, 6.0
_STANDSTILL_M = 0.02
_TILTED_DEG = 60.0  # largest plausible tilt of a camera
_FLOOR_M = 0.05  # half thickness of the floor's layer of points
_STEEPEST_COS = np.cos(np.deg2rad(45.0))  # of what may be a floor in a world that is not level
_ALIKE_COS = np.cos(np.deg2rad(8.0))  # of normals of one plane
_LEVEL_COS = np.cos(np.deg2rad(25.0))  # of the floor's own, which are noisy far away
_ROUNDS = 5  # of their mean
_SAMPLED = 1500  # normals that are compared with each other
_SLOPE_WARN_DEG, _SLOPE_FAIL_DEG = 3.0, 12.0
_LOWEST_M, _HIGHEST_M = 0.1, 3.0  # a camera above the floor that it drives on
_MIN_POINTS = 300


def check_rotations(quaternions: NDArray[np.float64]) -> Finding:
    """Are the rotations of odometry unit quaternions?

    Args:
        quaternions: (N, 4), x y z w, as sent.
    """
    norms = np.linalg.norm(quaternions, axis=1)
    bad = int(np.sum(~(np.abs(norms - 1.0) < _UNIT)))
    if bad:
        fix = "the publisher of topics.odometry must send unit quaternions (x y z w)"
        return Finding("rotations", "fail", f"{bad} of {len(norms)} are no rotation", fix)
    return Finding("rotations", "ok", f"{len(norms)} unit quaternions")


def check_motion(
    stamps_ns: NDArray[np.int64],
    positions: NDArray[np.float64],
    quaternions: NDArray[np.float64],
) -> Finding:
    """Does the camera move as fast as a robot can, without jumps?

    Args:
        stamps_ns, positions, quaternions: (N,), (N, 3), (N, 4), of the poses.
    """
    step_s = np.diff(stamps_ns) / 1e9
    moving = step_s > 0
    if not moving.any():
        return Finding("motion", "warn", f"{len(stamps_ns)} poses", "record while the robot moves")
    moved_m = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    cosine = np.abs(np.sum(quaternions[1:] * quaternions[:-1], axis=1)).clip(0.0, 1.0)
    turned_rad = 2.0 * np.arccos(cosine)
    speed = moved_m[moving] / step_s[moving]
    turn = turned_rad[moving] / step_s[moving]
    text = f"{moved_m.sum():.1f} m, at most {speed.max():.2f} m/s and {turn.max():.2f} rad/s"
    jumps = int(np.sum(~((speed <= _FASTEST_M_S) & (turn <= _FASTEST_RAD_S))))
    if jumps:
        fix = (
            "odometry jumps: use a smooth source (odom, not a map frame that a localiser"
            " corrects), or check the wheel and visual odometry"
        )
        share = jumps / len(speed)
        return Finding("motion", "fail" if share > 0.1 else "warn", f"{jumps} jumps; {text}", fix)
    if np.ptp(positions, axis=0).max() < _STANDSTILL_M and turned_rad.max() < 0.01:
        fix = "if the robot moved, topics.odometry names a dead publisher"
        return Finding("motion", "warn", f"{text}: it stands still", fix)
    return Finding("motion", "ok", text)


def check_upright(rotations: NDArray[np.float64]) -> Finding:
    """Does the lower side of the images point down in the world?

    Args:
        rotations: (N, 3, 3), of `world_T_camera`.
    """
    down = rotations[:, :, 1].mean(axis=0)
    down /= max(float(np.linalg.norm(down)), 1e-9)
    tilt_deg = float(np.degrees(np.arccos(np.clip(-down[2], -1.0, 1.0))))
    axis = int(np.abs(down).argmax())
    up = f"{'-' if down[axis] > 0 else '+'}{'xyz'[axis]}"
    text = f"image-down is {tilt_deg:.0f} degrees off world-down"
    if tilt_deg > _TILTED_DEG:
        fix = (
            f"up in the world looks like {up}: turn it to +z (gravity-direction.txt in a"
            " folder), or correct base_T_camera: optical frames look along z with y down"
        )
        return Finding("world is z-up", "fail", text, fix)
    return Finding("world is z-up", "ok", text)


@dataclass(frozen=True, slots=True, eq=False)
class Floor:
    """The lowest level surface below the camera.

    Attributes:
        up: (3,) its unit normal, world.
        height_m: median height of the camera above it.
    """

    up: NDArray[np.float64]
    height_m: float


def find_floor(
    points: NDArray[np.float32], normals: NDArray[np.float32], cameras: NDArray[np.float64]
) -> Floor | None:
    """The floor, also where the world is up to 45 degrees off level; None: too little of it is
    seen.

    Args:
        points, normals: (N, 3), world, metres; of surfaces that were seen, see `surface_points`.
        cameras: (F, 3) places of the camera, world.
    """
    level = -normals[:, 2] > _STEEPEST_COS  # normals point away from the camera
    points, ups = points[level], -normals[level]
    if len(points) < _MIN_POINTS:
        return None
    some = ups[:: -(-len(ups) // _SAMPLED)]
    up = some[(some @ some.T > _ALIKE_COS).sum(axis=1).argmax()].astype(np.float64)
    for _ in range(_ROUNDS):
        up = ups[ups @ up > _ALIKE_COS].mean(axis=0, dtype=np.float64)
        up /= np.linalg.norm(up)
    camera_m = float(np.median(cameras @ up))
    below = (ups @ up > _LEVEL_COS) & (points @ up < camera_m - _LOWEST_M)
    if below.sum() < _MIN_POINTS:
        return None
    points = points[below].astype(np.float64)
    floor_m = _lowest_layer(points @ up)
    for half_m in (3 * _FLOOR_M, _FLOOR_M):
        layer = points[np.abs(points @ up - floor_m) < half_m]
        centered = layer - layer.mean(axis=0)
        normal = np.linalg.eigh(centered.T @ centered)[1][:, 0]
        up = normal * np.sign(normal @ up)
        floor_m = float(np.median(layer @ up))
    return Floor(up, float(np.median(cameras @ up)) - floor_m)


def check_floor(
    floor: Floor | None, world_T_recorded: Pose | None = None, gravity_path: Path | None = None
) -> Finding:
    """Is the floor level, and as far below the camera as a floor is?

    Args:
        world_T_recorded: rotation of the recording's own world; None: identity.
        gravity_path: the file of the recording that says where down is, or would.
    """
    if floor is None:
        fix = "point the camera a little down, so that the floor is seen"
        return Finding("floor", "warn", "too few level points below the camera", fix)
    slope_deg = float(np.degrees(np.arccos(np.clip(floor.up[2], -1.0, 1.0))))
    text = f"{floor.height_m:.2f} m below the camera, {slope_deg:.1f} degrees off level"
    if slope_deg > _SLOPE_WARN_DEG:
        fix = "correct roll and pitch in base_T_camera (the camera's mounting on the base)"
        command = ""
        if gravity_path is not None:
            turn = np.eye(3) if world_T_recorded is None else world_T_recorded.rotation
            down = " ".join(f"{value:.4f}" for value in turn.T @ -floor.up)
            command = f"echo {down} > {shlex.quote(str(gravity_path))}"
            fix = "write gravity as the floor has it, with the command below"
        status: Status = "fail" if slope_deg > _SLOPE_FAIL_DEG else "warn"
        return Finding("floor", status, text, fix, command)
    if floor.height_m > _HIGHEST_M:
        fix = "check depth units and the height in base_T_camera"
        return Finding("floor", "warn", text, fix)
    return Finding("floor", "ok", text)


def _lowest_layer(heights: NDArray[np.floating]) -> float:
    """The lowest height of a surface that is not noise."""
    edges = np.arange(heights.min(), heights.max() + 2 * _FLOOR_M, _FLOOR_M)
    counts, edges = np.histogram(heights, edges)
    layer = int(np.argmax(counts >= 0.2 * counts.max()))
    return float(edges[layer] + edges[layer + 1]) / 2.0
