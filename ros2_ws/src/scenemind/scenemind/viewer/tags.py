"""Which names fit into a picture: those that matter most, without overlaps."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MARKED, RELATED, PLAIN = range(3)  # ranks

_NEAREST_M = 0.1
# Of a name on the screen, for a view of 800 rows: viser draws letters of 12 pixels.
_LETTER_PX, _PAD_PX, _HEIGHT_PX, _ROWS = 7.0, 8.0, 17.0, 800.0
_SMALLEST_PX = 6.0  # things that look smaller than that are named only when all is well
_MOST = 80
_WIDEST = "MWmw"


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Where somebody looks from.

    Attributes:
        rotation: (3, 3), world from the optical frame: x right, y down, z forward.
        position: (3,), world, metres.
        fov: vertical, radians.
        width, height: pixels.
    """

    rotation: NDArray[np.float64]
    position: NDArray[np.float64]
    fov: float
    width: int
    height: int

    def is_like(self, other: View | None) -> bool:
        """Nobody would see a difference."""
        return (
            other is not None
            and (self.width, self.height) == (other.width, other.height)
            and bool(np.allclose(self.position, other.position, atol=1e-3))
            and bool(np.allclose(self.rotation, other.rotation, atol=1e-3))
        )


def letters_of(text: str) -> float:
    """How wide it is drawn, in small Latin letters: capitals and Chinese signs take more."""
    return sum(map(_width_of, text))


def _width_of(sign: str) -> float:
    if unicodedata.east_asian_width(sign) in ("W", "F") or sign in _WIDEST:
        return 1.75
    return 1.2 if sign.isupper() else 1.0


def names_that_fit(
    view: View,
    places: NDArray[np.float32],
    sizes_m: NDArray[np.float32],
    letters: Sequence[float],
    ranks: Sequence[int],
) -> list[int]:
    """The names to show, as rows; those that matter most first.

    A name hangs above its place. Lower ranks come first, and then what looks largest.

    Args:
        places: (N, 3), world. sizes_m: (N,), how large the things are.
        letters: how long each name is; see `letters_of`.
        ranks: of each; `PLAIN` ones only where the thing does not look tiny, and where the edge of
            the picture does not cut the name.
    """
    in_camera = (places - view.position) @ view.rotation
    depth = in_camera[:, 2]
    ahead = np.maximum(depth, _NEAREST_M)
    focal_px = 0.5 * view.height / np.tan(0.5 * view.fov)
    u = focal_px * in_camera[:, 0] / ahead + 0.5 * view.width
    v = focal_px * in_camera[:, 1] / ahead + 0.5 * view.height
    looks_px = focal_px * sizes_m / ahead
    rank = np.asarray(ranks, np.int64)
    matters = rank < PLAIN
    scale = view.height / _ROWS
    half = 0.5 * scale * (_LETTER_PX * np.asarray(letters, np.float64) + _PAD_PX)
    margin = np.where(matters, 0.0, half)
    is_seen = (depth > _NEAREST_M) & (u > margin) & (u < view.width - margin)
    is_seen &= (v > 0) & (v < view.height) & (matters | (looks_px > _SMALLEST_PX))
    kept: list[int] = []
    for row in np.lexsort((-looks_px, rank)).tolist():
        if not is_seen[row]:
            continue
        near = np.abs(u[kept] - u[row]) < half[kept] + half[row]
        if not (near & (np.abs(v[kept] - v[row]) < scale * _HEIGHT_PX)).any():
            kept.append(row)
        if len(kept) == _MOST:
            break
    return kept
