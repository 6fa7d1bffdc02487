"""How well things look as said: colours by name, sizes against their like, forms by their box."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scenemind.memory import MapObject
from scenemind.reasoning.symbolic.lexicon import COLOURS, base_colour
from scenemind.reasoning.symbolic.referring.space import Space, Vector
from scenemind.words.tables import read_table

# Said colour -> seen colour -> how well it fits.
_COLOURS: dict[str, dict[str, float]] = read_table(
    "scenemind.reasoning.symbolic.referring", "colours.yaml"
)
# Of a colour that is hardly called so, and of none that is known.
_UNLIKE, _UNKNOWN = 0.03, 0.3
_DARKNESS = {"black": 2, "dark": 1, "light": -1, "white": -2}
# How much a word is for the dark.
_SHADES = {"dark": 1, "darker": 2, "darkest": 2, "light": -1, "lighter": -2, "lightest": -2}
# Word -> what grows with it, and the sign; the most extreme fits best.
_SIZES = {
    **dict.fromkeys(("small", "tiny", "little"), ("volume", -1)),
    **dict.fromkeys(("smaller", "smallest"), ("volume", -2)),
    **dict.fromkeys(("large", "big", "huge"), ("volume", 1)),
    **dict.fromkeys(("larger", "largest", "bigger", "biggest"), ("volume", 2)),
    "tall": ("height", 1), "taller": ("height", 2), "tallest": ("height", 2),
    "short": ("height", -1), "shorter": ("height", -2), "shortest": ("height", -2),
    "long": ("length", 1), "longer": ("length", 2), "longest": ("length", 2),
    "wide": ("length", 1), "wider": ("length", 2), "widest": ("length", 2), "thick": ("width", 1),
    **dict.fromkeys(("narrow", "thin", "skinny"), ("width", -1)),
    **dict.fromkeys(("narrower", "narrowest", "thinner", "thinnest", "skinniest"), ("width", -2)),
    "low": ("top", -1), "high": ("top", 1),
}  # fmt: skip
_ROUND = frozenset(("round", "rounded", "circular", "square"))
_OBLONG = frozenset(("rectangular", "long", "oval"))
# Words that colours and boxes say something about.
LOOKS_KNOWN = frozenset((*COLOURS, "gold", *_SHADES, *_SIZES, *_ROUND, *_OBLONG))


def kind_of_look(trait: str) -> str:
    """Which weight a trait's scores take."""
    if trait in _SHADES:
        return "shade"
    if trait in _SIZES:
        return "comparison" if abs(_SIZES[trait][1]) > 1 else "size"
    return "form" if trait in _ROUND or trait in _OBLONG else "colour"


def look_scores(
    trait: str, things: Sequence[MapObject], space: Space, like: Vector
) -> Vector | None:
    """(N,) in (0, 1]; None for a word that boxes and colours say nothing about.

    Args:
        like: (N,) how well each is what is spoken of: sizes are compared among these.
    """
    if trait in COLOURS or trait == "gold":
        return _colour_scores(COLOURS.get(trait, "yellow"), things)
    if trait in _SHADES:
        return _shade_scores(trait, things)
    if trait in _SIZES:
        return _size_scores(trait, space, like)
    if trait in _ROUND or trait in _OBLONG:
        ratio = space.size[:, :2].min(axis=1) / np.maximum(space.size[:, :2].max(axis=1), 1e-6)
        fit = np.exp(-(1.0 - ratio) / 0.4)
        return np.asarray(fit if trait in _ROUND else 1.0 - 0.7 * fit)
    return None


def _colour_scores(wanted: str, things: Sequence[MapObject]) -> Vector:
    fits = _COLOURS.get(wanted, {wanted: 1.0})

    def fit(thing: MapObject) -> float:
        seen = thing.attributes.get("color", "")
        if not seen:
            return _UNKNOWN
        return fits.get(seen, fits.get(base_colour(seen), _UNLIKE))

    return np.array([fit(thing) for thing in things])


def _shade_scores(wanted: str, things: Sequence[MapObject]) -> Vector:
    sign = _SHADES[wanted]

    def shade(thing: MapObject) -> float:
        words = thing.attributes.get("color", "").split()
        return sum(_DARKNESS.get(word, 0) for word in words)

    shades = np.array([shade(thing) for thing in things], float)
    return np.asarray(1.0 / (1.0 + np.exp(-sign * shades)))


def _size_scores(trait: str, space: Space, like: Vector) -> Vector:
    quantity, strength = _SIZES[trait]
    flat = np.sort(space.size[:, :2], axis=1)
    values = {
        "volume": np.log(np.maximum(np.prod(np.maximum(space.size, 0.02), axis=1), 1e-6)),
        "height": np.log(np.maximum(space.size[:, 2], 0.02)),
        "length": np.log(np.maximum(flat[:, 1], 0.02)),
        "width": np.log(np.maximum(flat[:, 0], 0.02)),
        "top": space.high[:, 2],
    }[quantity]
    among = values[like > 0.5 * like.max()] if like.any() else values
    best = among.max() if strength > 0 else among.min()
    return np.asarray(
        np.exp(-np.abs(strength) * np.maximum(np.sign(strength) * (best - values), 0.0) / 0.6)
    )
