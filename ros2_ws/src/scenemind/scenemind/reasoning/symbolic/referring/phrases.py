"""Phrases of referring expressions and what they stand for, from `phrases.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scenemind.words.english import word_set
from scenemind.words.tables import read_table

Phrase = tuple[str, ...]

_DATA = read_table("scenemind.reasoning.symbolic.referring", "phrases.yaml")
_DEPTHS = {
    "top": ("top", "upper"),
    "bottom": ("bottom", "lower"),
    "front": ("front", "near"),
    "back": ("back", "rear"),
}


def _table(forms: Mapping[str, Iterable[str]]) -> dict[Phrase, str]:
    return {tuple(form.split()): name for name, of in forms.items() for form in of}


def _words(name: str) -> frozenset[str]:
    return frozenset(_DATA["words"][name])


def _sides(side: str) -> list[str]:
    """ "to the left", "on your left hand side", ..."""
    hands = (side, *(f"{side} {hand}" for hand in _DATA["sides"]["after"]))
    return [f"{start} {hand}" for start in _DATA["sides"]["before"] for hand in hands]


def _corners(depth: str, side: str) -> list[str]:
    """ "in the upper left corner", "on the far right side", ..."""
    starts = ("in the", "on the", "at the", "to the", "in the far", "on the far")
    ends = ("", " side", " hand side", " corner", " end")
    whole = [f"{s} {word} {side}{e}" for word in _DEPTHS[depth] for s in starts for e in ends]
    return whole + [f"{s} {word} {side} corner" for word in _DEPTHS[depth] for s in ("the", "far")]


# Phrase -> the side or place; two words for a corner of a view ("top left").
PLACES = _table(
    {
        **_DATA["places"],
        "left": _sides("left"),
        "right": _sides("right"),
        **{f"{d} {side}": _corners(d, side) for d in _DEPTHS for side in ("left", "right")},
    }
)
RELATIONS = _table(_DATA["relations"]) | _table(
    {f"{side} of": [f"{way} of" for way in _sides(side)] for side in ("left", "right")}
)
# Phrase -> the kind of view. They count right after what says that one is spoken of.
VIEWS = _table(_DATA["views"])
VIEW_OPENERS = _words("view_openers")
# Words on the look of a thing, and on its place in a group.
LOOKS = _words("looks")
SIDE_WORDS = {phrase[0]: side for phrase, side in _table(_DATA["side_words"]).items()}
# Nobody says these between two words of one noun.
STARTERS = (
    frozenset(SIDE_WORDS) - word_set("corner top back front center centre")
    | word_set("far second third fourth fifth smaller smallest larger largest closest farthest")
    | word_set("furthest nearest")
)
# What a can may be of: "can" is a verb elsewhere.
OF_CANS = _words("of_cans")
GENERIC = _words("generic")
ROOMS = _words("rooms")
PRONOUNS = _words("pronouns")
BE = _words("be")
DETERMINERS = _words("determiners")
NOT = _words("not")
# Words that carry nothing here: verbs, postures ("sitting"), helpers.
FUNCTION = _words("function")
# "A set of", "two rolls of": what follows is the thing.
PARTITIVES = _words("partitives")
