"""Readers of the slots of sentences: what is made of the words that stand in one.

A reader moves over the words that it reads; those of a slot have to be read to the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from scenemind.language import lexicon
from scenemind.language.english import find_number, singular, word_set
from scenemind.language.measures import LENGTH, compared_by, metres_of
from scenemind.language.qualities import Found, find_use
from scenemind.language.referring.whole import ends_noun, read_conditions, read_phrase
from scenemind.language.time_expressions import TimeExpression, find_moment
from scenemind.language.tokens import NotUnderstoodError, Token
from scenemind.language.trees import (
    Attribute,
    Condition,
    HasAttribute,
    NounPhrase,
    Reference,
    Viewer,
)

# "2 m", "a 1 m wide box", "something that is about 80 cm wide".
_LENGTH = re.compile(
    r"(?:(?:an?|my|this|the|another)(?: (?!about|around)\w+){0,3}?"
    r"|(?:some|any)(?:thing|one|body))? ?"
    r"(?:(?:that|which) is )?(?:(?:about|around|roughly|nearly|just|some|only) )?"
    rf"{LENGTH}(?: (?:wide|broad|long|high|tall|deep|of width))?(?: [a-z]+){{0,3}}"
)
_MINE = word_set("mine me i")
_LONGEST_OWNER = 3
_NO_NAMES = (
    lexicon.NOUN_END | lexicon.BE | word_set(", ; : nobody no none who whoever somebody everybody")
)


class SlotWords:
    """The words of a slot, and those before it, and a place among them; a failed `find_*` does not
    move it.

    Attributes:
        furthest: number of the word where reading failed.
        is_free: what is left unread of a thing may be left out.
    """

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.words = tuple(token.word for token in tokens)
        self.at = self.furthest = 0
        self.is_free = False

    @property
    def done(self) -> bool:
        return self.at >= len(self.words)

    def peek(self, offset: int = 0) -> str:
        """The word at an offset; empty after the end."""
        place = self.at + offset
        return self.words[place] if place < len(self.words) else ""

    def take(self, *phrases: str) -> str:
        """Move over the first of the phrases that stands here; empty where none does."""
        for phrase in phrases:
            words = tuple(phrase.split())
            if self.words[self.at : self.at + len(words)] == words:
                self.at += len(words)
                return phrase
        return ""

    def take_of(self, words: frozenset[str]) -> str:
        """Move over a word of the set; empty where another stands."""
        word = self.peek() if self.peek() in words else ""
        self.at += bool(word)
        return word

    def fail(self) -> NotUnderstoodError:
        """The error for the word that cannot be read, to be raised."""
        self.furthest = max(self.furthest, self.at)
        return NotUnderstoodError(" ".join(self.words[self.furthest :]))

    def reference(self) -> Reference:
        """The reference that all words from here on are.

        Raises:
            NotUnderstoodError: they are none.
        """
        found, self.at = read_phrase(self.words, self.at)
        if found is None:
            raise self.fail()
        return found

    def conditions(self) -> NounPhrase:
        """The conditions that all words from here on are, as those of a thing without a noun.

        Raises:
            NotUnderstoodError: they are none.
        """
        found, self.at = read_conditions(self.words, self.at)
        if found is None:
            raise self.fail()
        return found

    def condition(self) -> Condition | None:
        """The condition that all words from here on are; None for several.

        Raises:
            NotUnderstoodError: they are none.
        """
        said = self.conditions()
        return said.conditions[0] if len(said.conditions) == 1 and not said.ranks else None

    def find(self, find: Callable[[Sequence[str], int], Found]) -> HasAttribute | None:
        """The attribute that stands here, by a function of `qualities`."""
        said, self.at = find(self.words, self.at) or (None, self.at)
        return said

    def noun_words(self) -> list[str]:
        """Move over the words of a noun, up to a relation or another part of speech."""
        start = self.at
        while not self.done and not ends_noun(self.words, self.at, self.at > start):
            self.at += 1
        return list(self.words[start : self.at])


def one_word(read: Callable[[str], Any]) -> Callable[[SlotWords], Any]:
    """A reader of one word; the function returns None for other words."""

    def reader(p: SlotWords) -> Any:
        p.at += 1
        return read(p.words[p.at - 1])

    return reader


def rest(p: SlotWords) -> tuple[str, ...]:
    """Move over all words."""
    words = p.words[p.at :]
    p.at = len(p.words)
    return words


def is_possessive(p: SlotWords) -> bool:
    """Whether the last word was written with a possessive ending ("Anna's")."""
    last = len(p.words) - 1
    if not p.at <= last < p.at + _LONGEST_OWNER:
        return False
    token = p.tokens[last]
    after = p.text[token.start + len(token.word) :]
    return after.replace("\u2019", "'").startswith(("'s", "s'")) or (
        token.word.endswith("s") and after.startswith(("'", "\u2019"))
    )


def owner_name(p: SlotWords) -> str:
    """Name of an owner, as it was written.

    Raises:
        NotUnderstoodError: no name follows, or too long a one.
    """
    p.take("the", "my", "our", "your")
    if p.peek(1):
        p.take_of(lexicon.KIN)  # "my brother Tom"
    start = p.at
    while p.peek() and p.peek() not in _NO_NAMES and p.at - start < _LONGEST_OWNER:
        if not p.peek()[0].isalnum():
            raise p.fail()
        p.at += 1
    if p.at == start:
        if p.take_of(_MINE):
            return lexicon.SPEAKER
        raise p.fail()
    if p.at - start == 1 and p.words[start] in _MINE:
        return lexicon.SPEAKER
    tokens = p.tokens[start : p.at]
    return " ".join(p.text[t.start : t.start + len(t.word)] for t in tokens)


def _bare(p: SlotWords) -> str | None:
    """A noun alone: "stool" of "is it a stool"."""
    noun = p.reference()
    is_bare = isinstance(noun, NounPhrase) and noun == NounPhrase(noun.noun)
    return noun.noun if is_bare and isinstance(noun, NounPhrase) else None


def _named(p: SlotWords) -> Reference | None:
    subject = p.reference()
    return None if isinstance(subject, NounPhrase) and not subject.noun else subject


def _certain(is_certain: bool) -> Callable[[SlotWords], Reference | None]:
    """Reader of a reference said with "the" or a number, or of one said without."""

    def read(p: SlotWords) -> Reference | None:
        subject = p.reference()
        certain = not isinstance(subject, NounPhrase) or subject.definite
        return subject if certain == is_certain else None

    return read


def _the_one(p: SlotWords) -> NounPhrase | None:
    """A phrase with "the", whose noun is "one" where it has none: "the only one"."""
    is_thing = not (lexicon.ANYTHING - {"one", "ones"}).isdisjoint(p.words[p.at :])
    found = p.reference()
    if not isinstance(found, NounPhrase) or not found.definite:
        return None
    return found if found.noun or is_thing else replace(found, noun="one")


def _length_m(p: SlotWords) -> float | None:
    """Length in metres of "a 1 m wide box", "something 80 cm wide"."""
    found = _LENGTH.fullmatch(" ".join(rest(p)))
    return None if found is None else metres_of(found)


def _sized(p: SlotWords) -> Condition | None:
    """A comparison with a length: "longer than 2 m"."""
    said = p.condition()
    return said if isinstance(said, HasAttribute) and compared_by(said.value) else None


def _attributed(p: SlotWords) -> Condition | None:
    """What a thing is like: "red", "made of metal"; but not "paper", which may end a name."""
    words = p.words[p.at :]
    said = p.condition()
    is_mass = len(words) == 1 and words[0] in lexicon.MASSES
    return said if isinstance(said, HasAttribute) and not is_mass else None


def _direction(p: SlotWords) -> str | None:
    """The relation of "to the left" in "to the left or to the right of the door"."""
    words = rest(p)
    return lexicon.RELATIONS.get((*words, "of"), lexicon.RELATIONS.get(words))


def _use(p: SlotWords) -> str | None:
    """A use such as "sit on"."""
    said = p.find(find_use)
    return None if said is None else said.value


def _moment(p: SlotWords) -> TimeExpression | None:
    found = find_moment(rest(p))
    return found if found is not None and found.start == 0 else None


def excepted(p: SlotWords) -> tuple[Reference, Sequence[str]] | None:
    """Things that a claim of several is not about, and their words."""
    start = p.at
    things = p.reference()
    return None if isinstance(things, Viewer) else (things, p.words[start:])


def _property(word: str) -> Attribute | None:
    """An attribute that has a value; a size is measured."""
    key = lexicon.ATTRIBUTE_NAMES.get(singular(word))
    return None if key == "size" else key


def _possessive(p: SlotWords) -> str | None:
    return owner_name(p) if is_possessive(p) else None


def _mine(p: SlotWords) -> str | None:
    return lexicon.SPEAKER if p.take("mine") else None


def _whose(p: SlotWords) -> HasAttribute | None:
    """Whose a thing is: "mine", "Anna's"."""
    owner = _mine(p) or _possessive(p)
    return None if owner is None else HasAttribute("owner", owner.lower())


READERS: dict[str, Callable[[SlotWords], Any]] = {
    "attribute": one_word(lambda word: lexicon.ATTRIBUTE_NAMES.get(singular(word))),
    "attributed": _attributed,
    "bare": _bare,
    "condition": SlotWords.condition,
    "definite": _certain(True),
    "direction": _direction,
    "excepted": excepted,
    "indefinite": _certain(False),
    "mine": _mine,
    "moment": _moment,
    "more": SlotWords.conditions,
    "named": _named,
    "noun": lambda p: " ".join(p.noun_words()) or None,
    "number": one_word(find_number),
    "owner": owner_name,
    "possessive": _possessive,
    "property": one_word(_property),
    "relation": lambda p: lexicon.RELATIONS.get(rest(p)),
    "sized": _sized,
    "subject": SlotWords.reference,
    "the_one": _the_one,
    "superlative": one_word(lexicon.SUPERLATIVES.get),
    "use": _use,
    "whose": _whose,
    "length": _length_m,
    "width": _length_m,
}
