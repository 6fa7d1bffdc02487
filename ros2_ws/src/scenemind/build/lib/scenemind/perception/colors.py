"""Colours of pixels: names, and histograms that two views of an object share.

A name is a region of CIELAB (D65, CIE 015) in lightness L, hue and saturation C / (L + 16). Fading
light scales L + 16, a and b by one factor: hue and saturation are the same in shadow, and lightness
alone separates brown from orange and dark from light.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

# From dark to light within each hue.
COLOR_NAMES = (
    "black",
    "dark grey",
    "grey",
    "light grey",
    "white",
    "dark red",
    "red",
    "pink",
    "orange",
    "dark brown",
    "brown",
    "light brown",
    "beige",
    "yellow",
    "dark green",
    "green",
    "light green",
    "turquoise",
    "dark blue",
    "blue",
    "light blue",
    "dark purple",
    "purple",
    "light purple",
)
_BITS = 6  # of each channel, as the table's index
_BINS = 16  # of each of the three channels
_LOG2_WIDTH = 4
_BIN_WIDTH = 1 << _LOG2_WIDTH  # grey levels
_HALF, _LEAST, _MOST = np.int16(_BINS // 2), np.int16(0), np.int16(_BINS - 1)
_FIRST_BINS = np.arange(3)[:, None] * _BINS  # of each channel
HISTOGRAM_LENGTH = 3 * _BINS


def pixels_at(
    color: NDArray[np.uint8], u_px: NDArray[np.integer], v_px: NDArray[np.integer]
) -> NDArray[np.uint8]:
    """The pixels (K, 3) at columns and rows (K,) of an image (H, W, 3), with channels one after the
    other in memory."""
    flat, first = color.reshape(-1), (v_px * color.shape[1] + u_px) * 3
    channels = np.empty((3, len(first)), np.uint8)
    for number, values in enumerate(channels):
        flat.take(first + number, out=values, mode="clip")
    return channels.T


def color_shares(
    rgb: NDArray[np.uint8], owner: NDArray[np.integer], count: int
) -> NDArray[np.float32]:
    """Shares of `COLOR_NAMES` in the pixels of each object: (count, 24) float32, rows sum to 1.

    Args:
        rgb: (K, 3), the pixels of all objects; fastest with channels one after the other.
        owner: (K,) in [0, count), the object of each pixel; every object has at least one.
    """
    names = len(COLOR_NAMES)
    hits = np.bincount(owner * names + _names_of(rgb), minlength=count * names)
    hits = hits.reshape(count, names)
    shares: NDArray[np.float32] = (hits / hits.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares


def color_name(rgb: tuple[float, float, float]) -> str:
    """The name of one sRGB colour, 0..255."""
    pixel = np.clip(np.rint(rgb), 0, 255).astype(np.uint8)
    return COLOR_NAMES[int(_names_of(pixel.reshape(1, 3))[0])]


def _names_of(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Positions in `COLOR_NAMES` (K,) of pixels (K, 3)."""
    red, green, blue = (rgb.T >> (8 - _BITS)).astype(np.int32)
    return _table().take((red << 2 * _BITS) + (green << _BITS) + blue)


@cache
def _table() -> NDArray[np.uint8]:
    """Position in `COLOR_NAMES` for each cell of the RGB cube."""
    levels = ((np.arange(1 << _BITS) + 0.5) / (1 << _BITS)).astype(np.float32)
    cube = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1)
    lightness, a, b = cv2.cvtColor(cube.reshape(-1, 1, 3), cv2.COLOR_RGB2LAB).reshape(-1, 3).T
    regions = _regions(lightness, np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360.0)
    positions = [np.uint8(COLOR_NAMES.index(name)) for name, _ in regions]
    return np.select([region for _, region in regions], positions, default=np.uint8(255))


def _regions(
    lightness: NDArray[np.float32], chroma: NDArray[np.float32], hue: NDArray[np.float32]
) -> list[tuple[str, NDArray[np.bool_]]]:
    """Colour names and their regions, of which the first match counts; hue in degrees.

    The borders were fitted to xkcd's colour survey (93 % of its 430 names that end in a plain
    colour are reproduced) and to ScanNet's annotations, where cameras show colours duller, darker
    and warmer than colour charts.
    """
    saturation = chroma / (lightness + 16.0)
    # Warm light tints white and grey objects, and camera noise tints dark ones.
    warm = (hue >= 45.0) & (hue < 115.0)
    neutral = saturation < np.where(warm, 0.16, 0.125)
    neutral |= (lightness < 8.0) & (chroma < 20.0)
    neutral |= (lightness < 20.0) & (chroma < 9.0)
    pale = saturation < np.where(hue < 85.0, 0.42, 0.47)
    reddish = hue < 46.0
    return [
        ("black", neutral & (lightness < 24.0)),
        ("dark grey", neutral & (lightness < 40.0)),
        ("grey", neutral & (lightness < 66.0)),
        ("light grey", neutral & (lightness < 80.0)),
        ("white", neutral),
        ("pink", (hue >= 334.0) & (lightness >= 36.0)),
        ("dark purple", (hue >= 334.0) & (hue < 350.0)),
        ("dark red", hue >= 350.0),
        ("pink", (hue < 10.0) & (lightness >= 42.0)),
        ("pink", (hue < 20.0) & (lightness >= 48.0)),
        ("pink", reddish & (saturation < 0.6) & (lightness >= 60.0)),
        ("brown", (hue >= 20.0) & reddish & (saturation < 0.45) & (lightness >= 26.0)),
        ("dark brown", (hue >= 20.0) & reddish & (saturation < 0.45)),
        ("dark red", reddish & (lightness < 34.0)),
        ("red", reddish),
        ("beige", (hue < 112.0) & pale & (lightness >= 64.0)),
        ("orange", (hue < 78.0) & (lightness >= 52.0) & (saturation >= 0.55)),
        ("orange", (hue < 60.0) & (lightness >= 46.0) & (saturation >= 0.9)),
        ("dark brown", (hue < 95.0) & (lightness < 26.0)),
        ("brown", (hue < 95.0) & (lightness < 48.0)),
        ("light brown", (hue < 95.0) & (lightness < 62.0)),
        ("light brown", (hue < 85.0) & pale),
        ("yellow", (hue < 110.0) & (lightness >= 62.0)),
        ("dark green", (hue < 162.0) & (lightness < 36.0)),
        ("light green", (hue < 162.0) & (lightness >= 82.0)),
        ("green", hue < 162.0),
        ("turquoise", hue < 207.0),
        ("light purple", (hue >= 302.0) & (lightness >= 62.0)),
        ("dark blue", (hue < 309.0) & (lightness < 24.0)),
        ("light blue", (hue < 309.0) & (lightness >= 66.0)),
        ("blue", hue < 309.0),
        ("dark purple", lightness < 25.0),
        ("purple", hue < 334.0),
    ]


def color_histograms(
    rgb: NDArray[np.uint8], owner: NDArray[np.integer], count: int
) -> NDArray[np.float32]:
    """Colour histograms (count, 48) float32, each of sum 1: three marginals of 16 bins.

    The channels are opponent colours: brightness, red against green, yellow against blue. Light
    that changes moves the first and leaves the others nearly alone. The colour differences of
    things indoors are small, so their bins cover half of the possible range and the outer ones
    hold the rest. Compare by intersection: the sum of the smaller of both values, in [0, 1].

    Args:
        rgb: (K, 3), the pixels of all objects; fastest with channels one after the other.
        owner: (K,) in [0, count), the object of each pixel; every object has at least one.
    """
    red, green, blue = rgb.T.astype(np.int16)
    yellow = red + green
    bins = np.empty((3, len(owner)), np.intp)
    bins[0] = (yellow + blue) // (3 * _BIN_WIDTH)
    bins[1] = _centered_bin(red - green)
    bins[2] = _centered_bin((yellow >> 1) - blue)
    bins += owner * HISTOGRAM_LENGTH
    bins += _FIRST_BINS
    hits = np.bincount(bins.reshape(-1), minlength=count * HISTOGRAM_LENGTH).reshape(
        count, HISTOGRAM_LENGTH
    )
    histograms: NDArray[np.float32] = (hits / hits.sum(axis=1, keepdims=True)).astype(np.float32)
    return histograms


def _centered_bin(difference: NDArray[np.int16]) -> NDArray[np.int16]:
    bins = (difference >> _LOG2_WIDTH) + _HALF
    np.maximum(bins, _LEAST, out=bins)
    return np.minimum(bins, _MOST, out=bins)
