"""Closed classes of words (`lexicon.yaml`): relations, sides, attributes, ranks, small words.

Phrases are tuples of lower-case words; where several fit, the longest counts. A phrase has one
meaning, whoever reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scenemind.language.english import read_table
from scenemind.language.relation_names import RELATION_NAMES
from scenemind.language.trees import Attribute, Superlative

# Owner that stands for the speaker, whose name the caller knows.
SPEAKER = "me"
Phrase = tuple[str, ...]
_DATA: Mapping[str, Any] = read_table("scenemind.language", "lexicon.yaml")
_LONGEST = 8  # words of a phrase


def _phrases(table: Mapping[str, Iterable[str]]) -> dict[Phrase, str]:
    return {tuple(form.split()): name for name, forms in table.items() for form in forms}


def _values(table: str) -> dict[str, Any]:
    """Word -> the name of its list."""
    return {word: name for name, words in _DATA[table].items() for word in words}


def _words(name: str) -> frozenset[str]:
    return frozenset(_DATA["words"][name])


def sided(side: str) -> list[str]:
    """Phrases such as "to the left" and "on your left hand side"."""
    hands = (side, *(f"{side} {hand}" for hand in _DATA["sides"]["after"]))
    return [f"{start} {hand}" for start in _DATA["sides"]["before"] for hand in hands]


_ALL_RELATIONS = _phrases(_DATA["relations"]) | _phrases(
    {
        f"{side} of": [f"{way} of" for way in (*sided(side), side, f"{side} side")]
        for side in ("left", "right")
    }
)


# Those that the scene graph knows, and "with".
RELATIONS = {
    form: name for form, name in _ALL_RELATIONS.items() if name == "with" or name in RELATION_NAMES
}


# In free text these relate things too; elsewhere they are verbs and prepositions.
FREE_RELATIONS = _ALL_RELATIONS | _phrases(_DATA["relations_in_free_text"])


# "Far from" compares where one of several is meant.
COMPARING = frozenset(("closest", "farthest"))


PREDICATES = tuple(name for name in RELATION_NAMES if name not in COMPARING | {"far"})


# Phrase -> the side or place of a group or a room.
PLACES = _phrases(_DATA["places"])


# Phrase -> the kind of view; only after words that open one.
VIEWS = _phrases(_DATA["views"])


# Word before a noun -> its side of a group.
SIDE_WORDS: dict[str, str] = _values("side_words")


COLOURS: dict[str, str] = _values("colours")


SIZES: dict[str, str] = _values("sizes")


# Said after "is": a word before a noun may be part of a name ("paper towel", "round table").
QUALITIES: dict[str, Attribute] = _values("qualities")


ATTRIBUTE_NAMES: dict[str, Attribute] = _values("attribute_names")


SUPERLATIVES: dict[str, Superlative] = _values("superlatives")


# Word before a noun in free text -> attribute and value.
LOOKS: dict[str, tuple[Attribute, str]] = {
    word: (key, value)
    for key, forms in _DATA["looks"].items()
    for value, words in forms.items()
    for word in words
}


# There comparatives choose too: "the larger one".
RANKS: dict[str, Superlative] = _values("ranks")


SHADES = _words("shades")


# Materials that are also nouns: "the water glass".
MASSES = _words("masses")


ADJECTIVES = frozenset(QUALITIES) - MASSES - {"square"}


# Materials of several words.
MATERIALS = _phrases({"material": _DATA["words"]["long_materials"]})


USES = _words("uses")


POSTURES = _words("postures")


DEFINITE = _words("definite")


INDEFINITE = _words("indefinite")


ANYTHING = _words("anything")


ANYBODY = _words("anybody")


VIEWERS = _words("viewers")


POINTERS = _words("pointers")


BE = _words("be")


NOUN_END = _words("noun_end") | BE


AFTER_SUBJECT = _words("after_subject")


OF_VIEWER = _words("of_viewer")


# Canonical name -> its form in answers, where that differs.
_SPOKEN = {
    "supports": "supporting",
    "inside": "in",
    "contains": "containing",
    "embeds": "embedding",
    "besides": "beside",
    "far": "far from",
    "within reach": "within reach of",
}


def free_text(name: str) -> frozenset[str]:
    """A list of small words of referring expressions in free wording."""
    return frozenset(_DATA["free_text"][name])


def longest(table: Mapping[Phrase, str], words: tuple[str, ...], start: int) -> tuple[str, int]:
    """Name and length of the longest phrase of the table at a position; ("", 0) for none."""
    for length in range(min(_LONGEST, len(words) - start), 0, -1):
        phrase = words[start : start + length]
        if phrase in table:
            return table[phrase], length
    return "", 0


def spoken(predicate: str) -> str:
    """A relation as answers say it before its anchor; the grammar reads it back."""
    if predicate.endswith("o'clock"):
        return f"at {predicate} of"
    return _SPOKEN.get(predicate, predicate)


def base_colour(name: str) -> str:
    """The plain colour in a name ("dark gray" -> "grey"); the name itself where none is known."""
    last = name.lower().replace("-", " ").split()[-1:]
    return COLOURS.get(last[0], last[0]) if last else ""
