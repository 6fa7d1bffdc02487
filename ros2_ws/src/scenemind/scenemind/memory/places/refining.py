"""A located place, refined by the depth of both maps.

Objects tell a place to some centimetres, as far as their boxes are right. Where Open3D is
installed, what the key frames of both maps measured is aligned from there.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.geometry.open3d import MissingOpen3DError, load_open3d
from scenemind.memory.loops.alignment import Surface, align
from scenemind.memory.loops.submaps import read_cloud
from scenemind.memory.places.constellation import yaw_of
from scenemind.memory.reader import MemoryReader

# Key frames of each map, evenly over those that may show one place.
_KEY_FRAMES = 24
_NEAR_M = 5.0
# An alignment that is farther from where the objects are is another place.
_FARTHEST_M, _FARTHEST_RAD = 0.3, math.radians(5.0)


def refined(new: MemoryReader, old: MemoryReader, old_T_new: Pose) -> tuple[Pose, str]:
    """Where the world of one memory lies in that of another one, by their depth.

    Args:
        old_T_new: where their objects put it.

    Returns:
        The place, and why it is the given one; empty where it was refined.
    """
    try:
        open3d = load_open3d("refining a place")
    except MissingOpen3DError as error:
        return old_T_new, str(error)
    cameras = new.frame_index().world_T_camera[:, :3, 3]
    there = old_T_new.transform(cameras).mean(axis=0)
    source = _surface(new, old_T_new, there)
    target = _surface(old, Pose.identity(), there)
    if not len(source.points) or not len(target.points):
        return old_T_new, "no depth is stored there"
    aligned = align(open3d, source, target, Pose.identity())
    if aligned.refusal:
        return old_T_new, aligned.refusal
    middle = source.points.mean(axis=0).astype(np.float64)
    apart_m = float(np.linalg.norm(aligned.move.transform(middle) - middle))
    if apart_m > _FARTHEST_M or abs(yaw_of(aligned.move)) > _FARTHEST_RAD:
        return old_T_new, "depth and objects do not say the same"
    return aligned.move @ old_T_new, ""


def _surface(memory: MemoryReader, old_T_world: Pose, there: NDArray[np.floating]) -> Surface:
    """What the key frames of a memory near a place measured, in the old world."""
    index = memory.frame_index()
    cameras = index.world_T_camera[:, :3, 3]
    apart_m = np.linalg.norm(old_T_world.transform(cameras) - there, axis=1)
    near = np.flatnonzero(apart_m <= _NEAR_M)
    rows = near[:: max(1, -(-len(near) // _KEY_FRAMES))]
    poses = tuple(old_T_world @ Pose.from_matrix(pose) for pose in index.world_T_camera[rows])
    cloud = read_cloud(memory, tuple(index.frame_numbers[rows].tolist()), poses)
    return Surface(cloud.points, cloud.views)
