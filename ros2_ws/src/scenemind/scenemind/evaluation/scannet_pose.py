"""Poses of SQA3D in the frame of ScanNet's object boxes."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from scipy.spatial.transform import Rotation

from scenemind.evaluation.datasets.rows import ScanPose
from scenemind.geometry import Box3D, Pose

# The benchmark has its agents at floor level; a standing person's eyes are this high.
EYE_HEIGHT_M = 1.5
# Turned by nothing, its agents look along -x: half a turn about z brings x there.
_HALF_TURN = Rotation.from_euler("z", np.pi)


def world_T_head(pose: ScanPose, world_T_scan: Pose, boxes: Collection[Box3D]) -> Pose:
    """The agent's head, x forward and z up, in the axis-aligned frame of the boxes.

    SQA3D measures from the middle of the scan's bounding box, in the axes of the raw scan. Only the
    turn of the axis alignment is needed then; that middle is the middle of all boxes seen from
    above.

    Args:
        world_T_scan: ScanNet's axis alignment.
        boxes: of all objects, the building's parts included; at least one.
    """
    extents = np.array([box.extent() for box in boxes])
    low, high = extents[:, :3].min(axis=0), extents[:, 3:].max(axis=0)
    from_middle = world_T_scan.rotation @ np.asarray(pose.position)
    position = np.append((low + high)[:2] / 2.0 + from_middle[:2], low[2] + EYE_HEIGHT_M)
    turned = Rotation.from_quat(pose.quaternion_xyzw) * _HALF_TURN
    return Pose(world_T_scan.rotation @ turned.as_matrix(), position)
