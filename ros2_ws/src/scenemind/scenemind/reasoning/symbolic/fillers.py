"""What people say around a correction without changing it: "no, you got this wrong: ..."."""

from __future__ import annotations

from collections.abc import Iterable

from scenemind.reasoning.symbolic.reading import without_openings
from scenemind.reasoning.symbolic.tokens import Token

_THIS = ("that", "this", "it", "them")
_FALSE = ("wrong", "not right", "not correct", "not true", "incorrect", "false")
_SURE = ("i am sure", "i am pretty sure", "i am quite sure", "i am very sure")
_KNOW = ("i think", "i believe", "i know", "i would say", "i mean", "note", "please note", *_SURE)


def _phrases(*phrases: Iterable[str]) -> list[tuple[str, ...]]:
    """As words, the longest first."""
    return sorted({tuple(p.split()) for some in phrases for p in some}, key=len, reverse=True)


_OBJECTIONS = _phrases(
    ("no", "nope", "wrong", "sorry", "actually", "incorrect", "but", "yes", ",", ":", "in fact"),
    ("look ,", "listen ,", "hmm", "well ,", "oh", "to me", "it is ,", "it does ,", "i am sorry"),
    (f"{know}{that}" for know in _KNOW for that in ("", " that")),
    (f"{this} {be} {no}" for this in _THIS for be in ("is", "was") for no in _FALSE),
    (f"you {be} {no}" for be in ("are", "were") for no in ("wrong", "mistaken")),
    (f"you {got} {this} wrong" for got in ("got", "have", "have got") for this in _THIS),
    (f"wrong {key}" for key in ("name", "label", "color", "colour", "material", "shape")),
)
_ROOM = (["this", "room"], ["the", "room"], ["our", "room"])
_CLOSINGS = _phrases(
    ("please", ",", "now", "is not it", "are not they", "is it not", ", right", ", ok", ", okay"),
    ("thanks", "thank you", "you know", "by the way", "as you can see", "do not you think"),
    ("in your map", "on your map", "in the map", "in your memory"),
)


def without_fillers(tokens: list[Token]) -> list[Token]:
    """Less "no, actually" at the front and "please" at the end; "there is no cup" stays whole, and
    something is always left."""
    tokens = _without_place(tokens)
    words = [token.word for token in tokens]
    start = 0
    while length := _objection_at(words, start):
        start += length
    rest = without_openings(tokens[start:])
    while length := _closing_of([token.word for token in rest]):
        rest = rest[:-length]
    return rest


def _without_place(tokens: list[Token]) -> list[Token]:
    """Less "in this room", wherever it stands: there is no other."""
    words = [token.word for token in tokens]
    for place in range(1, len(words) - 2):
        if words[place] == "in" and words[place + 1 : place + 3] in _ROOM:
            return tokens[:place] + tokens[place + 3 :]
    return tokens


def _objection_at(words: list[str], start: int) -> int:
    """How many words of an objection stand there; 0: none, or nothing would be left."""
    for phrase in _OBJECTIONS:
        end = start + len(phrase)
        if tuple(words[start:end]) == phrase and (end < len(words) or len(phrase) == 1):
            return len(phrase)
    return 0


def _closing_of(words: list[str]) -> int:
    """How many words at the end change nothing; 0: none, or nothing would be left."""
    for phrase in _CLOSINGS:
        if tuple(words[-len(phrase) :]) == phrase and len(phrase) < len(words):
            return len(phrase)
    return 0
