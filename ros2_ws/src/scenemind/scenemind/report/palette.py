"""A colour for each label: the same in the map, the pictures and the tables."""

from __future__ import annotations

import colorsys
from collections import Counter
from collections.abc import Iterable

# Dark enough for white text and for lines on white paper, and apart from each other.
_FIRST = (
    "#2563b0", "#c2410c", "#15803d", "#9333a8", "#b91c4b", "#0f7f8c", "#8a6100", "#5b46c4",
    "#4d7c0f", "#a8327e", "#1f6f54", "#7a4a2b", "#51606f", "#b4471f",
)  # fmt: skip
_GOLDEN_ANGLE = 0.381966


def colors_of(labels: Iterable[str]) -> dict[str, str]:
    """Label -> `#rrggbb`; frequent labels get the most distinct ones."""
    ranked = sorted(Counter(labels).items(), key=lambda item: (-item[1], item[0]))
    return {label: _color(place) for place, (label, _) in enumerate(ranked)}


def rgb_of(color: str) -> tuple[int, int, int]:
    """`#rrggbb` as numbers."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _color(place: int) -> str:
    if place < len(_FIRST):
        return _FIRST[place]
    red, green, blue = colorsys.hls_to_rgb(place * _GOLDEN_ANGLE % 1.0, 0.29, 0.6)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"
