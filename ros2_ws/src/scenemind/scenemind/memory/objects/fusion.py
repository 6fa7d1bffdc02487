"""The surface of one object as evidence: voxels that know how often and how well they were seen.

A voxel counts once it was hit often enough for how often the whole object was seen, so a leak of
a mask or a flying pixel fades while a back side that was seen in a few frames stays:

- until `FULL_AFTER` whole views one hit in `VIEWS_A_HIT` is asked for, at most `ESTABLISHED`;
- a voxel with `ESTABLISHED` hits is never forgotten;
- the others lose half of their hits every `DECAY_EVERY` whole views.

A view that the image border cuts adds hits, but does not count as a whole view: it makes the
object grow and never shrink. Of the voxels that count, those that noise alone explains are left out
of the surface (`extents`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.objects.extents import PROMINENT, NoiseOfViews, prominence, without_noise
from scenemind.memory.objects.object_record import ObjectRecord, SurfaceColumns
from scenemind.memory.objects.voxels import cell_means, sorted_cells

ESTABLISHED = 4.0
VIEWS_A_HIT = 8
DECAY_EVERY = 50
# Where the voxels that count fill this share of the limit, the grid becomes coarser.
CROWDED = 0.75
# The surface is found again with each of the first views, where so large a share of the voxels is
# new, and every so many views: of objects that come into view together, each in its turn.
YOUNG_VIEWS = 8
NEW_SHARE = 0.1
SURFACE_EVERY = 8


class SurfaceEvidence:
    """Occupied voxels of one object, sorted by key.

    Attributes:
        cell_m: edge of the voxels.
        whole_count: views that the image border did not cut. noise: of all views.
        keys, points, hits, weights: of each voxel its key, mean point (world, metres), in how many
            views it was seen and the summed weight of these views, see `NoiseOfViews.add`.
    """

    __slots__ = (
        "_new_count",
        "_surface",
        "cell_m",
        "hits",
        "keys",
        "max_points",
        "noise",
        "points",
        "weights",
        "whole_count",
    )

    def __init__(self, cell_m: float, max_points: int) -> None:
        self.cell_m = cell_m
        self.max_points = max_points
        self.whole_count = 0
        self.noise = NoiseOfViews()
        self.keys: NDArray[np.int64] = np.zeros(0, np.int64)
        self.points: NDArray[np.float32] = np.zeros((0, 3), np.float32)
        self.hits: NDArray[np.float32] = np.zeros(0, np.float32)
        self.weights: NDArray[np.float32] = np.zeros(0, np.float32)
        self._surface: NDArray[np.float32] = self.points
        self._new_count = 0  # voxels that came since the surface was found

    @classmethod
    def restored(cls, record: ObjectRecord, max_points: int) -> SurfaceEvidence:
        """Go on where the record was taken.

        Keys are found from the points again, so a mean on the very border of its voxel may join
        the neighbour.
        """
        evidence = cls(record.cell_m, max_points)
        evidence.whole_count = record.whole_count
        evidence.noise = NoiseOfViews.from_array(record.noise)
        evidence._regroup(record.points, record.hits, record.weights)
        if len(record.surface):
            evidence._surface, evidence._new_count = record.surface, record.new_count
            evidence._surface.setflags(write=False)
        else:
            evidence._find_surface()
        return evidence

    def to_columns(self) -> SurfaceColumns:
        """What is stored; `restored` takes it."""
        return {
            "whole_count": self.whole_count,
            "noise": self.noise.to_array(),
            "cell_m": self.cell_m,
            "new_count": self._new_count,
            "points": self.points.copy(),
            "hits": self.hits.copy(),
            "weights": self.weights.copy(),
            "surface": self._surface,
        }

    def add(
        self,
        points: NDArray[np.float32],
        whole: bool,
        sigma_m: float,
        ray: NDArray[np.float64],
        turn: int = 0,
    ) -> None:
        """One view: points (N, 3), world, metres; N > 0.

        Args:
            sigma_m: expected standard deviation of the points along the ray.
            ray: (3,) unit direction from the camera to the object.
            turn: any number, best another one for each object: tells with which views the surface
                is found again.

        Raises:
            SceneMemoryError: no points.
        """
        if len(points) == 0:
            raise SceneMemoryError("an observation without points cannot be fused: lift it again")
        weight = self.noise.add(sigma_m, ray)
        keys, means = cell_means(points, self.cell_m)
        if len(self.keys):
            rows = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            known = self.keys.take(rows) == keys
            seen = rows[known]
            total = self.weights.take(seen) + weight
            old = self.points.take(seen, axis=0)
            self.points[seen] = old + (means[known] - old) * (weight / total)[:, None]
            self.weights[seen] = total
            self.hits[seen] += 1.0
            keys, means = keys[~known], means[~known]
        if len(keys):
            self._insert(keys, means, weight)
        if whole:
            self.whole_count += 1
            if self.whole_count % DECAY_EVERY == 0:
                self._decay()
        self._bound()
        self._new_count += len(keys)
        views, has_grown = self.noise.views, self._new_count >= NEW_SHARE * len(self.keys)
        if has_grown or views <= YOUNG_VIEWS or (views + turn) % SURFACE_EVERY == 0:
            self._find_surface()

    def absorb(self, other: SurfaceEvidence) -> None:
        """Take over the evidence of a duplicate."""
        self.cell_m = max(self.cell_m, other.cell_m)
        self.whole_count += other.whole_count
        self.noise.absorb(other.noise)
        self._regroup(
            np.concatenate((self.points, other.points)),
            np.concatenate((self.hits, other.hits)),
            np.concatenate((self.weights, other.weights)),
        )
        self._bound()
        self._find_surface()

    def leave_out(self, box: Box3D) -> bool:
        """Forget what lies in a box, which is another object's; False: that would be all."""
        kept = ~box.contains(self.points, margin_m=self.cell_m)
        if not (kept & self._counts()).any():
            return False
        self._keep(kept)
        self._find_surface()
        return True

    def surface(self) -> NDArray[np.float32]:
        """The points (M, 3) that count, M > 0, noise taken off; read-only, constant afterwards.

        The same array until it is found again.
        """
        return self._surface

    def _find_surface(self) -> None:
        counts = self._counts()
        rows = np.flatnonzero(counts) if counts.any() else np.arange(len(self.keys))
        weights = self.weights[rows]
        index = np.floor(self.points[rows] / self.cell_m).astype(np.int64)
        clear = prominence(index, weights, self.noise.reach_m() / self.cell_m)
        shown = clear >= PROMINENT
        rows, weights, clear = rows[shown], weights[shown], clear[shown]
        firm = clear * np.minimum(self.hits[rows] / ESTABLISHED, 1.0)
        self._surface = without_noise(self.points[rows], weights, firm, self.noise.along_axes_m2())
        self._surface.setflags(write=False)
        self._new_count = 0

    def _counts(self) -> NDArray[np.bool_]:
        required = min(1.0 + self.whole_count // VIEWS_A_HIT, ESTABLISHED)
        counts: NDArray[np.bool_] = self.hits >= required
        return counts

    def _insert(self, keys: NDArray[np.int64], points: NDArray[np.float32], weight: float) -> None:
        rows = np.searchsorted(self.keys, keys) + np.arange(len(keys))
        is_old = np.ones(len(self.keys) + len(keys), bool)
        is_old[rows] = False
        self.keys = _spread(self.keys, is_old, rows, keys)
        self.points = _spread(self.points, is_old, rows, points)
        self.hits = _spread(self.hits, is_old, rows, np.float32(1.0))
        self.weights = _spread(self.weights, is_old, rows, np.float32(weight))

    def _decay(self) -> None:
        young = self.hits < ESTABLISHED
        self.hits[young] *= 0.5
        kept = self.hits >= 1.0
        if kept.any():
            self._keep(kept)

    def _bound(self) -> None:
        """Drop the least hit voxels; where too many count, make the grid coarser instead."""
        while len(self.keys) > self.max_points:
            if np.count_nonzero(self._counts()) > CROWDED * self.max_points:
                self.cell_m *= 2.0
                self._regroup(self.points, self.hits, self.weights)
            else:
                most_hit = np.argsort(-self.hits, kind="stable")[: self.max_points]
                self._keep(np.sort(most_hit))

    def _keep(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> None:
        self.keys, self.points = self.keys[rows], self.points[rows]
        self.hits, self.weights = self.hits[rows], self.weights[rows]

    def _regroup(
        self,
        points: NDArray[np.float32],
        hits: NDArray[np.float32],
        weights: NDArray[np.float32],
    ) -> None:
        """Voxels from points that may share one: weighted mean, most hits, summed weight."""
        packed, order, starts = sorted_cells(points, self.cell_m)
        self.keys = packed[starts]
        points, hits, weights = points.take(order, axis=0), hits.take(order), weights.take(order)
        if len(starts) == len(points):  # as it was stored, to the last bit
            self.points, self.hits, self.weights = points, hits, weights
            return
        self.weights = np.add.reduceat(weights, starts)
        total = np.add.reduceat(points * weights[:, None], starts)
        self.points = (total / self.weights[:, None]).astype(np.float32)
        self.hits = np.maximum.reduceat(hits, starts)


def _spread(
    column: NDArray[Any], is_old: NDArray[np.bool_], rows: NDArray[np.intp], new: Any
) -> NDArray[Any]:
    """A column with new values put in at the given rows of the result."""
    wider = np.empty((len(is_old), *column.shape[1:]), column.dtype)
    wider[is_old] = column
    wider[rows] = new
    return wider
