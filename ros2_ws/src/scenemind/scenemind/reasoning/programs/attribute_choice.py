"""Which of several words fits what is known of an object best."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.memory import MapObject
from scenemind.memory.finding.attribute_words import words_in
from scenemind.reasoning.programs.colors import color_distance
from scenemind.words.english import word_set
from scenemind.words.quoting import tame
from scenemind.words.thesaurus import Thesaurus

UNKNOWN = "unknown"
_DENIALS = word_set("not no never without")
# Colours that differ more are no names for one surface (CIELAB, as in "brown" and "orange").
_SAME_SURFACE = 40.0
# Width by length.
_SQUARE = 0.85


def best_candidate(thing: MapObject, name: str, candidates: Sequence[str]) -> str:
    """The candidate that says what an attribute of an object says, in the same or in other words;
    of colours the one that looks most like it. Where none fits the attribute's own value, and
    "unknown" where that is not known.

    What a model or a person said of the object elsewhere counts where the attribute is missing.

    Args:
        name: such as color, shape, material, state.
        candidates: at least one.
    """
    value = tame(thing.attributes.get(name, "")).lower()
    scores = [_said(value, candidate) for candidate in candidates]
    if max(scores) == 0.0 and name == "color" and value:
        nearest = min(candidates, key=lambda candidate: color_distance(value, candidate))
        return nearest if color_distance(value, nearest) <= _SAME_SURFACE else value
    if max(scores) == 0.0 and not value:
        others = [thing.attributes.get(key, "") for key in sorted(thing.attribute_sources)]
        scores = [max((_said(o, c) for o in others), default=0.0) for c in candidates]
    if max(scores) == 0.0:
        return value or UNKNOWN
    best = [c for c, score in zip(candidates, scores, strict=True) if score == max(scores)]
    if name == "shape":  # one word for both
        best.sort(key=lambda candidate: ("square" in candidate.lower()) != _is_square(thing))
    return best[0]


def _is_square(thing: MapObject) -> bool:
    """Seen from above."""
    length, width, _ = thing.yaw_box.size
    return min(length, width) >= _SQUARE * max(length, width)


def _said(value: str, candidate: str) -> float:
    """In [0, 1]: share of the candidate's words that are said, a little less for synonyms."""
    said, wanted = set(words_in(value)), words_in(candidate)
    if not wanted or said & _DENIALS:
        return 0.0
    return sum(_said_word(word, said) for word in wanted) / len(wanted)


def _said_word(word: str, said: set[str]) -> float:
    if word in said:
        return 1.0
    return 0.9 if Thesaurus.load().attribute_words(word) & said else 0.0
