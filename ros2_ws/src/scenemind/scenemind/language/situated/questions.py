"""Situated questions: from the words of a sentence to its tree; every text has one.

The shapes stand in `questions.yaml`; what stands in most of their slots is read by `phrases.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import takewhile
from typing import Any

from scenemind.language import lexicon, trees
from scenemind.language.english import number_word, read_table
from scenemind.language.question_trees import built_question, has_subject
from scenemind.language.shapes import Bound, Sentence, ShapeBook, Words
from scenemind.language.situated.phrases import (
    ROOMS,
    SIDES,
    attribute_of,
    content_words,
    places_of,
    read_goal,
    read_open_relation,
    read_phrase,
    with_marks,
    words_of,
)
from scenemind.language.slots import READERS, SlotWords, one_word, rest
from scenemind.language.tokens import Token
from scenemind.language.trees import NounPhrase, Related, SituatedQuestion, Viewer

_TABLE = read_table("scenemind.language.situated", "questions.yaml")
_PARTS = {name: frozenset(words.split()) for name, words in _TABLE["small"].items()}
_ASKER = (Viewer(),)
_LONGEST_ROOM = 3
_MOST_WORDS = 60
# Values of shapes that are no phrases: of the sentence, and of the words of some builders.
_APART, _RAW = ("_", "before", "after", "goal", "clause", "place"), ("when", "rest", "how")
_Asked = SituatedQuestion | None
_Option = trees.Condition | None


def read_question(text: str) -> SituatedQuestion:
    """Tree of a question; every text has one. Words beyond the most are not read."""
    words = words_of(text)[:_MOST_WORDS]
    said = Sentence("", [Token(word, 0) for word in words])
    question: _Asked = _book().find(said)
    return question or _identify(words)


@cache
def _book() -> ShapeBook:
    known, own = read_table("scenemind.language", "questions.yaml")["words"], _TABLE["words"]
    by = own["by"] | known["comparative"] | known["nearness"] | lexicon.SUPERLATIVES
    words = known | own | {"by": by}
    return ShapeBook({**_TABLE, "words": words}, _READERS, _built)


def _built(shape: str, values: Bound) -> _Asked:
    """The tree of a shape, whose words are phrases.

    What stands before and after is about the subject, or it is a goal; where it says nothing of its
    place, it is at that of the clause before.
    """
    said = {name: value for name, value in values.items() if name not in _APART}
    if "before" in values or "after" in values:
        said["subject"] = (*values.get("before", ()), *values.get("after", ()))
    for name, value in said.items():
        is_phrase = isinstance(value, tuple) and name not in _RAW
        said[name] = read_phrase(value) if is_phrase else value
    if "by" in said:
        said["rank"] = trees.Rank(said.pop("by"), anchor=said.pop("anchor", None))
    if "goal" in values:
        said["subject"] = read_goal(values["goal"])
    places = (values["place"],) if "place" in values else places_of(values.get("clause", ()))
    if len(places) == 1 and "subject" in said and not trees.relations_to_viewer(said["subject"]):
        said["subject"] = said["subject"].that(*places)
    build = _BUILT.get(shape)
    if build is None:
        return built_question(shape, said)
    return build(**said) if has_subject(build, said) else None


def _clause(p: SlotWords) -> Words | None:
    """The words of a clause, with the comma."""
    words = rest(p)
    return words if words[-1] == "," else None


def _option(p: SlotWords) -> trees.Condition | None:
    """What an offered word means, or a place: a word that is no attribute may be a noun."""
    words = rest(p)
    place = _only_place(words)
    if place or len(words) > 1:
        return place
    (word,) = words
    if word in _PARTS["no_options"]:
        return None
    if word in SIDES:
        return Related(SIDES[word], _ASKER)
    return attribute_of(word) or trees.Described(word)


def _only_place(words: Words) -> Related | None:
    """The asker's place that words are, and nothing else."""
    if words[0] in _PARTS["in_places"] and all(word[0] == "@" for word in with_marks(words)):
        return places_of(words)[0]
    return None


def _room(p: SlotWords) -> str | None:
    words = rest(p)
    is_room = len(words) <= _LONGEST_ROOM and (words[-1] in ROOMS or words[-1].endswith("room"))
    return " ".join(words) if is_room else None


def _thing(words: Words) -> trees.Described | None:
    """A noun without a place."""
    phrase = NounPhrase("") if "," in words else read_phrase(words)
    is_bare = phrase.noun and not trees.relations_to_viewer(phrase)
    return trees.Described(phrase.noun) if is_bare else None


_READERS: dict[str, Callable[[SlotWords], Any]] = {
    "clause": _clause,
    "number": READERS["number"],
    "option": _option,
    "place": lambda p: _only_place(rest(p)),
    "room": _room,
    "thing": lambda p: _thing(rest(p)),
    "word": one_word(str),
    "words": rest,
}


def _compare(first: NounPhrase, second: NounPhrase, rank: trees.Rank) -> _Asked:
    """ "What is nearer to me, the box or the counter?"."""
    return trees.Compare((first, second), rank) if first.noun and second.noun else None


def _choose(subject: NounPhrase, first: _Option, last: _Option, second: _Option = None) -> _Asked:
    return trees.Choose(subject, tuple(option for option in (first, second, last) if option))


def _claim(subject: NounPhrase) -> _Asked:
    """A claim about a thing: an attribute, else words that are none, else its place."""
    said = [c for c in subject.conditions if isinstance(c, trees.HasAttribute)]
    if said:
        claimed: trees.Condition = said[-1]
    elif subject.unread:
        claimed = trees.HasAttribute("state", " ".join(subject.unread))
    elif subject.conditions:
        claimed = subject.conditions[-1]
    else:
        return trees.Exists(subject)
    others = tuple(c for c in subject.conditions if c is not claimed)
    return trees.Verify(replace(subject, conditions=others, unread=()), claimed)


def _is_visible(subject: NounPhrase, when: Words = ()) -> _Asked:
    turned = not _PARTS["turning"].isdisjoint(when)
    return trees.Verify(subject, Related("in view of", (Viewer(turned),)))


def _what_is_it(rest: Words, how: Words = ()) -> _Asked:
    asked = read_open_relation((*rest, *how))
    return trees.Identify(NounPhrase("", conditions=(asked,))) if asked else None


def _identify(words: Words) -> SituatedQuestion:
    """Any sentence: words that name nothing are unread, also before the main clause."""
    phrase = read_phrase(_main_clause(words))
    related = [c for c in phrase.conditions if isinstance(c, Related)]
    named = {word for part in trees.noun_phrases(phrase)
             for word in (*part.noun.split(), number_word(part.count or 0))}  # fmt: skip
    named |= {c.value for part in trees.noun_phrases(phrase) if part is not phrase
              for c in part.conditions if isinstance(c, trees.HasAttribute)}  # fmt: skip
    unread = tuple(word for word in content_words(with_marks(words)) if word not in named)
    if not related:
        phrase = phrase.that(*places_of(words))
    return trees.Identify(replace(phrase, unread=unread))


def _main_clause(words: Words) -> Words:
    """The clause that asks: "what is there" of "if I turn around, what is there"."""
    opening = _PARTS["opening"]
    starts = (0, *(at + 1 for at, word in enumerate(words) if word == ","))
    asks = next((at for at in starts if words[at : at + 1] and words[at] in opening), 0)
    if not asks:
        return words
    return tuple(takewhile(lambda word: word != ",", words[asks:]))


_BUILT: dict[str, Callable[..., _Asked]] = {
    "Choose": _choose,
    "Claim": _claim,
    "Compare": _compare,
    "IsReachable": lambda subject: trees.Verify(subject, Related("within reach", _ASKER)),
    "IsVisible": _is_visible,
    "IsWayClear": lambda way: trees.IsWayClear(Related(way, _ASKER)),
    # "Where can I sit on my left?": the side is given.
    "PlacesToUse": lambda subject: trees.Identify(subject) if subject.conditions else None,
    "Same": lambda first, second, key="kind": trees.Same((first, second), key),
    "WhatIsIt": _what_is_it,
    "Where": lambda subject: trees.Where(subject) if subject.noun else None,
    "WhereFor": trees.Where,
}
