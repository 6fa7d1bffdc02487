"""Situated questions as sentences with marks, and the noun phrases in them.

Places of the asker ("on my left", "in my 7 o'clock direction") are replaced by marks ("@3"), so
that the rest of a sentence reads as noun phrases: nouns, attributes, relations, and unread words
("that has chairs"). Nothing is refused: any words give a phrase. The words are in `phrases.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from scenemind.language import lexicon
from scenemind.language.english import find_number, read_table, word_set
from scenemind.language.referring.chunks import chunks_of
from scenemind.language.referring.reader import read_chunks
from scenemind.language.relation_names import find_relation
from scenemind.language.trees import (
    Attribute,
    Condition,
    HasAttribute,
    NounPhrase,
    Related,
    Superlative,
    Viewer,
    noun_phrases,
    relations_to_viewer,
)

_TABLE = read_table("scenemind.language.situated", "phrases.yaml")
SIDES: dict[str, str] = _TABLE["sides"]
_ASKER = (Viewer(),)
_MARK = re.compile(r"@(\d+)")
_DIRECTLY = re.compile(r"\b(?:direct|directly|immediate|immediately|straight)\b")
_HAVING = ("with", "contains")
# What "directly" means of a side.
_HOURS = {
    "in front of": "12 o'clock", "right of": "3 o'clock", "behind": "6 o'clock",
    "left of": "9 o'clock",
}  # fmt: skip
_OPPOSITES = ({"left of", "right of"}, {"in front of", "behind"})
_WORD = re.compile(r"[a-z][a-z'-]+")


def with_parts(pattern: str, parts: dict[str, str]) -> str:
    """A pattern with the parts that it names in capitals; a part may name those before it."""
    for name, part in reversed(parts.items()):
        pattern = pattern.replace("{" + name + "}", part)
    return pattern


_REWRITES = [(re.compile(pattern), written) for pattern, written in _TABLE["rewrites"]]
_PLACES = [
    (re.compile(rf"(?<![\w@]){with_parts(pattern, _TABLE['parts'])}(?!\w)"), name)
    for name, pattern in _TABLE["places"]
]
# "The closest" before a noun is in front of all others; who asks means the nearest.
_TO_ASKER: dict[Superlative, Superlative] = {"frontmost": "closest", "rearmost": "farthest"}
_ROOM, _OPENING, _LEAD, _YES_NO, _NEAREST = (
    re.compile(_TABLE[name]) for name in ("room", "opening", "lead", "yes_no", "nearest")
)
_SMALL_WORDS, _SHAPES = word_set(_TABLE["small_words"]), word_set(_TABLE["shapes"])


@dataclass(frozen=True, slots=True)
class Sentence:
    """A situated question in lower case.

    Attributes:
        text: in normalized spelling.
        main: main clause, with marks.
        places: all its places; their `text` has marks for them.
    """

    text: str
    main: str
    places: Places

    @classmethod
    def read(cls, text: str) -> Sentence:
        plain = normalized(text)
        places = Places(plain)
        return cls(plain, _main_clause(places.text), places)

    @property
    def marked(self) -> str:
        return self.places.text

    @property
    def is_yes_no(self) -> bool:
        return _YES_NO.match(self.main) is not None

    def without(self, found: re.Match[str]) -> str:
        """The marked sentence without a part of it."""
        return f"{self.marked[: found.start()]} {self.marked[found.end() :]}"

    def phrase(self, words: str) -> NounPhrase:
        """The phrase that words with marks are, without a question opening."""
        return read_phrase(_LEAD.sub("", f"{words.strip()} "), self.places)

    def goal(self, words: str) -> NounPhrase:
        """Words that tell what something is for, with their places: all of them are unread."""
        return NounPhrase("", conditions=self.places.of(words), unread=content_words(words))


class Places:
    """Places of the asker in one sentence; `text` has a mark for each of them."""

    def __init__(self, text: str) -> None:
        self._found: list[tuple[Related, ...]] = []
        for pattern, name in _PLACES:
            text = pattern.sub(self._marking(name), text)
        self.text = " ".join(text.split())

    def of(self, words: str) -> tuple[Related, ...]:
        """Relations to the asker whose marks stand among the words."""
        return tuple(place for number in _MARK.findall(words) for place in self._found[int(number)])

    def _marking(self, name: str) -> Callable[[re.Match[str]], str]:
        def mark(found: re.Match[str]) -> str:
            self._found.append(
                tuple(Related(predicate, _ASKER) for predicate in _predicates(name, found))
            )
            return f" @{len(self._found) - 1} "

        return mark


def read_phrase(words: str, places: Places, *, related: bool = True) -> NounPhrase:
    """The phrase that marked words are; see `Places`. Content words that it has no use for are
    unread.

    Args:
        related: whether relations to other things are read.
    """
    words = _NEAREST.sub("closest", _ROOM.sub(" ", words))
    chunks = chunks_of(words, views=False)
    phrase = read_chunks(chunks, places.of).phrase
    kept = tuple(c for said in phrase.conditions for c in _of_thing(said, bool(phrase.noun)))
    ranks = tuple(
        replace(rank, superlative=_TO_ASKER.get(rank.superlative, rank.superlative))
        for rank in phrase.ranks
    )
    phrase = replace(phrase, conditions=kept if related else (), ranks=ranks)
    used = {word for chunk in chunks if chunk.kind == "relation" for word in chunk.words}
    used.update(word for chunk in chunks for word in chunk.traits)
    for part in noun_phrases(phrase):
        used.update(part.noun.split())
    unread = tuple(word for word in content_words(words) if word not in used)
    return replace(phrase, unread=unread)


def _of_thing(said: Condition, is_named: bool) -> tuple[Condition, ...]:
    """What a condition says of the thing: parts of the building stand in many pieces, so that it
    lies itself where they do; what a thing without a name has are hints at what it is."""
    anchor = said.anchors[0] if isinstance(said, Related) else None
    if not isinstance(said, Related) or not isinstance(anchor, NounPhrase):
        return (said,)
    if anchor.noun in lexicon.BUILDING:
        bare = replace(said, anchors=(NounPhrase(anchor.noun),))
        return (*relations_to_viewer(anchor), bare)
    return () if said.predicate in _HAVING and not is_named else (said,)


def read_open_relation(words: str, places: Places) -> Related | None:
    """What a thing is to the one that "the chair is in front of" asks for: behind it."""
    chunks = chunks_of(_LEAD.sub("", f"{words.strip().removesuffix(' me')} "), views=False)
    phrase = read_chunks(chunks[:-1], places.of).phrase
    if not phrase.noun or chunks[-1].kind != "relation":
        return None
    known = find_relation(chunks[-1].value)
    return Related(known.inverse if known and known.inverse else "near", (phrase,))


def normalized(text: str) -> str:
    """Text in lower case and single blanks, short forms written out, no signs but commas."""
    plain = text.lower()
    for pattern, written in _REWRITES:
        plain = pattern.sub(written, plain)
    return " ".join(plain.split()).strip(" ,")


def content_words(words: str) -> tuple[str, ...]:
    """Content words, without marks."""
    found = _WORD.findall(_MARK.sub(" ", words))
    return tuple(word for word in found if word not in _SMALL_WORDS)


def attribute_of(word: str) -> HasAttribute | None:
    """The attribute that a word is a value of; None for other words."""
    key: Attribute | None = None
    if word in lexicon.COLOURS:
        key = "color"
    elif word in lexicon.SIZES:
        key = "size"
    elif word in _SHAPES:
        key = "shape"
    elif word in lexicon.ADJECTIVES:
        key = lexicon.QUALITIES[word]
    return HasAttribute(key, word) if key else None


def _predicates(name: str, found: re.Match[str]) -> tuple[str, ...]:
    """Names of the relations of a place to the asker."""
    if name == "hour":
        hour = find_number(found["hour"]) or 0
        return (f"{hour % 12 or 12} o'clock",)
    if name == "side":
        name, second = SIDES[found["side"]], SIDES[found["more"] or found["side"]]
        # "My left right" is none: the first one counts.
        if name != second and {name, second} not in _OPPOSITES:
            return name, second
    return (_HOURS.get(name, name) if _DIRECTLY.search(found.group()) else name,)


def _main_clause(marked: str) -> str:
    """Main clause: "what is there" of "if I turn around, what is there"."""
    clauses = [clause.strip() for clause in marked.split(",")]
    if _OPENING.match(clauses[0]):
        return marked
    return next((clause for clause in clauses[1:] if _OPENING.match(clause)), marked)
