"""Poses: rotations, jumps, which way is up, and the floor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.cli.doctor.finding import Finding

_UNIT = 1e-3  # how far a quaternion's norm may be from 1
_FASTEST_M_S, _FASTEST_RAD_S = 4.0, 6.0
_STANDSTILL_M = 0.02
_TILTED_DEG = 60.0  # a camera looks up or down by less
_FLOOR_M = 0.05  # half thickness of the layer of points that is taken for the floor
_LEVEL_COS = np.cos(np.deg2rad(25.0))
_SLOPE_WARN_DEG, _SLOPE_FAIL_DEG = 3.0, 12.0
_LOWEST_M, _HIGHEST_M = 0.1, 3.0  # a camera above the floor that it drives on
_MIN_POINTS = 300


def check_rotations(quaternions: NDArray[np.float64]) -> Finding:
    """Quaternions (N, 4), x y z w, as they were sent."""
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
    """Speeds between poses: (N,), (N, 3), (N, 4). A jump is faster than a robot."""
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
    """`world_T_camera` rotations (N, 3, 3): the image's lower side points down in the world."""
    down = rotations[:, :, 1].mean(axis=0)
    down /= max(float(np.linalg.norm(down)), 1e-9)
    tilt_deg = float(np.degrees(np.arccos(np.clip(-down[2], -1.0, 1.0))))
    axis = int(np.abs(down).argmax())
    up = f"{'-' if down[axis] > 0 else '+'}{'xyz'[axis]}"
    text = f"image-down is {tilt_deg:.0f} degrees off world-down"
    if tilt_deg > _TILTED_DEG:
        fix = (
            f"up in the world looks like {up}: turn it to +z (gravity-direction.txt for a 7-Scenes"
            " folder), or correct base_T_camera: optical frames look along z with y down"
        )
        return Finding("world is z-up", "fail", text, fix)
    return Finding("world is z-up", "ok", text)


def check_floor(
    points: NDArray[np.float32], normals: NDArray[np.float32], camera_z: float
) -> Finding:
    """The floor below the camera: how far, and whether it is level.

    Args:
        points, normals: (N, 3), world, metres, unit length; of surfaces that were seen.
        camera_z: median height of the camera, in the world.
    """
    level = np.abs(normals[:, 2]) > _LEVEL_COS
    below = level & (points[:, 2] < camera_z - _LOWEST_M)
    if below.sum() < _MIN_POINTS:
        fix = "point the camera a little down, so that the floor is seen"
        return Finding("floor", "warn", f"{int(below.sum())} level points below the camera", fix)
    floor = points[below]
    floor = floor[np.abs(floor[:, 2] - _lowest_layer(floor[:, 2])) < 3 * _FLOOR_M]
    centered = floor - floor.mean(axis=0)
    normal = np.linalg.eigh(centered.T @ centered)[1][:, 0]
    slope_deg = float(np.degrees(np.arccos(min(1.0, abs(float(normal[2]))))))
    height_m = camera_z - float(np.median(floor[:, 2]))
    text = f"{height_m:.2f} m below the camera, {slope_deg:.1f} degrees off level"
    if slope_deg > _SLOPE_WARN_DEG:
        fix = "correct roll and pitch in base_T_camera (the camera's mounting on the base)"
        return Finding("floor", "fail" if slope_deg > _SLOPE_FAIL_DEG else "warn", text, fix)
    if height_m > _HIGHEST_M:
        fix = "check depth units and the height in base_T_camera"
        return Finding("floor", "warn", text, fix)
    return Finding("floor", "ok", text)


def _lowest_layer(heights: NDArray[np.float32]) -> float:
    """The lowest height at which there is a surface and not just noise."""
    edges = np.arange(heights.min(), heights.max() + 2 * _FLOOR_M, _FLOOR_M)
    counts, edges = np.histogram(heights, edges)
    layer = int(np.argmax(counts >= 0.2 * counts.max()))
    return float(edges[layer] + edges[layer + 1]) / 2.0
