"""The colour of an object in words, from counts of its pixels by colour name.

The mean of black and red would be brown, therefore each pixel is named by itself
(`perception.color_names`) and the names are counted. Shades of one surface in light and in shadow
are one colour; highlights and shadows alone are mostly too small to be named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

# Smallest share of the pixels for a second colour to be named.
SHARED = 0.3
# An object whose largest colour has a smaller share is multicoloured.
MAIN = 0.3
MANY = "multicoloured"

# If this share of a surface has a light shade, the darker rest is taken to be in shadow.
LIT = 0.3

_NEUTRALS = ("black", "dark grey", "grey", "light grey", "white")
_NEUTRAL_PARTS = _NEUTRALS[:2], _NEUTRALS[2:3], _NEUTRALS[3:]
# Shades of one colour, from dark to light.
_LADDERS = (
    ("dark red", "red"),
    ("pink",),
    ("orange",),
    ("dark brown", "brown", "light brown"),
    ("beige",),
    ("yellow",),
    ("dark green", "green", "light green"),
    ("turquoise",),
    ("dark blue", "blue", "light blue"),
    ("dark purple", "purple", "light purple"),
)
# Names of one surface in different light: wood is brown, orange or beige, and white objects take
# the tint of the lamp.
_ONE_SURFACE = frozenset(
    frozenset(pair)
    for pair in (
        ("brown", "orange"),
        ("brown", "beige"),
        ("beige", "white"),
        ("beige", "light grey"),
        ("beige", "grey"),
    )
)


@dataclass(slots=True)
class _Group:
    """One colour in all its shades.

    Attributes:
        name: the shade of its lit side. base: the name without "light" or "dark".
        share: of all pixels. core: share of the pixels in about the same light.
    """

    name: str
    base: str
    share: float
    core: float


def color_words(pixels: Mapping[str, float]) -> str | None:
    """ "dark red", "black and red" with the larger share first, or "multicoloured".

    Args:
        pixels: name (`COLOR_NAMES`) -> number of pixels.

    Returns:
        None without any pixel.
    """
    total = sum(pixels.values())
    if total <= 0.0:
        return None
    shares = {name: count / total for name, count in pixels.items() if count > 0.0}
    ranked = _one_of_each_surface(_groups(shares))
    if ranked[0].share < MAIN:
        return MANY
    named = [ranked[0], *(group for group in ranked[1:2] if group.core >= SHARED)]
    return " and ".join(group.name for group in named)


def _groups(shares: Mapping[str, float]) -> list[_Group]:
    """The colours of an object, largest first."""
    ladders = [*_LADDERS, *_neutral_ladders(shares)]
    found = [_group(ladder, shares) for ladder in ladders if any(n in shares for n in ladder)]
    return sorted(found, key=lambda group: -group.share)


def _neutral_ladders(shares: Mapping[str, float]) -> Sequence[Sequence[str]]:
    """One ladder of greys, or two if an object has dark and light parts and less in between."""
    dark, grey, light = (sum(shares.get(name, 0.0) for name in part) for part in _NEUTRAL_PARTS)
    if min(dark, light) <= grey:
        return [_NEUTRALS]
    return [_NEUTRALS[:2], _NEUTRALS[2:]]


def _group(ladder: Sequence[str], shares: Mapping[str, float]) -> _Group:
    steps = [shares.get(name, 0.0) for name in ladder]
    share = sum(steps)
    name = _reached(ladder, steps, 0.5 * share)
    if name != "black":  # that shines
        name = _reached(ladder, steps, (1.0 - LIT) * share)
    if name not in _NEUTRALS:
        return _Group(name, ladder[len(ladder) // 2], share, share)
    # All shades of a hue are one colour, but black and white are not one grey.
    return _Group(name, name, share, max(map(sum, pairwise(steps))))


def _reached(ladder: Sequence[str], steps: Sequence[float], share: float) -> str:
    """The first shade at which the cumulative share reaches `share`."""
    up_to = accumulate(steps)
    return next(name for name, below in zip(ladder, up_to, strict=True) if below >= share)


def _one_of_each_surface(ranked: Sequence[_Group]) -> list[_Group]:
    """Groups, largest first, with those merged that may be one surface in different light."""
    kept: list[_Group] = []
    for group in ranked:
        same = next((k for k in kept if frozenset((k.base, group.base)) in _ONE_SURFACE), None)
        if same is None:
            kept.append(group)
        else:
            same.share += group.share
            same.core += group.share
    return sorted(kept, key=lambda group: -group.share)
