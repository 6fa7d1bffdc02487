"""Which stored frames an inventory looks at: few that together show most of the place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Pose
from scenemind.geometry.points import voxel_keys
from scenemind.memory import SceneMemoryError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.targets import StoredScene

_VOXEL_M = 0.25
_SAMPLES = 2500  # of a depth image
_FARTHEST_M = 7.0
_CLEAR_PX = 60.0  # of a voxel in the picture: nearer, a small thing in it is no clearer
_LEAST_NEWS = 0.01  # of all that can be seen, that a further picture must add


def covering_frames(scene: StoredScene, count: int, asking: Asking) -> list[int]:
    """Numbers of up to `count` stored frames, the most telling first.

    Each surface voxel of the place counts as far as the best picture of it is sharp; the next frame
    is the one that adds most (greedy maximum coverage, within 1 - 1/e of the best choice). Frames
    without depth are left out.

    Raises:
        ModelError: cancelled, or too late.
    """
    numbers = scene.index.frame_numbers.tolist()
    seen = []
    for row, number in enumerate(numbers):
        asking.allowance.check()
        seen.append(_seen_voxels(scene, row, number))
    keys = np.unique(np.concatenate([keys for keys, _ in seen]))
    clear = np.zeros((len(numbers), len(keys)), np.float32)
    for row, (its, quality) in enumerate(seen):
        np.maximum.at(clear[row], np.searchsorted(keys, its), quality)
    best = np.zeros(len(keys), np.float32)
    least = _LEAST_NEWS * float(clear.max(axis=0).sum())
    chosen: list[int] = []
    while len(chosen) < count:
        news = np.maximum(clear - best, 0.0).sum(axis=1)
        row = int(news.argmax())
        if news[row] <= least:
            break
        chosen.append(numbers[row])
        best = np.maximum(best, clear[row])
    return chosen


def _seen_voxels(
    scene: StoredScene, row: int, number: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Keys of the voxels in a frame (K,), and how sharp each sample shows its voxel, in [0, 1]."""
    try:
        image = scene.memory.depth_image(number)
    except SceneMemoryError:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    step = max(1, int(np.sqrt(image.depth_m.size / _SAMPLES)))
    depth_m = image.depth_m[::step, ::step]
    v, u = np.nonzero((depth_m > 0.0) & (depth_m < _FARTHEST_M))
    along = depth_m[v, u]
    pose = Pose.from_matrix(scene.index.world_T_camera[row])
    points = pose.transform(image.camera.unproject(u * step, v * step, along))
    fx = image.camera.fx * image.every_px
    quality = np.minimum(fx * _VOXEL_M / (along * _CLEAR_PX), 1.0)
    return voxel_keys(points, _VOXEL_M), quality.astype(np.float32)
