"""The surface of one object as evidence: voxels with how often and how well each was seen.

A voxel counts once it was hit often enough for how often the whole object was seen, therefore a
leak of a mask or a flying pixel fades while a back side that was seen in a few frames stays:

- one hit in `VIEWS_A_HIT` whole views is required, at most `ESTABLISHED` hits;
- a voxel with `ESTABLISHED` hits is never forgotten;
- the others lose half of their hits every `DECAY_EVERY` whole views.

A view that the image border cuts adds hits, but is not counted as a whole view: it makes the
object grow and never shrink.

A view in which a voxel is in plain sight outside of the mask takes back what one within it gives
(`plain_sight`): what most views leave out is no part of the thing.

Depth noise acts along the viewing ray. It spreads the voxels of a thin picture several centimetres
before and behind the wall, the more the farther away it was seen. Poses of frames that shake do so
across the ray. It is removed in two steps:

- A voxel beside one that was seen far better is noise of that one (`prominence`).
- The remaining extent is as wide as the object and the noise together. Where noise makes a good
  part of the spread along an axis, the extent shrinks by that part (`without_noise`): the
  variances of object and noise add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod, sqrt
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from scenemind.errors import SceneMemoryError
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D
from scenemind.geometry.points import voxel_keys
from scenemind.memory.objects.object_record import ObjectRecord, SurfaceColumns
from scenemind.memory.objects.plain_sight import Outline, sort_by_outline
from scenemind.memory.objects.sampled_views import MOST_SAMPLED, decoded, encoded


def shared_surface(a: NDArray[np.float32], b: NDArray[np.float32], within_m: float) -> float:
    """Share of the smaller cloud's points that lie within a distance of the other cloud."""
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    distance, _ = scipy.spatial.cKDTree(large).query(small, distance_upper_bound=within_m)
    return float(np.isfinite(distance).mean())


def cell_means(
    clouds: Sequence[NDArray[np.float32]], cells_m: Sequence[float]
) -> tuple[list[NDArray[np.int64]], NDArray[np.float32]]:
    """Of each cloud (N, 3), N > 0, the ascending keys of its occupied voxels; and the mean points
    in all of these. Together, as numpy's calls cost most.

    Args:
        cells_m: edge of the voxels, of each cloud.

    Raises:
        SceneMemoryError: a cloud has no points.
    """
    counts = [len(points) for points in clouds]
    if not all(counts):
        raise SceneMemoryError("an observation without points cannot be fused")
    edges_m: float | NDArray[np.float64] = cells_m[0]
    if cells_m.count(edges_m) < len(cells_m):
        edges_m = np.repeat(cells_m, counts)[:, None]
    points = np.concatenate(clouds)
    packed, order, starts = sorted_cells(points, edges_m, counts)
    means = np.add.reduceat(points.take(order, axis=0), starts)
    of_each = np.empty(len(starts), np.float32)
    np.subtract(starts[1:], starts[:-1], out=of_each[:-1], casting="unsafe")
    of_each[-1] = len(packed) - starts[-1]
    means /= of_each[:, None]
    keys, ends = packed.take(starts), starts.searchsorted(np.cumsum(counts)).tolist()
    return [keys[a:b] for a, b in zip((0, *ends[:-1]), ends, strict=True)], means


def sorted_cells(
    points: NDArray[np.float32], cell_m: float | NDArray[np.float64], counts: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.intp], NDArray[np.intp]]:
    """Keys of the points in the ascending order of each cloud, that order, and where each new key
    starts.

    Args:
        points: (N, 3), of clouds one after the other. counts: of the points of each, above 0.
        cell_m: edge of the voxels, of all or (N, 1) of each point.
    """
    packed = voxel_keys(points, cell_m)
    ends = list(accumulate(counts))
    begins = [0, *ends[:-1]]
    order = np.empty(len(packed), np.intp)
    for begin, end in zip(begins, ends, strict=True):
        np.add(packed[begin:end].argsort(), begin, out=order[begin:end])
    packed = packed.take(order)
    first = np.ones(len(packed), bool)
    np.not_equal(packed[1:], packed[:-1], out=first[1:])
    first[begins] = True
    return packed, order, first.nonzero()[0]


Vector = tuple[float, float, float]

# A voxel of the surface has at least this share of the largest weight nearby. On simulated rooms
# 0.1 to 0.25 are equally good; less leaves noise, more removes sides that were seen rarely.
PROMINENT = 0.2
# Reach of the noise in standard deviations.
REACH_SIGMAS = 2.5
LARGEST_REACH = 4  # voxels
# With more cells than this the grid is made twice as coarse.
MOST_CELLS = 1 << 17
# Share of the variance along an axis that noise may make before the extent shrinks: a rough object
# seen from one side only is otherwise made too flat.
NOISE_SHARE = 0.25
# Points less prominent than this are wholly noise along noisy axes.
NOISE_PROMINENCE = 1.0 / 3.0
# Thickness of an object whose measured thickness was all noise.
THIN_M = 0.04
# Poses and calibration are no better than this, however near the camera was.
_LEAST_SIGMA_M = 0.003
_UNIT_M2 = 1e-4  # a view with a noise of 1 cm weighs about 1


def _sum(a: Vector, b: Vector) -> Vector:
    (x, y, z), (dx, dy, dz) = a, b
    return x + dx, y + dy, z + dz


def _times(weight: float, of: Vector) -> Vector:
    x, y, z = of
    return weight * x, weight * y, weight * z


@dataclass(slots=True)
class NoiseOfViews:
    """The noise in all views of one object: of depth, along the rays, and of poses that shake,
    across them.

    Attributes:
        views: their number. weight: sum of their weights.
        sum_m2, weighted_m2: sum of their variances along the world's three axes, and of weight
            times variance.
        shaken_m2, weighted_shaken_m2: the part of these that is of poses.
    """

    views: int = 0
    weight: float = 0.0
    sum_m2: Vector = (0.0, 0.0, 0.0)
    weighted_m2: Vector = (0.0, 0.0, 0.0)
    shaken_m2: Vector = (0.0, 0.0, 0.0)
    weighted_shaken_m2: Vector = (0.0, 0.0, 0.0)

    def add(self, sigma_m: float, ray: Vector, shake_m: float = 0.0) -> float:
        """Count a view; its weight, which is the inverse of the variance of its depth.

        Args:
            sigma_m: standard deviation along the ray. ray: unit direction to the object.
            shake_m: standard deviation across it.
        """
        variance = sigma_m * sigma_m
        weight = _UNIT_M2 / (variance + _LEAST_SIGMA_M**2)
        x, y, z = ray
        x, y, z = x * x, y * y, z * z
        of_depth = variance * x, variance * y, variance * z
        self._add(1, weight, of_depth, _times(weight, of_depth))
        if shake_m > 0.0:
            across = shake_m * shake_m
            of_pose = across * (1.0 - x), across * (1.0 - y), across * (1.0 - z)
            weighted = _times(weight, of_pose)
            self._add(0, 0.0, of_pose, weighted)
            self._add_shake(of_pose, weighted)
        return weight

    def absorb(self, other: NoiseOfViews) -> None:
        """Add the views of another object."""
        self._add(other.views, other.weight, other.sum_m2, other.weighted_m2)
        self._add_shake(other.shaken_m2, other.weighted_shaken_m2)

    def _add(self, views: int, weight: float, sum_m2: Vector, weighted_m2: Vector) -> None:
        self.sum_m2, self.weighted_m2 = (
            _sum(self.sum_m2, sum_m2),
            _sum(self.weighted_m2, weighted_m2),
        )
        self.views += views
        self.weight += weight

    def _add_shake(self, shaken_m2: Vector, weighted_m2: Vector) -> None:
        self.shaken_m2 = _sum(self.shaken_m2, shaken_m2)
        self.weighted_shaken_m2 = _sum(self.weighted_shaken_m2, weighted_m2)

    def to_array(self) -> NDArray[np.float64]:
        """(14,), to be stored: views, weight, and the four variances."""
        of_all, of_poses = (
            (*self.sum_m2, *self.weighted_m2),
            (*self.shaken_m2, *self.weighted_shaken_m2),
        )
        return np.array((self.views, self.weight, *of_all, *of_poses))

    @classmethod
    def from_array(cls, values: NDArray[np.float64]) -> NoiseOfViews:
        views, weight, *sums = values.tolist()
        a, b, c, d = ((sums[k], sums[k + 1], sums[k + 2]) for k in (0, 3, 6, 9))
        return cls(int(views), weight, a, b, c, d)

    def reach_m(self) -> NDArray[np.float64]:
        """(3,), metres: reach of the noise from a surface along each axis."""
        return REACH_SIGMAS * np.sqrt(np.array(self.sum_m2) / max(self.views, 1))

    def along_axes_m2(self) -> NDArray[np.float64]:
        """(3,): variance along the world's axes, weighted as the points are."""
        return np.array(self.weighted_m2) / max(self.weight, 1e-12)


def prominence(
    index: NDArray[np.int64], weights: NDArray[np.float32], reach: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Weight of each voxel (M,) over the largest one nearby, in (0, 1].

    Args:
        index: (M, 3), of the voxels along each axis. weights: (M,).
        reach: (3,), how far along each axis noise goes, in voxels.
    """
    steps = [min(max(round(each), 1), LARGEST_REACH) for each in reach.tolist()]
    x, y, z = index.T
    x, y, z = x - x.min(), y - y.min(), z - z.min()
    spans = [int(x.max()), int(y.max()), int(z.max())]
    while prod(span + 1 for span in spans) > MOST_CELLS:
        x, y, z = x >> 1, y >> 1, z >> 1
        spans, steps = [span >> 1 for span in spans], [step >> 1 for step in steps]
    # Empty cells around each row and layer keep neighbours in memory neighbours in space.
    stride_y = spans[2] + 1 + steps[2]
    stride_x = stride_y * (spans[1] + 1 + steps[1])
    cells = (x + steps[0]) * stride_x + y * stride_y + z
    grid = np.zeros(stride_x * (spans[0] + 1 + 2 * steps[0]), np.float32)
    order = weights.argsort()  # where voxels share a cell the heaviest counts
    grid[cells.take(order)] = weights.take(order)
    for stride, count in zip((stride_x, stride_y, 1), steps, strict=True):
        grid = _largest_within(grid, stride, count)
    return weights / grid.take(cells)


def without_noise(
    points: NDArray[np.float32],
    weights: NDArray[np.float32],
    prominence: NDArray[np.float32],
    noise_m2: NDArray[np.float64],
) -> NDArray[np.float32]:
    """The points (M, 3), M > 0, contracted along axes that noise makes wider.

    Less prominent points move further: the points that are seen best in their neighbourhood, such
    as the foot of a monitor, are no noise and stay.

    Args:
        weights, prominence: (M,). noise_m2: (3,), variance of the noise along the axes.
    """
    share = weights / weights.sum()
    to_middle = share @ points - points
    variance = share @ np.square(to_middle)
    contracted, loose = points, None
    for axis, (noise, spread) in enumerate(zip(noise_m2.tolist(), variance.tolist(), strict=True)):
        excess = (noise / max(spread, 1e-12) - NOISE_SHARE) / (1.0 - NOISE_SHARE)
        if excess <= 0.0:
            continue
        if loose is None:
            loose = np.minimum((1.0 - prominence) / (1.0 - NOISE_PROMINENCE), 1.0)
            contracted = points.copy()
        values = points[:, axis]
        thinnest = min(THIN_M / max(float(values.max() - values.min()), 1e-9), 1.0)
        factor = max(sqrt(1.0 - min(excess, 1.0)), thinnest)
        shift = to_middle[:, axis] * np.float64(1.0 - factor) * loose
        contracted[:, axis] += shift.astype(np.float32)
    return contracted


def _largest_within(grid: NDArray[np.float32], stride: int, steps: int) -> NDArray[np.float32]:
    """Running maximum within a number of steps of a stride, in both directions."""
    covered = 0
    while covered < steps:
        # Windows that touch or overlap cover all between them.
        step = min(2 * covered + 1, steps - covered)
        shift = step * stride
        wider = grid.copy()
        np.maximum(wider[shift:], grid[:-shift], out=wider[shift:])
        np.maximum(wider[:-shift], grid[shift:], out=wider[:-shift])
        grid, covered = wider, covered + step
    return grid


ESTABLISHED = 4.0
VIEWS_A_HIT = 8
DECAY_EVERY = 50
# The grid becomes coarser when voxels that count exceed this share of the limit.
CROWDED = 0.75
# The surface is computed again with each of the first views, when this share of the voxels is new,
# and every so many views: objects that come into view together take turns.
YOUNG_VIEWS = 8
NEW_SHARE = 0.1
SURFACE_EVERY = 8
OUTLINE_EVERY = 3
"""Views of an object of which one tells what is in plain sight outside of its mask."""


def required_hits(whole_count: int) -> float:
    """Hits with which a voxel counts, of a thing with so many whole views."""
    return min(1.0 + whole_count // VIEWS_A_HIT, ESTABLISHED)


class SurfaceEvidence:
    """Occupied voxels of one object, sorted by key.

    Attributes:
        cell_m: edge of the voxels.
        whole_count: views that the image border did not cut. noise: of all views.
        keys: (M,), of the voxels, ascending.
        voxels: (M, 5) float32, of each its mean point (world, metres), in how many views it was
            seen and the summed weight of these views, see `NoiseOfViews.add`.
        sampled_frames: numbers of the frames of some of the latest views, at most `MOST_SAMPLED`:
            every one, every second, every fourth, as they become more.
        shown: (M, 4) uint16, where in each voxel each of these views showed it, on average: see
            `sampled_views.encoded`. 0: it did not.
    """

    __slots__ = (
        "_new_count",
        "_sample_every",
        "_since_sampled",
        "_surface",
        "cell_m",
        "keys",
        "max_points",
        "noise",
        "sampled_frames",
        "shown",
        "voxels",
        "whole_count",
    )

    def __init__(self, cell_m: float, max_points: int) -> None:
        self.cell_m = cell_m
        self.max_points = max_points
        self.whole_count = 0
        self.noise = NoiseOfViews()
        self.keys: NDArray[np.int64] = np.zeros(0, np.int64)
        self.voxels: NDArray[np.float32] = np.zeros((0, 5), np.float32)
        self._surface: NDArray[np.float32] = self.points
        self._new_count = 0  # voxels that came since the surface was found
        self.forget_samples()

    @property
    def points(self) -> NDArray[np.float32]:
        """(M, 3), a view of `voxels`."""
        return self.voxels[:, :3]

    @property
    def hits(self) -> NDArray[np.float32]:
        """(M,), a view of `voxels`."""
        return self.voxels[:, 3]

    @property
    def weights(self) -> NDArray[np.float32]:
        """(M,), a view of `voxels`."""
        return self.voxels[:, 4]

    @classmethod
    def restored(cls, record: ObjectRecord, max_points: int) -> SurfaceEvidence:
        """Continue a stored record.

        Keys are computed from the points again, therefore a mean on the border of its voxel may
        join the neighbour.
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

    @classmethod
    def of_voxels(
        cls,
        cell_m: float,
        max_points: int,
        whole_count: int,
        noise: NoiseOfViews,
        points: NDArray[np.float32],
        hits: NDArray[np.float32],
        weights: NDArray[np.float32],
    ) -> SurfaceEvidence:
        """The evidence of voxels that were made elsewhere; columns as the attributes say, of at
        least one voxel each."""
        evidence = cls(cell_m, max_points)
        evidence.whole_count, evidence.noise = whole_count, noise
        evidence._regroup(points, hits, weights)
        evidence._bound()
        evidence._find_surface()
        return evidence

    def to_columns(self) -> SurfaceColumns:
        """The columns to store, from which `restored` continues."""
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

    def forget_samples(self) -> None:
        """Sample the views anew that come from now on."""
        self.sampled_frames: tuple[int, ...] = ()
        self.shown = np.zeros((len(self.keys), MOST_SAMPLED), np.uint16)
        self._sample_every, self._since_sampled = 1, 0

    def _sample(self, rows: NDArray[np.intp], means: NDArray[np.float32], frame: int) -> None:
        """Note a view, if it is one that is sampled.

        Args:
            rows: of its voxels. means: (N, 3), of its points in these.
        """
        self._since_sampled -= 1
        if self._since_sampled >= 0:
            return
        if len(self.sampled_frames) == MOST_SAMPLED:
            self.sampled_frames = self.sampled_frames[::2]
            self.shown[:, : MOST_SAMPLED // 2] = self.shown[:, ::2]
            self.shown[:, MOST_SAMPLED // 2 :] = 0
            self._sample_every *= 2
        self.shown[rows, len(self.sampled_frames)] = encoded(self._about_middles(means, means))
        self.sampled_frames = (*self.sampled_frames, frame)
        self._since_sampled = self._sample_every - 1

    def _about_middles(
        self, places: NDArray[np.float32], points: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Places (..., 3) from the middles of the voxels that points (..., 3) are in, in voxels. A
        place that was rounded may lie beyond its voxel."""
        cell_m = np.float32(self.cell_m)
        return places / cell_m - (np.floor(points / cell_m) + np.float32(0.5))

    def shown_places(self) -> NDArray[np.float32]:
        """(M, 4, 3), world, metres: what `shown` stands for, the middle of the voxel if nothing."""
        middle = np.floor(self.points / np.float32(self.cell_m)) + np.float32(0.5)
        return (middle[:, None] + decoded(self.shown)) * np.float32(self.cell_m)

    def _rows_of(self, keys: NDArray[np.int64]) -> NDArray[np.intp]:
        """Rows (N,) of the voxels of ascending keys; those that were not there begin empty."""
        rows = self.keys.searchsorted(keys)
        if len(self.keys):
            known = self.keys.take(rows, mode="clip") == keys
            if np.count_nonzero(known) == len(keys):
                return rows
            new = keys[~known]
        else:
            new = keys
        merged = np.concatenate((self.keys, new))
        order = merged.argsort(kind="stable")  # merges what is in order
        self.keys = merged.take(order)
        empty = np.zeros((len(new), 5), np.float32)
        self.voxels = np.concatenate((self.voxels, empty)).take(order, axis=0)
        unseen = np.zeros((len(new), MOST_SAMPLED), np.uint16)
        self.shown = np.concatenate((self.shown, unseen)).take(order, axis=0)
        self._new_count += len(new)
        return self.keys.searchsorted(keys)

    def _settle(self, view: SurfaceView) -> None:
        """Note a view whose voxels were added."""
        if view.whole:
            self.whole_count += 1
            if self.whole_count % DECAY_EVERY == 0:
                self._decay()
        self._bound()
        views, has_grown = self.noise.views, self._new_count >= NEW_SHARE * len(self.keys)
        if has_grown or views <= YOUNG_VIEWS or (views + view.turn) % SURFACE_EVERY == 0:
            self._find_surface()

    def absorb(self, other: SurfaceEvidence) -> None:
        """Add the evidence of a duplicate."""
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
        """Remove the voxels in a box, which another object owns; False if that would be all."""
        kept = ~box.contains(self.points, margin_m=self.cell_m)
        if not (kept & self._counts()).any():
            return False
        self._keep(kept)
        self._find_surface()
        return True

    def surface(self) -> NDArray[np.float32]:
        """The points (M, 3) that count, M > 0, without noise; read-only and never changed.

        The same array until the surface is computed again.
        """
        return self._surface

    def _find_surface(self) -> None:
        counts = self._counts()
        voxels = self.voxels.take(counts.nonzero()[0], axis=0) if counts.any() else self.voxels
        index = np.floor(voxels[:, :3] / self.cell_m).astype(np.int32).astype(np.int64)
        clear = prominence(index, voxels[:, 4], self.noise.reach_m() / self.cell_m)
        shown = (clear >= PROMINENT).nonzero()[0]
        voxels, clear = voxels.take(shown, axis=0), clear.take(shown)
        firm = clear * np.minimum(voxels[:, 3] / ESTABLISHED, 1.0)
        points = np.ascontiguousarray(voxels[:, :3])
        self._surface = without_noise(points, voxels[:, 4], firm, self.noise.along_axes_m2())
        self._surface.setflags(write=False)
        self._new_count = 0

    def _counts(self) -> NDArray[np.bool_]:
        counts: NDArray[np.bool_] = self.hits >= required_hits(self.whole_count)
        return counts

    def _decay(self) -> None:
        young = self.hits < ESTABLISHED
        self.hits[young] *= 0.5
        kept = self.hits >= 1.0
        if kept.any():
            self._keep(kept)

    def _bound(self) -> None:
        """Drop the least hit voxels; if too many count, make the grid coarser instead."""
        while len(self.keys) > self.max_points:
            if np.count_nonzero(self._counts()) > CROWDED * self.max_points:
                places_m = self.shown_places()
                self.cell_m *= 2.0
                points, shown = self.points, self.shown > 0
                places = encoded(self._about_middles(places_m, points[:, None])) * shown
                self._regroup(points, self.hits, self.weights)
                rows = self.keys.searchsorted(voxel_keys(points, self.cell_m))
                np.maximum.at(self.shown, rows, places)
            else:
                most_hit = np.argsort(-self.hits, kind="stable")[: self.max_points]
                self._keep(np.sort(most_hit))

    def _keep(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> None:
        self.keys, self.voxels = self.keys[rows], self.voxels[rows]
        self.shown = self.shown[rows]

    def _regroup(
        self,
        points: NDArray[np.float32],
        hits: NDArray[np.float32],
        weights: NDArray[np.float32],
    ) -> None:
        """Voxels from points that may share one; no sampled view showed them."""
        self.keys, points, hits, weights = regrouped(points, hits, weights, self.cell_m)
        self.voxels = np.empty((len(self.keys), 5), np.float32)
        self.voxels[:, :3], self.voxels[:, 3], self.voxels[:, 4] = points, hits, weights
        self.shown = np.zeros((len(self.keys), MOST_SAMPLED), np.uint16)


class SurfaceView(NamedTuple):
    """One view of an object.

    Attributes:
        points: (N, 3), world, metres; N > 0.
        whole: the image border did not cut it.
        sigma_m: expected standard deviation of the points along the ray.
        ray: (3,) unit direction from the camera to the object.
        turn: any number, best a different one for each object: offsets the views at which the
            surface is computed again.
        outline: of the mask, beside which nothing is of the object; None: it does not say that.
        frame: number of its frame.
        shake_m: expected standard deviation of all of it across the ray, as its pose shakes.
    """

    points: NDArray[np.float32]
    whole: bool
    sigma_m: float
    ray: Vector
    turn: int = 0
    outline: Outline | None = None
    frame: int = 0
    shake_m: float = 0.0


def add_views(
    surfaces: Sequence[SurfaceEvidence],
    views: Sequence[SurfaceView],
    frame: RGBDFrame | None = None,
) -> None:
    """Add one view to each of different surfaces.

    Args:
        frame: of all views, whose depth tells what is in plain sight; None: nothing is.

    Raises:
        SceneMemoryError: a view has no points.
    """
    if not surfaces:
        return
    keys, means = cell_means([view.points for view in views], [s.cell_m for s in surfaces])
    counts = [len(own) for own in keys]
    weights = [
        s.noise.add(v.sigma_m, v.ray, v.shake_m) for s, v in zip(surfaces, views, strict=True)
    ]
    voxels = np.empty((len(means), 5), np.float32)
    places, end = [], 0
    for surface, own in zip(surfaces, keys, strict=True):
        rows, start = surface._rows_of(own), end
        end += len(rows)
        surface.voxels.take(rows, axis=0, out=voxels[start:end], mode="clip")
        places.append((surface, rows, start, end))
    of_view = means.copy()
    # Empty voxels get exactly the mean point of the view.
    weight = np.repeat(np.array(weights, np.float32), counts)
    total = voxels[:, 4] + weight
    means -= voxels[:, :3]
    means *= (weight / total)[:, None]
    voxels[:, :3] += means
    voxels[:, 3] += 1.0
    voxels[:, 4] = total
    for view, (surface, rows, start, end) in zip(views, places, strict=True):
        surface.voxels[rows] = voxels[start:end]
        surface._sample(rows, of_view[start:end], view.frame)
    if frame is not None:
        _take_back(surfaces, views, [end - start for _, _, start, end in places], frame)
    for surface, view in zip(surfaces, views, strict=True):
        surface._settle(view)


def _take_back(
    surfaces: Sequence[SurfaceEvidence],
    views: Sequence[SurfaceView],
    hits: Sequence[int],
    frame: RGBDFrame,
) -> None:
    """Take hits from voxels in plain sight outside of the outlines.

    A view is a sample of pixels and hits only a part of what it shows; a voxel loses as much as one
    within the outline gets on average. Of each object some of its views are asked, for all of them.

    Args:
        hits: number of voxels that each view hit.
    """
    told = [
        (surface, view, count, view.outline)
        for surface, view, count in zip(surfaces, views, hits, strict=True)
        if view.outline is not None and (surface.noise.views + view.turn) % OUTLINE_EVERY == 0
    ]
    sorted_rows = sort_by_outline(
        [surface.points for surface, *_ in told],
        [s.cell_m / 2.0 + REACH_SIGMAS * view.sigma_m for s, view, *_ in told],
        [outline for *_, outline in told],
        frame,
    )
    for (surface, _, count, _), (inside, outside) in zip(told, sorted_rows, strict=True):
        if inside and len(outside):
            left = surface.hits[outside] - OUTLINE_EVERY * min(count / inside, 1.0)
            surface.hits[outside] = np.maximum(left, 0.0)


def regrouped(
    points: NDArray[np.float32],
    hits: NDArray[np.float32],
    weights: NDArray[np.float32],
    cell_m: float,
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Keys, points, hits and weights of voxels from points that may share one: weighted mean,
    largest hits, summed weight."""
    packed = voxel_keys(points, cell_m)
    if (packed[1:] > packed[:-1]).all():  # as it was stored
        return packed, points, hits, weights
    packed, order, starts = sorted_cells(points, cell_m, [len(points)])
    keys = packed[starts]
    points, hits, weights = points.take(order, axis=0), hits.take(order), weights.take(order)
    if len(starts) == len(points):  # as it was stored, to the last bit
        return keys, points, hits, weights
    summed = np.add.reduceat(weights, starts)
    total = np.add.reduceat(points * weights[:, None], starts)
    means = (total / summed[:, None]).astype(np.float32)
    return keys, means, np.maximum.reduceat(hits, starts), summed
