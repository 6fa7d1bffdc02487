"""The coloured points of a memory's key frames."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import FrameError
from scenemind.frames.images import decode_color_file
from scenemind.geometry import Box3D
from scenemind.geometry.points import voxel_keys
from scenemind.memory import MemoryAccess, MemorySnapshot, SceneMemoryError

_log = logging.getLogger(__name__)
_FARTHEST_M = 5.0  # depth noise grows with the distance squared
_GROWTH = 1.2  # factor of the voxel size where there are too many points
_EVERY = 2  # of the depth pixels in a row and in a column, every second is used
_UNDER_CEILING_M = 0.15
_MARGIN_M, _FOOT_M = 0.04, 0.02  # around the box of a thing that left, without what carried it
OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Vacated:
    """A place that a thing has left: what frames saw in it until then is not drawn.

    Attributes:
        box: axis-aligned, world.
        until_ns: stamp of the frame that showed that it had left.
    """

    box: Box3D
    until_ns: int

    def has(
        self, points: NDArray[np.float32], stamps_ns: NDArray[np.int64] | int
    ) -> NDArray[np.bool_]:
        """Which points (N, 3), world, seen at those stamps, are of the thing: (N,)."""
        x0, y0, z0, x1, y1, z1 = self.box.extent()
        low = np.array((x0 - _MARGIN_M, y0 - _MARGIN_M, z0 + _FOOT_M), np.float32)
        high = np.array((x1 + _MARGIN_M, y1 + _MARGIN_M, z1 + _MARGIN_M), np.float32)
        inside = np.all((points > low) & (points < high), axis=1)
        of_then: NDArray[np.bool_] = inside & (np.asarray(stamps_ns) < self.until_ns)
        return of_then


def vacated_places(scene: MemorySnapshot) -> list[Vacated]:
    """Places that things have left: what is drawn shows them where they are now."""
    return [
        Vacated(stay.box, stay.gone_ns)
        for thing in (*scene.objects.values(), *scene.gone.values())
        for stay in thing.stays
    ]


def ceiling_cut_m(scene: MemorySnapshot) -> float:
    """World height above which points are left out, to see below a ceiling; infinite without."""
    ceilings = [p.box.bottom_z for p in scene.structure.values() if p.kind == "ceiling"]
    return min(ceilings, default=math.inf) - _UNDER_CEILING_M


class ColoredCloud:
    """A voxel-filtered point cloud of a memory's key frames. Not thread-safe.

    Attributes:
        points: (N, 3) float32, world, metres; new ones are appended.
        colors: (N, 3) uint8, RGB.
        voxel_m: edge length of the voxels, each of which holds one point at most.
        generation: increases when points are removed or reordered.
    """

    def __init__(self, most_points: int = 500_000, voxel_m: float = 0.02) -> None:
        """
        Args:
            most_points: above this number the voxels grow.
            voxel_m: initial edge length.
        """
        self._most = most_points
        self.voxel_m = voxel_m
        self.points = np.zeros((0, 3), np.float32)
        self.colors = np.zeros((0, 3), np.uint8)
        self.generation = 0
        self._keys = np.zeros(0, np.int64)  # of the points, sorted
        self._stamps_ns = np.zeros(0, np.int64)  # of the points
        self._vacated: frozenset[Vacated] = frozenset()
        self._seen: set[int] = set()
        self._unreadable = 0

    def update(
        self,
        memory: MemoryAccess,
        most_frames: int = 50,
        on_progress: OnProgress | None = None,
        below_m: float = math.inf,
    ) -> bool:
        """Add the stored frames that are new; where there are too many, an even selection.

        Frames without a readable depth image are skipped; the first one is logged.

        Args:
            below_m: world height above which points are left out, to see below a ceiling.

        Returns:
            Whether any frame was added.

        Raises:
            SceneMemoryError: the memory cannot list its frames.
        """
        new = [number for number in memory.stored_frames() if number not in self._seen]
        chosen = _evenly(new, most_frames)
        self._seen.update(new)
        for done, number in enumerate(chosen):
            self._add_frame(memory, number, below_m)
            if on_progress is not None:
                on_progress(done + 1, len(chosen))
        return bool(chosen)

    def leave_out(self, vacated: Sequence[Vacated]) -> None:
        """Leave out what stood at places that were left since, also in frames that come."""
        new, self._vacated = set(vacated) - self._vacated, frozenset(vacated)
        left = np.zeros(len(self.points), np.bool_)
        for place in new:
            left |= place.has(self.points, self._stamps_ns)
        if left.any():
            self.generation += 1
            self._keep(np.flatnonzero(~left))

    def _keep(self, rows: NDArray[np.int64]) -> None:
        self.points, self.colors = self.points[rows], self.colors[rows]
        self._stamps_ns = self._stamps_ns[rows]
        self._keys = np.sort(voxel_keys(self.points, self.voxel_m))

    def _add_frame(self, memory: MemoryAccess, number: int, below_m: float) -> None:
        try:
            frame, depth = memory.key_frame(number), memory.depth_image(number)
            color = decode_color_file(frame.jpeg)
        except (SceneMemoryError, FrameError) as error:
            if not self._unreadable:
                _log.warning(
                    "frame %d is not drawn: %s; further ones are not logged", number, error
                )
            self._unreadable += 1
            return
        depth_m = depth.depth_m[::_EVERY, ::_EVERY]
        rows, columns = np.nonzero((depth_m > 0.0) & (depth_m < _FARTHEST_M))
        u_px, v_px = columns * _EVERY, rows * _EVERY
        in_camera = depth.camera.unproject(u_px, v_px, depth_m[rows, columns])
        points = frame.world_T_camera.transform(in_camera).astype(np.float32)
        low = points[:, 2] < below_m
        for place in self._vacated:
            if frame.stamp_ns < place.until_ns:
                low &= ~place.has(points, frame.stamp_ns)
        self._add(
            points[low],
            color[v_px[low] * depth.every_px, u_px[low] * depth.every_px],
            frame.stamp_ns,
        )

    def _add(self, points: NDArray[np.float32], colors: NDArray[np.uint8], stamp_ns: int) -> None:
        """Add the points that lie in empty voxels, one a voxel."""
        keys, first = np.unique(voxel_keys(points, self.voxel_m), return_index=True)
        places = np.searchsorted(self._keys, keys)
        is_known = np.zeros(len(keys), np.bool_)
        inside = places < len(self._keys)
        is_known[inside] = self._keys[places[inside]] == keys[inside]
        fresh = first[~is_known]
        self._keys = np.insert(self._keys, places[~is_known], keys[~is_known])
        self.points = np.concatenate((self.points, points[fresh]))
        self.colors = np.concatenate((self.colors, colors[fresh]))
        stamps_ns = np.full(len(fresh), stamp_ns, np.int64)
        self._stamps_ns = np.concatenate((self._stamps_ns, stamps_ns))
        while len(self.points) > self._most:
            self._coarsen()

    def _coarsen(self) -> None:
        self.voxel_m *= _GROWTH
        self.generation += 1
        _, first = np.unique(voxel_keys(self.points, self.voxel_m), return_index=True)
        self._keep(np.sort(first))


def _evenly(numbers: Sequence[int], count: int) -> list[int]:
    if len(numbers) <= count:
        return list(numbers)
    places = np.linspace(0, len(numbers) - 1, count).round().astype(int)
    return [numbers[place] for place in dict.fromkeys(places.tolist())]
