"""The scale of stored depth, where what a format usually has cannot be.

Depth images are whole numbers: of most recordings millimetres, of TUM's 5000 to the metre, and
people convert one into the other without the scale. Then everything is five times too near or too
far. Where half of the depth is at no distance that rooms usually have, another usual scale is taken
if views from different places agree far better with it: turns alone look alike at any scale, ways
do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.frames.frame import FrameError
from scenemind.frames.readers.folder import FolderEntry
from scenemind.geometry import PinholeCamera

_UNITS_PER_M = (1000.0, 5000.0, 10000.0)
# Half of what a camera indoors measures is mostly between the inner two, and hardly ever beyond the
# outer two.
_SMALL_M, _NEAREST_M, _FARTHEST_M, _LARGE_M = 0.2, 0.9, 4.5, 8.0
_LOOKED_AT = 5  # depth images whose median is taken
# Pairs of views that are compared: a way apart, and turned by less than this.
_MOST_PAIRS, _APART_M, _ALIKE_COS = 8, 0.15, 0.8
_EVERY_PX, _LEAST_POINTS = 8, 50
_BETTER = 0.5  # largest ratio of what views disagree by


def with_depth_units(
    entries: Sequence[FolderEntry], camera: PinholeCamera
) -> tuple[list[FolderEntry], str]:
    """The entries with the scale that their depth has, and a remark where it is not the format's.

    Args:
        entries: with the format's scale, in the order of their stamps.
        camera: of depth.
    """
    usual = entries[0].depth_units_per_m if entries else 1000.0
    median_m = _median_m([entries[i] for i in _spread(len(entries), _LOOKED_AT)])
    if median_m is None or _NEAREST_M <= median_m <= _FARTHEST_M:
        return list(entries), ""
    told = f"half of the depth is {'beyond' if median_m > 1.0 else 'within'} {median_m:.2f} m"
    told = f"{entries[0].depth_path.parent}: {told} at {usual:g} units a metre"
    pairs = _pairs(entries, camera)
    asked = {usual, *_UNITS_PER_M}
    off = {units: _disagreement(pairs, usual / units, camera) for units in sorted(asked)}
    able = [units for units in off if _SMALL_M <= median_m * usual / units <= _LARGE_M]
    best = min(able, key=lambda units: off[units], default=usual)
    if best == usual or not np.isfinite(off[best]) or off[best] > _BETTER * off[usual]:
        is_room = _SMALL_M <= median_m <= _LARGE_M
        remark = f"{told}, which no room is: check the scale of its depth images"
        return list(entries), "" if is_room else remark
    remark = (
        f"{told}, but views from different places agree to {off[best]:.1%} at {best:g}, and to"
        f" {off[usual]:.1%} at {usual:g}: {best:g} is taken"
    )
    return [replace(entry, depth_units_per_m=best) for entry in entries], remark


def _spread(count: int, most: int) -> list[int]:
    """Up to so many indices, evenly over all."""
    return sorted({round(i) for i in np.linspace(0, count - 1, min(most, count)).tolist()})


def _read(entry: FolderEntry) -> NDArray[np.float32] | None:
    try:
        return entry.read_depth()
    except FrameError:
        return None


def _median_m(entries: Sequence[FolderEntry]) -> float | None:
    images = [image for entry in entries if (image := _read(entry)) is not None]
    known = [image[image > 0.0] for image in images]
    known = [values for values in known if len(values)]
    return float(np.median([np.median(values) for values in known])) if known else None


_View = tuple[NDArray[np.float32], FolderEntry]


def _pairs(entries: Sequence[FolderEntry], camera: PinholeCamera) -> list[tuple[_View, _View]]:
    """Views of about the same direction from different places."""
    places = np.array([entry.world_T_camera.translation for entry in entries])
    ahead = np.array([entry.world_T_camera.rotation[:, 2] for entry in entries])
    pairs: list[tuple[_View, _View]] = []
    for first in _spread(len(entries), 4 * _MOST_PAIRS):
        later = np.linalg.norm(places[first + 1 :] - places[first], axis=1) >= _APART_M
        later &= ahead[first + 1 :] @ ahead[first] >= _ALIKE_COS
        if len(pairs) == _MOST_PAIRS or not later.any():
            continue
        second = first + 1 + int(later.argmax())
        own, others = _read(entries[first]), _read(entries[second])
        shape = camera.height, camera.width
        if own is not None and others is not None and own.shape == others.shape == shape:
            pairs.append(((own, entries[first]), (others, entries[second])))
    return pairs


def _disagreement(
    pairs: Sequence[tuple[_View, _View]], scale: float, camera: PinholeCamera
) -> float:
    """By what share of the distance the second views see surfaces elsewhere than the first ones, in
    the median; infinite where no views can be compared."""
    found = []
    for (depth_m, entry), (other_m, other) in pairs:
        v, u = np.mgrid[0 : camera.height : _EVERY_PX, 0 : camera.width : _EVERY_PX]
        v, u = v.ravel(), u.ravel()
        own = depth_m[v, u] * np.float32(scale)
        points = camera.unproject(u[own > 0], v[own > 0], own[own > 0])
        move = other.world_T_camera.inverse() @ entry.world_T_camera
        pixels, expected_m = camera.project(move.transform(points))
        inside = np.isfinite(pixels).all(axis=1)
        column, row = np.round(np.where(inside[:, None], pixels, -1.0)).astype(np.intp).T
        inside &= (column >= 0) & (column < camera.width) & (row >= 0) & (row < camera.height)
        seen_m = other_m[row[inside], column[inside]] * scale
        off = np.abs(seen_m - expected_m[inside])[seen_m > 0] / expected_m[inside][seen_m > 0]
        if len(off) >= _LEAST_POINTS:
            found.append(float(np.median(off)))
    return float(np.median(found)) if found else np.inf
