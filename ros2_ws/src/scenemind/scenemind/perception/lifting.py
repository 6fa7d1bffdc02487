"""Lifting: tracked detections and depth to observations in the world, in bounded time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DepthConfig, LiftingConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Box3D
from scenemind.geometry.points import evenly, starts_of, trimmed_bounds
from scenemind.perception.colors import color_histograms, color_shares, pixels_at
from scenemind.perception.depth_samples import (
    DepthSamples,
    foreground_ranges,
    has_neighbors,
    measured_depth,
    sample_grids,
    wiener_filtered,
)
from scenemind.perception.standing import (
    UNKNOWN_GROUND,
    Ground,
    Stance,
    Standing,
    find_standing,
)
from scenemind.perception.types import Detections, Observation, cut_sides

# Share of the points outside the box at each side. In simulated rooms half of it is better for
# exact masks (mean IoU 0.75 instead of 0.73), but loses objects with ragged ones.
_TRIMMED = 0.005
# With depth in less than this share of its mask, a thing's place is taken from the picture.
SPARSE = 0.75
# Then depth shows the thing itself from so far above its support, up to so far beside its box.
_ABOVE_M, _BESIDE_M = 0.04, 0.05
# Depth this near to the floor's height, at 1 m and as it grows with the distance squared, is the
# floor's, not that of a thing that stands on it.
_FLOOR_M, _FLOOR_AT_1M = 0.03, 0.004


def lift(
    detections: Detections,
    track_ids: NDArray[np.int64],
    frame: RGBDFrame,
    lifting: LiftingConfig,
    depth: DepthConfig,
    ground: Ground = UNKNOWN_GROUND,
) -> list[Observation]:
    """Observations of the detections that have a track (id >= 0) and enough measured depth, or of
    which the picture tells where they stand.

    Each mask or box is sampled on a grid. Samples without depth, at depth edges, outside the
    object's range of depths (taken from the eroded mask) or without neighbours are dropped, and so
    is the floor under things that stand on it. The rest are denoised, moved to the world, and give
    points and box. All detections go through each step together, since numpy's call overhead
    dominates.

    Points are thinned evenly and not by voxels: fusion groups them by the map's voxels, and doing
    so here as well did not improve simulated maps.

    Args:
        detections: N of them. track_ids: (N,), -1 for those without a track.
        frame: colour, depth and pose.
        lifting, depth: thresholds.
        ground: how things of each kind stand, and the floor.
    """
    rows = np.flatnonzero(track_ids >= 0)
    if len(rows) == 0:
        return []
    labels = [detections.labels[row] for row in rows.tolist()]
    stance_of = {label: ground.find_stance(label) for label in set(labels)}
    stances = [stance_of[label] for label in labels]
    samples = sample_grids(detections, rows.tolist(), lifting.erosion_px)
    depth_m, measured = measured_depth(samples, frame.depth_m, depth, lifting.edge_ratio)
    places = _places(samples, measured, detections, rows, frame, stances, depth)
    own = _own_samples(samples, depth_m, measured, lifting)
    if ground.floor_z is not None:
        own[_on_floor(samples, own, depth_m, frame, stances, ground.floor_z)] = False
    if places:
        is_placed = np.zeros(len(rows), np.bool_)
        is_placed[list(places)] = True
        of_placed = is_placed.take(samples.owner)
        own &= ~of_placed
        own[_in_place(samples, measured & of_placed, depth_m, frame, places, lifting)] = True
    surfaces = _surfaces(samples, own, depth_m, frame, stances, lifting)
    if places:
        for number, place in places.items():
            surfaces[number] = _standing_surface(surfaces.get(number), place, frame, lifting)
        # Colour is known where depth is not; of a thin thing the border is all there is.
        has_trusted = samples.counts(of_placed & samples.trusted) > 0
        own |= of_placed & (samples.trusted | ~has_trusted.take(samples.owner))
    if not surfaces:
        return []
    found = np.zeros(len(rows), np.bool_)
    found[list(surfaces)] = True
    samples, rows = samples.select(np.flatnonzero(own), found), rows[found]
    rgb = pixels_at(frame.color, samples.u_px, samples.v_px)
    counts = samples.counts()
    colors = color_shares(rgb, samples.owner, len(rows))
    appearance = color_histograms(rgb, samples.owner, len(rows))
    boxes_px = detections.boxes_px[rows]
    is_cut: list[bool] = np.any(cut_sides(boxes_px, frame.camera), axis=1).tolist()
    return [
        Observation(
            track_id=track_id,
            label=detections.labels[row],
            score=score,
            box_px=box_px,
            points=surface.points,
            box=surface.box,
            color_shares=shares,
            pixel_count=pixel_count,
            truncated=truncated,
            appearance=histogram,
            sigma_m=surface.sigma_m,
            from_picture=surface.from_picture,
            mask=detections.masks[row],
        )
        for row, surface, track_id, score, box_px, shares, pixel_count, truncated, histogram in zip(
            rows.tolist(),
            [surfaces[number] for number in sorted(surfaces)],
            track_ids[rows].tolist(),
            detections.scores[rows].tolist(),
            boxes_px,
            colors,
            (counts * samples.stride_px**2).tolist(),
            is_cut,
            appearance,
            strict=True,
        )
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Surface:
    """Geometry of an observation."""

    points: NDArray[np.float32]
    box: Box3D
    sigma_m: float
    from_picture: bool = False


def _own_samples(
    samples: DepthSamples,
    depth_m: NDArray[np.float32],
    measured: NDArray[np.bool_],
    lifting: LiftingConfig,
) -> NDArray[np.bool_]:
    """The measured samples (K,) that show their object; none of an object that has too few."""
    count = len(samples.stride_px)
    trusted = np.flatnonzero(measured & samples.trusted)
    nearest_m, farthest_m = foreground_ranges(
        depth_m.take(trusted), samples.owner.take(trusted), count, lifting.edge_ratio
    )
    own = measured & (depth_m >= nearest_m.take(samples.owner))
    own &= depth_m <= farthest_m.take(samples.owner)
    own &= has_neighbors(samples, own)
    enough = samples.counts(own) >= lifting.min_points
    own &= enough.take(samples.owner)
    return own


def _places(
    samples: DepthSamples,
    measured: NDArray[np.bool_],
    detections: Detections,
    rows: NDArray[np.intp],
    frame: RGBDFrame,
    stances: Sequence[Stance | None],
    depth: DepthConfig,
) -> dict[int, Standing]:
    """Number of the grid -> place from the picture, of things that have little depth (K,)."""
    sparse = samples.counts(measured) < SPARSE * samples.counts()
    asked = [
        (number, mask, stance)
        for number in np.flatnonzero(sparse).tolist()
        if (mask := detections.masks[rows[number]]) and (stance := stances[number])
    ]
    if not asked:
        return {}
    numbers, masks, of_kinds = zip(*asked, strict=True)
    found = zip(numbers, find_standing(masks, of_kinds, frame, depth), strict=True)
    return {number: place for number, place in found if place is not None}


def _on_floor(
    samples: DepthSamples,
    own: NDArray[np.bool_],
    depth_m: NDArray[np.float32],
    frame: RGBDFrame,
    stances: Sequence[Stance | None],
    floor_z: float,
) -> NDArray[np.intp]:
    """Those of the chosen samples (K,) on the floor that are of things that stand there."""
    stands = np.array([stance is not None and stance.on_floor for stance in stances])
    if not stands.any():
        return np.zeros(0, np.intp)
    rows = np.flatnonzero(own & stands.take(samples.owner))
    u_px, v_px, depth_m = samples.u_px.take(rows), samples.v_px.take(rows), depth_m.take(rows)
    camera, pose = frame.camera, frame.world_T_camera
    right, down, forward = pose.rotation[2].astype(np.float32)
    rise = (u_px - np.float32(camera.cx)) * (right / np.float32(camera.fx))
    rise += (v_px - np.float32(camera.cy)) * (down / np.float32(camera.fy))
    above_m = (rise + forward) * depth_m + np.float32(pose.translation[2] - floor_z)
    return rows[above_m < _FLOOR_M + _FLOOR_AT_1M * depth_m * depth_m]


def _in_place(
    samples: DepthSamples,
    theirs: NDArray[np.bool_],
    depth_m: NDArray[np.float32],
    frame: RGBDFrame,
    places: Mapping[int, Standing],
    lifting: LiftingConfig,
) -> NDArray[np.intp]:
    """Those of the chosen samples (K,) that lie in the box of their thing's place; of a thing that
    has few of them none."""
    rows = np.flatnonzero(theirs)
    owner = samples.owner.take(rows)
    points = frame.world_T_camera.transform(
        frame.camera.unproject(samples.u_px[rows], samples.v_px[rows], depth_m[rows])
    )
    bounds = np.zeros((len(samples.stride_px), 6))
    bounds[list(places)] = [place.box.extent() for place in places.values()]
    x0, y0, z0, x1, y1, _ = bounds.take(owner, axis=0).T
    x, y, z = points.T
    inside = (x >= x0 - _BESIDE_M) & (x <= x1 + _BESIDE_M)
    inside &= (y >= y0 - _BESIDE_M) & (y <= y1 + _BESIDE_M) & (z >= z0 + _ABOVE_M)
    rows, owner = rows[inside], owner[inside]
    enough = np.bincount(owner, minlength=len(bounds)) >= lifting.min_points
    return rows[enough.take(owner)]


def _standing_surface(
    measured: _Surface | None, place: Standing, frame: RGBDFrame, lifting: LiftingConfig
) -> _Surface:
    """What was measured of a thing, and where it meets its support, in the box of its place."""
    away = np.subtract(place.box.center, frame.world_T_camera.translation)
    sigma_m = lifting.depth_noise_1m_m * float(away @ away)
    if measured is None:
        return _Surface(place.edge, place.box, sigma_m, from_picture=True)
    points = np.concatenate((measured.points, place.edge))
    return _Surface(points, place.box, measured.sigma_m, from_picture=True)


def _surfaces(
    samples: DepthSamples,
    own: NDArray[np.bool_],
    depth_m: NDArray[np.float32],
    frame: RGBDFrame,
    stances: Sequence[Stance | None],
    lifting: LiftingConfig,
) -> dict[int, _Surface]:
    """Points, box and noise of every grid that has samples (K,) of its own."""
    seen = samples.counts(own) > 0
    numbers, chosen = np.flatnonzero(seen).tolist(), np.flatnonzero(own)
    if not numbers:
        return {}
    samples, depth_m = samples.select(chosen, seen), depth_m.take(chosen)
    owner, counts, camera = samples.owner, samples.counts(), frame.camera
    starts = starts_of(counts)
    smooth_m = wiener_filtered(depth_m, samples, lifting.depth_noise_1m_m)
    in_camera = camera.unproject(samples.u_px, samples.v_px, smooth_m)
    columns = np.ascontiguousarray(frame.world_T_camera.transform(in_camera).T, dtype=np.float32)

    low, high = trimmed_bounds(columns, owner, counts, _TRIMMED)
    is_compact = np.array([_is_compact(stances[number]) for number in numbers])
    if is_compact.any():
        low, high = _without_support(columns, low, high, owner, is_compact)
    inside = (columns >= low.take(owner, axis=1)) & (columns <= high.take(owner, axis=1))
    rows = np.flatnonzero(inside[0] & inside[1] & inside[2])
    of_each = np.bincount(owner.take(rows), minlength=len(counts))
    rows = rows[evenly(of_each, lifting.max_points)]
    points = np.ascontiguousarray(columns.take(rows, axis=1).T)
    ends = np.cumsum(np.minimum(of_each, lifting.max_points)).tolist()

    # A sample stands for `stride` pixels: the object extends by half of them.
    distance_m = np.add.reduceat(smooth_m, starts) / counts
    half_px = 0.5 * samples.stride_px * distance_m
    across = np.abs(frame.world_T_camera.rotation[:, :2]) @ (1.0 / camera.fx, 1.0 / camera.fy)
    half_m = half_px * across[:, None]
    center, size = (high + low) / 2.0, (high - low) + 2.0 * half_m
    sigma_m = lifting.depth_noise_1m_m * distance_m**2
    return {
        number: _Surface(part, Box3D(tuple(box[:3]), tuple(box[3:])), sigma)
        for number, part, box, sigma in zip(
            numbers,
            [points[start:end] for start, end in zip((0, *ends), ends, strict=False)],
            np.vstack((center, size)).T.tolist(),
            sigma_m.tolist(),
            strict=True,
        )
    }


# What is higher than this above the lowest point of a thing stands on its support, if it is at
# least this share of the thing; the support goes farther than that on all sides.
_BASE_M, _STANDING_SHARE, _WIDER_M = 0.035, 0.3, 0.015


def _is_compact(stance: Stance | None) -> bool:
    return stance is not None and stance.depth_m is not None and not stance.on_floor


def _without_support(
    columns: NDArray[np.float32],
    low: NDArray[np.float32],
    high: NDArray[np.float32],
    owner: NDArray[np.integer],
    is_compact: NDArray[np.bool_],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Bounds (3, N), (3, N) of things without the surface that carries them.

    The table behind a cup comes with its mask, and lies below all of the cup. Compact things are
    hardly wider at their foot; a laptop is.

    Args:
        columns: (3, K), the points of N things. low, high: their bounds.
        is_compact: (N,).
    """
    rows = np.flatnonzero(is_compact.take(owner))
    counts = np.bincount(owner.take(rows), minlength=len(is_compact))[is_compact]
    of_each, columns = np.repeat(np.arange(len(counts)), counts), columns.take(rows, axis=1)
    starts, bottom = starts_of(counts), low[2, is_compact] + np.float32(_BASE_M)
    above = columns[2] >= bottom.take(of_each)
    standing = np.add.reduceat(above, starts, dtype=np.intp) >= _STANDING_SHARE * counts
    far, wider = np.float32(np.inf), np.float32(_WIDER_M)
    least = np.minimum.reduceat(np.where(above, columns[:2], far), starts, axis=1) - wider
    most = np.maximum.reduceat(np.where(above, columns[:2], -far), starts, axis=1) + wider
    trimmed = np.flatnonzero(is_compact)[standing]
    low[:2, trimmed] = np.maximum(low[:2, trimmed], least[:, standing])
    high[:2, trimmed] = np.minimum(high[:2, trimmed], most[:, standing])
    return low, high
