"""How well an object's attributes fit what was said of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.sayings import said_score
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.syntax import HasAttribute

_EXACT, _SAME_COLOUR, _LIKE_COLOUR, _RELATIVE_SIZE = 1.0, 0.9, 0.5, 0.8
# "The red chair" means the one that is all red rather than the one that is black and red.
_ONE_OF_SEVERAL = 0.8
# Longest sides must differ this much before one of the things is "the small one".
_SIZE_SPREAD = 1.15
# Colours that cameras and people give one another's names.
_ALIKE = frozenset(
    frozenset(pair)
    for pair in (
        ("black", "dark grey"), ("black", "dark brown"), ("black", "dark blue"),
        ("white", "light grey"), ("white", "beige"),
        ("brown", "beige"), ("brown", "orange"), ("brown", "red"), ("red", "pink"),
        ("red", "orange"), ("yellow", "beige"), ("yellow", "orange"), ("blue", "purple"),
        ("blue", "green"), ("blue", "grey"), ("purple", "pink"), ("beige", "grey"),
    )
)  # fmt: skip


def attribute_scores(scene: Scene, candidates: Scores, wanted: HasAttribute) -> Scores:
    """Scores (N,) of the candidates (those above 0); without regard to negation."""
    score = _colour_score if wanted.key == "color" else _plain_score
    if wanted.key in ("color", "size"):
        return _of_values(scene, candidates, wanted, score)
    scores = np.zeros(len(scene))
    for row in np.flatnonzero((candidates > 0.0) & scene.is_object):
        scores[row] = said_score(scene.objects[row], wanted.key, wanted.value)
    return scores


def similar_scores(scene: Scene, candidates: Scores, wanted: HasAttribute) -> Scores:
    """Scores (N,) of what comes near where nothing fits: a like colour, the smaller of several."""
    if wanted.key == "color":
        return _of_values(scene, candidates, wanted, _alike_score)
    scores = np.zeros(len(scene))
    rows = np.flatnonzero(candidates > 0.0)
    if wanted.key == "size" and len(rows):
        scores[rows] = _relative_size(scene.size[rows].max(axis=1), wanted.value)
    return scores


def _of_values(
    scene: Scene, candidates: Scores, wanted: HasAttribute, score: Callable[[str, str], float]
) -> Scores:
    scores = np.zeros(len(scene))
    for row in np.flatnonzero(candidates > 0.0):
        value = scene.objects[row].attributes.get(wanted.key, "").lower()
        scores[row] = score(wanted.value, value) if value else 0.0
    return scores


def _plain_score(wanted: str, value: str) -> float:
    return _EXACT * (wanted == value)


def _colour_score(wanted: str, value: str) -> float:
    """Every colour that was said is one of the thing's."""
    said, seen = wanted.split(" and "), value.split(" and ")
    score = min(max(_one_colour_score(a, b) for b in seen) for a in said)
    return score if len(said) >= len(seen) else score * _ONE_OF_SEVERAL


def _one_colour_score(wanted: str, value: str) -> float:
    if lexicon.base_colour(wanted) != lexicon.base_colour(value):
        return 0.0
    return _EXACT if wanted == value.replace("gray", "grey") else _SAME_COLOUR


def _alike_score(wanted: str, value: str) -> float:
    said, seen = (
        {name for colour in text.split(" and ") for name in (colour, lexicon.base_colour(colour))}
        for text in (wanted, value)
    )
    alike = any(frozenset((a, b)) in _ALIKE for a in said for b in seen)
    return _LIKE_COLOUR if alike else 0.0


def _relative_size(longest_m: NDArray[np.float64], wanted: str) -> Scores:
    if len(longest_m) < 2 or longest_m.max() < _SIZE_SPREAD * longest_m.min():
        return np.zeros(len(longest_m))
    middle = (longest_m.max() + longest_m.min()) / 2.0
    if wanted == "medium":
        return np.zeros(len(longest_m))
    fits = longest_m < middle if wanted == "small" else longest_m > middle
    return np.where(fits, _RELATIVE_SIZE, 0.0)
