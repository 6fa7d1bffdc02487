"""Trees turned back into words, for answers and notes; the grammar reads them as the same trees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from functools import cache
from typing import Any, NamedTuple

from scenemind.language import lexicon, trees
from scenemind.language.english import (
    is_plural,
    joined,
    number_word,
    ordinal,
    plural,
    read_table,
    with_article,
)
from scenemind.language.measures import CLOSER, compared_by
from scenemind.language.time_expressions import WEEKDAYS, Moment

_CHANGES = {"moved": "moved", "added": "added", "new": "added", "removed": "removed"}
_TO = {"closest": "to", "farthest": "from"}
_DAYS = ("today", "yesterday")
_UNITS_S = {"hour": 3600.0, "minute": 60.0}

_PAST = {"is": "was", "are": "were"}


def question_words(question: trees.SituatedQuestion) -> str:
    """A question in words; the grammar reads them as the same tree. Empty for a question that
    makes no sense without a situation."""
    said = re.sub(r"\byours\b", "mine", _question_words(question))
    return said if not said or isinstance(question, trees.Ground | trees.Describe) else f"{said}?"


def _question_words(question: trees.SituatedQuestion) -> str:
    match question:
        case trees.ListObjects(subject=subject, order=None):
            return _list_words(subject)
        case trees.ListObjects(subject=subject, order=order):
            return f"list {describe(subject)} from the {order} on"
        case trees.Changed():
            return _change_words(question)
        case trees.Joined():
            return _joined_words(question)
        case trees.Exists(subject=trees.NounPhrase(noun="", count=0) as subject):
            there = bare(replace(subject, count=None, bound="")).replace("object", "", 1)
            return " ".join(f"is there nothing {there}".split())
        case trees.Verify(subject=trees.NounPhrase(bound="most") as subject, condition=said):
            return f"are most of {describe(replace(subject, bound=''))} {claim(said)}"
        case trees.PastClaim(claim=said):
            when = moment_words(question.moment)
            words = _question_words(said).split(" ")
            at = next(number for number, word in enumerate(words) if word in _PAST)
            return " ".join((*words[:at], _PAST[words[at]], *words[at + 1 :], when))
        case trees.Distance(first=trees.Viewer(), second=other) if not isinstance(
            other, trees.Viewer
        ):
            return _question_words(trees.Distance(other, trees.Viewer()))
        case trees.Compare(rank=rank) | trees.IsMore(rank=rank) | trees.HowMuchMore(rank=rank) if (
            not _comparative(rank)
        ):
            return ""
    values = {field.name: getattr(question, field.name) for field in fields(question)}
    name, patterns = type(question).__name__, _patterns()
    telling = [(v, type(v).__name__, key) for key, v in values.items() if v]
    names = (*(f"{name} {word}" for words in telling for word in words), name)
    pattern = next((patterns[each] for each in names if each in patterns), "")
    return pattern.format_map({key: _Field(value) for key, value in values.items()})


class _Field(NamedTuple):
    """The value of a field, which a pattern writes in one of several ways."""

    value: Any

    def __format__(self, how: str) -> str:
        return _WAYS[how](self.value) if how else str(self.value)


@cache
def _patterns() -> dict[str, str]:
    questions: dict[str, str] = read_table("scenemind.language", "verbalization.yaml")["questions"]
    return questions


def command_words(command: trees.Rename | trees.SetAttribute) -> str:
    """A correction of a marked or a numbered object in words."""
    subject = command.subject
    said = "it" if isinstance(subject, trees.Marked | trees.Several) else describe(subject)
    if isinstance(command, trees.Rename):
        return f"{said} is {with_article(command.label)}"
    return f"the {command.key} of {said} is {command.value}"


def _comparative(rank: trees.Rank) -> str:
    """ "Bigger", "closer to the door"; empty where there is no such word."""
    words = read_table("scenemind.language", "questions.yaml")["words"]
    said = {
        name: word for word, name in reversed((words["comparative"] | words["nearness"]).items())
    }
    if rank.superlative in words["nearness"].values():
        of = describe(rank.anchor or trees.Viewer())
        return f"{said[rank.superlative]} {_TO[rank.superlative]} {of}"
    return said.get(rank.superlative, "")


def _joined_words(question: trees.Joined) -> str:
    """ "Is there a cup or a bowl", "where are the cup and the bowl", "which chairs are red or
    black", "is the cup the only thing on the table"."""
    match question.questions:
        case (
            trees.Exists(subject=trees.NounPhrase(count=1, bound="exactly") as one),
            trees.Verify(subject=subject, condition=trees.Among(negated=False)),
        ):
            only = replace(one, noun=one.noun or "thing", count=None, bound="")
            return f"{_be(subject)} {_a(subject)} the only {bare(only)}"
        case (trees.ListObjects(subject=first), trees.ListObjects(subject=second)) if (
            isinstance(first, trees.NounPhrase)
            and isinstance(second, trees.NounPhrase)
            and len(first.conditions) == len(second.conditions) == 1
            and replace(first, conditions=()) == replace(second, conditions=())
        ):
            looks = f" {question.word} ".join(claim(one.conditions[0]) for one in (first, second))
            return f"which {bare(replace(first, conditions=()))} {_be(first)} {looks}"
    kinds = {type(each) for each in question.questions}
    subjects = [
        each.subject
        for each in question.questions
        if isinstance(each, trees.Exists | trees.Where | trees.Count)
    ]
    if len(kinds) > 1 or len(subjects) < len(question.questions):
        return f" {question.word} ".join(map(_question_words, question.questions))
    if trees.Count in kinds:
        names = [_plural(subject) for subject in subjects]
        return f"how many {' and '.join(names)} are there"
    said = f" {question.word} ".join(map(_a, subjects))
    return f"where are {said}" if trees.Where in kinds else f"{_be(subjects[0])} there {said}"


def _list_words(subject: trees.Reference) -> str:
    """ "What is on the table", "which black chairs are there"."""
    if not isinstance(subject, trees.NounPhrase):
        return f"which {describe(subject)} is there"
    if not (subject.noun or subject.ranks or subject.count):
        match subject.conditions:
            case ():
                return "what is there"
            case (trees.HasAttribute(key="affordance", value=use, negated=False),):
                return f"what can I {use}"
            case (trees.HasAttribute(key="affordance", value=use, negated=False), *others):
                place = beyond_noun(replace(subject, conditions=tuple(others)))
                return f"where can I {use}{place}"
        return f"what is{beyond_noun(subject)}"
    among = replace(subject, ranks=())
    said = f"of {describe(among)}" if subject.definite else bare(among)
    if len(subject.ranks) == 1 and not subject.ranks[0].negated:
        (rank,) = subject.ranks
        if rank.order > 1:
            return f"which is {describe(replace(subject, definite=True))}"
        the = "" if rank.anchor is not None else "the "
        return f"which {said} is {the}{' '.join((*_rank_words(rank), *_to_anchor(rank)))}"
    said = f"of {describe(subject)}" if subject.definite else bare(subject)
    return f"which {said} {_be(subject)} there"


def _plural(reference: trees.Reference) -> str:
    """A noun phrase in the plural, without "the"."""
    if not isinstance(reference, trees.NounPhrase):
        return describe(reference)
    noun = reference.noun or "object"
    return bare(replace(reference, noun=noun if is_plural(noun.split(" ")[-1]) else plural(noun)))


def _change_words(question: trees.Changed) -> str:
    since = "" if question.since is None else f" since {moment_words(question.since, '')}"
    if question.subject is not None:
        if question.asks_when:
            was = "were" if is_many(question.subject) else "was"
            return f"when {was} {_a(question.subject)} {_kind_of_change(question)}"
        if question.stayed:
            return f"{_be(question.subject)} {_a(question.subject)} where it was"
        has = "have" if _be(question.subject) == "are" else "has"
        return f"{has} {_a(question.subject)} moved{since}"
    return f"what was {_kind_of_change(question)}{since}"


def _kind_of_change(question: trees.Changed) -> str:
    return _CHANGES.get(question.kinds[0], "removed") if question.kinds else "changed"


def moment_words(moment: Moment, at: str = "at ") -> str:
    """A moment in words: "5 minutes ago", "yesterday at 10:05:00"; empty for none.

    Args:
        at: before a time of day alone.
    """
    if moment.ago_s is not None:
        unit, seconds = next(
            ((unit, s) for unit, s in _UNITS_S.items() if moment.ago_s >= s), ("second", 1.0)
        )
        return f"{moment.ago_s / seconds:g} {unit}s ago"
    if moment.days_ago is not None and moment.days_ago >= len(_DAYS):
        return f"{moment.days_ago} days ago" if moment.clock is None else ""
    day = "" if moment.days_ago is None else _DAYS[moment.days_ago]
    day = day if moment.weekday is None else f"last {WEEKDAYS[moment.weekday]}"
    if moment.clock is None:
        return day
    return f"{f'{day} at ' if day else at}{moment.clock:%H:%M:%S}"


def _be(reference: trees.Reference) -> str:
    return "are" if is_many(reference) else "is"


def is_many(reference: trees.Reference) -> bool:
    """Whether a reference is to several things by its form: "two cups", "chairs"."""
    if not isinstance(reference, trees.NounPhrase):
        return False
    if reference.count is not None:
        return reference.count != 1
    return is_plural(reference.noun.split(" ")[-1])


def _a(reference: trees.Reference) -> str:
    """A reference with its article."""
    said = describe(reference)
    if said == "something":
        return said
    if isinstance(reference, trees.NounPhrase) and reference.of_speaker:
        return f"my {said.removeprefix('the ')}"
    if not isinstance(reference, trees.NounPhrase) or reference.definite or is_many(reference):
        return said
    if reference.count is not None or reference.bound:
        return said
    return with_article(said)


def describe(reference: trees.Reference) -> str:
    """A reference in words; the grammar reads them back as the same tree."""
    match reference:
        case trees.Viewer():
            return "me"
        case trees.Marked(noun=noun):
            return f"the marked {noun or 'object'}"
        case trees.ObjectNumber(object_id=number, noun=noun):
            return f"{noun or 'object'} {number}"
    if reference == trees.NounPhrase(""):
        return "something"
    return ("the " if reference.definite else "") + bare(reference)


def bare(phrase: trees.NounPhrase) -> str:
    """A noun phrase in words, without "the"."""
    is_only = phrase.definite and phrase.count == 1 and not phrase.bound
    words = [f"the {phrase.bound}" if phrase.count is None else phrase.bound] * bool(phrase.bound)
    words += [] if phrase.count is None else ["only" if is_only else str(phrase.count)]
    anchored = [rank for rank in phrase.ranks if rank.anchor is not None]
    alone = anchored[0] if len(anchored) == 1 else None
    for rank in phrase.ranks:
        if rank is alone or rank.anchor is None:
            words += _rank_words(rank)
    before = [c for c in phrase.conditions if _stands_before(c)]
    words += [c.value for c in before if isinstance(c, trees.HasAttribute)]
    are_many = phrase.bound in ("most", "fewest") or phrase.count not in (None, 1)
    words.append(phrase.noun or ("objects" if are_many else "object"))
    after = [condition_words(c) for c in phrase.conditions if c not in before]
    if alone is not None:
        words += _to_anchor(alone)
    else:
        after += [" ".join(_rank_words(r) + _to_anchor(r)) for r in anchored]
    return " ".join(words) + "".join(
        (" " if i == 0 and not phrase.ranks else ", ") + said for i, said in enumerate(after)
    )


def condition_words(condition: trees.Condition) -> str:
    """A condition in words: "that is not black", "left of the door"."""
    if isinstance(condition, trees.Described):
        return ("that is not " if condition.negated else "that is ") + with_article(condition.noun)
    if isinstance(condition, trees.Among):
        among = "that is one of " if is_many(condition.things) else "that is "
        return ("except " if condition.negated else among) + describe(condition.things)
    if isinstance(condition, trees.HasAttribute):
        if condition.key == "affordance" and not condition.negated:
            return f"to {condition.value}"
        if (condition.key, condition.value) == ("owner", lexicon.SPEAKER):
            return f"that is {'not ' * condition.negated}yours"
        made = _before_value(condition)
        return f"that is {'not ' if condition.negated else ''}{made}{condition.value}"
    said = related_words(condition)
    if condition.negated and condition.predicate == "with":
        return said.replace("with", "without", 1)
    return f"that is not {said}" if condition.negated else said


def _before_value(condition: trees.HasAttribute) -> str:
    if condition.key == "owner":
        return "owned by "
    is_mass = condition.key == "material" and condition.value not in lexicon.ADJECTIVES
    return "made of " if is_mass else ""


def related_words(condition: trees.Related) -> str:
    """A relation in words: "between the table and the sofa"."""
    if condition.predicate.endswith("o'clock") and condition.anchors == (trees.Viewer(),):
        return f"at my {condition.predicate}"
    anchors, spoken = condition.anchors, lexicon.spoken(condition.predicate)
    if condition.predicate == CLOSER:
        return f"{CLOSER} {' than to '.join(map(describe, anchors))}"
    if condition.predicate == "between" and len(anchors) == 1 and not is_many(anchors[0]):
        spoken = "in the middle of"
    return f"{spoken} {' and '.join(map(_a, anchors))}"


def beyond_noun(reference: trees.Reference) -> str:
    """Conditions of a reference as after "is": " on the table", " black and near the door"."""
    if not isinstance(reference, trees.NounPhrase) or not reference.conditions:
        return ""
    return " " + joined([claim(condition) for condition in reference.conditions])


def claim(condition: trees.Condition) -> str:
    """A condition as after "is": "on the table", "not black", "a stool"."""
    said = condition_words(replace(condition, negated=False)).removeprefix("that is ")
    if isinstance(condition, trees.HasAttribute) and condition.key == "affordance":
        said = f"good {said}"
    return f"not {said}" if condition.negated else said


def _stands_before(condition: trees.Condition) -> bool:
    """Whether a condition stands before the noun.

    A material there would be read as part of the noun ("paper towel").
    """
    return (
        isinstance(condition, trees.HasAttribute)
        and condition.key in ("color", "size")
        and not condition.negated
        and compared_by(condition.value) is None
    )


def _rank_words(rank: trees.Rank) -> list[str]:
    words: list[str] = [rank.superlative]
    if rank.order > 1:
        words.insert(0, ordinal(rank.order))
    return ["not", *words] if rank.negated else words


def _to_anchor(rank: trees.Rank) -> list[str]:
    if rank.anchor is None:
        return []
    return [_TO.get(rank.superlative, "from"), describe(rank.anchor)]


def _but_last(names: Iterable[str]) -> tuple[str, str]:
    """ "The couch, the bed" and "the desk"."""
    *first, last = names
    return ", ".join(first), last


_WAYS: dict[str, Callable[[Any], str]] = {
    "the": describe,
    "a": _a,
    "be": _be,
    "bare": bare,
    "many": _plural,
    "each": lambda references: joined([_a(each) for each in references]),
    "either": lambda references: " or ".join(filter(None, _but_last(map(_a, references)))),
    "claim": claim,
    "claims": lambda conditions: " or ".join(map(claim, conditions)),
    "more": _comparative,
    "when": moment_words,
    "spoken": lexicon.spoken,
    "number": lambda number: number_word(number) if isinstance(number, int) else f"{number:g}",
}
