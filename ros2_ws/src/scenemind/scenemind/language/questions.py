"""Grammar of questions and bare phrases: from a sentence to its tree.

The shapes stand in `questions.yaml`; here are the readers of their slots, and the trees of those
shapes whose tree is more than its slots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache, lru_cache
from inspect import signature
from typing import Any, Literal, NamedTuple

from scenemind.language import lexicon, trees
from scenemind.language.clauses import PARTS, Clause, aspects_of, clauses_of, plain, questions_in
from scenemind.language.english import find_number, is_plural, normal, plural, read_table
from scenemind.language.measures import length_words
from scenemind.language.qualities import find_attribute
from scenemind.language.referring.whole import (
    except_things,
    read_conditions,
    read_phrase,
)
from scenemind.language.shapes import Bound, Sentence, ShapeBook, Words
from scenemind.language.slots import READERS, find_length
from scenemind.language.speech_acts import Frame, find_tagged
from scenemind.language.time_expressions import TimeExpression
from scenemind.language.tokens import Token, tokenize

_FRAME = Frame("question_front", "question_back")
# What the robot has of things, as a name for all of them.
_RECORDS = frozenset(
    ("detections", "objects", "labels", "things", "entries", "findings", "records")
)
# Words for things that were named before.
_POINTING = frozenset(
    (
        "it",
        "its",
        "they",
        "them",
        "their",
        "one",
        "ones",
        "another",
        "other",
        "others",
        "those",
        "these",
        "that",
        "this",
    )
)
# What things have, and are not.
_NO_THINGS = frozenset(
    ("color", "colour", "size", "height", "width", "length", "depth", "material", "shape")
)
_ONE = frozenset(("one", "ones", "other", "others"))
_OPPOSITE: dict[str, trees.Superlative] = {
    "tallest": "shortest", "highest": "lowest", "longest": "narrowest", "widest": "narrowest",
    "shortest": "tallest", "lowest": "highest",
}  # fmt: skip
_SENTENCE_END = re.compile(r"[.!?]+(?=\s+\w)")


def parse_question(text: str) -> trees.Question:
    """The tree of a question or of a bare phrase.

    Raises:
        NotUnderstoodError: with the part that could not be read.
    """
    return read_text(text).question


class ReadText(NamedTuple):
    """What a text asks.

    Attributes:
        remarks: clauses that ask nothing: "I need to throw this away".
        missed: words of further questions that are not read.
    """

    question: trees.Question
    remarks: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()


@lru_cache(maxsize=64)  # whoever answers one question reads it more than once
def read_text(
    text: str, before: trees.Question | None = None, *, is_pointed: bool = False
) -> ReadText:
    """What a text asks, of one or of several sentences.

    Args:
        before: the question asked before, whose things "it" and "the tall one" may mean.
        is_pointed: "it" is pointed at.

    Raises:
        NotUnderstoodError: with the part that could not be read.
    """
    said = _whole(text)
    meant = getattr(before, "subject", None) or next(
        iter(trees.parts_of(before, trees.NounPhrase)), None
    )
    whole = _find_question(said)
    if meant is not None and getattr(whole, "subject", None) == trees.Marked():
        return ReadText(about(whole, meant, is_pointed=is_pointed))  # type: ignore[arg-type]
    if before is not None and (whole is None or isinstance(whole, trees.Ground)):
        other = _instead(said.words, before)
        if other is not None:
            return ReadText(other)
    found = None
    if whole is None or isinstance(whole, trees.Ground):
        found = _of_clauses(text, meant, is_pointed, is_phrase=whole is not None)
    elif meant is not None and _is_of_one_before(said.words):
        whole = about(_of_them(whole, said.words), meant, is_pointed=is_pointed)
    if whole is not None and (found is None or isinstance(found.question, trees.Ground)):
        found = ReadText(whole)
    if found is None:
        raise said.error()
    if not _ONE.isdisjoint(said.words):
        found = found._replace(question=with_nouns_of_first(found.question))
    return found


def _is_of_one_before(words: Words) -> bool:
    """Whether words are about things named before: "it", "the other", "which is the tallest", "how
    many are there"."""
    opens = (("which", "is"), ("which", "are"), ("how", "many", "are"))
    return not _POINTING.isdisjoint(words) or any(words[: len(form)] == form for form in opens)


def _of_them(question: trees.Question, words: Words) -> trees.Question:
    """A question for some of those named before: "which (of them) is at the desk", "how many are
    red"."""
    if not isinstance(question, trees.ListObjects | trees.Count):
        return question
    subject = question.subject
    is_asked = words[: 1 + (words[0] == "how")] in (("which",), ("how", "many"))
    if not is_asked or not isinstance(subject, trees.NounPhrase) or subject.noun:
        return question
    return replace(question, subject=replace(subject, definite=True))


def _instead(words: Words, before: trees.Question) -> trees.Question | None:
    """The question before of another thing or place: "and the red one?", "and on the desk?"."""
    words = words[words[:1] in (("and",), ("or",), ("but",)) :]
    for lead in (("what", "about"), ("how", "about")):
        words = words[2:] if words[:2] == lead else words
    subject = getattr(before, "subject", None)
    if not words or not isinstance(subject, trees.NounPhrase):
        return None
    superlative = lexicon.SUPERLATIVES.get(words[-1]) if words[:-1] in ((), ("the",)) else None
    if superlative is not None:  # "and the closest?"
        phrase: trees.Reference | None = trees.NounPhrase("", ranks=(trees.Rank(superlative),))
    else:
        phrase = read_phrase(words)[0] or read_conditions(words)[0]
    if not isinstance(phrase, trees.NounPhrase):
        return None
    if phrase.noun or phrase.other:
        return replace(before, subject=_with_meant(phrase, subject))
    of_anchor = _instead_of_anchor(phrase, subject)
    if of_anchor is not None:
        return replace(before, subject=of_anchor)  # type: ignore[arg-type]
    kinds = {type(condition) for condition in phrase.conditions}
    kept = tuple(c for c in subject.conditions if type(c) not in kinds)
    anchors = [rank.anchor for rank in subject.ranks if rank.anchor is not None]
    own = tuple(
        replace(rank, anchor=rank.anchor or (anchors[0] if anchors else None))
        if rank.superlative in lexicon.COMPARING
        else rank
        for rank in phrase.ranks
    )
    ranks = own or (() if kinds else subject.ranks)
    conditions = (*kept, *(_at_another(c, subject) for c in phrase.conditions))
    asked = replace(subject, conditions=conditions, ranks=ranks, count=phrase.count)
    return replace(before, subject=asked)  # type: ignore[arg-type]


def _instead_of_anchor(
    phrase: trees.NounPhrase, subject: trees.NounPhrase
) -> trees.NounPhrase | None:
    """A subject at another thing of the same kind: "and the round one?" after "the chairs at the
    long table"; None where the subject itself is told from others of its kind."""
    if not phrase.conditions or not all(map(_is_look, phrase.conditions)):
        return None
    if any(map(_is_look, subject.conditions)):
        return None
    for condition in subject.conditions:
        anchor = _anchor_of(condition)
        if anchor is None or (anchor.noun == _kind(anchor.noun) and not anchor.conditions):
            continue
        other = replace(_called(phrase, normal(_kind(anchor.noun))), definite=True)
        of = (_at(c, other) if c is condition else c for c in subject.conditions)
        return replace(subject, conditions=tuple(of))
    return None


def _at_another(condition: trees.Condition, subject: trees.NounPhrase) -> trees.Condition:
    """A condition in which "the round one" is of the kind of what the subject is at: "and at the
    round one?"; else of the kind of the subject."""
    said = getattr(condition, "predicate", "")
    anchors = (_anchor_of(c) for c in subject.conditions if getattr(c, "predicate", "") == said)
    anchor, own = next(filter(None, anchors), None), _anchor_of(condition)
    if anchor is not None and own is not None and not own.noun:
        return _at(condition, _called(own, normal(_kind(anchor.noun))))
    named: trees.Condition = _with_meant(condition, subject)
    return named


def _anchor_of(condition: trees.Condition) -> trees.NounPhrase | None:
    anchor = condition.anchors[-1] if isinstance(condition, trees.Related) else None
    return anchor if isinstance(anchor, trees.NounPhrase) else None


def _at(condition: trees.Condition, anchor: trees.NounPhrase) -> trees.Condition:
    assert isinstance(condition, trees.Related)
    return replace(condition, anchors=(*condition.anchors[:-1], anchor))


def _is_look(condition: trees.Condition) -> bool:
    return isinstance(condition, trees.HasAttribute)


def _whole(text: str) -> Sentence:
    """A text as one sentence, without what people say around it."""
    stated = find_tagged(text)
    text = text if stated is None or ":" in stated else f"whether {stated}"
    whole = _SENTENCE_END.sub(lambda found: ",".ljust(len(found.group())), text)
    empty = _frame_words("empty_adverbs")
    tokens = [token for token in tokenize(whole) if token.word not in empty]
    return Sentence(text, plain(without_frame(tokens)))


def _of_clauses(
    text: str, before: trees.Reference | None, is_pointed: bool, *, is_phrase: bool
) -> ReadText | None:
    """The questions that the clauses of a text ask; None where none is read.

    Args:
        is_phrase: the whole text is read as a phrase.
    """
    clauses = clauses_of(text)
    asking = {clause.sentence for clause in clauses if clause.kind in ("asked", "ordered")}
    asks = bool(asking) or any(clause.is_asked for clause in clauses)
    is_listed = any(aspects_of(clause) for clause in clauses[1:])
    is_told = any(clause.kind == "told" for clause in clauses)
    if not asks and (is_told or (is_phrase and not is_listed)):
        return None  # a description in several sentences is one phrase
    read: list[trees.Question] = []
    unread: list[str] = []
    meant = before
    for asked in questions_in(clauses):
        question = _of_ways(text, asked.ways)
        if question is None or (isinstance(question, trees.Ground) and read):
            unread.append(" ".join(token.word for token in asked.ways[0]))
            continue
        topic = _topic(asked.topic, before)
        named = topic or meant or _named_in(asked.told)
        question = _with_length(question, asked.told)
        question = about(question, named, is_pointed=is_pointed, is_topic=topic is not None)
        meant = getattr(question, "subject", None) or named
        if question not in read:
            read.append(question)
    if not read or (isinstance(read[0], trees.Ground) and len(clauses) > 1):
        return None
    first, *more = read
    remarks = (clause.text for clause in clauses if _is_remark(clause, asking))
    question = trees.Joined(tuple(read), "and") if more else first
    return ReadText(question, tuple(remarks), tuple(unread))


def _is_remark(clause: Clause, asking: Collection[int]) -> bool:
    """Whether a clause asks nothing.

    Args:
        asking: numbers of the sentences that ask.
    """
    if clause.kind == "told":
        return not (clause.is_asked and clause.sentence not in asking)
    is_other = bool(asking) and clause.sentence not in asking
    return clause.kind == "aside" or (clause.kind == "phrase" and is_other)


def _with_length(question: trees.Question, told: Sequence[Token]) -> trees.Question:
    """A comparison with a length that was told before: "I am 1.80 m, is the couch longer than
    that", "am I taller than the plant"."""
    length = find_length(" ".join(token.word for token in told))
    if not isinstance(question, trees.IsMore) or length is None:
        return question
    thing, by = question.first, question.rank.superlative
    if isinstance(thing, trees.Viewer):
        thing, by = question.second, _OPPOSITE.get(by, by)
    elif not isinstance(question.second, trees.Marked | trees.Viewer):
        return question
    size = length_words(by, length)
    return trees.Verify(thing, trees.HasAttribute("size", size)) if size else question


def _of_ways(text: str, ways: Iterable[tuple[Token, ...]]) -> trees.Question | None:
    """The question of the first form that is read as one, else as a phrase."""
    phrase = None
    empty = _frame_words("empty_adverbs")
    for way in ways:
        tokens = [token for token in way if token.word not in empty]
        question = _find_question(Sentence(text, without_frame(tokens))) if tokens else None
        if question is not None and not isinstance(question, trees.Ground):
            return question
        phrase = phrase or question
    return phrase


def _topic(tokens: Sequence[Token], before: trees.Reference | None) -> trees.NounPhrase | None:
    """What a phrase before a question names; "the one at the desk" is one of what was named
    before."""
    kept = tokens[[token.word for token in tokens[:1]] == ["and"] :]
    named = _phrase_in(kept)
    words = tuple(token.word for token in kept)
    phrase = read_phrase(words)[0] if words and named is None else None
    if not isinstance(phrase, trees.NounPhrase):
        return named
    if words[0] in ("everything", "anything", "all") or (phrase.ranks and "one" not in words):
        return phrase
    if not isinstance(before, trees.NounPhrase):
        return None
    own = {type(condition) for condition in phrase.conditions}
    left = tuple(c for c in before.conditions if type(c) not in own)
    of_kind = replace(before, noun=normal(before.noun), conditions=left, ranks=(), count=None)
    found = _with_meant(phrase, of_kind)
    return found if isinstance(found, trees.NounPhrase) else None


def _phrase_in(tokens: Sequence[Token]) -> trees.NounPhrase | None:
    """The things that all tokens describe."""
    words = tuple(token.word for token in without_frame(list(tokens))) if tokens else ()
    phrase = read_phrase(words)[0] if words else None
    return phrase if isinstance(phrase, trees.NounPhrase) and phrase.noun else None


def _named_in(tokens: Sequence[Token]) -> trees.NounPhrase | None:
    """The thing that a told clause is about: "my phone" of "I have mislaid my phone again"."""
    words = tuple(token.word for token in tokens)
    for start, word in enumerate(words):
        if word not in lexicon.DEFINITE | lexicon.INDEFINITE and find_number(word) is None:
            continue
        for end in range(len(words), start + 1, -1):
            phrase = _phrase_in(tokens[start:end])
            if phrase is not None:
                return replace(phrase, definite=True)
    return None


def _find_question(said: Sentence, start: int = 0, end: int | None = None) -> trees.Question | None:
    question: trees.Question | None = book().find(said, start, end)
    return None if any(map(_is_nowhere, trees.parts_of(question, trees.NounPhrase))) else question


def _is_nowhere(phrase: trees.NounPhrase) -> bool:
    """Whether a phrase counts things of no kind in no row: "the third thing"."""
    ordered = any(rank.order > 1 and rank.superlative == "leftmost" for rank in phrase.ranks)
    return ordered and not phrase.noun and not phrase.conditions


def about(
    question: trees.Question,
    meant: trees.Reference | None,
    *,
    is_pointed: bool = False,
    is_topic: bool = False,
) -> trees.Question:
    """A question in which "it" is a thing that was named before, and "the tall one" one of those.

    Args:
        meant: that thing; None: nothing was named.
        is_pointed: "it" is what is pointed at.
        is_topic: it was named for this question alone.
    """
    if isinstance(meant, trees.NounPhrase) and not (
        meant.noun or is_topic
    ):  # "what is on the table"
        of = [c.anchors[-1] for c in meant.conditions if isinstance(c, trees.Related)]
        meant = of[-1] if of else meant
    if not isinstance(meant, trees.NounPhrase):
        return question
    named: trees.Question = _with_meant(question, replace(meant, definite=True), is_pointed)
    return named


def _with_meant(tree: Any, meant: trees.NounPhrase, is_pointed: bool = False) -> Any:
    match tree:
        case tuple():
            return tuple(_with_meant(part, meant, is_pointed) for part in tree)
        case trees.Marked(noun="") if not is_pointed:
            return meant
        case trees.NounPhrase(other=True) if tree.noun and normal(tree.noun) == normal(meant.noun):
            others = trees.Among(meant, negated=True)
            return replace(tree, other=False, conditions=(*tree.conditions, others))
        case trees.NounPhrase(noun="" | "other" | "others"):
            own = tuple(_with_meant(each, meant, is_pointed) for each in tree.conditions)
            ranks = tuple(_with_meant(rank, meant, is_pointed) for rank in tree.ranks)
            is_open = not (tree.definite or tree.other or tree.noun or tree == trees.NounPhrase(""))
            if is_open and not ranks:
                return replace(tree, conditions=own)
            among = (trees.Among(meant, negated=True),) if tree.other or tree.noun else ()
            kept = () if among else meant.conditions
            of_one = normal(meant.noun) if tree.definite and not tree.count else meant.noun
            other = plural(normal(meant.noun)) if tree.noun == "others" else of_one
            of_kind = replace(meant, noun=other, count=tree.count, definite=tree.definite)
            return replace(of_kind, conditions=(*kept, *among, *own), ranks=ranks)
    if not is_dataclass(tree) or isinstance(tree, type):
        return tree
    parts = {each.name: getattr(tree, each.name) for each in fields(tree)}
    named = {name: _with_meant(part, meant, is_pointed) for name, part in parts.items()}
    return replace(tree, **named)


def with_nouns_of_first(question: trees.Question) -> trees.Question:
    """A comparison whose second thing has the noun of the first: "is the black tv wider than the
    grey one", "than the other"."""
    second = getattr(question, "second", None)
    first = getattr(question, "first", None)
    if not isinstance(second, trees.NounPhrase) or not isinstance(first, trees.NounPhrase):
        return question
    is_other = second.other and second.noun == first.noun
    if second.noun not in ("", "other") and not is_other:
        return question
    if not second.definite or first.noun == "":
        return question
    other = (trees.Among(first, negated=True),) if second.other or second.noun else ()
    conditions = (*second.conditions, *other)
    parts: dict[str, Any] = {
        "second": replace(second, noun=first.noun, other=False, conditions=conditions)
    }
    return replace(question, **parts)


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
    table = _table()
    table["words"]["except"] = [" ".join(form) for form in lexicon.EXCEPT]
    return ShapeBook(table, READERS, built_question, made)


def _measure(said: Bound) -> trees.Rank:
    return trees.Rank(said["by"], anchor=said.get("anchor"))


def _options(said: Bound) -> tuple[trees.Reference, ...]:
    """Things to choose from."""
    each = (said.get(name) for name in ("first", "third", "second"))
    first, *more = said.get("of_them") or filter(None, each)
    if not _are_alike((first, *more)):
        return ()
    # "The yellow chair or the blue one", "the round table or the long one".
    is_nameless = (isinstance(other, trees.NounPhrase) and not other.noun for other in more)
    others, kind = zip(more, is_nameless, strict=True), _kind(first.noun)
    return (first, *(_called(it, kind) if nameless else it for it, nameless in others))


def _called(phrase: trees.NounPhrase, kind: str) -> trees.NounPhrase:
    """A nameless phrase with a name; a shape is part of it, as in "the round table"."""
    shapes = [
        condition
        for condition in phrase.conditions
        if isinstance(condition, trees.HasAttribute)
        and condition.key == "shape"
        and not condition.negated
    ]
    kept = tuple(condition for condition in phrase.conditions if condition not in shapes)
    name = " ".join((*(shape.value for shape in shapes), kind))
    return replace(phrase, noun=name, conditions=kept)


def _kind(noun: str) -> str:
    """A name without what such a thing is like: "table" of "round table"."""
    words = noun.split(" ")
    while len(words) > 1 and words[0] in lexicon.ADJECTIVES:
        del words[0]
    return " ".join(words)


def _are_alike(options: Sequence[trees.Reference]) -> bool:
    """Whether all are said with "the", or none; else the first is the end of what stands before
    them: "the front door, the chair or the table"."""
    return len({o.definite for o in options if o.noun}) < 2


def without_frame(tokens: list[Token]) -> list[Token]:
    """Tokens without "please" and the like at the front, "in the room" and the like at the end."""
    start, end = _without_frame(tuple(token.word for token in tokens), 0, len(tokens))
    return tokens[start:end]


def _without_frame(words: Words, first: int, end: int) -> tuple[int, int]:
    start = first + _FRAME.starts(words[first:end])[-1]
    start = first if start == end else start
    return start, start + 1 + _FRAME.end(words[start + 1 : end])


@cache
def _table() -> Any:
    return read_table("scenemind.language", "questions.yaml")


@cache
def _frame_words(name: str) -> frozenset[str]:
    return frozenset(_table()["words"][name])


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
    named = (phrase.noun for phrase in trees.parts_of(question, trees.NounPhrase))
    return None if any(noun in _NO_THINGS for noun in named) else question


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
    **of: Any,
) -> trees.Question | None:
    if of.get("subject") is not None and not kinds:
        return None
    return trees.Changed(tuple(kinds), None if since is None else since.moment, **of)


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
    is_thing = (not subject.noun and not subject.conditions) or subject.bound != ""
    is_use = getattr(condition, "key", "") == "affordance"
    is_use |= subject.bound != ""  # "are more than two chairs black"
    if (is_use or isinstance(condition, trees.Related)) and (is_thing or not subject.definite):
        return trees.Exists(replace(subject, conditions=(*subject.conditions, condition)))
    return trees.Verify(subject, condition)


def _is_the(
    subject: trees.Reference, thing: trees.NounPhrase | trees.Rank
) -> trees.Question | None:
    """ "Is the desk the largest table", "is the red cup the only one"."""
    if isinstance(thing, trees.Rank):
        thing = trees.NounPhrase("one", definite=True, ranks=(thing,))
    if thing.noun == "one":
        if not subject.noun:
            return None
        thing = replace(thing, noun=normal(subject.noun))
    if thing.ranks:
        return trees.Verify(subject, trees.Among(thing))
    if thing.count != 1:
        return None
    one = trees.Exists(replace(thing, definite=False, bound="exactly"))
    among = replace(thing, count=None, noun=plural(thing.noun) if thing.noun else "things")
    return trees.Joined((one, trees.Verify(subject, trees.Among(among))), "and")


def _of_either(
    kind: Callable[[trees.Reference], trees.Question], word: Literal["and", "or"]
) -> Callable[..., trees.Question | None]:
    """ "Which chairs are red or blue"."""

    def build(
        subject: trees.Reference, first: trees.Condition, second: trees.Condition
    ) -> trees.Question | None:
        if not isinstance(subject, trees.NounPhrase):
            return None
        each = (replace(subject, conditions=(*subject.conditions, c)) for c in (first, second))
        return trees.Joined(tuple(map(kind, each)), word)

    return build


def _belongings(owner: str, noun: str = "") -> trees.Question:
    return _all_that(trees.HasAttribute("owner", owner.lower()), noun)


def _all_that(condition: trees.Condition, noun: str = "") -> trees.Question:
    return trees.ListObjects(trees.NounPhrase(noun, conditions=(condition,)))


def _usable(use: str, subject: trees.NounPhrase) -> trees.Question:
    said = (trees.HasAttribute("affordance", use), *subject.conditions)
    return trees.ListObjects(replace(subject, conditions=said))


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


def _only_one(subject: trees.Reference) -> trees.Question | None:
    if not isinstance(subject, trees.NounPhrase):
        return None
    return trees.Exists(replace(subject, count=1, bound="exactly"))


def _fits_between(
    first: trees.Reference, second: trees.Reference | None = None, **what: Any
) -> trees.Question | None:
    """Of "between the benches" both ends are the two."""
    if second is None:
        if not isinstance(first, trees.NounPhrase) or first.count not in (None, 2):
            return None
        first = second = replace(first, count=2, definite=True)
    return trees.FitsBetween(first, second, **what)


def _fits_under(
    subject: trees.Reference,
    length_m: float | None = None,
    thing: trees.Reference | None = None,
) -> trees.Question:
    return trees.FitsBetween(subject, trees.NounPhrase("floor", definite=True), length_m, thing)


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
    if isinstance(first, trees.NounPhrase) and isinstance(second, trees.NounPhrase):
        # "A kettle or a toaster in the kitchen": both there.
        of_both = tuple(c for c in second.conditions if _is_place(c))
        if not any(map(_is_place, first.conditions)):
            first = replace(first, conditions=(*first.conditions, *of_both))
    return trees.Joined((trees.Exists(first), trees.Exists(second)), word)


def _is_place(condition: trees.Condition) -> bool:
    return isinstance(condition, trees.Related) and condition.predicate != "supports"


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


def _compare(options: tuple[trees.Reference, ...], rank: trees.Rank) -> trees.Question | None:
    return trees.Compare(options, rank) if options else None


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


def _how_much_more(
    first: trees.Reference,
    second: trees.Reference,
    rank: trees.Rank | None = None,
    by_key: trees.Dimension = "",
) -> trees.Question | None:
    longest: dict[str, trees.Superlative] = {"height": "tallest", "width": "widest"}
    rank = rank or trees.Rank(longest.get(by_key, "longest"))
    return None if rank.anchor is not None else trees.HowMuchMore(first, second, rank)


def _surest_of(subject: trees.Reference, by: trees.Superlative) -> trees.Question | None:
    if not isinstance(subject, trees.NounPhrase):
        return None
    noun = "" if subject.noun in _RECORDS else subject.noun
    return trees.ListObjects(replace(subject, noun=noun, ranks=(trees.Rank(by),)))


def _distance_of_pair(subject: trees.Reference) -> trees.Question | None:
    if not isinstance(subject, trees.NounPhrase) or not is_plural(subject.noun.split(" ")[-1]):
        return None
    first = replace(subject, count=2, definite=True)
    return trees.Distance(first, first)


def _seen_before(first: trees.Reference, second: trees.Reference) -> trees.Question:
    return trees.IsMore(first, second, trees.Rank("earliest"))


def _claim_of_each(word: Literal["and", "or"]) -> Callable[..., trees.Question]:
    def build(
        first: trees.Reference, second: trees.Reference, condition: trees.Condition
    ) -> trees.Question:
        of = _options({"first": first, "second": second})
        return trees.Joined(tuple(trees.Verify(one, condition) for one in of), word)

    return build


def _which_of(
    subject: trees.Reference,
    condition: trees.Condition,
    first: trees.Reference,
    second: trees.Reference,
) -> trees.Question | None:
    """ "Which bag is on the shelf, the red one or the blue one"."""
    if not isinstance(subject, trees.NounPhrase):
        return None
    named = tuple(
        replace(one, noun=normal(subject.noun)) if one == replace(one, noun="") else one
        for one in (first, second)
        if isinstance(one, trees.NounPhrase)
    )
    return trees.Joined(tuple(trees.Verify(one, condition) for one in named), "or")


def _count_at(subject: trees.Reference, of: trees.Reference) -> trees.Question | None:
    """ "How many chairs belong to the table"."""
    if not isinstance(subject, trees.NounPhrase) or normal(subject.noun) in PARTS:
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
    "CountEither": _of_either(trees.Count, "and"),
    "IsThe": _is_the,
    "ListEither": _of_either(trees.ListObjects, "or"),
    "ThatPlace": trees.Ground,
    "Best": _best,
    "Changed": _changed,
    "Choose": _choose,
    "Claim": _claim,
    "ClaimBoth": _claim_of_each("and"),
    "ClaimEither": _claim_of_each("or"),
    "CountAt": _count_at,
    "Compare": _compare,
    "CompareTo": _compare_to,
    "CountBoth": _joined(trees.Count, "and"),
    "DistanceFromHere": lambda first: trees.Distance(first, trees.Viewer()),
    "EnoughOf": _enough,
    "DistanceOfPair": _distance_of_pair,
    "HowMuchMore": _how_much_more,
    "SurestOf": _surest_of,
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
    "FitsBetween": _fits_between,
    "FitsUnder": _fits_under,
    "NotTheOther": _not_the_other,
    "OnlyOne": _only_one,
    "OppositeSides": _opposite_sides,
    "People": trees.ListObjects,
    "Reachable": lambda: _all_that(trees.Related("within reach", (trees.Viewer(),))),
    "Same": _same,
    "SeenBefore": _seen_before,
    "SeenFirst": lambda options: _compare(options, trees.Rank("earliest")),
    "UsableWith": lambda use: _all_that(trees.HasAttribute("affordance", f"{use} with")),
    "UsableAt": lambda use, subject: _usable(lexicon.at_place(use), subject),
    "Usable": lambda use, subject: _usable(use, subject),
    "WhereAt": _where_at,
    "WhichOf": _which_of,
    "WhereBoth": _joined(trees.Where, "and"),
}
# What shapes without a subject ask for.
_OF_ANYTHING: dict[str, trees.Reference] = {
    **dict.fromkeys(("Count", "Exists", "ListObjects", "Usable", "UsableAt"), trees.NounPhrase("")),
    **dict.fromkeys(("HowSure", "ThatPlace"), trees.Marked()),
    "People": trees.NounPhrase("person"),
}
