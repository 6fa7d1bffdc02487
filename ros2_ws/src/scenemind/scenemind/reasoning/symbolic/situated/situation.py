"""What a situation in words says of where one stands: "sitting on the couch, facing the table"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scenemind.reasoning.symbolic.situated.phrases import read_thing
from scenemind.reasoning.symbolic.situated.places import Places, side
from scenemind.reasoning.symbolic.situated.spelling import spelled
from scenemind.reasoning.symbolic.situated.tree import Place, Thing
from scenemind.words.english import word_set

_ARTICLE = r"(?: (?:the|a|an|my|another|one|some|two|three|few|several))+"
_ON = re.compile(
    r"\b(?:sitting|seated|sat|lying|laying|sit|lie|sleeping|resting|napping|relaxing)\b[^,@]*?"
    rf"\b(?:on|in)(?= *{_ARTICLE})|\bi am on(?={_ARTICLE})"
)
# Whoever does something to a thing stands at it and looks at it.
_FACING = re.compile(
    r"\b(?:(?!sitting|having|being|standing|lying|leaning|walking|seeing)\w+ing"
    r"(?: (?:at|into|in|through|out of|out|on|from|towards?|up|down|directly))?|face|towards?"
    rf"|into|at)(?={_ARTICLE})|\b(?:facing|in front of)\b(?! me\b)"
)
# One may look at a thing from anywhere.
_LOOKS = re.compile(r"\b(?:look|watch|star|gaz|fac)\w*(?: \w+){0,2}$|\btowards?$")
_NEAR = re.compile(
    r"\b(?:(?:stand(?:ing)?|leaning|sitting|walking|waiting|am)\b[^,@]*?\b(?:by|near|next to"
    rf"|beside|against|between|behind|along|on|in)|within reach of)(?={_ARTICLE})"
)
_END = re.compile(
    r",|@\d+|\b(?:and|while|with|that|when|so|to|there|facing|having|for|but|is|are|has)\b"
)
_CLAUSE_END = re.compile(rf",|\band there\b|\bwhile\b|\band(?={_ARTICLE})|\bwith\b")
_HAVING = re.compile(r"^.*\b(?:having|have|there is|there are|see|facing) ")
_IS = re.compile(r"^\d+ *(?:is|are|there is|there are|,)?")
_SELF = re.compile(r"\b(?:i|am|is|are|me|my)\b")
_HERE = Place(None)
_NO_THINGS = word_set("front left right side back middle room end corner way direction hand")


@dataclass(frozen=True, slots=True)
class Clue:
    """That something lies at a place about the one who asks.

    Attributes:
        is_seat: they are on it.
    """

    thing: Thing
    place: Place
    is_seat: bool = False


def read_situation(text: str) -> tuple[Clue, ...]:
    """The clues in a situation; none where it names no thing about the one who asks."""
    plain = spelled(text)
    clues: list[Clue] = []
    for pattern, places, is_seat in (
        (_ON, (_HERE,), True),
        (_FACING, (side("front"), _HERE), False),
        (_NEAR, (_HERE,), False),
    ):
        for found in pattern.finditer(plain):
            thing = _thing(_until_end(plain[found.end() :]))
            if _is_named(thing):
                is_far = pattern is _FACING and _LOOKS.search(plain[: found.end()])
                clues += [Clue(thing, p, is_seat) for p in (places[:1] if is_far else places)]
    return tuple(dict.fromkeys((*clues, *_of_marks(Places(plain)))))


def _of_marks(places: Places) -> list[Clue]:
    """ "the window is on my left" and "on my left is the window"."""
    clues = []
    for clause in _CLAUSE_END.split(places.text):
        before, _, after = clause.partition("@")
        thing = _thing(_HAVING.sub("", before))
        if not _is_named(thing):
            thing = _thing(_until_end(_IS.sub("", after)))
        if _is_named(thing):
            clues += [Clue(thing, place) for place in places.of(clause)]
    return clues


def _is_named(thing: Thing) -> bool:
    words = thing.noun.split()
    return bool(words) and words[-1] not in _NO_THINGS and "clock" not in thing.noun


def _until_end(words: str) -> str:
    return _END.split(words)[0]


def _thing(words: str) -> Thing:
    """Without relations: "the chair under the table" is a chair."""
    return read_thing(_SELF.sub(" ", words), Places(""), with_links=False)
