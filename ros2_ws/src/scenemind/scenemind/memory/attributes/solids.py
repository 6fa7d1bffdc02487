"""How far points lie from the surface of the solid that fits them best: sphere, cylinder, box.

All take points (M, 3), metres, of which a camera may have seen one side only, and return how far
off they are (root mean square, metres), or infinity where they cannot be that solid. What takes
longest is left out where they are farther off than `most_m`, which is infinity then, too.
"""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D

_FEWEST = 12  # points that a fit needs
_FLAT_SPREAD = 1e-9  # of the largest; with less in a direction, points tell no centre
# A round side must be seen in so many sectors of the compass, all the way along: four legs and a
# top make no cylinder.
_SECTORS, _SEEN_SECTORS, _BANDS = 16, 6, 3
# The middle of a box's face must be there: four legs and a top make no box.
_FACE_CELLS, _FILLED = 4, 0.6


def sphere_misfit_m(points: NDArray[np.floating]) -> float:
    """Of the sphere with the smallest algebraic distance (Coope, 1993)."""
    fitted = _round_fit(points)
    if fitted is None:
        return math.inf
    center, radius = fitted
    return _rms(np.linalg.norm(points - center, axis=1) - radius)


def cylinder_misfit_m(
    points: NDArray[np.floating], axis: int, cap_m: float, most_m: float = math.inf
) -> float:
    """Of the cylinder along one axis of the frame that the points are given in.

    Args:
        cap_m: points so near to either end may be on its flat ends, and do not count.
    """
    along = points[:, axis]
    side = points[(along > along.min() + cap_m) & (along < along.max() - cap_m)]
    across = side[:, [other for other in range(3) if other != axis]]
    fitted = _round_fit(across)
    if fitted is None:
        return math.inf
    center, radius = fitted
    offset = across - center
    misfit = _rms(np.hypot(offset[:, 0], offset[:, 1]) - radius)
    is_one = misfit <= most_m and _goes_round(offset, side[:, axis])
    return misfit if is_one else math.inf


def box_misfit_m(
    local: NDArray[np.floating], size: tuple[float, float, float], most_m: float = math.inf
) -> float:
    """Of the box itself: points in its own frame, about its centre.

    Two faces that meet must be filled in their middle, such as a front and the top.
    """
    half = np.maximum(np.asarray(size) / 2.0, 1e-6)
    depth = half - np.abs(local)  # below each pair of faces
    nearest = depth.argmin(axis=1)
    misfit = _rms(depth[np.arange(len(local)), nearest])
    if misfit > most_m:
        return math.inf
    filled = (axis for axis in range(3) if _is_filled(local, nearest, half, axis))
    return misfit if len(list(islice(filled, 2))) == 2 else math.inf


def in_frame_of(points: NDArray[np.floating], box: Box3D) -> NDArray[np.float64]:
    """Points (M, 3), world, in a box's own frame, about its centre."""
    offset = points - np.asarray(box.center)
    c, s = math.cos(box.yaw), math.sin(box.yaw)
    return np.asarray(offset @ np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)]))


def _round_fit(points: NDArray[np.floating]) -> tuple[NDArray[np.float64], float] | None:
    """Centre and radius of the circle or sphere nearest to points (M, 2) or (M, 3)."""
    if len(points) < _FEWEST:
        return None
    middle = points.mean(axis=0)
    offset = (points - middle).astype(np.float64)
    squares = np.einsum("ij,ij->i", offset, offset)
    # About their mean, the normal equations of the centre and of the radius come apart.
    spread, axes = np.linalg.eigh(offset.T @ offset)
    if spread[0] <= _FLAT_SPREAD * spread[-1]:
        return None
    center = axes @ (axes.T @ (squares @ offset) / (2.0 * spread))
    return middle + center, math.sqrt(float(squares.mean() + center @ center))


def _goes_round(offset: NDArray[np.floating], along: NDArray[np.floating]) -> bool:
    """Whether points (M, 2) about an axis lie in enough directions, all along it (M,)."""
    turns = np.arctan2(offset[:, 1], offset[:, 0]) / (2.0 * np.pi)
    # Sectors about the diagonals, where the legs of tables are.
    sector = np.floor(turns * _SECTORS + 0.5).astype(np.intp) % _SECTORS
    low, length = along.min(), max(float(np.ptp(along)), 1e-9)
    band = np.minimum((along - low) / length * _BANDS, _BANDS - 1).astype(np.intp)
    hits = np.bincount(band * _SECTORS + sector, minlength=_BANDS * _SECTORS)
    seen = np.count_nonzero(hits.reshape(_BANDS, _SECTORS), axis=1)
    return bool(seen.min() >= _SEEN_SECTORS)


def _is_filled(
    local: NDArray[np.floating],
    nearest: NDArray[np.intp],
    half: NDArray[np.float64],
    axis: int,
) -> bool:
    """Whether one of the two faces across an axis has points all over its middle."""
    others = [other for other in range(3) if other != axis]
    on_face = nearest == axis
    for sign in (-1.0, 1.0):
        rows = on_face & (local[:, axis] * sign > 0.0)
        place = local[rows][:, others] / half[others]  # -1..1
        inner = place[(np.abs(place) < 0.6).all(axis=1)]
        cells = np.floor((inner / 0.6 + 1.0) / 2.0 * _FACE_CELLS).astype(np.intp)
        hit = np.bincount(cells[:, 0] * _FACE_CELLS + cells[:, 1], minlength=_FACE_CELLS**2)
        if np.count_nonzero(hit) >= _FILLED * _FACE_CELLS**2:
            return True
    return False


def _rms(distances: NDArray[np.floating]) -> float:
    return float(np.sqrt(np.mean(np.square(distances))))
