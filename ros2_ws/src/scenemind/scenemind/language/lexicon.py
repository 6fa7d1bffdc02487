"""Closed classes of words (`lexicon.yaml`): relations, sides, attributes, ranks, small words.

Phrases are tuples of lower-case words; where several fit, the longest counts. A phrase has one
meaning, whoever reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from scenemind.language.english import is_plural, read_table
from scenemind.language.relation_names import RELATION_NAMES
from scenemind.language.trees import Attribute, Superlative

# Owner that stands for the speaker, whose name the caller knows.
SPEAKER = "me"
Phrase = tuple[str, ...]
_DATA: Mapping[str, Any] = read_table("scenemind.language", "lexicon.yaml")


class PhraseTable(dict[Phrase, Any]):
    """Phrases and their names."""

    def __init__(self, names: Mapping[Phrase, Any]) -> None:
        super().__init__(names)
        self._longest: dict[str, int] = {}
        for first, *more in names:
            self._longest[first] = max(self._longest.get(first, 0), 1 + len(more))

    def lengths(self, words: Sequence[str], start: int) -> range:
        """Lengths that a phrase from this word on may have, the longest first."""
        most = self._longest.get(words[start], 0) if start < len(words) else 0
        return range(min(most, len(words) - start), 0, -1)

    def longest(self, words: Sequence[str], start: int) -> tuple[Any, int]:
        """Name and length of the longest phrase from a word on; ("", 0) for none."""
        if start >= len(words) or words[start] not in self._longest:
            return "", 0
        for length in self.lengths(words, start):
            phrase = tuple(words[start : start + length])
            if phrase in self:
                return self[phrase], length
        return "", 0


def _phrases(table: Mapping[str, Iterable[str]]) -> PhraseTable:
    return PhraseTable({tuple(form.split()): name for name in table for form in table[name]})


def _values(table: str) -> dict[str, Any]:
    """Word -> the name of its list."""
    return {word: name for name, words in _DATA[table].items() for word in words}


def _words(name: str) -> frozenset[str]:
    return frozenset(_DATA["words"][name])


def _said_by(pattern: str, *names: str) -> re.Pattern[str]:
    """A pattern with one word of a list in each gap."""
    return re.compile(pattern.format(*(f"(?:{'|'.join(_DATA['words'][n])})" for n in names)))


_SIDES = ("left", "right")


def sided(side: str) -> list[str]:
    """Phrases such as "to the left" and "on your left hand side"."""
    return _ways(side, "before")


def _ways(side: str, starts: str) -> list[str]:
    hands = (side, *(f"{side} {hand}" for hand in _DATA["sides"]["after"]))
    return [f"{start} {hand}" for start in _DATA["sides"][starts] for hand in hands]


def _corners() -> PhraseTable:
    """Phrases such as "on the upper left side" and "in the far left corner"."""
    said, table = _DATA["corners"], {}
    for depth, side in product(said["depths"], _SIDES):
        for word, end in product(said["depths"][depth], ("", "corner", *_DATA["sides"]["after"])):
            is_corner = end == "corner"
            place = f"{depth} {side}{' corner' * is_corner}"
            for start in (*said["before"], *said["before_corner"] * is_corner):
                table[tuple(f"{start} {word} {side} {end}".split())] = place
    return PhraseTable(table)


def _of_sides(starts: str, name: str) -> PhraseTable:
    return _phrases({name.format(side): _ways(side, starts) for side in _SIDES})


_ALL_RELATIONS = _phrases(_DATA["relations"]) | _phrases(
    {f"{side} of": [f"{way} of" for way in (*sided(side), side, f"{side} side")] for side in _SIDES}
)
# Those that the scene graph does not know, and that hold where boxes lie so.
OF_BOXES = ("at the end of", "in the corner of", "opposite")
# Of two things: on the side of the first where the second is, or on the other one.
TOWARD, AWAY = "toward", "away from"
# Those that hold or not, and "with".
_DECIDED = frozenset((*RELATION_NAMES, *OF_BOXES, "with"))
RELATIONS = PhraseTable({form: name for form, name in _ALL_RELATIONS.items() if name in _DECIDED})
# In free text these relate things too; elsewhere they are verbs and prepositions.
FREE_RELATIONS = PhraseTable(_ALL_RELATIONS | _phrases(_DATA["relations_in_free_text"]))
# Places of the one who asks: "on my left", "within my reach".
OWN_PLACES = PhraseTable(_of_sides("own", "{} of") | _phrases(_DATA["own_places"]))
# "On the left", "from the right-hand side", "from the back" -> the end of a row.
ROW_SIDES = PhraseTable(
    _of_sides("of_row", "{}")
    | _phrases({end: _ways(end, "counted_from") for end in ("front", "back", "top", "bottom")})
)
# "Far from" compares where one of several is meant.
COMPARING = frozenset(("closest", "farthest"))
PREDICATES = (*(name for name in RELATION_NAMES if name not in COMPARING | {"far"}), *OF_BOXES)
# Phrase -> the side or place of a group or a room; two words for a corner of a view ("top left").
PLACES = PhraseTable(_phrases(_DATA["places"]) | _of_sides("before", "{}") | _corners())
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
MOST_OF: dict[str, str] = _values("most_of")
"""Superlative -> the colour of which it says the most."""
RANKS: dict[str, Superlative] = _values("ranks")
COMPARATIVES: dict[str, Superlative] = _values("comparatives")
# Before a number of things, and what it bounds: "more than" (two chairs).
QUANTITIES = _phrases(_DATA["quantities"])
SHADES = _words("shades")
# Materials that are also nouns: "the water glass".
MASSES = _words("masses")
ADJECTIVES = frozenset(QUALITIES) - MASSES - {"square"}
# Materials of several words.
MATERIALS = _phrases({"material": _DATA["words"]["long_materials"]})
# Before things that are left out.
EXCEPT = _phrases({form: [form] for form in _DATA["words"]["excepting"]})
# The same before "the": "the blue cup, not the red one".
CONTRASTING = _phrases({form: [form] for form in _DATA["words"]["contrasting"]})
# Word -> what no camera tells of things; and what no detector names.
UNSEEN = {word: name for name, words in _DATA["words"]["unseen"].items() for word in words}
STUFF = _words("stuff")
# Before the value of an attribute: "made of".
ATTRIBUTE_VERBS = _phrases(_DATA["attribute_verbs"])
USES = _phrases(_DATA["uses"] | {verb: [verb] for verb in _words("uses")})
# Words before a use that is said of things: "(the thing) that you (sit on)".
_BY_USERS = _said_by(r"(?<=\w)(?: that| which| where)? {}(?: {})* (?=\w+)", "users", "users_may")
POSTURES = _words("postures")
AGENTS, AGENTS_MAY = _words("agents"), _words("agents_may")
_PLURAL_POSTURES = _words("plural_postures")
ADVERBS = _words("adverbs")
DEFINITE = _words("definite")
INDEFINITE = _words("indefinite")
ANYTHING = _words("anything")
ANYBODY = _words("anybody")
KIN = _words("kin")
VIEWERS = _words("viewers")
POINTERS = _words("pointers")
BE = _words("be")
OPENINGS, HOLDING = _words("openings"), _words("holding")
SEATS, UPHOLSTERY = _words("seats"), _words("upholstery")
SURFACES = _words("surfaces") | SEATS
# Parts of the building, which stand in many pieces.
BUILDING = _words("building")
NOUN_END = _words("noun_end") | BE
VERB_FORMS = _words("verb_forms")
# What people did with things: "left", "dropped".
DID = _words("agents_did")
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


def spoken(predicate: str) -> str:
    """A relation as answers say it before its anchor; the grammar reads it back."""
    if predicate.endswith("o'clock"):
        return f"at {predicate} of"
    return _SPOKEN.get(predicate, predicate)


def base_colour(name: str) -> str:
    """The plain colour in a name ("dark gray" -> "grey"); the name itself where none is known."""
    last = name.lower().replace("-", " ").split()[-1:]
    return COLOURS.get(last[0], last[0]) if last else ""


def with_uses(words: Sequence[str]) -> tuple[str, ...]:
    """Words with what a thing is for as one says it of it: "the thing to sit on" of "the thing that
    you sit on"."""
    said = " ".join(words)
    found = _BY_USERS.search(said)
    if found is None or not USES.longest(said[found.end() :].split(), 0)[1]:
        return tuple(words)
    use = at_place(said[found.end() :]) if " where " in found.group() else said[found.end() :]
    return (*said[: found.start()].split(), "to", *use.split())


def at_place(use: str) -> str:
    """A use as one says it of a place: "eat at" of "eat", as one eats no table."""
    words = use.split()
    is_alone = (words[0], "at") in USES and USES.longest(words, 0)[1] == 1  # not "read by"
    return f"{use} at" if is_alone or (*words, "at") in USES else use


def at_posture(words: Sequence[str], at: int) -> bool:
    """Whether a word of posture stands at a place, before a relation or at the end."""
    if at >= len(words):
        return False
    is_verb = words[at] in POSTURES or is_of_several(words, at)
    if not is_verb and words[at] not in ADVERBS:
        return False
    end = at + 1 + (is_verb and "up" in words[at + 1 : at + 2])  # "propped up by"
    return (end == len(words) and is_verb) or RELATIONS.longest(words, end)[1] > 0


def is_of_several(words: Sequence[str], at: int) -> bool:
    """Whether a posture of several things stands at a place: "chairs stand", but not "tv stand"."""
    return at > 0 and words[at] in _PLURAL_POSTURES and is_plural(words[at - 1])


def at_relation(words: Sequence[str], at: int) -> bool:
    """Whether a relation stands at a place, with or without a word of posture before it."""
    return RELATIONS.longest(words, at)[1] > 0 or at_posture(words, at)


# Words that name nothing and tell nothing of how things look or what they are for.
SMALL_WORDS = frozenset(
    {phrase[0] for phrase in FREE_RELATIONS if len(phrase) == 1}.union(
        *map(free_text, ("pronoun", "be", "determiners", "not", "and", "other", "generic")),
        *(free_text("view_openers"), SIDE_WORDS, SUPERLATIVES),
        *(VIEWERS, POSTURES, ANYTHING, ANYBODY, NOUN_END),
    )
)
