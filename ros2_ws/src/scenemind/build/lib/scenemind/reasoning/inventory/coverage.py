"""Which stored frames an inventory looks at: few that together show most of the place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from scenemind.geometry import Pose
from scenemind.geometry.points import voxel_keys
from scenemind.memory import SceneMemoryError
from scenemind.reasoning.frame_choice import Showings
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.targets import StoredScene

_VOXEL_M = 0.25
_SAMPLES = 2500  # of a depth image
_FARTHEST_M = 7.0
_CLEAR_PX = 60.0  # of a voxel in the picture: nearer, a small thing in it is no clearer
_LEAST_NEWS = 0.01  # of all that can be seen, that a further picture must add


class _Seen(NamedTuple):
    """Keys of the surface voxels in a frame (K,), and how sharp it shows each, in [0, 1]."""

    keys: NDArray[np.int64]
    quality: NDArray[np.float64]


class Coverage:
    """The frames that were looked at, and what of the place they show.

    It remembers what it has read: each depth image is read once, also while the memory grows.
    """

    def __init__(self) -> None:
        self._seen: dict[int, _Seen] = {}
        self._taken: set[int] = set()

    def take(self, scene: StoredScene, count: int, asking: Asking) -> list[int]:
        """Numbers of up to `count` further frames, the most telling first.

        Each surface voxel of the place counts as far as the best picture of it is sharp; the next
        frame is the one that adds most (`Showings`). Frames without depth are left out.

        Raises:
            ModelError: cancelled, or too late.
        """
        stored = set(scene.index.frame_numbers.tolist())
        self._seen = {n: s for n, s in self._seen.items() if n in stored or n in self._taken}
        for row, number in enumerate(scene.index.frame_numbers.tolist()):
            if number not in self._seen:
                asking.allowance.check_time()
                self._seen[number] = _seen_voxels(scene, row, number)
        numbers = list(self._seen)
        lengths = [len(seen.keys) for seen in self._seen.values()]
        frames = np.repeat(np.arange(len(numbers)), lengths)
        keys = np.concatenate([seen.keys for seen in self._seen.values()])
        quality = np.concatenate([seen.quality for seen in self._seen.values()])
        _, things = np.unique(keys, return_inverse=True)
        showings = Showings(frames, things, quality, len(numbers))
        for row, number in enumerate(numbers):
            if number in self._taken:
                showings.take(row)
        clearest = np.zeros(len(showings.best))
        np.maximum.at(clearest, things, quality)
        least = _LEAST_NEWS * float(clearest.sum())
        is_stored = np.array([number in stored for number in numbers])
        chosen: list[int] = []
        while len(chosen) < count:
            news = showings.a_frame(showings.news()) * is_stored
            row = int(news.argmax())
            if news[row] <= least:
                break
            chosen.append(numbers[row])
            showings.take(row)
        self._taken.update(chosen)
        return chosen


def _seen_voxels(scene: StoredScene, row: int, number: int) -> _Seen:
    try:
        image = scene.memory.depth_image(number)
    except SceneMemoryError:
        return _Seen(np.zeros(0, np.int64), np.zeros(0))
    step = max(1, int(np.sqrt(image.depth_m.size / _SAMPLES)))
    depth_m = _without_holes(image.depth_m[::step, ::step])
    v, u = np.nonzero((depth_m > 0.0) & (depth_m < _FARTHEST_M))
    along = depth_m[v, u]
    pose = Pose.from_matrix(scene.index.world_T_camera[row])
    points = pose.transform(image.camera.unproject(u * step, v * step, along))
    fx = image.camera.fx * image.every_px
    quality = np.minimum(fx * _VOXEL_M / (along * _CLEAR_PX), 1.0)
    keys, at = np.unique(voxel_keys(points, _VOXEL_M), return_inverse=True)
    best = np.zeros(len(keys))
    np.maximum.at(best, at, quality)
    return _Seen(keys, best)


def _without_holes(depth_m: NDArray[np.float32]) -> NDArray[np.float32]:
    """Depths (H, W) with the nearest measured one where none is: what is black, glossy or of glass
    is to be seen too."""
    measured = depth_m > 0.0
    if not measured.any():
        return depth_m
    nearest = distance_transform_edt(~measured, return_distances=False, return_indices=True)
    filled: NDArray[np.float32] = depth_m[tuple(nearest)]
    return filled
