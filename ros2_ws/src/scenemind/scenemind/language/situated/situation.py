"""What a situation says of the things about the asker: "sitting on the couch, facing the table"."""

from __future__ import annotations

import re

from scenemind.language.english import read_table, word_set
from scenemind.language.situated.sentences import Places, normalized, read_phrase, with_parts
from scenemind.language.trees import NounPhrase, Related, Viewer

_TABLE = read_table("scenemind.language.situated", "situation.yaml")
_IS = {
    name: re.compile(with_parts(pattern, _TABLE["parts"]))
    for name, pattern in _TABLE["patterns"].items()
}
_ASKER = (Viewer(),)
_NO_THINGS = word_set(_TABLE["no_things"])

Clue = tuple[NounPhrase, Related]
"""A thing, and how it lies to the asker: it supports them, it is in front of them."""


# A sentence that also says where the asker is: before the question, or after it.
_WITH_SITUATION = [
    re.compile(with_parts(pattern, _TABLE["parts"]), re.IGNORECASE)
    for pattern in _TABLE["with_situation"]
]
_LONGEST, _LONGEST_THING = 1000, 120  # characters


def split_situation(text: str) -> tuple[str, str]:
    """A sentence without what it says of the asker's place, and that; empty where it says nothing.

    "What is on my left when I'm sitting at the desk?" has the situation "I'm sitting at the desk".
    """
    plain = " ".join(text[:_LONGEST].replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())
    for pattern in _WITH_SITUATION:
        found = pattern.fullmatch(plain)
        if found is not None:
            return found["rest"], found["situation"]
    return text, ""


def read_situation(text: str) -> tuple[Clue, ...]:
    """Clues in a situation; empty where it names no thing near the asker."""
    plain = normalized(text)
    clues: list[Clue] = []
    for pattern, predicates in (
        (_IS["on"], ("supports",)),
        (_IS["facing"], ("in front of", "near")),
        (_IS["near"], ("near",)),
    ):
        for found in pattern.finditer(plain):
            thing = _thing(_until_end(plain[found.end() :]))
            if _is_named(thing):
                is_far = pattern is _IS["facing"] and _IS["looks"].search(plain[: found.end()])
                said = predicates[:1] if is_far else predicates
                clues += [(thing, Related(predicate, _ASKER)) for predicate in said]
    return tuple(dict.fromkeys((*clues, *_of_marks(Places(plain)))))


def _of_marks(places: Places) -> list[Clue]:
    """Clues of "the window is on my left" and "on my left is the window"."""
    clues = []
    for clause in _IS["clause_end"].split(places.text):
        before, _, after = clause.partition("@")
        thing = _thing(_IS["having"].sub("", before))
        if not _is_named(thing):
            thing = _thing(_until_end(_IS["is"].sub("", after)))
        if _is_named(thing):
            clues += [(thing, place) for place in places.of(clause)]
    return clues


def _is_named(thing: NounPhrase) -> bool:
    words = thing.noun.split()
    return bool(words) and words[-1] not in _NO_THINGS and "clock" not in thing.noun


def _until_end(words: str) -> str:
    return _IS["end"].split(words[:_LONGEST_THING])[0]


def _thing(words: str) -> NounPhrase:
    """The thing without its relations: "the chair under the table" is a chair."""
    return read_phrase(_IS["self"].sub(" ", words), Places(""), related=False)
