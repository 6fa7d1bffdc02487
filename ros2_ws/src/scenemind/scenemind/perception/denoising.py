"""Taking noise out of depth without rounding off edges."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.perception.sample_grids import Samples

_SIDE = 3  # samples
_FULL = _SIDE * _SIDE
_RAMP = np.array([-1.0, 0.0, 1.0], np.float32)
_FLAT = np.ones(_SIDE, np.float32)
_SPREAD = _SIDE * float(_RAMP @ _RAMP)  # of the positions in a full window, summed squares
_ZEROS = cv2.BORDER_CONSTANT


def denoised(
    depth_m: NDArray[np.float32], samples: Samples, noise_1m_m: float
) -> NDArray[np.float32]:
    """Smoothed depth (K,).

    An adaptive Wiener filter (Lee 1980, "Digital image enhancement and noise filtering by use of
    local statistics") over 3x3 samples: each is drawn to the mean of its window by as much as the
    window's variance can be noise. It works on inverse depth, in which a plane is affine in the
    pixel, so that its slope is no variance; and in which the noise of triangulating cameras is
    the same everywhere. Thin things at a distance, say a picture on a wall, have several times
    their thickness of noise. How much goes depends on the camera: errors of single pixels shrink
    to less than half, those that a stereo camera's neighbouring pixels share hardly at all.

    Args:
        depth_m: (K,) of every sample, positive.
        noise_1m_m: standard deviation of the noise at 1 m; it grows with the distance squared.
    """
    inverse = 1.0 / depth_m
    # Relative to some sample of the same object, so that squares keep their digits.
    level = np.zeros(len(samples.stride_px), np.float32)
    level[samples.owner] = inverse
    level = level.take(samples.owner)
    inverse -= level

    values = np.zeros((3, *samples.canvas_shape), np.float32)
    powers = (np.ones_like(inverse), inverse, inverse * inverse)
    for image, of_samples in zip(values, powers, strict=True):
        image.reshape(-1)[samples.cell] = of_samples
    count, total, squares = (_at(samples, _box_sums(image)) for image in values)
    mean = total / count
    variance = squares / count - mean * mean
    slope_x = _at(samples, cv2.sepFilter2D(values[1], -1, _RAMP, _FLAT, borderType=_ZEROS))
    slope_y = _at(samples, cv2.sepFilter2D(values[1], -1, _FLAT, _RAMP, borderType=_ZEROS))
    by_slope = (slope_x * slope_x + slope_y * slope_y) * np.float32(1.0 / (_SPREAD * _FULL))
    variance -= np.where(count == _FULL, by_slope, np.float32(0.0))

    noise = np.float32(noise_1m_m**2)
    kept = np.maximum(variance - noise, 0.0) / np.maximum(variance, noise)
    smooth_m: NDArray[np.float32] = 1.0 / (level + mean + kept * (inverse - mean))
    return smooth_m


def _box_sums(image: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(
        cv2.boxFilter(image, -1, (_SIDE, _SIDE), normalize=False, borderType=_ZEROS), np.float32
    )


def _at(samples: Samples, image: NDArray[np.float32]) -> NDArray[np.float32]:
    return image.reshape(-1).take(samples.cell)
