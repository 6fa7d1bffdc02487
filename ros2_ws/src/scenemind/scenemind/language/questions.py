"""Grammar of questions and bare phrases: from a sentence to its tree.

The shapes stand in `questions.yaml`; here are the readers of their slots, and the trees of those
shapes whose tree is more than its slots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from inspect import signature
from itertools import islice, pairwise
from typing import Any

from scenemind.language import lexicon, trees
from scenemind.language.english import read_table
from scenemind.language.qualities import find_attribute
from scenemind.language.referring.whole import except_things
from scenemind.language.shapes import Bound, Sentence, ShapeBook, Words
from scenemind.language.slots import READERS
from scenemind.language.speech_acts import Frame, find_tagged
from scenemind.language.time_expressions import TimeExpression
from scenemind.language.tokens import Token, tokenize

_FRAME = Frame("question_front", "question_back")
_MOST_JOINTS = 2  # tried in turn: each costs two readings
_MOST_BREAKS = 4  # likewise, one reading each
_SENTENCE_END = re.compile(r"[.!?]+(?=\s+\w)")


def parse_question(text: str) -> trees.Question:
    """The tree of a question or of a bare phrase.

    Raises:
        NotUnderstoodError: with the part that could not be read.
    """
    return question_and_remark(text)[0]


@lru_cache(maxsize=64)  # whoever answers one question reads it more than once
def question_and_remark(text: str) -> tuple[trees.Question, str]:
    """The tree of a question, and the remark before or after it that is not read: "I need to throw
    this away" of "I need to throw this away, where is the bin?"; empty for none.

    Raises:
        NotUnderstoodError: with the part that could not be read.
    """
    stated = find_tagged(text)
    text = text if stated is None or ":" in stated else f"whether {stated}"
    whole = _SENTENCE_END.sub(lambda found: ",".ljust(len(found.group())), text)
    empty = _frame_words("empty_adverbs")
    tokens = [token for token in tokenize(whole) if token.word not in empty]
    said = Sentence(text, without_frame(tokens))
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


def _find_question(said: Sentence, start: int = 0, end: int | None = None) -> trees.Question | None:
    question: trees.Question | None = book().find(said, start, end)
    return question


def _find_joined(said: Sentence) -> trees.Question | None:
    """Two questions of one text: "how many cups are there, and what are they on?".

    "They" of the second is about the things of the first.
    """
    joints = [
        place
        for place, (word, after) in enumerate(pairwise(said.words))
        if after in _frame_words("question_words") and (word == "and" or _ends(said, place))
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


def _ends(said: Sentence, place: int) -> bool:
    """Whether a word is the end of a sentence, which stands for a comma."""
    return said.words[place] == "," and said.text[said.tokens[place].start] != ","


def _beside_remarks(said: Sentence) -> Iterator[tuple[int, int, str]]:
    """First word and end of what stands after or before a remark, with the remark."""
    reasons = _frame_words("reasons")
    for place, token in enumerate(said.tokens):
        if place and (token.word in reasons or " ".join(said.words[place : place + 2]) in reasons):
            yield 0, place, said.text[token.start :].strip()
    clauses = _frame_words("remarking")  # "what is near, the cup or the table" has none
    sentences, asking = clauses | _frame_words("determining"), _frame_words("question_words")
    for place, (before, token) in enumerate(pairwise(said.tokens), 1):
        if before.word not in (",", ";", ":"):
            continue
        is_end = before.word == ":" or _ends(said, place - 1)
        may_open = sentences if said.text.rstrip().endswith("?") else clauses
        if (is_end and said.words[0] not in asking) or said.words[0] in may_open:
            yield place, len(said.words), said.text[: token.start].strip(" ,;:")
        if (is_end and token.word not in asking) or token.word in clauses:
            yield 0, place - 1, said.text[token.start :].strip()


def _about(question: trees.Question, subject: trees.Reference | None) -> trees.Question:
    """A question in which "it" as its subject is the subject of the one before, and as the end of
    a relation the thing named last."""
    asked = getattr(question, "subject", None)
    if not isinstance(subject, trees.NounPhrase) or asked is None:
        return question
    if asked == trees.Marked():
        asked = replace(subject, definite=True)
    elif isinstance(asked, trees.NounPhrase) and not asked.noun and asked.ranks:
        asked = replace(subject, ranks=asked.ranks)  # "which one is the smallest"
    elif isinstance(question, trees.IsWayFree):
        return question
    elif isinstance(asked, trees.NounPhrase):
        last = _anchors(subject)[-1:] or [replace(subject, definite=True)]
        asked = replace(asked, conditions=tuple(_resolved(c, last[0]) for c in asked.conditions))
    return replace(question, subject=asked)  # type: ignore[arg-type]


def _anchors(phrase: trees.NounPhrase) -> list[trees.Reference]:
    related = [c for c in phrase.conditions if isinstance(c, trees.Related)]
    return [anchor for condition in related for anchor in condition.anchors]


def _resolved(condition: trees.Condition, meant: trees.Reference) -> trees.Condition:
    """A condition whose "it" is the thing that is meant."""
    if not isinstance(condition, trees.Related):
        return condition
    anchors = tuple(meant if anchor == trees.Marked() else anchor for anchor in condition.anchors)
    return replace(condition, anchors=anchors)


@cache
def book() -> ShapeBook:
    """The shapes of questions."""
    made = {"options": _options, "of_them": _options, "measure": _measure}
    table = read_table("scenemind.language", "questions.yaml")
    table["words"]["except"] = [" ".join(form) for form in lexicon.EXCEPT]
    return ShapeBook(table, READERS, built_question, made)


def _measure(said: Bound) -> trees.Rank:
    return trees.Rank(said["by"], anchor=said.get("anchor"))


def _options(said: Bound) -> tuple[trees.Reference, ...]:
    """Things to choose from."""
    each = (said.get(name) for name in ("first", "third", "second"))
    first, *more = said.get("of_them") or filter(None, each)
    # "The yellow chair or the blue one".
    is_nameless = (isinstance(other, trees.NounPhrase) and not other.noun for other in more)
    others = zip(more, is_nameless, strict=True)
    return (first, *(replace(it, noun=first.noun) if nameless else it for it, nameless in others))


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


def built_question(shape: str, values: Bound) -> trees.Question | None:
    """The tree of a shape with its values; None where they do not go together, or where there is no
    subject."""
    said = {name: value for name, value in values.items() if name not in ("_", "more")}
    if said.get("noun") in lexicon.ANYTHING:
        said["noun"] = ""
    if shape in _OF_ANYTHING:
        said.setdefault("subject", _OF_ANYTHING[shape])
    if "more" in values:
        said["subject"] = _with(said["subject"], values["more"])
        if said["subject"] is None:
            return None
    build = _BUILT.get(shape) or getattr(trees, shape)
    question: trees.Question | None = build(**said) if has_subject(build, said) else None
    return question


def has_subject(build: Callable[..., Any], said: Bound) -> bool:
    """Whether there is a subject among the values for what builds a tree, if it needs one."""
    return "subject" in said or not _needs_subject(build)


@cache
def _needs_subject(build: Callable[..., Any]) -> bool:
    subject = signature(build).parameters.get("subject")
    return subject is not None and subject.default is subject.empty


def _with(subject: trees.Reference, more: trees.NounPhrase) -> trees.Reference | None:
    """A subject with conditions that follow a verb: "chairs are black"."""
    if not isinstance(subject, trees.NounPhrase) or (subject.ranks and more.ranks):
        return None
    return replace(
        subject,
        conditions=(*subject.conditions, *more.conditions),
        ranks=(*subject.ranks, *more.ranks),
    )


def _where_at(subject: trees.Reference, moment: TimeExpression) -> trees.Question | None:
    return None if moment.moment is None else trees.WhereAt(subject, moment.moment)


def _changed(
    kinds: list[trees.ChangeKind],
    since: TimeExpression | None = None,
    subject: trees.Reference | None = None,
    stayed: bool = False,
) -> trees.Question:
    return trees.Changed(tuple(kinds), None if since is None else since.moment, subject, stayed)


def _claim(
    subject: trees.Reference,
    condition: trees.Condition | None = None,
    things: tuple[trees.Reference, Sequence[str]] | None = None,
) -> trees.Question | None:
    """A yes-no question; of no certain thing, it asks whether there is such a thing."""
    if things is not None:
        if not isinstance(subject, trees.NounPhrase):
            return None
        but = except_things(things[0], subject, things[1])
        if but is None:
            return None
        subject = replace(subject, conditions=(*subject.conditions, but))
    if not isinstance(subject, trees.NounPhrase):
        return trees.Exists(subject) if condition is None else trees.Verify(subject, condition)
    if condition is None:
        return trees.Exists(subject)
    is_thing = not subject.noun and not subject.conditions
    is_use = getattr(condition, "key", "") == "affordance"
    if (is_use or isinstance(condition, trees.Related)) and (is_thing or not subject.definite):
        return trees.Exists(replace(subject, conditions=(*subject.conditions, condition)))
    return trees.Verify(subject, condition)


def _belongings(owner: str, noun: str = "") -> trees.Question:
    return _all_that(trees.HasAttribute("owner", owner.lower()), noun)


def _all_that(condition: trees.Condition, noun: str = "") -> trees.Question:
    return trees.ListObjects(trees.NounPhrase(noun, conditions=(condition,)))


def _not_the_other(subject: trees.Reference, other: trees.NounPhrase) -> trees.Question | None:
    """A phrase with what it is not: "the book on the shelf, not the one on the table"."""
    if not isinstance(subject, trees.NounPhrase) or other.ranks:
        return None
    denied = tuple(replace(each, negated=not each.negated) for each in other.conditions)
    return trees.Ground(replace(subject, conditions=(*subject.conditions, *denied)))


def _enough(subject: trees.Reference, people: int) -> trees.Question | None:
    if not isinstance(subject, trees.NounPhrase) or subject.count is not None:
        return None
    return trees.Exists(replace(subject, count=people))


def _exactly(subject: trees.Reference) -> trees.Question | None:
    is_counted = isinstance(subject, trees.NounPhrase) and subject.count is not None
    return trees.Exists(subject, exactly=True) if is_counted else None


def _only_one(subject: trees.Reference) -> trees.Question | None:
    return _exactly(replace(subject, count=1)) if isinstance(subject, trees.NounPhrase) else None


def _joined(
    kind: Callable[[trees.Reference], trees.Question], word: str
) -> Callable[..., trees.Question]:
    def build(first: trees.Reference, second: trees.Reference, word: Any = word) -> trees.Question:
        return trees.Joined((kind(first), kind(second)), word)

    return build


def _exists_any(first: trees.Reference, second: trees.Reference, word: Any) -> trees.Question:
    """ "Is there a cup or a bowl", "a red or a blue cup"."""
    found = find_attribute(first.noun.split(), 0)
    if found is not None and first == trees.NounPhrase(first.noun):
        others = (c for c in second.conditions if getattr(c, "key", "") != found[0].key)
        if isinstance(second, trees.NounPhrase):
            first = replace(second, conditions=(found[0], *others))
    return trees.Joined((trees.Exists(first), trees.Exists(second)), word)


def _exists_either(
    subject: trees.Reference, first: trees.NounPhrase, second: trees.NounPhrase
) -> trees.Question | None:
    """ "Is there a plant next to the sofa or next to the table?"."""
    each = tuple(trees.Exists(of) for one in (first, second) if (of := _with(subject, one)))
    return trees.Joined(each, "or") if len(each) > 1 else None


def _best(subject: trees.Reference, rank: trees.Rank) -> trees.Question | None:
    """One of several by a comparison: "which of the two tables is the higher one"."""
    if not isinstance(subject, trees.NounPhrase):
        return None
    return trees.ListObjects(replace(subject, count=None, ranks=(*subject.ranks, rank)))


def _compare_to(
    subject: trees.Reference,
    by: trees.Superlative,
    first: trees.Reference,
    second: trees.Reference,
) -> trees.Question:
    """ "Is the cup closer to the bottle or to the bowl": which of them is closer to the cup."""
    return trees.Compare((first, second), trees.Rank(by, anchor=subject))


def _exists_between(first: trees.Reference, second: trees.Reference) -> trees.Question:
    between = trees.Related("between", (first, second))
    return trees.Exists(trees.NounPhrase("", conditions=(between,)))


def _choose(
    subject: trees.Reference,
    first: trees.Condition | str,
    second: trees.Condition | str,
    anchor: trees.Reference | None = None,
) -> trees.Question | None:
    if isinstance(first, str) and isinstance(second, str):
        of = (anchor or trees.Viewer(),)
        first, second = trees.Related(first, of), trees.Related(second, of)
    if isinstance(first, str) or isinstance(second, str):
        return None
    if isinstance(first, trees.Related):
        second = _resolved(second, first.anchors[-1])
    return trees.Choose(subject, (first, second))


def _same(
    first: trees.Reference, key: trees.Attribute, second: trees.Reference | None = None
) -> trees.Question:
    return trees.Same((first,) if second is None else (first, second), key)


def _seen_before(first: trees.Reference, second: trees.Reference) -> trees.Question:
    return trees.IsMore(first, second, trees.Rank("earliest"))


def _claim_both(
    first: trees.Reference, second: trees.Reference, condition: trees.Condition
) -> trees.Question:
    second = _options({"first": first, "second": second})[1]
    return trees.Joined((trees.Verify(first, condition), trees.Verify(second, condition)), "and")


def _count_at(subject: trees.Reference, of: trees.Reference) -> trees.Question | None:
    """ "How many chairs belong to the table"."""
    if not isinstance(subject, trees.NounPhrase):
        return None
    near = trees.Related("next to", (of,))
    return trees.Count(replace(subject, conditions=(*subject.conditions, near)))


def _opposite_sides(
    first: trees.Reference, second: trees.Reference, subject: trees.Reference
) -> trees.Question:
    """ "Are the cup and the bowl on opposite sides of the table": whether it is between them."""
    ends = _options({"first": first, "second": second})
    return trees.Verify(subject, trees.Related("between", ends))


# Shapes whose tree is more than their values.
_BUILT: dict[str, Callable[..., trees.Question | None]] = {
    "Belongings": _belongings,
    "Best": _best,
    "Changed": _changed,
    "Choose": _choose,
    "Claim": _claim,
    "ClaimBoth": _claim_both,
    "CountAt": _count_at,
    "CompareTo": _compare_to,
    "CountBoth": _joined(trees.Count, "and"),
    "DistanceFromHere": lambda first: trees.Distance(first, trees.Viewer()),
    "EnoughOf": _enough,
    "Exactly": _exactly,
    "ExistsAny": _exists_any,
    "ExistsBetween": _exists_between,
    "ExistsEither": _exists_either,
    "IsCalled": lambda subject, noun, negated=False: trees.Verify(
        subject, trees.Described(noun, negated)
    ),
    "IsUsable": lambda use, subject, way="": _claim(
        subject, trees.HasAttribute("affordance", f"{use} {way}".strip())
    ),
    "LeadsTo": lambda subject: _all_that(trees.Related("near", (subject,)), "room"),
    "IsOwned": lambda subject, owner: trees.Verify(
        subject, trees.HasAttribute("owner", owner.lower())
    ),
    "AskName": lambda subject: trees.AskAttribute(subject, "name"),
    "FitsUnder": lambda length_m, subject: trees.FitsBetween(
        subject, trees.NounPhrase("floor", definite=True), length_m
    ),
    "IsLong": lambda subject, rank, length_m: trees.IsMore(subject, length_m, rank),
    "NotTheOther": _not_the_other,
    "OnlyOne": _only_one,
    "OppositeSides": _opposite_sides,
    "People": trees.ListObjects,
    "Reachable": lambda: _all_that(trees.Related("within reach", (trees.Viewer(),))),
    "Same": _same,
    "SeenBefore": _seen_before,
    "SeenFirst": lambda options: trees.Compare(options, trees.Rank("earliest")),
    "UsableWith": lambda use: _all_that(trees.HasAttribute("affordance", f"{use} with")),
    "Usable": lambda use: _all_that(trees.HasAttribute("affordance", use)),
    "WhereAt": _where_at,
    "WhereBoth": _joined(trees.Where, "and"),
}
# What shapes without a subject ask for.
_OF_ANYTHING = {
    "Exists": trees.NounPhrase(""),
    "ListObjects": trees.NounPhrase(""),
    "People": trees.NounPhrase("person"),
}
