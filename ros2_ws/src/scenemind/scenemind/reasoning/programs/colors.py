"""How alike two colours look, by their names."""

from __future__ import annotations

import math
from functools import cache

import cv2
import numpy as np

# A typical surface of each name, sRGB.
_TYPICAL = {
    "black": (25, 25, 25), "dark grey": (70, 70, 70), "grey": (128, 128, 128),
    "light grey": (190, 190, 190), "white": (245, 245, 245), "silver": (180, 182, 185),
    "dark red": (110, 20, 20), "red": (200, 35, 35), "maroon": (110, 25, 35),
    "pink": (240, 150, 175), "orange": (235, 130, 40), "gold": (205, 165, 60),
    "dark brown": (65, 42, 28), "brown": (120, 78, 48), "light brown": (170, 125, 85),
    "beige": (215, 195, 165), "tan": (200, 170, 130), "cream": (240, 228, 200),
    "yellow": (240, 215, 60), "dark green": (25, 75, 35), "green": (50, 140, 60),
    "light green": (150, 215, 140), "turquoise": (60, 190, 185), "teal": (20, 125, 125),
    "dark blue": (25, 35, 95), "navy": (20, 25, 85), "blue": (50, 90, 190),
    "light blue": (145, 190, 230), "dark purple": (65, 25, 85), "purple": (125, 60, 150),
    "light purple": (190, 155, 215),
}  # fmt: skip
_SPELLED = (("gray", "grey"), ("violet", "purple"), ("cyan", "turquoise"), ("wooden", "brown"))


def color_distance(one: str, other: str) -> float:
    """Between the closest two of the colours that each names ("black and red"), in CIELAB (CIE
    1976); infinite where one of them names none that is known."""
    pairs = [(a, b) for a in _named(one) for b in _named(other)]
    return min((math.dist(_lab(a), _lab(b)) for a, b in pairs), default=math.inf)


def _named(text: str) -> list[str]:
    text = text.lower()
    for spelled, usual in _SPELLED:
        text = text.replace(spelled, usual)
    parts = (part.strip() for part in text.split(" and "))
    return [part if part in _TYPICAL else part.split(" ")[-1] for part in parts if _is_known(part)]


def _is_known(part: str) -> bool:
    return part in _TYPICAL or part.split(" ")[-1] in _TYPICAL


@cache
def _lab(name: str) -> tuple[float, float, float]:
    rgb = np.array([[_TYPICAL[name]]], np.float32) / np.float32(255.0)
    lightness, a, b = cv2.cvtColor(rgb, cv2.COLOR_RGB2LAB)[0, 0].tolist()
    return lightness, a, b
