"""Questions of somebody who stands somewhere, read loosely: every text has a tree.

Shapes with slots for any words (`loose.yaml`) tell what is asked; the reader of free descriptions
reads what stands in the slots, and leaves unread what it has no use for. Places of the asker ("on
my left", "in my 7 o'clock direction") are marks such as "@left" among the words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import dropwhile
from typing import Any

from scenemind.language import lexicon, trees
from scenemind.language.english import (
    find_number,
    number_word,
    patterns_of,
    read_table,
    rewriter,
    word_set,
)
from scenemind.language.qualities import find_look
from scenemind.language.question_trees import built_question, has_subject
from scenemind.language.referring.chunks import chunks_of
from scenemind.language.referring.reader import read_chunks
from scenemind.language.relation_names import find_relation
from scenemind.language.shapes import Bound, Sentence, ShapeBook, Words
from scenemind.language.slots import READERS, SlotWords, one_word, rest
from scenemind.language.tokens import Token, tokenize
from scenemind.language.trees import NounPhrase, Related, SituatedQuestion, Viewer

_TABLE = read_table("scenemind.language", "loose.yaml")
_rewritten, _rewritten_phrase = (rewriter(_TABLE[name]) for name in ("rewrites", "in_phrases"))
_PLACES = [
    (name, re.compile(rf"(?<!\S){pattern}(?!\S)"))
    for name, pattern in patterns_of(_TABLE["places"]).items()
    if name[0] == "@"
]
_SIDES: dict[str, str] = _TABLE["sides"]
_PARTS = {name: word_set(words) for name, words in _TABLE["small"].items()}
_SMALL_WORDS = (_PARTS["of_questions"] | _PARTS["lead"] | lexicon.SMALL_WORDS) - _PARTS["hints"]
_WORD = re.compile(r"[a-z][a-z'-]+")
_DIRECTLY = word_set("direct directly immediate immediately straight")
# What "directly" means of a side.
_HOURS = {"front": 12, "right": 3, "back": 6, "left": 9}
_OPPOSITES = ({"left", "right"}, {"front", "back"})
# "The closest" before a noun is in front of all others; who asks means the nearest.
_TO_ASKER: dict[trees.Superlative, trees.Superlative] = {
    "frontmost": "closest",
    "rearmost": "farthest",
}
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
    question: _Asked = book().find(Sentence("", [Token(word, 0) for word in words]))
    return question or _identify(words)


def words_of(text: str) -> Words:
    """The words of a text in lower case, with commas, short forms written out."""
    plain = _rewritten(" ".join(token.word for token in tokenize(text)))
    return tuple(word for word in plain.split() if word[0].isalnum() or word == ",")


def with_marks(words: Sequence[str]) -> Words:
    """The words with marks in place of the asker's places."""
    said = f"{' '.join(words)} "
    for name, pattern in _PLACES:
        said = pattern.sub(lambda found, name=name: _marks(name, found), said)  # type: ignore[misc]
    return tuple(said.split())


def _marks(name: str, found: re.Match[str]) -> str:
    said = [side for side in found.groups() if side]
    if name == "@hour":
        hour = find_number(said[0])
        return found.group() if hour is None else f"@{hour % 12 or 12}_o'clock"
    sides = list(dict.fromkeys(_TABLE["ends"].get(side, side) for side in said))
    # "My left right" is none: the first one counts.
    sides = (sides[:1] if set(sides) in _OPPOSITES else sides) or [name[1:]]
    hour = _HOURS.get(sides[0]) if len(sides) == 1 else None
    if hour and not _DIRECTLY.isdisjoint(found.group().split()):
        return f"@{hour}_o'clock"
    return " ".join(f"@{side}" for side in sides)


def places_of(words: Sequence[str]) -> tuple[Related, ...]:
    """The relations to the asker among words."""
    marks = (word for word in with_marks(words) if word[0] == "@")
    return tuple(condition for mark in marks for condition in _of_mark(mark))


def _of_mark(mark: str) -> tuple[Related, ...]:
    """What a mark says of a thing."""
    place = mark[1:].replace("_", " ")
    return (Related(_SIDES.get(place, place), _ASKER),)


def read_phrase(words: Sequence[str], *, related: bool = True) -> NounPhrase:
    """The phrase that words are, without a question's opening; content words that it has no use
    for are unread.

    Args:
        related: whether relations to other things are read.
    """
    said = _rewritten_phrase(" ".join(_without_lead(words)))
    chunks = chunks_of(said, views=False)
    phrase = read_chunks(chunks, _of_mark).phrase
    kept = tuple(c for said in phrase.conditions for c in _of_thing(said, bool(phrase.noun)))
    ranks = tuple(
        replace(rank, superlative=_TO_ASKER.get(rank.superlative, rank.superlative))
        for rank in phrase.ranks
    )
    phrase = replace(phrase, conditions=kept if related else (), ranks=ranks)
    used = {word for chunk in chunks if chunk.kind == "relation" for word in chunk.words}
    used.update(word for chunk in chunks for word in chunk.traits)
    used |= _named_in(phrase)
    unread = tuple(word for word in content_words(said.split()) if word not in used)
    return replace(phrase, unread=unread)


def _named_in(phrase: NounPhrase) -> set[str]:
    """Words of the nouns and numbers of a phrase."""
    parts = list(trees.noun_phrases(phrase))
    return {word for part in parts for word in (*part.noun.split(), number_word(part.count or 0))}


def _of_thing(said: trees.Condition, is_named: bool) -> tuple[trees.Condition, ...]:
    """What a condition says of the thing: parts of the building stand in many pieces, so that it
    lies itself where they do; what a thing without a name has are hints at what it is."""
    anchor = said.anchors[0] if isinstance(said, Related) else None
    if not isinstance(said, Related) or not isinstance(anchor, NounPhrase):
        return (said,)
    if anchor.noun in lexicon.BUILDING:
        bare = replace(said, anchors=(NounPhrase(anchor.noun),))
        return (*trees.relations_to_viewer(anchor), bare)
    return () if said.predicate in ("with", "contains") and not is_named else (said,)


def _without_lead(words: Sequence[str]) -> Words:
    """Words with marks, without a question's opening, but with the article of what follows it."""
    marked = with_marks(words)
    left = tuple(dropwhile(_PARTS["lead"].__contains__, marked))
    before = marked[: len(marked) - len(left)]
    return ("the", *left) if left and before[-1:] == ("the",) else left


def content_words(words: Sequence[str]) -> tuple[str, ...]:
    """Content words, without marks."""
    return tuple(word for word in words if _WORD.fullmatch(word) and word not in _SMALL_WORDS)


@cache
def book() -> ShapeBook:
    """The shapes of questions that are read loosely."""
    known, own = read_table("scenemind.language", "questions.yaml")["words"], _TABLE["words"]
    by = own["by"] | known["comparative"] | known["nearness"] | lexicon.SUPERLATIVES
    return ShapeBook({**_TABLE, "words": known | own | {"by": by}}, _READERS, _built)


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
        said["subject"] = _goal(values["goal"])
    places = (values["place"],) if "place" in values else places_of(values.get("clause", ()))
    if len(places) == 1 and "subject" in said and not trees.relations_to_viewer(said["subject"]):
        said["subject"] = said["subject"].that(*places)
    build = _BUILT.get(shape)
    if build is None:
        return built_question(shape, said)
    return build(**said) if has_subject(build, said) else None


def _goal(words: Words) -> NounPhrase:
    """Words that tell what something is for, with their places: all of them are unread."""
    unread = (word for word in content_words(with_marks(words)) if word not in _PARTS["no_goals"])
    return NounPhrase("", conditions=places_of(words), unread=tuple(unread))


def _clause(p: SlotWords) -> Words | None:
    """The words of a clause, with the comma."""
    words = rest(p)
    return words if words[-1] == "," else None


def _option(p: SlotWords) -> _Option:
    """What an offered word means, or a place: a word that is no attribute may be a noun."""
    words = rest(p)
    place = _only_place(words)
    if place or len(words) > 1:
        return place
    (word,) = words
    if word in _PARTS["no_options"]:
        return None
    if word in _SIDES:
        return Related(_SIDES[word], _ASKER)
    look = None if word in lexicon.MASSES else find_look(words, 0)
    return trees.HasAttribute(look[0].key, word) if look else trees.Described(word)


def _only_place(words: Words) -> Related | None:
    """The asker's place that words are, and nothing else."""
    if words[0] in _PARTS["in_places"] and all(word[0] == "@" for word in with_marks(words)):
        return places_of(words)[0]
    return None


def _room(p: SlotWords) -> str | None:
    words = rest(p)
    is_room = words[-1] in _PARTS["rooms"] or words[-1].endswith("room")
    return " ".join(words) if is_room and len(words) <= _LONGEST_ROOM else None


_READERS: dict[str, Callable[[SlotWords], Any]] = {
    "clause": _clause,
    "number": READERS["number"],
    "option": _option,
    "place": lambda p: _only_place(rest(p)),
    "room": _room,
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
    """What a thing is to the one that "the chair is in front of" asks for: behind it."""
    marked = _without_lead((*rest, *how))
    chunks = chunks_of(" ".join(marked).removesuffix(" me"), views=False)
    phrase = read_chunks(chunks[:-1], _of_mark).phrase
    if (
        not phrase.noun
        or chunks[-1].kind != "relation"
        or not _PARTS["speakers"].isdisjoint(marked)
    ):
        return None
    known = find_relation(chunks[-1].value)
    asked = Related(known.inverse if known and known.inverse else "near", (phrase,))
    return trees.Identify(NounPhrase("", conditions=(asked,)))


def _identify(words: Words) -> SituatedQuestion:
    """Any sentence: words that name nothing are unread."""
    phrase = read_phrase(words)
    if not any(isinstance(c, Related) for c in phrase.conditions):
        phrase = phrase.that(*places_of(words))
    looks = trees.parts_of(phrase, trees.HasAttribute)
    named = _named_in(phrase) | {look.value for look in looks if look not in phrase.conditions}
    unread = tuple(word for word in content_words(with_marks(words)) if word not in named)
    return trees.Identify(replace(phrase, unread=unread))


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
