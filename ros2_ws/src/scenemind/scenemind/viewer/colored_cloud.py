"""The place in colour: points of the stored frames, one a voxel, as many as a browser can draw."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import FrameError
from scenemind.frames.encodings import decode_color_file
from scenemind.geometry.points import voxel_keys
from scenemind.memory import MemoryAccess, SceneMemoryError

_log = logging.getLogger(__name__)

_FARTHEST_M = 5.0  # noise grows with the distance squared
_GROWTH = 1.2  # of voxels, where there are too many points
_EVERY = 2  # depth pixels that are taken: one of so many a row and a column

OnProgress = Callable[[int, int], None]


class ColoredCloud:
    """Grows with the memory. For one thread.

    Attributes:
        points: (N, 3) float32, world, metres. New ones come at the end.
        colors: (N, 3) uint8, RGB.
        voxel_m: a point stands for a cube of this side.
        generation: another number when points have left or changed places.
    """

    def __init__(self, most_points: int = 500_000, voxel_m: float = 0.02) -> None:
        """
        Args:
            most_points: beyond that voxels become larger.
            voxel_m: at first.
        """
        self._most = most_points
        self.voxel_m = voxel_m
        self.points = np.zeros((0, 3), np.float32)
        self.colors = np.zeros((0, 3), np.uint8)
        self.generation = 0
        self._keys = np.zeros(0, np.int64)  # of the points, sorted
        self._seen: set[int] = set()
        self._lost = 0

    def update(
        self,
        memory: MemoryAccess,
        most_frames: int = 50,
        on_progress: OnProgress | None = None,
        below_m: float = math.inf,
    ) -> bool:
        """Take in stored frames that are new, evenly of too many; whether there were any.

        A frame without a depth image, or a damaged one, is passed over; the first is logged.

        Args:
            below_m: world height from which on points are left out: who looks from above wants to
                see through the ceiling.

        Raises:
            SceneMemoryError: the memory cannot say which frames it has.
        """
        new = [number for number in memory.stored_frames() if number not in self._seen]
        chosen = _evenly(new, most_frames)
        self._seen.update(new)
        for done, number in enumerate(chosen):
            self._take(memory, number, below_m)
            if on_progress is not None:
                on_progress(done + 1, len(chosen))
        return bool(chosen)

    def _take(self, memory: MemoryAccess, number: int, below_m: float) -> None:
        try:
            frame, depth = memory.key_frame(number), memory.depth_image(number)
            color = decode_color_file(frame.jpeg)
        except (SceneMemoryError, FrameError) as error:
            if not self._lost:
                _log.warning("frame %d is not drawn: %s; others are only counted", number, error)
            self._lost += 1
            return
        depth_m = depth.depth_m[::_EVERY, ::_EVERY]
        rows, columns = np.nonzero((depth_m > 0.0) & (depth_m < _FARTHEST_M))
        u_px, v_px = columns * _EVERY, rows * _EVERY
        in_camera = depth.camera.unproject(u_px, v_px, depth_m[rows, columns])
        points = frame.world_T_camera.transform(in_camera).astype(np.float32)
        low = points[:, 2] < below_m
        self._add(points[low], color[v_px[low] * depth.every_px, u_px[low] * depth.every_px])

    def _add(self, points: NDArray[np.float32], colors: NDArray[np.uint8]) -> None:
        """Those in voxels that are still empty; the first point of a voxel stays."""
        keys, first = np.unique(voxel_keys(points, self.voxel_m), return_index=True)
        places = np.searchsorted(self._keys, keys)
        is_known = np.zeros(len(keys), np.bool_)
        inside = places < len(self._keys)
        is_known[inside] = self._keys[places[inside]] == keys[inside]
        fresh = first[~is_known]
        self._keys = np.insert(self._keys, places[~is_known], keys[~is_known])
        self.points = np.concatenate((self.points, points[fresh]))
        self.colors = np.concatenate((self.colors, colors[fresh]))
        while len(self.points) > self._most:
            self._coarsen()

    def _coarsen(self) -> None:
        self.voxel_m *= _GROWTH
        self.generation += 1
        self._keys, first = np.unique(voxel_keys(self.points, self.voxel_m), return_index=True)
        kept = np.sort(first)
        self.points, self.colors = self.points[kept], self.colors[kept]


def _evenly(numbers: Sequence[int], count: int) -> list[int]:
    if len(numbers) <= count:
        return list(numbers)
    places = np.linspace(0, len(numbers) - 1, count).round().astype(int)
    return [numbers[place] for place in dict.fromkeys(places.tolist())]
