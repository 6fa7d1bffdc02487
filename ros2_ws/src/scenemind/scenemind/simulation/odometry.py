"""What odometry makes of a robot's true way: slow drift, and jitter from frame to frame.

Drift is a relative error of distance and a turn per metre that change slowly along the way (a
first-order Gauss-Markov process), so that a return to a place does not cancel them. Visual-inertial
odometry knows gravity, so it drifts about z only. There are no jumps: nothing closes loops.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from scenemind.geometry import Pose

# At amount 1, standard deviations of a good visual-inertial odometry: after 30 m straight on it is
# off by 0.4 % ahead and, by its turn, about as much to the side.
_SCALE_ERROR = 0.004  # of the distance driven
_TURN_RAD_PER_M = np.deg2rad(0.03)
_CLIMB_PER_M = 0.001
_CORRELATION_M = 15.0  # of way, over which drift keeps its direction
_JITTER_M = 0.002
_JITTER_RAD = np.deg2rad(0.1)
_STREAM = 0x0D0  # tells this generator from the frames' own


def drifting_odometry(true_poses: Sequence[Pose], amount: float, seed: int) -> tuple[Pose, ...]:
    """`world_T_camera` of each frame as odometry reports it; it starts at the true pose.

    Args:
        true_poses: `world_T_camera` in a z-up world.
        amount: 1 for a good visual-inertial odometry, 0 for the truth, more for a worse one.
        seed: the same one gives the same drift and jitter.
    """
    if amount <= 0.0 or not true_poses:
        return tuple(true_poses)
    rng = np.random.default_rng((seed, 0, _STREAM))
    places = np.array([pose.translation for pose in true_poses])
    steps = np.diff(places, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    scale, turn, climb = amount * _slow_walks(lengths, rng)
    yaw = np.concatenate(([0.0], np.cumsum(turn * lengths)))
    seen_steps = _about_z(yaw[:-1]).apply(steps * (1.0 + scale)[:, None])
    seen_steps[:, 2] += climb * lengths
    drifted = places[0] + np.concatenate((np.zeros((1, 3)), np.cumsum(seen_steps, axis=0)))
    shake = amount * rng.standard_normal((len(places), 3))
    tilt = Rotation.from_rotvec(amount * _JITTER_RAD * rng.standard_normal((len(places), 3)))
    shake[0], tilt[0] = 0.0, Rotation.identity()
    true_rotation = Rotation.from_matrix(np.array([pose.rotation for pose in true_poses]))
    rotation = (_about_z(yaw) * true_rotation * tilt).as_matrix()
    return tuple(Pose(r, t) for r, t in zip(rotation, drifted + _JITTER_M * shake, strict=True))


def _slow_walks(lengths: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """(3, N): errors of scale, turn and climb per metre on each step, stationary along the way."""
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
    return Rotation.from_rotvec(np.multiply.outer(yaw, (0.0, 0.0, 1.0)))
