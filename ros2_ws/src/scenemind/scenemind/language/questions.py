"""Grammar of questions and bare phrases: from a sentence to its tree.

The shapes stand in `questions.yaml`; here are the readers of their slots, and the trees of those
shapes whose tree is more than its slots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise
from typing import Any

from scenemind.language import lexicon, trees
from scenemind.language.english import read_table
from scenemind.language.parser import except_things
from scenemind.language.shapes import Bound, Sentence, ShapeBook, Words
from scenemind.language.slots import READERS
from scenemind.language.speech_acts import Frame
from scenemind.language.time_expressions import TimeExpression
from scenemind.language.tokens import Token, tokenize
from scenemind.language.trees import (
    Attribute,
    Changed,
    Condition,
    Count,
    Described,
    Distance,
    Exists,
    HasAttribute,
    ListObjects,
    Marked,
    NounPhrase,
    Question,
    Rank,
    Reference,
    Related,
    Same,
    Verify,
    Viewer,
    WhereAt,
)

_FRAME = Frame("question_front", "question_back")
_MOST_JOINTS = 2  # tried in turn: each costs two readings
_MOST_BREAKS = 4  # likewise, one reading each
_SENTENCE_END = re.compile(r"[.!?]+(?=\s+\w)")


def parse_question(text: str) -> Question:
    """The tree of a question or of a bare phrase.

    Raises:
        NotUnderstoodError: with the part that could not be read.
    """
    return question_and_remark(text)[0]


def question_and_remark(text: str) -> tuple[Question, str]:
    """The tree of a question, and the remark before or after it that is not read: "I need to throw
    this away" of "I need to throw this away, where is the bin?"; empty for none.

    Raises:
        NotUnderstoodError: with the part that could not be read.
    """
    whole = _SENTENCE_END.sub(lambda found: ",".ljust(len(found.group())), text)
    said = Sentence(text, without_frame(tokenize(whole)))
    question = _find_question(said) or _find_joined(said)
    if question is not None:
        return question, ""
    for first, last, remark in islice(_beside_remarks(said), _MOST_BREAKS):
        start, end = _without_frame(said.words, first, last)
        if said.words[start] in _frame_words("question_words"):
            question = _find_question(said, start, end)
            if question is not None and not isinstance(question, trees.Ground):
                topic = _find_question(said, 0, first - 1) if first else None
                about = _about(question, getattr(topic, "subject", None))
                return about, remark if about == question else ""
    raise said.error()


def _find_question(said: Sentence, start: int = 0, end: int | None = None) -> Question | None:
    question: Question | None = book().find(said, start, end)
    return question


def _find_joined(said: Sentence) -> Question | None:
    """Two questions of one sentence: "how many cups are there, and what are they on?".

    "They" of the second is about the things of the first.
    """
    joints = [
        place
        for place, (word, after) in enumerate(pairwise(said.words))
        if word == "and" and after in _frame_words("question_words")
    ]
    for place in joints[:_MOST_JOINTS]:
        end = place - (said.words[place - 1 : place] == (",",))
        first = _find_question(said, 0, end)
        subject = getattr(first, "subject", None)
        if first is None or isinstance(first, trees.Ground):
            continue
        second = _find_question(said, place + 1)
        if second is not None and not isinstance(second, trees.Ground):
            return trees.Joined((first, _about(second, subject)), "and")
    return None


def _beside_remarks(said: Sentence) -> Iterator[tuple[int, int, str]]:
    """First word and end of what stands after or before a remark, with the remark."""
    clauses = _frame_words("remarking")  # "what is near, the cup or the table" has none
    sentences = clauses | _frame_words("determining")
    for place, (before, token) in enumerate(pairwise(said.tokens), 1):
        if before.word not in (",", ";"):
            continue
        is_end = said.text[before.start] != ","
        if said.words[0] in (sentences if is_end or said.text.rstrip().endswith("?") else clauses):
            yield place, len(said.words), said.text[: token.start].strip(" ,;")
        if token.word in (sentences if is_end else clauses):
            yield 0, place - 1, said.text[token.start :].strip()


def _about(question: Question, subject: Reference | None) -> Question:
    """A question in which "it" as its subject is the subject of the one before, and as the end of
    a relation the thing named last."""
    asked = getattr(question, "subject", None)
    if not isinstance(subject, NounPhrase) or asked is None:
        return question
    if asked == Marked():
        asked = replace(subject, definite=True)
    elif isinstance(asked, NounPhrase):
        last = _anchors(subject)[-1:] or [replace(subject, definite=True)]
        asked = replace(asked, conditions=tuple(_resolved(c, last[0]) for c in asked.conditions))
    return replace(question, subject=asked)  # type: ignore[arg-type]


def _anchors(phrase: NounPhrase) -> list[Reference]:
    related = [c for c in phrase.conditions if isinstance(c, Related)]
    return [anchor for condition in related for anchor in condition.anchors]


def _resolved(condition: Condition, meant: Reference) -> Condition:
    """A condition whose "it" is the thing that is meant."""
    if not isinstance(condition, Related):
        return condition
    anchors = tuple(meant if anchor == Marked() else anchor for anchor in condition.anchors)
    return replace(condition, anchors=anchors)


@cache
def book() -> ShapeBook:
    """The shapes of questions."""
    return ShapeBook(read_table("scenemind.language", "questions.yaml"), READERS, built_question)


def without_frame(tokens: list[Token]) -> list[Token]:
    """Tokens without "please" and the like at the front, "in the room" and the like at the end."""
    start, end = _without_frame(tuple(token.word for token in tokens), 0, len(tokens))
    return tokens[start:end]


def _without_frame(words: Words, first: int, end: int) -> tuple[int, int]:
    start = first + _FRAME.starts(words[first:end])[-1]
    start = first if start == end else start
    return start, start + 1 + _FRAME.end(words[start + 1 : end])


@cache
def _frame_words(name: str) -> frozenset[str]:
    return frozenset(read_table("scenemind.language", "questions.yaml")["words"][name])


def built_question(shape: str, values: Bound) -> Question | None:
    """The tree of a shape with its values; None where they do not go together."""
    said = {name: value for name, value in values.items() if name not in ("_", "more")}
    if said.get("noun") in lexicon.ANYTHING:
        said["noun"] = ""
    if shape in _OF_ANYTHING:
        said.setdefault("subject", _OF_ANYTHING[shape])
    if "more" in values:
        said["subject"] = _with(said["subject"], values["more"])
        if said["subject"] is None:
            return None
    question: Question | None = (_BUILT.get(shape) or getattr(trees, shape))(**said)
    return question


def _with(subject: Reference, more: NounPhrase) -> Reference | None:
    """A subject with conditions that follow a verb: "chairs are black"."""
    if not isinstance(subject, NounPhrase) or (subject.ranks and more.ranks):
        return None
    return replace(
        subject,
        conditions=(*subject.conditions, *more.conditions),
        ranks=(*subject.ranks, *more.ranks),
    )


def _where_at(subject: Reference, moment: TimeExpression) -> Question | None:
    return None if moment.moment is None else WhereAt(subject, moment.moment)


def _changed(
    kinds: list[trees.ChangeKind],
    since: TimeExpression | None = None,
    subject: Reference | None = None,
    stayed: bool = False,
) -> Question:
    return Changed(tuple(kinds), None if since is None else since.moment, subject, stayed)


def _claim(
    subject: Reference,
    condition: Condition | None = None,
    things: tuple[Reference, Sequence[str]] | None = None,
) -> Question | None:
    """A yes-no question; of no certain thing, it asks whether there is such a thing."""
    if things is not None:
        if not isinstance(subject, NounPhrase):
            return None
        but = except_things(things[0], subject, things[1])
        if but is None:
            return None
        subject = replace(subject, conditions=(*subject.conditions, but))
    if not isinstance(subject, NounPhrase):
        return Exists(subject) if condition is None else Verify(subject, condition)
    if condition is None:
        return Exists(subject)
    is_thing = not subject.noun and not subject.conditions
    if isinstance(condition, Related) and (is_thing or not subject.definite):
        return Exists(replace(subject, conditions=(*subject.conditions, condition)))
    return Verify(subject, condition)


def _belongings(owner: str, noun: str = "") -> Question:
    return _all_that(HasAttribute("owner", owner.lower()), noun)


def _all_that(condition: Condition, noun: str = "") -> Question:
    return ListObjects(NounPhrase(noun, conditions=(condition,)))


def _not_the_other(subject: Reference, other: NounPhrase) -> Question | None:
    """A phrase with what it is not: "the book on the shelf, not the one on the table"."""
    if not isinstance(subject, NounPhrase) or other.ranks:
        return None
    denied = tuple(replace(each, negated=not each.negated) for each in other.conditions)
    return trees.Ground(replace(subject, conditions=(*subject.conditions, *denied)))


def _enough(subject: Reference, people: int) -> Question | None:
    if not isinstance(subject, NounPhrase) or subject.count is not None:
        return None
    return Exists(replace(subject, count=people))


def _joined(kind: Callable[[Reference], Question], word: str) -> Callable[..., Question]:
    def build(first: Reference, second: Reference, word: Any = word) -> Question:
        return trees.Joined((kind(first), kind(second)), word)

    return build


def _ranked(
    build: Callable[[Reference, Reference, Rank], Question],
) -> Callable[..., Question]:
    def built(
        first: Reference,
        second: Reference,
        by: trees.Superlative,
        anchor: Reference | None = None,
    ) -> Question:
        return build(first, second, Rank(by, anchor=anchor))

    return built


def _choose(
    subject: Reference,
    first: Condition | str,
    second: Condition | str,
    anchor: Reference | None = None,
) -> Question | None:
    if isinstance(first, str) and isinstance(second, str) and anchor is not None:
        first, second = Related(first, (anchor,)), Related(second, (anchor,))
    if isinstance(first, str) or isinstance(second, str):
        return None
    if isinstance(first, Related):
        second = _resolved(second, first.anchors[-1])
    return trees.Choose(subject, (first, second))


def _same(first: Reference, key: Attribute, second: Reference | None = None) -> Question:
    return Same((first,) if second is None else (first, second), key)


# Shapes whose tree is more than their values.
_BUILT: dict[str, Callable[..., Question | None]] = {
    "Belongings": _belongings,
    "Changed": _changed,
    "Choose": _choose,
    "Claim": _claim,
    "Compare": _ranked(lambda first, second, rank: trees.Compare((first, second), rank)),
    "CountBoth": _joined(Count, "and"),
    "DistanceFromHere": lambda first: Distance(first, Viewer()),
    "EnoughOf": _enough,
    "ExistsAny": _joined(Exists, "or"),
    "IsCalled": lambda subject, noun, negated=False: Verify(subject, Described(noun, negated)),
    "IsMore": _ranked(trees.IsMore),
    "IsOwned": lambda subject, owner: Verify(subject, HasAttribute("owner", owner.lower())),
    "NotTheOther": _not_the_other,
    "People": ListObjects,
    "Reachable": lambda: _all_that(Related("within reach", (Viewer(),))),
    "Same": _same,
    "Usable": lambda use: _all_that(HasAttribute("affordance", use)),
    "WhereAt": _where_at,
    "WhereBoth": _joined(trees.Where, "and"),
}
# What shapes without a subject ask for.
_OF_ANYTHING = {
    "Exists": NounPhrase(""),
    "ListObjects": NounPhrase(""),
    "People": NounPhrase("person"),
}
