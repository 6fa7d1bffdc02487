"""Colour and size words for objects."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D

# Name -> typical sRGB values of things that people call so indoors, where cameras see colours
# duller and darker than on a colour chart. The nearest one in CIELAB (CIE 1976) names a colour.
PALETTE: dict[str, tuple[tuple[int, int, int], ...]] = {
    "black": ((15, 15, 15), (40, 40, 42)),
    "dark grey": ((70, 70, 72),),
    "grey": ((120, 120, 120), (150, 150, 150)),
    "light grey": ((185, 185, 185),),
    "white": ((255, 255, 255), (225, 225, 225)),
    "red": ((210, 30, 35), (130, 25, 30)),
    "orange": ((240, 130, 30),),
    "yellow": ((240, 215, 50), (195, 170, 50)),
    "green": ((50, 160, 70), (35, 85, 45), (110, 150, 75)),
    "blue": ((40, 90, 200), (35, 50, 110), (100, 160, 215), (60, 140, 170)),
    "purple": ((120, 50, 150), (80, 50, 100)),
    "pink": ((240, 150, 185), (225, 80, 150)),
    "brown": ((110, 70, 40), (75, 48, 32), (145, 98, 62)),
    "beige": ((222, 202, 170), (190, 165, 130)),
}

# Longest side in metres from which on an object is medium, large.
MEDIUM_FROM_M = 0.3
LARGE_FROM_M = 1.0


def color_name(rgb: NDArray[np.floating]) -> str:
    """The palette's name for an sRGB colour (3,), 0..255: nearest in CIELAB."""
    r, g, b = (int(min(max(value, 0.0), 255.0) + 0.5) for value in rgb.tolist())
    return _nearest_name(r, g, b)


def size_name(box: Box3D) -> str:
    """`small`, `medium` or `large` by the longest side."""
    longest = max(box.size)
    if longest < MEDIUM_FROM_M:
        return "small"
    return "medium" if longest < LARGE_FROM_M else "large"


@lru_cache(maxsize=8192)
def _nearest_name(r: int, g: int, b: int) -> str:
    names, references = _reference_lab()
    distance = np.linalg.norm(references - _lab(np.array([[r, g, b]])), axis=1)
    return names[int(distance.argmin())]


@lru_cache(maxsize=1)
def _reference_lab() -> tuple[tuple[str, ...], NDArray[np.float32]]:
    names = tuple(name for name, colors in PALETTE.items() for _ in colors)
    return names, _lab(np.array([color for colors in PALETTE.values() for color in colors]))


def _lab(rgb: NDArray[np.integer]) -> NDArray[np.float32]:
    """sRGB (N, 3), 0..255, to CIELAB (D65) (N, 3)."""
    scaled = (rgb.reshape(-1, 1, 3) / 255.0).astype(np.float32)
    return np.asarray(cv2.cvtColor(scaled, cv2.COLOR_RGB2LAB), dtype=np.float32).reshape(-1, 3)
