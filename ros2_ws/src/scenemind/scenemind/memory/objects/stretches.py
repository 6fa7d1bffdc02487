"""The evidence of one object by stretches of the camera's way, each of which moves as one when
poses are corrected.

While it is mapped, an object has one surface of all its views (`surface_evidence`). What came since
the camera drove on or turned is the difference of that surface and of the stretches before: voxels
with their sums can be subtracted as they can be added. A stretch is closed with the first view
after it, so an ordinary view costs nothing. Of an object that is seen again and again the two
stretches that follow each other most closely become one. What the surface forgets stays in its
stretches with one hit each: thin sides that drift has thinned out are there again where several of
them agree in corrected poses, and leaks of masks, which agree with nothing, are not.

Poses may also be corrected one by one, as they shake. A stretch therefore knows of some of its
views which voxels each of them showed, and where in these. Where single frames move otherwise than
those around them, it is made again of what these views showed, each moved as its own frame. Where
they do not, as when only drift is corrected, it moves as one: few views that still shake are worse
than the mean of all.
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
from scenemind.memory.frame_corrections import FrameCorrections, moved_points
from scenemind.memory.objects.object_record import Stretch
from scenemind.memory.objects.sampled_views import MOST_SAMPLED, decoded, encoded
from scenemind.memory.objects.surface_evidence import (
    NoiseOfViews,
    SurfaceEvidence,
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
# Single poses shake where a corner of an object, moved as one frame and as the mean of so many on
# either side, is not at one place.
_BESIDE, _ALIKE_M = 2, 0.003
# Share of the reckoned variance of the shake that is surely some: level surfaces tell up to a
# quarter more shake than there is.
_SURE_SHAKE = 0.5
# Weight of a voxel, as a share of what it had before, that is a rounding error.
_NO_WEIGHT = 1e-5
_NOTHING_SHOWN = np.zeros((0, MOST_SAMPLED), np.uint16)
_NO_PLACES = np.zeros((0, MOST_SAMPLED, 3), np.float32)
_WITHIN = 1e-3  # of a voxel: means are kept so far from its border


class Voxels(NamedTuple):
    """The voxels of a stretch, see there."""

    keys: NDArray[np.int64]
    points: NDArray[np.float32]
    hits: NDArray[np.float32]
    weights: NDArray[np.float32]
    shown: NDArray[np.uint16]


def stretch_number(object_id: int, way_m: float) -> int:
    """The stretch of an object to which a place of the way belongs. Objects change stretches at
    different places, so no frame closes those of all."""
    return int(way_m / STRETCH_M + object_id * 0.618 % 1.0)


def settled(surface: SurfaceEvidence, stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """The stretches with hits as the surface of all views has them: halved where it halved them; a
    voxel that it dropped counts for one hit at most, so that others have to show it as well."""
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
        left = stretch.hits
        if stretch.cell_m == surface.cell_m:
            left = np.where(known[part], left * factor[rows[part]], left)
        left = np.where(known[part], left, np.minimum(left, 1.0))
        found.append(replace(stretch, hits=left.astype(np.float32)))
    return tuple(found)


def remainder(surface: SurfaceEvidence, stretches: Sequence[Stretch]) -> Voxels:
    """What a surface has more than its settled stretches."""
    keys, points, weights = surface.keys, surface.points, surface.weights
    if not stretches:
        hits, shown = surface.hits.copy(), _about(points, surface, slice(None))
        return Voxels(keys.copy(), points.copy(), hits, weights.copy(), shown)
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
    means = np.clip(means, low + margin, low + surface.cell_m - margin).astype(np.float32)
    hits = np.maximum(surface.hits[new] - before_hits[new], 0.0)
    return Voxels(
        keys[new],
        means,
        hits.astype(np.float32),
        more[new].astype(np.float32),
        _about(means, surface, new),
    )


def _about(
    points: NDArray[np.float32], surface: SurfaceEvidence, rows: slice | NDArray[np.intp]
) -> NDArray[np.uint16]:
    """Where the sampled views of a surface showed some of its voxels, about points (M, 3)."""
    about = (surface.shown_places()[rows] - points[:, None]) / np.float32(surface.cell_m)
    return encoded(about) * (surface.shown[rows] > 0)


def keyed(stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """Stored stretches with the keys of their voxels."""
    return tuple(replace(s, keys=voxel_keys(s.points, s.cell_m)) for s in stretches)


def bounded(stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """At most `MOST_STRETCHES`, in the order of their frames."""
    groups = [[stretch] for stretch in sorted(stretches, key=lambda stretch: stretch.frames)]
    while len(groups) > MOST_STRETCHES:
        spans = [max(s.frames[1] for s in b) - a[0].frames[0] for a, b in pairwise(groups)]
        at = int(np.argmin(spans))
        groups[at : at + 2] = [groups[at] + groups[at + 1]]
    return tuple(joined(group) for group in groups)


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
    view_frames, shown = _fewer_views(stretches)
    points, hits, weights = (_joined(stretches, name) for name in ("points", "hits", "weights"))
    owner = np.repeat(np.arange(len(stretches)), [len(s.keys) for s in stretches])
    of_stretch = np.array([s.cell_m for s in stretches], np.float32)[owner]
    places = points[:, None] + decoded(shown) * of_stretch[:, None, None]
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
        view_frames=view_frames,
        **_grouped(points, hits, weights, owner, cell_m, shown, places)._asdict(),
    )


def _fewer_views(
    stretches: Sequence[Stretch],
) -> tuple[tuple[int, ...], NDArray[np.uint16]]:
    """At most `MOST_SAMPLED` of the views that stretches know, evenly spread: their frames, and
    where each showed the voxels (M,) of all stretches."""
    views = [(row, view) for row, s in enumerate(stretches) for view in range(len(s.view_frames))]
    count = min(len(views), MOST_SAMPLED)
    kept = np.linspace(0, len(views) - 1, count).round().astype(int).tolist()
    shown = [np.zeros_like(stretch.shown) for stretch in stretches]
    frames = []
    for new, (row, view) in enumerate(views[number] for number in kept):
        frames.append(stretches[row].view_frames[view])
        shown[row][:, new] = stretches[row].shown[:, view]
    return tuple(frames), np.concatenate(shown)


def corrected(
    stretches: Sequence[Stretch],
    corners: NDArray[np.float64],
    of_stretches: NDArray[np.float64],
    corrections: FrameCorrections,
) -> list[Stretch]:
    """Stretches of one object after poses of frames were corrected.

    Args:
        corners: (8, 3), of its box, before. of_stretches: (S, 4, 4), the mean of each.
    """
    moved = [s.moved(m) for s, m in zip(stretches, of_stretches, strict=True)]
    frames = np.array([n for s in stretches for n in s.view_frames], np.int64)
    matrices = corrections.of_frames(frames)
    owner = np.repeat(np.arange(len(stretches)), [len(s.view_frames) for s in stretches])
    by_itself = matrices - corrections.of_stretches(frames - _BESIDE, frames + _BESIDE)
    off = (by_itself[:, None, :3, :3] @ corners[:, :, None] + by_itself[:, None, :3, 3:])[..., 0]
    shaken = np.sqrt(np.square(off).sum(axis=2).max(axis=1)) > _ALIKE_M
    again = np.unique(owner[shaken])
    if not len(again):
        return moved
    hits = _hits_a_view(stretches, again)
    left = _shake_left([stretches[row] for row in again], off[np.isin(owner, again)])
    for row in again.tolist():
        voxels = _by_view(stretches[row], matrices[owner == row], hits)
        if len(voxels.keys):  # else the surface dropped all that these views showed
            noise = _less_shake(moved[row].noise, left)
            moved[row] = replace(moved[row], noise=noise, **voxels._asdict())
    return moved


def _shake_left(stretches: Sequence[Stretch], off: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3,): share of the reckoned variance of the shake along each axis that a correction leaves.

    Args:
        stretches: at least one. off: (K, 8, 3), how corners moved in some of their views from the
            mean of the frames about each, which the frame itself is one of.
    """
    about = 2 * _BESIDE + 1
    taken_out = np.square(off).mean(axis=(0, 1)) * about / (about - 1)
    noise = np.sum([stretch.noise for stretch in stretches], axis=0)
    left = 1.0 - taken_out / np.maximum(noise[8:11] / max(noise[0], 1.0), 1e-12)
    return np.where(left > _SURE_SHAKE, left, 0.0)


def _less_shake(noise: NDArray[np.float64], left: NDArray[np.float64]) -> NDArray[np.float64]:
    """The noise of views (14,), of whose shake shares (3,) are left."""
    sums = noise[2:].reshape(4, 3).copy()
    sums[:2] = np.maximum(sums[:2] - (1.0 - left) * sums[2:], 0.0)
    sums[2:] *= left
    return np.concatenate((noise[:2], sums.ravel()))


def _hits_a_view(stretches: Sequence[Stretch], again: NDArray[np.intp]) -> float:
    """Hits for which a hit of a sampled view counts: as many of them as a surface of these views
    alone would need are as many as one of all views needs.

    Args:
        again: stretches that are made of their sampled views.
    """
    whole = np.array([stretch.whole_count for stretch in stretches], np.float64)
    seen = np.array([max(stretch.observation_count, 1) for stretch in stretches])
    views = np.array([len(stretch.view_frames) for stretch in stretches])
    sampled = whole.copy()
    sampled[again] *= np.minimum(views[again] / seen[again], 1.0)
    return required_hits(int(whole.sum())) / required_hits(int(sampled.sum()))


def _by_view(stretch: Stretch, moves: NDArray[np.float64], hits: float) -> Voxels:
    """The voxels of a stretch made again of its sampled views, each moved by itself.

    Args:
        moves: (K, 4, 4), of these views. hits: for which one of theirs counts.
    """
    by_view = stretch.shown[:, : len(moves)].T
    view, voxel = np.nonzero(by_view)
    places = decoded(by_view[view, voxel]) * np.float32(stretch.cell_m) + stretch.points[voxel]
    ends = np.searchsorted(view, np.arange(len(moves) + 1)).tolist()
    for (start, end), move in zip(pairwise(ends), moves, strict=True):
        places[start:end] = moved_points(places[start:end], move)
    shown = np.zeros((len(view), MOST_SAMPLED), np.uint16)
    shown[np.arange(len(view)), view] = 1
    weight = stretch.noise[1] / len(moves)
    return _grouped(
        places,
        np.full(len(view), hits, np.float32),
        np.full(len(view), weight, np.float32),
        view,
        stretch.cell_m,
        shown,
        places[:, None],
    )


def voxels_of(
    stretches: Sequence[Stretch], cell_m: float
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Keys, points, hits and weights of the voxels of all stretches, by ascending key.

    Views of several stretches add up. Two voxels of one stretch that come to lie in one after it
    was moved were seen by the same views, and count once.
    """
    owner = np.repeat(np.arange(len(stretches)), [len(s.keys) for s in stretches])
    points, hits, weights = (_joined(stretches, name) for name in ("points", "hits", "weights"))
    return _grouped(points, hits, weights, owner, cell_m)[:4]


def _grouped(
    points: NDArray[np.float32],
    hits: NDArray[np.float32],
    weights: NDArray[np.float32],
    owner: NDArray[np.intp],
    cell_m: float,
    shown: NDArray[np.uint16] = _NOTHING_SHOWN,
    places: NDArray[np.float32] = _NO_PLACES,
) -> Voxels:
    """Points (N, 3) that may share voxels, with what is known of each.

    Args:
        owner: (N,), the stretch or the view of each: see `voxels_of`.
        shown: (N, 4), not 0 where a view showed a point. places: (N, 4 or 1, 3), and where.
    """
    keys = voxel_keys(points, cell_m)
    order = np.lexsort((owner, keys))
    keys, owner, points = keys[order], owner[order], points[order]
    hits, weights = hits[order], weights[order]
    if not len(keys):
        return Voxels(keys, points, hits, weights, shown)
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
    if len(shown):
        counts = np.diff(np.append(voxels, len(keys)))
        about = places[order] - means.repeat(counts, axis=0)[:, None]
        numbers = encoded(about.astype(np.float32) / np.float32(cell_m)) * (shown[order] > 0)
        shown = np.maximum.reduceat(numbers, voxels)
    return Voxels(keys[voxels], means.astype(np.float32), hits, weights, shown)


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
