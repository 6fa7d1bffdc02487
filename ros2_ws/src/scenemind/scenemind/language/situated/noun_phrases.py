"""Noun phrases of situated questions, read loosely.

Places of the asker ("on my left", "in my 7 o'clock direction") are replaced by marks ("@3"), so
that the rest of a sentence reads as noun phrases: nouns, attributes, relations, and unread words
("that has chairs"). Nothing is refused: any words give a phrase. The words are in `phrases.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from scenemind.language import lexicon
from scenemind.language.english import find_number, is_plural, read_table, word_set
from scenemind.language.relation_names import find_relation
from scenemind.language.trees import (
    Attribute,
    Condition,
    HasAttribute,
    NounPhrase,
    Rank,
    Related,
    Superlative,
    Viewer,
    relations_to_viewer,
)

_TABLE = read_table("scenemind.language.situated", "phrases.yaml")
BUILDING = frozenset(("wall", "walls", "floor", "ground", "corner", "ceiling"))
SIDES: dict[str, str] = _TABLE["sides"]
_ASKER = (Viewer(),)
_MARK = re.compile(r"@(\d+)")
_DIRECTLY = re.compile(r"\b(?:direct|directly|immediate|immediately|straight)\b")
# What "directly" means of a side.
_HOURS = {
    "in front of": "12 o'clock", "right of": "3 o'clock", "behind": "6 o'clock",
    "left of": "9 o'clock",
}  # fmt: skip
_OPPOSITES = ({"left of", "right of"}, {"in front of", "behind"})
_WORD = re.compile(r"[a-z][a-z'-]+")
# "on the table by the door that is ...": deeper nesting is left out of account.
_DEEPEST = 2


def _with_parts(pattern: str) -> str:
    """A pattern with the parts that it names in capitals."""
    for name, part in reversed(_TABLE["parts"].items()):
        pattern = pattern.replace("{" + name + "}", part)
    return pattern


_REWRITES = [(re.compile(pattern), written) for pattern, written in _TABLE["rewrites"]]
_PLACES = [
    (re.compile(rf"(?<![\w@]){_with_parts(pattern)}(?!\w)"), name)
    for name, pattern in _TABLE["places"]
]
_RELATION_NAMES = [name for name, _ in _TABLE["relations"]]
_ALTERNATIVES = "|".join(
    f"(?P<r{n}>{pattern})" for n, (_, pattern) in enumerate(_TABLE["relations"])
)
_RELATION = re.compile(
    rf"(?<![\w@]){_TABLE['posture_of_thing']}(?:{_ALTERNATIVES})"
    r"(?= (?:the|a|an|my|it|this|that|these|each|both|your|which|of|\w+)\b)(?! me\b)"
)
_OPEN_RELATION = re.compile(
    rf"^(?P<head>.*?\w) (?:is |are |was |were )?{_TABLE['posture_of_thing']}(?:{_ALTERNATIVES})"
    r"(?: me)?$"
)
_SUPERLATIVES: list[tuple[Superlative, re.Pattern[str]]] = [
    (name, re.compile(rf"\b(?:{pattern})\b")) for name, pattern in _TABLE["superlatives"]
]
_ROOM, _OPENING, _LEAD, _YES_NO = (
    re.compile(_TABLE[name]) for name in ("room", "opening", "lead", "yes_no")
)
_DETERMINERS, _CANS, _ANYTHING, _SMALL_WORDS, _ENDS, _CLAUSE, _SHAPES = (
    word_set(_TABLE[name])
    for name in ("determiners", "cans", "anything", "small_words", "ends", "clause", "shapes")
)


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


def read_phrase(words: str, places: Places, depth: int = _DEEPEST) -> NounPhrase:
    """The phrase that marked words are; see `Places`.

    Args:
        depth: up to which relations to other things are read; 0: none.
    """
    words, ranks = _without_superlative(_ROOM.sub(" ", words))
    found = _RELATION.search(words)
    if found is None:
        return _head(words, places, ranks)
    head = _head(words[: found.start()], places, ranks)
    if not depth:
        return head
    related, conditions, unread = _related(found, words[found.end() :], places, depth - 1)
    if related is None:
        return _head(words, places, ranks)
    return replace(
        head,
        conditions=(*head.conditions, *conditions, related),
        unread=head.unread + unread,
    )


def read_open_relation(words: str, places: Places) -> Related | None:
    """What a thing is to the one that "the chair is in front of" asks for: behind it."""
    found = _OPEN_RELATION.match(words.strip())
    if found is None:
        return None
    phrase = read_phrase(_LEAD.sub("", found["head"] + " "), places)
    if not phrase.noun:
        return None
    known = find_relation(_relation_name(found))
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


def _relation_name(found: re.Match[str]) -> str:
    name = next(name for n, name in enumerate(_RELATION_NAMES) if found.group(f"r{n}"))
    return f"{find_number(found['hour']) or found['hour']} o'clock" if name == "hour" else name


def _related(
    found: re.Match[str], after: str, places: Places, depth: int
) -> tuple[Related | None, tuple[Condition, ...], tuple[str, ...]]:
    """The relation, and the conditions and unread words after it that belong to the head."""
    name = _relation_name(found)
    if name == "between":
        first, _, second = after.partition(" and ")
        ends = tuple(read_phrase(part, places, depth) for part in (first, second) if part)
        return (Related(name, ends) if len(ends) == 2 else None), (), ()
    anchor = read_phrase(after, places, depth)
    if not anchor.noun:
        return None, (), ()
    if name == "toward":
        return Related("between", (Viewer(), replace(anchor, unread=()))), (), anchor.unread
    if anchor.noun in BUILDING:
        # Parts of the building stand in many pieces: the thing itself lies where they do.
        return Related(name, (NounPhrase(anchor.noun),)), relations_to_viewer(anchor), anchor.unread
    return Related(name, (replace(anchor, unread=()),)), (), anchor.unread


def _head(words: str, places: Places, ranks: tuple[Rank, ...]) -> NounPhrase:
    tokens = words.replace(",", " , ").split()
    before: list[str] = []
    noun: list[str] = []
    rest: list[str] = []
    for at, word in enumerate(tokens):
        if word.startswith("@"):
            continue
        is_can = word == "can" and bool(noun) and noun[-1] in _CANS
        after_mark = at > 0 and tokens[at - 1].startswith("@")
        # "What on my right should I open": the thing has no noun.
        if (
            rest
            or (word in _CLAUSE and at > 0 and not noun)
            or (noun and not is_can and (word in _ENDS or after_mark))
        ):
            rest.append(word)
        elif word == "stand" and noun and is_plural(noun[-1]):
            rest.append(word)  # "chairs stand there"; "a tv stand" is a thing.
        elif attribute_of(word) and not noun:
            before.append(word)
        elif is_can or word not in _DETERMINERS | _ENDS:
            noun.append(word)
    if all(word in _ANYTHING for word in noun):
        noun = []
    attributes = tuple(filter(None, map(attribute_of, (*before, *rest))))
    return NounPhrase(
        " ".join(noun),
        conditions=(*attributes, *places.of(words)),
        ranks=ranks,
        unread=content_words(" ".join(rest)),
    )


def _without_superlative(words: str) -> tuple[str, tuple[Rank, ...]]:
    for name, pattern in _SUPERLATIVES:
        without, count = pattern.subn(" ", words)
        if count:
            return " ".join(without.split()), (Rank(name),)
    return words, ()


def _main_clause(marked: str) -> str:
    """Main clause: "what is there" of "if I turn around, what is there"."""
    clauses = [clause.strip() for clause in marked.split(",")]
    if _OPENING.match(clauses[0]):
        return marked
    return next((clause for clause in clauses[1:] if _OPENING.match(clause)), marked)
