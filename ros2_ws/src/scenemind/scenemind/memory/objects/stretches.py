"""The evidence of one object by stretches of the camera's way, each of which moves as one when
poses are corrected.

While it is mapped, an object has one surface of all its views (`surface_evidence`). What came since
the camera drove on or turned is the difference of that surface and of the stretches before: voxels
with their sums can be subtracted as they can be added. A stretch is closed with the first view
after it, so an ordinary view costs nothing. Of an object that is seen again and again the two
stretches that follow each other most closely become one.

Poses may also be corrected within a stretch: single poses shake, and drift grows. A stretch
therefore keeps some of its views each by itself. Where its frames moved alike, its sums move as
they are; where they did not, it is made again of these views, each moved as its own frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy  # its parts are imported when they are first used
from numpy.typing import NDArray

from scenemind.geometry import gaps_m
from scenemind.geometry.points import voxel_keys
from scenemind.memory.frame_corrections import FrameCorrections
from scenemind.memory.objects.object_record import NO_VIEWS, SampledViews, Stretch
from scenemind.memory.objects.surface_evidence import (
    NoiseOfViews,
    SurfaceEvidence,
    cell_means,
    required_hits,
)

# Length of a stretch; a camera that turns by a radian counts as one that drove so far.
STRETCH_M = 2.0
TURN_M = 1.0
MOST_STRETCHES = 12
# Stretches of one object whose middles are farther apart along an axis show several things, if they
# have this number of observations.
APART_M = 0.15
LEAST_VIEWS = 3
_MIDDLE_SIGMAS = 1.3  # from the mean along an axis: four fifths of the points
# Views of a stretch that are kept by themselves at most, and the distance between places of one
# corner of the object, moved as one of the frames and as all of them, that is not the same.
MOST_VIEWS = 8
_ALIKE_M = 0.003
# Weight of a voxel, as a share of what it had before, that is a rounding error.
_NO_WEIGHT = 1e-5
_LARGEST = np.iinfo(np.int64).max
_WITHIN = 1e-3  # of a voxel: means are kept so far from its border


def stretch_number(object_id: int, way_m: float) -> int:
    """The stretch of an object to which a place of the way belongs. Objects change stretches at
    different places, so no frame closes those of all."""
    return int(way_m / STRETCH_M + object_id * 0.618 % 1.0)


def settled(surface: SurfaceEvidence, stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """The stretches as far as the surface of all views still has them: voxels that it dropped are
    dropped, and hits that it halved are halved."""
    if not stretches:
        return ()
    rows, known = _rows_of(surface, stretches)
    hits = np.bincount(rows[known], _joined(stretches, "hits")[known], len(surface.keys))
    factor = np.minimum(surface.hits / np.maximum(hits, 1e-9), 1.0)
    if known.all() and (factor[rows] > 1.0 - 1e-6).all():
        return tuple(stretches)
    found, start = [], 0
    for stretch in stretches:
        part = slice(start, start := start + len(stretch.keys))
        kept = known[part]
        if not kept.any():
            continue
        left = stretch.hits[kept]
        if stretch.cell_m == surface.cell_m:
            left = left * factor[rows[part][kept]]
        found.append(
            replace(
                stretch,
                keys=stretch.keys[kept],
                points=stretch.points[kept],
                hits=left.astype(np.float32),
                weights=stretch.weights[kept],
            )
        )
    return tuple(found)


def remainder(
    surface: SurfaceEvidence, stretches: Sequence[Stretch]
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Keys, points, hits and weights of what a surface has more than its settled stretches."""
    keys, points, weights = surface.keys, surface.points, surface.weights
    if not stretches:
        return keys.copy(), points.copy(), surface.hits.copy(), weights.copy()
    rows, known = _rows_of(surface, stretches)
    rows = rows[known]
    before_hits = np.bincount(rows, _joined(stretches, "hits")[known], len(keys))
    each = _joined(stretches, "weights")[known].astype(np.float64)
    before = np.bincount(rows, each, len(keys))
    of_points = _joined(stretches, "points")[known]
    sums = np.stack([np.bincount(rows, each * axis, len(keys)) for axis in of_points.T], axis=1)
    more = weights - before
    new = np.flatnonzero(more > _NO_WEIGHT * weights)
    total = points[new] * weights[new, None].astype(np.float64)
    means = (total - sums[new]) / more[new, None]
    low = np.floor(points[new] / surface.cell_m) * surface.cell_m
    margin = _WITHIN * surface.cell_m
    means = np.clip(means, low + margin, low + surface.cell_m - margin)
    hits = np.maximum(surface.hits[new] - before_hits[new], 0.0)
    return (
        keys[new],
        means.astype(np.float32),
        hits.astype(np.float32),
        more[new].astype(np.float32),
    )


def keyed(stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """Stored stretches with the keys of their voxels."""
    return tuple(replace(s, keys=voxel_keys(s.points, s.cell_m)) for s in stretches)


def bounded(stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """At most `MOST_STRETCHES`, in the order of their frames."""
    found = sorted(stretches, key=lambda stretch: stretch.frames)
    while len(found) > MOST_STRETCHES:
        spans = [b.frames[1] - a.frames[0] for a, b in pairwise(found)]
        at = int(np.argmin(spans))
        found[at : at + 2] = [joined(found[at : at + 2])]
    return tuple(found)


class Sampler:
    """Views of the stretch that goes on, at most `MOST_VIEWS`: every one, every second, every
    fourth, as they become more."""

    __slots__ = ("_count", "_every", "_views")

    def __init__(self) -> None:
        self._views: list[tuple[int, float, NDArray[np.float32]]] = []
        self._every, self._count = 1, 0

    def note(self, number: int, weight: float, points: NDArray[np.float32]) -> None:
        """Note a view, of which nothing is copied.

        Args:
            number: of its frame. points: (N, 3), N > 0, world, never changed.
        """
        if self._count % self._every == 0:
            self._views.append((number, weight, points))
            if len(self._views) > MOST_VIEWS:
                del self._views[1::2]
                self._every *= 2
        self._count += 1

    def sampled(self, cell_m: float) -> SampledViews:
        """The views, by the means of their points in voxels."""
        if not self._views:
            return NO_VIEWS
        numbers, weights, clouds = zip(*self._views, strict=True)
        keys, means = cell_means(clouds, [cell_m] * len(clouds))
        return SampledViews(
            np.array(numbers, np.int64),
            np.array(weights, np.float32),
            np.array([len(of_view) for of_view in keys], np.int64),
            means,
        )

    def copy(self) -> Sampler:
        """Another one that goes on from here."""
        other = Sampler()
        other._views, other._every, other._count = list(self._views), self._every, self._count
        return other


def corrected(
    stretches: Sequence[Stretch],
    surface: SurfaceEvidence,
    corners: NDArray[np.float64],
    of_stretches: NDArray[np.float64],
    corrections: FrameCorrections,
) -> list[Stretch]:
    """Stretches of one object after poses of frames were corrected.

    Args:
        surface: of all views, before: what it dropped stays dropped.
        corners: (8, 3), of its box, before. of_stretches: (S, 4, 4), the mean of each.
    """
    moved = [s.moved(m) for s, m in zip(stretches, of_stretches, strict=True)]
    views = SampledViews.joined([stretch.views for stretch in stretches])
    if not len(views):
        return moved
    owner = np.repeat(np.arange(len(stretches)), [len(s.views) for s in stretches])
    matrices = corrections.of_frames(views.frames)
    by_itself = matrices - of_stretches[owner]
    off = by_itself[:, None, :3, :3] @ corners[:, :, None] + by_itself[:, None, :3, 3:]
    shaken = np.sqrt(np.square(off).sum(axis=2).max(axis=(1, 2))) > _ALIKE_M
    again = np.unique(owner[shaken])
    if not len(again):
        return moved
    rows = np.flatnonzero(np.isin(owner, again))
    views, owner = views.at(rows), owner[rows]
    of_view, views = _voxels_by_view(views, owner, matrices[rows], stretches, surface)
    share = _hits_a_view(stretches, again, owner)
    for number in again.tolist():
        own = of_view.stretch == number
        if not own.any():
            continue  # the surface dropped all that these views showed
        mine = np.flatnonzero(owner == number)
        stretch, sampled = moved[number], views.at(mine)
        each = stretch.noise[1] / max(float(sampled.weights.sum()), 1e-12)
        moved[number] = replace(
            stretch,
            keys=voxel_keys(of_view.points[own], stretch.cell_m),
            points=of_view.points[own],
            hits=of_view.hits[own] * np.float32(share),
            weights=of_view.weights[own] * np.float32(each),
            views=sampled,
        )
    return moved


def _hits_a_view(
    stretches: Sequence[Stretch], again: NDArray[np.intp], owner: NDArray[np.intp]
) -> float:
    """Hits for which a hit of a sampled view counts: as many of them as a surface of these views
    alone would need are as many as one of all views needs.

    Args:
        again: stretches that are made of their views. owner: (K,), the stretch of each of these.
    """
    whole = np.array([stretch.whole_count for stretch in stretches], np.float64)
    seen = np.array([stretch.observation_count for stretch in stretches], np.float64)
    sampled = whole.copy()
    counts = np.bincount(owner, minlength=len(stretches))
    sampled[again] *= np.minimum(counts[again] / np.maximum(seen[again], 1.0), 1.0)
    return required_hits(int(whole.sum())) / required_hits(int(sampled.sum()))


class _Voxels(NamedTuple):
    """Voxels of several stretches: the stretch of each (M,), and see `Stretch`."""

    stretch: NDArray[np.intp]
    points: NDArray[np.float32]
    hits: NDArray[np.float32]
    weights: NDArray[np.float32]


def _voxels_by_view(
    views: SampledViews,
    owner: NDArray[np.intp],
    matrices: NDArray[np.float64],
    stretches: Sequence[Stretch],
    surface: SurfaceEvidence,
) -> tuple[_Voxels, SampledViews]:
    """The voxels of views that were moved each by itself, and these views.

    Args:
        owner: (K,), the stretch of each, ascending. matrices: (K, 4, 4), its correction.
        surface: of the object before: where it has no voxel any more, there are no points.
    """
    view = np.repeat(np.arange(len(views)), views.counts)
    kept = _has_voxels(surface, views.points)
    view, before = view[kept], views.points[kept]
    counts = np.bincount(view, minlength=len(views))
    turns = np.ascontiguousarray(matrices[:, :3, :3].transpose(0, 2, 1), np.float32)
    points = np.empty_like(before)
    for number, (start, end) in enumerate(pairwise((0, *np.cumsum(counts).tolist()))):
        np.matmul(before[start:end], turns[number], out=points[start:end])
    points += matrices[:, :3, 3].astype(np.float32)[view]
    views = SampledViews(views.frames, views.weights, counts, points)

    edges_m = np.array([stretch.cell_m for stretch in stretches], np.float32)
    stretch = owner[view]
    index = np.floor(points / edges_m[stretch, None]).astype(np.int64)
    index -= index.min(axis=0, initial=_LARGEST)
    size_x, size_y, size_z = (index.max(axis=0, initial=0) + 1).tolist()
    packed = ((stretch * size_x + index[:, 0]) * size_y + index[:, 1]) * size_z + index[:, 2]
    order = packed.argsort(kind="stable")  # views of a voxel stay in order
    packed, view, points = packed[order], view[order], points[order]
    is_first = np.ones(len(packed), bool)
    np.not_equal(packed[1:], packed[:-1], out=is_first[1:])
    is_seen = is_first.copy()  # a voxel by a view, whose points may share it
    is_seen[1:] |= view[1:] != view[:-1]
    voxels = np.flatnonzero(is_first)
    weights = views.weights[view]
    if not len(voxels):
        nothing = np.zeros(0, np.float32)
        return _Voxels(np.zeros(0, np.intp), np.zeros((0, 3), np.float32), nothing, nothing), views
    total = np.maximum(np.add.reduceat(weights, voxels), np.float32(1e-12))
    means = np.add.reduceat(points * weights[:, None], voxels) / total[:, None]
    hits = np.add.reduceat(is_seen, voxels, dtype=np.float32)
    weights = np.add.reduceat(np.where(is_seen, weights, np.float32(0.0)), voxels)
    return _Voxels(owner[view[voxels]], means.astype(np.float32), hits, weights), views


def _has_voxels(surface: SurfaceEvidence, points: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(N,): whether the surface has the voxels of points (N, 3)."""
    keys = voxel_keys(points, surface.cell_m)
    rows = np.minimum(np.searchsorted(surface.keys, keys), max(len(surface.keys) - 1, 0))
    found: NDArray[np.bool_] = surface.keys[rows] == keys
    return found


def joined(stretches: Sequence[Stretch]) -> Stretch:
    """Several stretches as one."""
    first = stretches[0]
    if len(stretches) == 1:
        return first
    votes: dict[str, float] = {}
    for stretch in stretches:
        for label, weight in stretch.votes.items():
            votes[label] = votes.get(label, 0.0) + weight
    cell_m = max(stretch.cell_m for stretch in stretches)
    keys, points, hits, weights = voxels_of(stretches, cell_m)
    return Stretch(
        frames=(min(s.frames[0] for s in stretches), max(s.frames[1] for s in stretches)),
        votes=votes,
        observation_count=sum(s.observation_count for s in stretches),
        whole_count=sum(s.whole_count for s in stretches),
        first_seen_ns=min(s.first_seen_ns for s in stretches),
        last_seen_ns=max(s.last_seen_ns for s in stretches),
        track_ids=tuple(dict.fromkeys(t for s in stretches for t in s.track_ids)),
        colors=np.sum([s.colors for s in stretches], axis=0),
        appearance=_mean_appearance(stretches),
        noise=np.sum([s.noise for s in stretches], axis=0),
        cell_m=cell_m,
        keys=keys,
        points=points,
        hits=hits,
        weights=weights,
        views=_thinned(SampledViews.joined([stretch.views for stretch in stretches])),
    )


def _thinned(views: SampledViews) -> SampledViews:
    """At most `MOST_VIEWS` of them, evenly spread."""
    if len(views) <= MOST_VIEWS:
        return views
    return views.at(np.linspace(0, len(views) - 1, MOST_VIEWS).round().astype(np.intp))


def voxels_of(
    stretches: Sequence[Stretch], cell_m: float
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Keys, points, hits and weights of the voxels of all stretches, by ascending key.

    Views of several stretches add up. Two voxels of one stretch that come to lie in one after it
    was moved were seen by the same views, and count once.
    """
    points = _joined(stretches, "points")
    hits, weights = _joined(stretches, "hits"), _joined(stretches, "weights")
    owner = np.repeat(np.arange(len(stretches)), [len(s.keys) for s in stretches])
    keys = voxel_keys(points, cell_m)
    order = np.lexsort((owner, keys))
    keys, owner, points = keys[order], owner[order], points[order]
    hits, weights = hits[order], weights[order]
    if not len(keys):
        return keys, points, hits, weights
    is_first = np.ones(len(keys), bool)
    is_first[1:] = keys[1:] != keys[:-1]
    each = is_first.copy()
    each[1:] |= owner[1:] != owner[:-1]
    voxels, own = np.flatnonzero(is_first), np.flatnonzero(each)
    of_own = np.flatnonzero(is_first[own])
    hits = np.add.reduceat(np.maximum.reduceat(hits, own), of_own)
    total = np.add.reduceat(weights, voxels)
    means = np.add.reduceat(points * weights[:, None], voxels) / np.maximum(total, 1e-12)[:, None]
    weights = np.add.reduceat(np.maximum.reduceat(weights, own), of_own)
    return keys[voxels], means.astype(np.float32), hits, weights


def surface_of(stretches: Sequence[Stretch], max_points: int) -> SurfaceEvidence:
    """The surface of all views of some stretches, which may have been moved."""
    cell_m = min(stretch.cell_m for stretch in stretches)
    _, points, hits, weights = voxels_of(stretches, cell_m)
    noise = NoiseOfViews.from_array(np.sum([s.noise for s in stretches], axis=0))
    whole = sum(s.whole_count for s in stretches)
    return SurfaceEvidence.of_voxels(cell_m, max_points, whole, noise, points, hits, weights)


def things_apart(stretches: Sequence[Stretch]) -> list[list[Stretch]]:
    """The stretches grouped by the thing that they show, the one with most observations first:
    what drift had put into one place may be several things."""
    stretches = [s for s in stretches if len(s.points)]
    if len(stretches) < 2:
        return [list(stretches)]
    points = _joined(stretches, "points").astype(np.float64)
    counts = np.array([len(s.points) for s in stretches])
    starts = np.cumsum(counts) - counts
    middle = np.add.reduceat(points, starts) / counts[:, None]
    square = np.square(points - np.repeat(middle, counts, axis=0))
    half = _MIDDLE_SIGMAS * np.sqrt(np.add.reduceat(square, starts) / counts[:, None])
    low, high = middle - half, middle + half
    near = gaps_m(low[:, None], high[:, None], low, high) <= APART_M
    if near.all(axis=1).any():  # one is near all others
        return [list(stretches)]
    _, group = scipy.sparse.csgraph.connected_components(near, directed=False)
    found = [[stretches[i] for i in np.flatnonzero(group == g)] for g in np.unique(group)]
    return sorted(found, key=lambda things: -sum(s.observation_count for s in things))


def never_seen_apart(a: Sequence[Stretch], b: Sequence[Stretch]) -> bool:
    """True if no stretch of the way showed two things: wherever both were seen, their observations
    are together no more than the frames, as of one thing that is taken for one or the other. Two
    things in view would be seen twice a frame."""
    for one in a:
        for other in b:
            first, last = (f(one.frames[k], other.frames[k]) for k, f in ((0, min), (1, max)))
            is_together = one.frames[0] <= other.frames[1] and other.frames[0] <= one.frames[1]
            seen = one.observation_count + other.observation_count
            if is_together and seen > last - first + 1:
                return False
    return bool(a) and bool(b)


def _mean_appearance(stretches: Sequence[Stretch]) -> NDArray[np.float32] | None:
    known = [s for s in stretches if s.appearance is not None]
    if not known:
        return None
    pixels = np.array([s.colors.sum() + 1e-9 for s in known])
    mean = np.sum([p * s.appearance for p, s in zip(pixels, known, strict=True)], axis=0)
    return np.asarray(mean / pixels.sum(), np.float32)


def _rows_of(
    surface: SurfaceEvidence, stretches: Sequence[Stretch]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """For each voxel of all stretches its row in the surface, and whether it has one."""
    cell_m = surface.cell_m  # a surface that became too large has larger voxels than before
    keys = np.concatenate(
        [s.keys if s.cell_m == cell_m else voxel_keys(s.points, cell_m) for s in stretches]
    )
    rows = np.minimum(np.searchsorted(surface.keys, keys), max(len(surface.keys) - 1, 0))
    return rows, surface.keys[rows] == keys


def _joined(stretches: Sequence[Stretch], name: str) -> NDArray[np.float32]:
    return np.concatenate([getattr(stretch, name) for stretch in stretches])
