"""How well an object's attributes fit what was said of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.syntax import HasAttribute

_EXACT, _SAME_COLOUR, _LIKE_COLOUR, _RELATIVE_SIZE = 1.0, 0.9, 0.5, 0.8
# Longest sides must differ this much before one of the things is "the small one".
_SIZE_SPREAD = 1.15
# Colours that cameras and people give one another's names.
_ALIKE = frozenset(
    frozenset(pair)
    for pair in (
        ("black", "dark grey"), ("black", "dark brown"), ("black", "dark blue"),
        ("grey", "black"), ("grey", "white"), ("white", "light grey"), ("white", "beige"),
        ("brown", "beige"), ("brown", "orange"), ("brown", "red"), ("red", "pink"),
        ("red", "orange"), ("yellow", "beige"), ("yellow", "orange"), ("blue", "purple"),
        ("blue", "green"), ("blue", "grey"), ("purple", "pink"), ("beige", "grey"),
    )
)  # fmt: skip


def attribute_scores(
    scene: Scene, candidates: Scores, wanted: HasAttribute, lenient: bool
) -> Scores:
    """Scores (N,) of the candidates (those above 0); without regard to negation.

    Args:
        lenient: where nothing fits, take what comes near: a similar colour, or the smaller of the
            candidates for "the small one". For phrases that say the thing exists.
    """
    scores = np.zeros(len(scene))
    rows = np.flatnonzero(candidates > 0.0)
    values = [scene.objects[row].attributes.get(wanted.key, "").lower() for row in rows]
    if wanted.key == "color":
        scores[rows] = [_colour_score(wanted.value, value) for value in values]
        if lenient and not scores.any():
            scores[rows] = [_alike_score(wanted.value, value) for value in values]
        return scores
    scores[rows] = [_EXACT * (value == wanted.value) for value in values]
    if wanted.key == "size" and lenient and not scores.any():
        scores[rows] = _relative_size(scene.size[rows].max(axis=1), wanted.value)
    return scores


def _colour_score(wanted: str, value: str) -> float:
    if not value:
        return 0.0
    if lexicon.base_colour(wanted) != lexicon.base_colour(value):
        return 0.0
    return _EXACT if wanted == value.replace("gray", "grey") else _SAME_COLOUR


def _alike_score(wanted: str, value: str) -> float:
    names = ({wanted, lexicon.base_colour(wanted)}, {value, lexicon.base_colour(value)})
    alike = any(frozenset((a, b)) in _ALIKE for a in names[0] for b in names[1])
    return _LIKE_COLOUR if alike and value else 0.0


def _relative_size(longest_m: NDArray[np.float64], wanted: str) -> Scores:
    if len(longest_m) < 2 or longest_m.max() < _SIZE_SPREAD * longest_m.min():
        return np.zeros(len(longest_m))
    middle = (longest_m.max() + longest_m.min()) / 2.0
    if wanted == "medium":
        return np.zeros(len(longest_m))
    fits = longest_m < middle if wanted == "small" else longest_m > middle
    return np.where(fits, _RELATIVE_SIZE, 0.0)
