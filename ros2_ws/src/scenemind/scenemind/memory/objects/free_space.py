"""Which objects the camera sees through: where they were, there is nothing any more.

What is in view and was not observed is compared with the depth image. A point of an object's
surface is seen through where the depth measured there, and all around it as far as poses are
wrong, lies clearly behind it. That nothing was detected says nothing: detectors miss things.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.memory.objects.association import BoxTable
from scenemind.memory.objects.map_entry import MapEntry, Sight

# Objects looked at in a frame, in turns, and points of each: the cost is bounded.
MOST_OBJECTS = 4
MOST_POINTS = 64
# How far a point may lie from where the camera is thought to see it: thin things survive a pose
# that is wrong by so much.
POSE_ERROR_M = 0.05
# Depth further behind than this is behind: twice a map voxel, and three standard deviations of a
# stereo camera's noise, which grows with the square of the distance.
BEHIND_M = 0.06
BEHIND_AT_1M = 0.006
# Beyond this range a camera's noise is as large as things are.
FARTHEST_M = 5.0
NEAREST_M = 0.3
# Shares of the points: of all that must be decided, and of the decided ones for either verdict.
DECIDED_SHARE = 0.3
THROUGH_SHARE = 0.6
THERE_SHARE = 0.4
# Steps of the window around a point, in units of the pose error.
_AROUND = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)])
_LEAST_MEASURED = 5  # of the window


def objects_in_view(
    boxes: BoxTable,
    entries: Mapping[int, MapEntry],
    observed: Container[int],
    frame: RGBDFrame,
    after: int,
) -> list[int]:
    """A few confirmed objects whose centre is in view and that this frame did not observe.

    Args:
        after: the last one of the frame before; they take turns by id.
    """
    ids, centers = boxes.centers()
    pixels, depth_m = frame.camera.project(frame.world_T_camera.inverse().transform(centers))
    with np.errstate(invalid="ignore"):
        inside = (pixels >= 0.0).all(axis=1)
        inside &= (pixels[:, 0] < frame.camera.width) & (pixels[:, 1] < frame.camera.height)
    inside &= (depth_m > NEAREST_M) & (depth_m < FARTHEST_M)
    unseen = [i for i in ids[inside].tolist() if i not in observed and entries[i].confirmed]
    unseen.sort(key=lambda i: (i <= after, i))
    return unseen[:MOST_OBJECTS]


def look(entries: list[MapEntry], frame: RGBDFrame) -> list[Sight]:
    """What the depth image says about each object."""
    samples = [_sample(entry.surface.surface()) for entry in entries]
    if not samples:
        return []
    through, there = _compare(np.concatenate(samples), frame)
    sights: list[Sight] = []
    start = 0
    for sample in samples:
        part = slice(start, start + len(sample))
        start += len(sample)
        decided = np.count_nonzero(through[part] | there[part])
        if decided < DECIDED_SHARE * len(sample):
            sights.append("unclear")
        elif np.count_nonzero(there[part]) >= THERE_SHARE * decided:
            sights.append("there")
        elif np.count_nonzero(through[part]) >= THROUGH_SHARE * decided:
            sights.append("through")
        else:
            sights.append("unclear")
    return sights


def _compare(
    points: NDArray[np.float32], frame: RGBDFrame
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of the points (P, 3) are seen through, and which are where they were."""
    pixels, expected_m = frame.camera.project(frame.world_T_camera.inverse().transform(points))
    in_front = expected_m > NEAREST_M
    safe_m = np.where(in_front, expected_m, 1.0)
    window_px = frame.camera.fx * POSE_ERROR_M / safe_m
    around = np.nan_to_num(pixels[:, None], nan=-1e6) + window_px[:, None, None] * _AROUND
    column, row = np.rint(around).astype(np.int64).transpose(2, 0, 1)
    height, width = frame.depth_m.shape
    valid = (column >= 0) & (column < width) & (row >= 0) & (row < height) & in_front[:, None]
    depth_m = frame.depth_m[np.where(valid, row, 0), np.where(valid, column, 0)]
    valid &= depth_m > 0.0
    behind_m = np.where(valid, depth_m - expected_m[:, None], np.inf)
    margin_m = BEHIND_M + BEHIND_AT_1M * safe_m**2
    measured = valid.sum(axis=1) >= _LEAST_MEASURED
    through: NDArray[np.bool_] = measured & (behind_m.min(axis=1) > margin_m)
    there = np.any(np.abs(behind_m) <= margin_m[:, None], axis=1)
    return through, np.asarray(there)


def _sample(points: NDArray[np.float32]) -> NDArray[np.float32]:
    step = -(-len(points) // MOST_POINTS)
    return points[::step]
