"""Taking the camera's noise out of a surface, and saying how much of it is left."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

_RADIUS = 4
_SIDE = 2 * _RADIUS + 1
_TILT_AT_LEAST = 0.05  # pixels squared: a window of one row has no slope across it
_MAD_TO_SIGMA = 1.4826
_ENOUGH = 4000  # values for a median
_FITTED = 3.0  # parameters of a plane: a fit keeps this many pixels' worth of the noise

Image = NDArray[np.float32]


class Smoothed(NamedTuple):
    """
    Attributes:
        inverse: (h, w) float32, inverse depth in 1/m; only where it was selected does it mean
            something.
        slope_u, slope_v: (h, w) float32, of the plane there, 1/m a pixel.
        noise_left: standard deviation of inverse depth in 1/m that smoothing has left.
    """

    inverse: Image
    slope_u: Image
    slope_v: Image
    noise_left: float


def smoothed(depth_m: Image, selected: NDArray[np.bool_], noise_1m_m: float) -> Smoothed:
    """Depth drawn to the plane through its window, as far as the camera's noise explains.

    An adaptive Wiener filter (Lee 1980) about a plane instead of a mean, on inverse depth: there a
    plane is affine in the pixel and the noise of triangulating cameras is the same everywhere.
    Windows are cut to the selected pixels, so that borders are smoothed like the rest.

    Cameras that match windows err alike in neighbouring pixels, and that does not average out: how
    much, is measured by the mean of 3x3 pixels' deviations.

    Args:
        depth_m: (h, w). selected: (h, w), at least one pixel, all of them measured.
        noise_1m_m: standard deviation of the noise at 1 m; it grows with the distance squared.
    """
    weight = selected.astype(np.float32)
    inverse = inverse_or_0(depth_m * selected)
    level = np.float32(inverse[selected].mean())
    inverse -= level * weight
    fit, slope_u, slope_v, spread = _plane(inverse, weight)
    noise = np.float32(noise_1m_m**2)
    deviation = (inverse - fit) * weight
    kept = np.maximum(spread - noise, 0.0) / np.maximum(spread, noise)
    smooth = level + fit + kept * deviation
    return Smoothed(smooth, slope_u, slope_v, _noise_left(deviation, weight, noise_1m_m))


def inverse_or_0(values: Image) -> Image:
    """1 over each, and 0 where there is 0: in a fifth of the time of a division `where`."""
    known = values != 0.0
    inverse: Image = np.reciprocal(values + ~known) * known
    return inverse


def _plane(values: Image, weight: Image) -> tuple[Image, ...]:
    """Each window's least-squares plane: at its middle, its slopes, and the variance about it."""
    height, width = values.shape
    u = np.arange(width, dtype=np.float32)[None, :] - np.float32(width / 2)
    v = np.arange(height, dtype=np.float32)[:, None] - np.float32(height / 2)
    count = np.maximum(_sums(weight), np.float32(1.0))
    wu, wv = weight * u, weight * v
    mean_u, mean_v, mean = _sums(wu) / count, _sums(wv) / count, _sums(values) / count
    uu = _sums(wu * u) / count - mean_u * mean_u + np.float32(_TILT_AT_LEAST)
    vv = _sums(wv * v) / count - mean_v * mean_v + np.float32(_TILT_AT_LEAST)
    uv = _sums(wu * v) / count - mean_u * mean_v
    along_u = _sums(values * u) / count - mean * mean_u
    along_v = _sums(values * v) / count - mean * mean_v
    variance = _sums(values * values) / count - mean * mean
    scale: Image = np.reciprocal(uu * vv - uv * uv)
    slope_u = (along_u * vv - along_v * uv) * scale
    slope_v = (along_v * uu - along_u * uv) * scale
    fit = mean + slope_u * (u - mean_u) + slope_v * (v - mean_v)
    spread = np.maximum(variance - slope_u * along_u - slope_v * along_v, np.float32(0.0))
    return _images(fit, slope_u, slope_v, spread)


def _images(*arrays: NDArray[np.floating]) -> tuple[Image, ...]:
    return tuple(array.astype(np.float32, copy=False) for array in arrays)


def _noise_left(deviation: Image, weight: Image, noise_1m_m: float) -> float:
    """Of a mean over a whole window, from single deviations and those of 3x3 together."""
    inner = _sums(weight, 3) > 8.5
    if not inner.any():
        return noise_1m_m
    single = min(_sigma(deviation[inner]), noise_1m_m)
    triple = _sigma(_sums(deviation, 3)[inner]) / 9.0
    alike = 9.0 * (triple / max(single, 1e-9)) ** 2  # pixels that err as one
    return float(single * min(1.0, np.sqrt(_FITTED * alike) / _SIDE))


def _sigma(values: NDArray[np.float32]) -> float:
    """Robust standard deviation about 0, of enough of the values."""
    some = values[:: max(1, len(values) // _ENOUGH)]
    return _MAD_TO_SIGMA * float(np.median(np.abs(some)))


def _sums(image: Image, side: int = _SIDE) -> Image:
    return np.asarray(
        cv2.boxFilter(image, -1, (side, side), normalize=False, borderType=cv2.BORDER_CONSTANT),
        np.float32,
    )
