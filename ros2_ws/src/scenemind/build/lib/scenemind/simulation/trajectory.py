"""A robot's way through a room, and its odometry with drift and jitter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy  # its parts are imported when they are first used
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.simulation.room import Room

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

EYE_HEIGHT_M = 1.1
_START_RAD = np.deg2rad(-100.0)
_PITCH_RAD = np.deg2rad(-13.0)
_PITCH_SWAY_RAD = np.deg2rad(4.0)
_PITCH_SWAYS = 3  # a round
# Variations of later rounds; the first has none. The frequencies share no multiple with a round:
# no two rounds are the same.
_DETOUR_M = 0.12  # the loop is free 0.3 m to both sides
_DETOURS = 1.62  # a round
_GLANCE_RAD = np.deg2rad(12.0)
_GLANCES = 1.27  # a round
_NOD_RAD = np.deg2rad(2.0)
# Standard deviations at amount 1, of a good visual-inertial odometry: after 30 m straight ahead the
# error is 0.4 % along the way and, by rotation, about as much to the side.
_SCALE_ERROR = 0.004  # of the distance driven
_TURN_RAD_PER_M = np.deg2rad(0.03)
_CLIMB_PER_M = 0.001
_CORRELATION_M = 15.0  # of way, over which drift keeps its direction
_JITTER_M = 0.002
_JITTER_RAD = np.deg2rad(0.1)
_ORIGIN_M = 10.0
_STREAM = 0x0D0  # separates this random generator from that of the frames


def loop_trajectory(room: Room, frame_count: int, loops: int = 1) -> list[Pose]:
    """`world_T_camera` of each frame; a single round ends where it began.

    Twice a round the camera turns from the room to the wall beside it and back: all objects are
    seen from near and from far. Later rounds vary position and direction a little.
    """
    turn = np.linspace(0.0, 2.0 * np.pi * loops, frame_count)
    way = room.loop.at(_START_RAD + turn)
    inward = np.arctan2(-way[:, 1], -way[:, 0])
    variation = _variation(turn)
    yaw = inward + turn + variation * _GLANCE_RAD * np.sin(_GLANCES * turn)
    pitch = _PITCH_RAD + _PITCH_SWAY_RAD * np.sin(_PITCH_SWAYS * turn)
    pitch += variation * _NOD_RAD * np.cos(_GLANCES * turn)
    detour = variation * _DETOUR_M * np.sin(_DETOURS * turn)
    way += detour[:, None] * way / np.linalg.norm(way, axis=1, keepdims=True)
    return [
        look(float(x), float(y), EYE_HEIGHT_M, float(a), float(b))
        for (x, y), a, b in zip(way, yaw, pitch, strict=True)
    ]


def visit_trajectory(room: Room, frame_count: int, seed: int) -> list[Pose]:
    """`world_T_camera` of each frame of a round that starts at a random place of the loop, in a
    random direction along it, with a random heading from which the camera turns to the room."""
    rng = np.random.default_rng((seed, 1, _STREAM))
    start, heading = rng.uniform(0.0, 2.0 * np.pi, 2)
    way_round = rng.choice((-1.0, 1.0))
    turn = np.linspace(0.0, 2.0 * np.pi, frame_count)
    way = room.loop.at(start + way_round * turn)
    way *= 1.0 + _DETOUR_M * np.sin(_DETOURS * turn + heading)[:, None] / np.linalg.norm(
        way, axis=1, keepdims=True
    )
    inward = np.unwrap(np.arctan2(-way[:, 1], -way[:, 0]))
    first = np.remainder(heading - inward[0] + np.pi, 2.0 * np.pi) - np.pi
    yaw = inward + first + way_round * turn  # turns round to every wall, once
    pitch = _PITCH_RAD + _PITCH_SWAY_RAD * np.sin(_PITCH_SWAYS * turn)
    return [
        look(float(x), float(y), EYE_HEIGHT_M, float(a), float(b))
        for (x, y), a, b in zip(way, yaw, pitch, strict=True)
    ]


def _variation(turn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Amount of variation: 0 in the first round, growing to 1 in a quarter of the second."""
    ramp = np.clip((turn - 2.0 * np.pi) / (0.5 * np.pi), 0.0, 1.0)
    return np.asarray(ramp * ramp * (3.0 - 2.0 * ramp))


def look(x: float, y: float, z: float, yaw: float, pitch: float) -> Pose:
    """`world_T_camera` of an upright camera; yaw about z from +x, pitch upwards, radians."""
    forward = np.array([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)])
    right = np.array([np.sin(yaw), -np.cos(yaw), 0.0])
    down = np.cross(forward, right)
    return Pose(np.column_stack((right, down, forward)), np.array([x, y, z]))


@dataclass(frozen=True, slots=True)
class Drift:
    """A steady error of odometry.

    Attributes:
        along: share of the way by which it overstates it, such as 0.01.
        deg_per_m: turn about z that it gains with each metre.
    """

    along: float = 0.0
    deg_per_m: float = 0.0


NO_DRIFT = Drift()


def drift_at_end(true_poses: Sequence[Pose], poses: Sequence[Pose]) -> tuple[float, float]:
    """How far odometry is off at the end, where it was right at the start: metres, degrees."""
    way, seen = (found[0].inverse() @ found[-1] for found in (true_poses, poses))
    off = way.inverse() @ seen
    return float(np.linalg.norm(off.translation)), math.degrees(off.angle_rad(Pose.identity()))


def another_origin(poses: Sequence[Pose], seed: int) -> tuple[Pose, ...]:
    """The poses in the world of a SLAM system that began anew, at a random place (up to 10 m away)
    and with a random heading."""
    rng = np.random.default_rng((seed, 1, _STREAM))
    x, y = rng.uniform(-_ORIGIN_M, _ORIGIN_M, 2).tolist()
    turn = _about_z(np.array([rng.uniform(-np.pi, np.pi)])).as_matrix()[0]
    origin = Pose(turn, np.array([x, y, 0.0]))
    return tuple(origin @ pose for pose in poses)


def drifting_odometry(
    true_poses: Sequence[Pose], amount: float, seed: int, drift: Drift = NO_DRIFT
) -> tuple[Pose, ...]:
    """`world_T_camera` of each frame as odometry reports it; it starts at the true pose.

    Args:
        true_poses: `world_T_camera` in a z-up world.
        amount: 1 for a good visual-inertial odometry, 0 for exact poses, above 1 for a worse one.
        seed: of drift and jitter.
        drift: what comes on top of it.
    """
    if (amount <= 0.0 and drift == NO_DRIFT) or not true_poses:
        return tuple(true_poses)
    rotations = scipy.spatial.transform.Rotation
    rng = np.random.default_rng((seed, 0, _STREAM))
    places = np.array([pose.translation for pose in true_poses])
    steps = np.diff(places, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    scale, turn, climb = amount * _slow_walks(lengths, rng)
    scale, turn = scale + drift.along, turn + np.deg2rad(drift.deg_per_m)
    yaw = np.concatenate(([0.0], np.cumsum(turn * lengths)))
    seen_steps = _about_z(yaw[:-1]).apply(steps * (1.0 + scale)[:, None])
    seen_steps[:, 2] += climb * lengths
    drifted = places[0] + np.concatenate((np.zeros((1, 3)), np.cumsum(seen_steps, axis=0)))
    shake = amount * rng.standard_normal((len(places), 3))
    tilt = rotations.from_rotvec(amount * _JITTER_RAD * rng.standard_normal((len(places), 3)))
    shake[0], tilt[0] = 0.0, rotations.identity()
    true_rotation = rotations.from_matrix(np.array([pose.rotation for pose in true_poses]))
    rotation = (_about_z(yaw) * true_rotation * tilt).as_matrix()
    return tuple(Pose(r, t) for r, t in zip(rotation, drifted + _JITTER_M * shake, strict=True))


def _slow_walks(lengths: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Errors (3, N) of scale, turn and climb per metre on each step, stationary along the way."""
    sigma = np.array([_SCALE_ERROR, _TURN_RAD_PER_M, _CLIMB_PER_M])
    keep = np.exp(-lengths / _CORRELATION_M)
    fresh = np.sqrt(1.0 - keep**2)
    noise = rng.standard_normal((len(lengths) + 1, 3))
    walk = np.empty((len(lengths), 3))
    state = noise[-1]
    for number in range(len(lengths)):
        state = keep[number] * state + fresh[number] * noise[number]
        walk[number] = state
    return np.asarray((walk * sigma).T)


def _about_z(yaw: NDArray[np.float64]) -> Rotation:
    return scipy.spatial.transform.Rotation.from_rotvec(np.multiply.outer(yaw, (0.0, 0.0, 1.0)))
