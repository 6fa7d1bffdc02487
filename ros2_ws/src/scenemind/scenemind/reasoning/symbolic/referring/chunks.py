"""A sentence as chunks: relations, places, noun chunks and the small words between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from scenemind.reasoning.symbolic.referring import phrases
from scenemind.reasoning.symbolic.referring.spelling import words_of
from scenemind.words.english import find_number, find_ordinal, is_plural

Kind = Literal["noun", "relation", "place", "view", "be", "pronoun", "not", "and", "break", "other"]
_LONGEST = 7
_MORE_TRAITS = frozenset(("far", "last", "closest", "nearest", "farthest", "furthest"))
_SMALL: tuple[tuple[Kind, frozenset[str]], ...] = (
    ("be", phrases.BE),
    ("pronoun", phrases.PRONOUNS),
    ("not", phrases.NOT),
    ("and", frozenset(("and", "or", "but", "plus"))),
    ("other", phrases.FUNCTION | phrases.VIEW_OPENERS),
)
# Relations that are looks before a noun: "the closest chair".
_RANKS = (("closest",), ("nearest",), ("farthest",), ("furthest",))
# Small words that may be in a noun chunk.
_OF_NOUNS = frozenset(("set", "up", "down", "lot", "far", "same", "other", "left", "right"))


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some words and what they are.

    Attributes:
        value: the predicate, the place or the kind of view; the noun of a noun chunk.
        traits: of a noun chunk: words on look and place, in order.
        order, number: 2 of "second"; 3 of "three".
    """

    kind: Kind
    words: tuple[str, ...]
    value: str = ""
    traits: tuple[str, ...] = ()
    order: int = 1
    number: int | None = None

    @property
    def plural(self) -> bool:
        last = self.value.split(" ")[-1]
        return bool(self.number and self.number > 1) or is_plural(last)


def chunks_of(text: str) -> list[Chunk]:
    """The expression from left to right."""
    words = words_of(text)
    chunks: list[Chunk] = []
    at = 0
    while at < len(words):
        chunk = _phrase(words, at, chunks) or _small(words[at]) or _noun(words, at)
        at += len(chunk.words)
        chunks.append(chunk)
        if chunk.kind == "noun" and _is_partitive(chunks[:-1]):
            chunks[-3:] = [_whole(*chunks[-3:])]
    return chunks


def _is_partitive(before: list[Chunk]) -> bool:
    """ "A set" and "of" before a noun: the noun is what is spoken of."""
    if len(before) < 2 or before[-1].words != ("of",) or before[-2].kind != "noun":
        return False
    part = before[-2].value.split(" ")[-1]
    return not part or part in phrases.PARTITIVES


def _whole(part: Chunk, of: Chunk, noun: Chunk) -> Chunk:
    return replace(
        noun,
        words=(*part.words, *of.words, *noun.words),
        traits=(*part.traits, *noun.traits),
        order=max(part.order, noun.order),
        number=part.number if part.value else noun.number,
    )


def _phrase(words: list[str], at: int, before: list[Chunk]) -> Chunk | None:
    opening = _opens_view(before)
    for length in range(min(_LONGEST, len(words) - at), 0, -1):
        phrase = tuple(words[at : at + length])
        if opening and phrase in phrases.VIEWS and (phrase != ("from",) or not before):
            return Chunk("view", phrase, phrases.VIEWS[phrase])
        if phrase in phrases.RELATIONS:
            return Chunk("relation", phrase, phrases.RELATIONS[phrase])
        if phrase in phrases.PLACES:
            return Chunk("place", phrase, phrases.PLACES[phrase])
    return None


def _opens_view(before: list[Chunk]) -> bool:
    """At the start of a clause, or after "when you are"."""
    for chunk in reversed(before):
        if chunk.kind in ("break", "and"):
            return True
        if any(word in phrases.VIEW_OPENERS for word in chunk.words):
            return True
        if chunk.kind != "be" and chunk.words != ("directly",):
            return False
    return True


def _small(word: str) -> Chunk | None:
    if not word.isalnum():
        return Chunk("break", (word,))
    kind = next((kind for kind, group in _SMALL if word in group), None)
    return None if kind is None else Chunk(kind, (word,))


def _noun(words: list[str], start: int) -> Chunk:
    """Up to the next small word or relation; "left" and "black" in it are traits."""
    at, order, number = start, 1, None
    noun: list[str] = []
    traits: list[str] = []
    while at < len(words):
        word = words[at]
        if at > start and _ends_noun(words, at, bool(noun)):
            break
        if noun and word in phrases.STARTERS and _goes_on(words, at + 1):
            break
        if word in phrases.DETERMINERS and not noun and not (traits and word == "the"):
            if word in ("another", "other"):
                traits.append("other")
        elif (ordinal := find_ordinal(word)) is not None:
            order = ordinal
        elif (value := find_number(word)) is not None and not noun:
            number = value
        elif word in phrases.SIDE_WORDS or word in phrases.LOOKS or word in _MORE_TRAITS:
            traits.append(word)
        else:
            noun.append(word)
        at += 1
    kept = [word for word in noun if word not in phrases.GENERIC]
    return Chunk("noun", tuple(words[start:at]), " ".join(kept), tuple(traits), order, number)


def _goes_on(words: list[str], at: int) -> bool:
    """Whether more of a noun follows: "facing the door left trash can" speaks of two things."""
    return at < len(words) and not _ends_noun(words, at, True)


def _ends_noun(words: list[str], at: int, inside: bool) -> bool:
    word = words[at]
    if word == "can" and inside and words[at - 1] in phrases.OF_CANS:
        return False
    if not word.isalnum() or (inside and word in phrases.DETERMINERS):
        return True
    found = _longest_phrase(words, at)
    if found is not None:
        return inside or found not in _RANKS
    if word in _OF_NOUNS:
        return False
    following = words[at + 1] if at + 1 < len(words) else ""
    if word == "stand" and inside and (following in phrases.BE or not following.isalnum()):
        return False
    return _small(word) is not None


def _longest_phrase(words: list[str], at: int) -> phrases.Phrase | None:
    for length in range(min(_LONGEST, len(words) - at), 0, -1):
        phrase = tuple(words[at : at + length])
        if phrase in phrases.RELATIONS or phrase in phrases.PLACES:
            return phrase
    return None
