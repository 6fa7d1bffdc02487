"""Alignment of two clouds that may show one place, by Open3D, and what speaks against it.

Point-to-plane ICP (Chen and Medioni, 1992) from coarse to fine, with Tukey's loss: part of what one
cloud shows the other one does not, or has moved. Worlds are z-up and odometry knows where down is,
so an alignment turns about z only; one that would tilt the world is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.memory.loops.submaps import VOXEL_M, View
from scenemind.memory.objects.gone_objects import compare_points
from scenemind.memory.places.constellation import turn_about_z, yaw_of

_REACHES_M = (0.4, 0.2, 0.1, 0.06)  # of the points that are paired
_COMPARED_M = _REACHES_M[-2]  # reach in which two places of one cloud are compared
_ROUNDS = 25
_NORMAL_M, _NORMAL_POINTS = 0.2, 20
_LEAST_PAIRED = 0.45  # share of the points
_MOST_RESIDUAL_M = 0.03
# By which share an alignment must bring the points of both nearer than they lie, to tell that these
# lie wrong: less is within its own error, as depth is bent, and that by more than noise.
_BETTER = 0.1
_MOST_TILT_RAD = math.radians(2.5)
# Share of the squared normals along the direction that they hold least; and about z, per metre.
_LEAST_HELD = 0.08
# Depth: points that are decided, and the share of them that both clouds agree on.
_LEAST_DECIDED = 150
AGREE = 0.95
_COMPARED = 400


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """A cloud in a z-up world, and the depth that it is from."""

    points: NDArray[np.float32]
    views: Sequence[View]


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """How a surface lies on another one.

    Attributes:
        move: of the source, in the world of both; a turn about z and a shift.
        refusal: why it is none; empty where it is one.
        paired: share of the source's points that lie on the target. residual_m: RMS distance of
            these from its planes.
        agreement: share of the compared depth in which both agree; NaN: none was compared.
        moves: the surfaces fit better so than as they lie, and by more than depth is bent.
        held: (6, 6), in the world of both: how much a turn about x, y, z and a shift of the source
            takes its points off the planes that they lie on, mean of the squares.
    """

    move: Pose
    refusal: str
    paired: float = 0.0
    residual_m: float = math.inf
    agreement: float = float("nan")
    moves: bool = False
    held: NDArray[np.float64] = field(default_factory=lambda: np.zeros((6, 6)))


def align(open3d: ModuleType, source: Surface, target: Surface, guess: Pose) -> Alignment:
    """Align a surface with another one, from a guess."""
    registration = open3d.pipelines.registration
    ours, theirs = (_cloud(open3d, surface.points) for surface in (source, target))
    theirs.estimate_normals(open3d.geometry.KDTreeSearchParamHybrid(_NORMAL_M, _NORMAL_POINTS))
    move = guess.matrix()
    for reach_m in _REACHES_M:
        by_planes = registration.TransformationEstimationPointToPlane(
            registration.TukeyLoss(reach_m)
        )
        until = registration.ICPConvergenceCriteria(1e-5, 1e-5, _ROUNDS)
        move = registration.registration_icp(
            ours, theirs, reach_m, move, by_planes, until
        ).transformation
    if not np.isfinite(move).all():
        return Alignment(guess, "the surfaces do not meet")
    tilt = math.acos(min(1.0, float(move[2, 2])))
    upright = _upright(np.asarray(move), source.points.mean(axis=0).astype(np.float64))
    if tilt > _MOST_TILT_RAD:
        return Alignment(upright, "it would tilt the floor")
    return _judged(open3d, source, target, ours, theirs, upright)


def _fits_as_well(open3d: ModuleType, ours: Any, theirs: Any, move: Pose) -> bool:
    """True if the surfaces meet as they lie nearly as well as after a move."""
    as_it_lies = _meet(open3d, ours, theirs, Pose.identity(), _COMPARED_M)
    moved = _meet(open3d, ours, theirs, move, _COMPARED_M)
    if as_it_lies.paired < (1.0 - _BETTER) * moved.paired:
        return False
    return as_it_lies.residual_m <= (1.0 + _BETTER) * moved.residual_m


class _Meeting(NamedTuple):
    """How a moved cloud meets another one: see `Alignment`; the moved points (N, 3) that are
    paired, and the normals (N, 3) where they meet."""

    paired: float
    residual_m: float
    moved: NDArray[np.float64]
    normals: NDArray[np.float64]


def _meet(open3d: ModuleType, ours: Any, theirs: Any, move: Pose, reach_m: float) -> _Meeting:
    found = open3d.pipelines.registration.evaluate_registration(
        ours, theirs, reach_m, move.matrix()
    )
    pairs = np.asarray(found.correspondence_set).reshape(-1, 2)
    moved = np.asarray(move.transform(np.asarray(ours.points)[pairs[:, 0]]), np.float64)
    normals = np.asarray(theirs.normals)[pairs[:, 1]]
    apart = ((moved - np.asarray(theirs.points)[pairs[:, 1]]) * normals).sum(axis=1)
    residual_m = float(np.sqrt((apart**2).mean())) if len(apart) else math.inf
    return _Meeting(float(found.fitness), residual_m, moved, normals)


def _judged(
    open3d: ModuleType, source: Surface, target: Surface, ours: Any, theirs: Any, move: Pose
) -> Alignment:
    met = _meet(open3d, ours, theirs, move, _REACHES_M[-1])
    if met.paired < _LEAST_PAIRED:
        return Alignment(move, "too little of the surfaces meets", met.paired)
    residual_m, agreement = met.residual_m, agreement_of(source, target, move)
    result = met.paired, residual_m, agreement
    if residual_m > _MOST_RESIDUAL_M:
        return Alignment(move, "the surfaces stay apart", *result)
    if not _is_held(met.moved, met.normals):
        return Alignment(move, "the place looks alike along one direction", *result)
    if not agreement >= AGREE:
        return Alignment(move, "one camera looks through what the other one saw", *result)
    moves, held = not _fits_as_well(open3d, ours, theirs, move), held_by(met.moved, met.normals)
    return Alignment(move, "", *result, moves=moves, held=held)


def held_by(points: NDArray[np.float64], normals: NDArray[np.float64]) -> NDArray[np.float64]:
    """(6, 6): see `Alignment.held`.

    Args:
        points: (N, 3), N > 0. normals: (N, 3), of the planes that they lie on.
    """
    off = np.concatenate((np.cross(points, normals), normals), axis=1)
    return np.asarray(off.T @ off / len(off))


def seen_from(held: NDArray[np.float64], world_T_frame: Pose) -> NDArray[np.float64]:
    """What `Alignment.held` is of turns and shifts in another frame."""
    turn, (x, y, z) = world_T_frame.rotation, world_T_frame.translation.tolist()
    # A turn about the frame's origin is one about the world's, and a shift.
    shifted = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))) @ turn
    both = np.block([[turn, np.zeros((3, 3))], [shifted, turn]])
    return np.asarray(both.T @ held @ both)


def agreement_of(source: Surface, target: Surface, move: Pose) -> float:
    """Share of the points of each surface that the other one's depth meets, of those that it meets
    or looks through; NaN where too few are decided."""
    there = through = 0
    back = move.inverse()
    for points, pose, views in (
        (source.points, move, target.views),
        (target.points, back, source.views),
    ):
        some = pose.transform(points[:: max(1, len(points) // _COMPARED)])
        met, passed = np.zeros(len(some), bool), np.zeros(len(some), bool)
        for view in views:
            looked_through, is_there = compare_points(some, view)
            met |= is_there
            passed |= looked_through
        there += int(met.sum())
        through += int((passed & ~met).sum())
    decided = there + through
    return there / decided if decided >= _LEAST_DECIDED else float("nan")


def _is_held(points: NDArray[np.floating], normals: NDArray[np.float64]) -> bool:
    """True if the planes fix a shift along every direction, and a turn about z."""
    held = normals.T @ normals / len(normals)
    lever = points - points.mean(axis=0)
    about_z = lever[:, 0] * normals[:, 1] - lever[:, 1] * normals[:, 0]
    least = float(np.linalg.eigvalsh(held)[0])
    return min(least, float((about_z**2).mean())) >= _LEAST_HELD


def _upright(move: NDArray[np.float64], around: NDArray[np.float64]) -> Pose:
    """The turn about z and the shift that do to a place (3,) what a transform does."""
    yaw = yaw_of(Pose(move[:3, :3], move[:3, 3]))
    turn = turn_about_z(yaw, 0.0, 0.0, 0.0)
    there = move[:3, :3] @ around + move[:3, 3]
    return Pose(turn.rotation, there - turn.rotation @ around)


def _cloud(open3d: ModuleType, points: NDArray[np.float32]) -> Any:
    cloud = open3d.geometry.PointCloud()
    cloud.points = open3d.utility.Vector3dVector(points.astype(np.float64))
    return cloud


assert _REACHES_M[-1] > VOXEL_M, "neighbouring points of one plane must be paired"
