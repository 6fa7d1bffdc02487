"""The pose graph: pieces of the way, odometry between neighbours, loops; solved by Open3D.

Levenberg and Marquardt's method with line processes (Choi, Zhou and Koltun, Robust Reconstruction
of Indoor Scenes, CVPR 2015): a loop that contradicts the others by far is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose

# Standard deviations: of odometry, at rest, a metre of way, a radian of turn; of a loop.
_STILL_M, _STILL_RAD = 0.003, math.radians(0.1)
_PER_M, _RAD_PER_M = 0.01, math.radians(0.3)
_PER_RAD, _RAD_PER_RAD = 0.001, math.radians(0.1)
_LEVEL_RAD = math.radians(0.1)  # odometry knows where down is
_LOOP_M, _LOOP_RAD = 0.015, math.radians(0.4)
_DROPPED_AT = 5.0  # standard deviations of a loop
_PRUNED = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """Two pieces of the way that show one place.

    Attributes:
        first, second: numbers of the pieces, the older one first.
        first_T_second: between their anchors. residual_m: of the alignment.
        far: found by objects, since odometry alone did not tell where to look.
    """

    first: int
    second: int
    first_T_second: Pose
    residual_m: float
    far: bool = False


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

    Returns:
        `world_T_anchor` of the nodes, and the loops that were kept.
    """
    registration = open3d.pipelines.registration
    graph = registration.PoseGraph()
    # Nodes have the axes of odometry's world, in which turns about z and tilts are told apart.
    anchor_T_node = [Pose(pose.rotation.T, np.zeros(3)) for pose in odometry_T_anchor]
    for pose, upright in zip(world_T_anchor, anchor_T_node, strict=True):
        graph.nodes.append(registration.PoseGraphNode((pose @ upright).matrix()))
    for a in range(len(nodes) - 1):
        b = a + 1
        shift = odometry_T_anchor[a].translation - odometry_T_anchor[b].translation
        step = Pose(np.eye(3), shift)
        along, turned = (way[b] - way[a]).tolist()
        known = _information(
            math.hypot(_STILL_M, _PER_M * along + _PER_RAD * turned),
            math.hypot(_STILL_RAD, _RAD_PER_M * along + _RAD_PER_RAD * turned),
        )
        graph.edges.append(registration.PoseGraphEdge(a, b, step.matrix(), known, uncertain=False))
    row = {number: k for k, number in enumerate(nodes)}
    for loop in loops:
        first, second = row[loop.first], row[loop.second]
        measured = anchor_T_node[first].inverse() @ loop.first_T_second @ anchor_T_node[second]
        graph.edges.append(
            registration.PoseGraphEdge(
                second,
                first,
                measured.matrix(),
                _information(_LOOP_M, _LOOP_RAD),
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
