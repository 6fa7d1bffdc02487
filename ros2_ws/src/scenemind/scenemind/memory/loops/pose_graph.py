"""The pose graph: pieces of the way, odometry between neighbours, loops; solved by Open3D.

Levenberg and Marquardt's method with line processes (Choi, Zhou and Koltun, Robust Reconstruction
of Indoor Scenes, CVPR 2015): a loop that contradicts the others by far is dropped.

Odometry's steps err alike as much as each on its own: a wheel that is thought too large makes all
of the way too long. A graph of independent steps does not bend that far. So the share by which
odometry misjudges lengths is measured first, by the loops whose ends are apart (`scale_of`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.memory.loops.alignment import seen_from

# Standard deviations: of odometry, at rest, a metre of way, a radian of turn; of a loop.
_STILL_M, _STILL_RAD = 0.003, math.radians(0.1)
_PER_M, _RAD_PER_M = 0.01, math.radians(0.3)
_PER_RAD, _RAD_PER_RAD = 0.001, math.radians(0.1)
_LEVEL_RAD = math.radians(0.1)  # odometry knows where down is
_LOOP_M = 0.015  # of the planes that it brings together
_DROPPED_AT = 5.0  # standard deviations of a loop
# The scale of odometry: the least length that tells it, loops, and how many standard errors it must
# be off; what lies within them may be the alignments' own error.
_LONG_M, _LEAST_LONG, _SURE = 1.0, 3, 3.0
_OF_MEAN = 1.25  # standard error of a median, by that of a mean
_OF_MEDIAN = 1.48  # standard deviation, by the median of what is off
_PRUNED = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """Two pieces of the way that show one place.

    Attributes:
        first, second: numbers of the pieces, the older one first.
        first_T_second: between their anchors. residual_m: of the alignment.
        held: (6, 6), in the frame of the second one's anchor: see `Alignment.held`. Where the
            planes lie far from the camera, a turn that they hardly hold is also a shift of it.
        far: found by objects, since odometry alone did not tell where to look.
        moves: it says that the pieces lie otherwise than they were mapped.
    """

    first: int
    second: int
    first_T_second: Pose
    residual_m: float
    held: NDArray[np.float64]
    far: bool = False
    moves: bool = True


def solve(
    open3d: ModuleType,
    nodes: Sequence[int],
    world_T_anchor: Sequence[Pose],
    odometry_T_anchor: Sequence[Pose],
    way: NDArray[np.float64],
    loops: Sequence[Loop],
) -> tuple[list[Pose], list[Loop]]:
    """Poses of the nodes that odometry and loops agree on best, the first one held.

    Args:
        nodes: numbers of pieces, ascending; the ends of all loops are among them.
        world_T_anchor: where they are now; odometry_T_anchor: as they came.
        way: (N, 2) of each node from the start: metres, and radians that the camera turned.
        loops: their scale is that of the depth, and of the result.

    Returns:
        `world_T_anchor` of the nodes, and the loops that were kept.
    """
    registration = open3d.pipelines.registration
    graph = registration.PoseGraph()
    # Nodes have the axes of odometry's world, in which turns about z and tilts are told apart.
    anchor_T_node = [Pose(pose.rotation.T, np.zeros(3)) for pose in odometry_T_anchor]
    for pose, upright in zip(world_T_anchor, anchor_T_node, strict=True):
        graph.nodes.append(registration.PoseGraphNode((pose @ upright).matrix()))
    row = {number: k for k, number in enumerate(nodes)}
    scale = scale_of(
        [
            odometry_T_anchor[row[loop.second]].distance_m(odometry_T_anchor[row[loop.first]])
            for loop in loops
        ],
        [float(np.linalg.norm(loop.first_T_second.translation)) for loop in loops],
    )
    for a in range(len(nodes) - 1):
        b = a + 1
        shift = odometry_T_anchor[a].translation - odometry_T_anchor[b].translation
        step = Pose(np.eye(3), scale * shift)
        along, turned = (way[b] - way[a]).tolist()
        known = _information(
            math.hypot(_STILL_M, _PER_M * along + _PER_RAD * turned),
            math.hypot(_STILL_RAD, _RAD_PER_M * along + _RAD_PER_RAD * turned),
        )
        graph.edges.append(registration.PoseGraphEdge(a, b, step.matrix(), known, uncertain=False))
    for loop in loops:
        first, second = row[loop.first], row[loop.second]
        measured = anchor_T_node[first].inverse() @ loop.first_T_second @ anchor_T_node[second]
        graph.edges.append(
            registration.PoseGraphEdge(
                second,
                first,
                measured.matrix(),
                _information_of(seen_from(loop.held, anchor_T_node[second])),
                uncertain=True,
            )
        )
    option = registration.GlobalOptimizationOption(
        max_correspondence_distance=_DROPPED_AT * _LOOP_M,
        edge_prune_threshold=_PRUNED,
        preference_loop_closure=1.0,
        reference_node=0,
    )
    with open3d.utility.VerbosityContextManager(open3d.utility.VerbosityLevel.Error):
        registration.global_optimization(
            graph,
            registration.GlobalOptimizationLevenbergMarquardt(),
            registration.GlobalOptimizationConvergenceCriteria(),
            option,
        )
    left = {(e.source_node_id, e.target_node_id) for e in graph.edges if e.uncertain}
    kept = [loop for loop in loops if (row[loop.second], row[loop.first]) in left]
    solved = [Pose.from_matrix(_rigid(node.pose)) for node in graph.nodes]
    found = [pose @ upright.inverse() for pose, upright in zip(solved, anchor_T_node, strict=True)]
    return found, kept


def scale_of(odometry_m: Sequence[float], aligned_m: Sequence[float]) -> float:
    """By how much lengths of odometry must be multiplied; 1 where that is not sure.

    The median of the loops, so that some wrong ones do not count; a longer one tells more.

    Args:
        odometry_m: (N,) between the ends of each loop, as odometry has it. aligned_m: (N,) as the
            alignment of depth has it.
    """
    by_odometry, by_depth = np.asarray(odometry_m, np.float64), np.asarray(aligned_m, np.float64)
    long = by_odometry >= _LONG_M
    if int(long.sum()) < _LEAST_LONG:
        return 1.0
    ratios, weights = by_depth[long] / by_odometry[long], by_odometry[long] ** 2
    scale = _median(ratios, weights)
    count = float(weights.sum() ** 2 / (weights**2).sum())
    spread = max(
        _OF_MEDIAN * _median(np.abs(ratios - scale), weights),
        _LOOP_M / math.sqrt(float(np.average(weights, weights=weights))),
    )
    sure = abs(scale - 1.0) > _SURE * _OF_MEAN * spread / math.sqrt(count)
    return scale if sure else 1.0


def _median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """The value at which half of the weights is reached."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2.0)])


def _rigid(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """A transform whose rotation is one: many small steps leave rounding errors."""
    found = np.eye(4)
    u, _, vt = np.linalg.svd(matrix[:3, :3])
    found[:3, :3], found[:3, 3] = u @ vt, matrix[:3, 3]
    return found


def _information(sigma_m: float, sigma_rad: float) -> NDArray[np.float64]:
    """(6, 6): turns about x, y, z, then shifts, as Open3D orders them."""
    sigmas = np.array([_LEVEL_RAD, _LEVEL_RAD, sigma_rad, sigma_m, sigma_m, sigma_m])
    return np.asarray(np.diag(1.0 / sigmas**2))


def _information_of(held: NDArray[np.float64]) -> NDArray[np.float64]:
    """(6, 6): of a loop in the frame of a node, from what holds it there.

    Planes in all directions hold a shift along each by a third. Clouds are bent, more than points
    are noisy: thousands of them do not know more than one.
    """
    known = 3.0 / _LOOP_M**2 * held
    known[:2], known[:, :2] = 0.0, 0.0
    known[0, 0] = known[1, 1] = 1.0 / _LEVEL_RAD**2
    return np.asarray(known)
