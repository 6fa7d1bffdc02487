"""The names of colours, pixel by pixel, through a lookup table.

A name is a region of CIELAB (D65, CIE 015) in lightness L, hue and saturation C / (L + 16). Light
that fades scales L + 16, a and b by one factor, so hue and saturation stay as they are in shadow,
and lightness alone tells brown from orange and dark from light.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

# Of each kind from dark to light.
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
_BITS = 6  # of each channel that the table looks at
_STRIDES = np.array([1 << 2 * _BITS, 1 << _BITS, 1], np.float32)


def color_shares(
    rgb: NDArray[np.uint8], owner: NDArray[np.integer], count: int
) -> NDArray[np.float32]:
    """What share of its pixels bears each of `COLOR_NAMES`: (count, 24) float32, rows of sum 1.

    Args:
        rgb: (K, 3), the pixels of all objects.
        owner: (K,) in [0, count): whose pixel it is; every object has at least one.
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
    cells = (rgb >> (8 - _BITS)).astype(np.float32) @ _STRIDES  # exact: below 2 ** 24
    return _table().take(cells.astype(np.intp))


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
    """Names and where they hold, the first one that does; hue in degrees.

    The borders were chosen by xkcd's survey of what people call colours (of its 430 names that end
    in a plain colour 93 % come out so) and by what annotators called ScanNet's objects, which
    cameras show duller, darker and warmer than colour charts are.
    """
    saturation = chroma / (lightness + 16.0)
    # Warm light tints white and grey things, and the noise of a camera tints dark ones.
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
