"""Answers to comparisons: whether things are the same, which is more, by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scenemind.language import trees, verbalization
from scenemind.language.english import joined, number_word, plural, singular
from scenemind.language.trees import NounPhrase, Reference
from scenemind.memory import MapObject
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.attribute_scores import (
    alike,
    plain_colours,
    source_note,
)
from scenemind.reasoning.symbolic.measures import (
    AS_LONG_M,
    LESS,
    MEASURED_BY,
    SAID_OF,
    measured_m,
)
from scenemind.reasoning.symbolic.ranks import rank_keys
from scenemind.reasoning.symbolic.replies import ABSENCE_CONFIDENCE, Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Scene
from scenemind.reasoning.symbolic.set_answers import set_of
from scenemind.reasoning.symbolic.usual import attribute_of

# Things that are each told; of more the most frequent colour is.
_FEW = 3
# Longest sides of things that are the same, one to the other: views hide some of each.
_OF_A_SIZE = 1.4
# Of things that stand on the floor, the higher one is the taller.
_AS_TALL: dict[str, trees.Superlative] = {"highest": "tallest", "lowest": "shortest"}
_STANDING_M = 0.2
# Things that differ by less are as long as each other when asked which is longer: in metres, and
# as a share.
_SAME_M, _SAME = 0.02, 0.02
# Ranks by no one side of a box.
_OF_WHOLE = ("largest", "smallest", "highest", "lowest")
_OPPOSITE = {"more": "fewer", "fewer": "more"}


def same(question: trees.Same, at: Resolver) -> Reply:
    """Yes or no, with the value of each object.

    Raises:
        ReasoningError: `not_found`: fewer than two objects, or an unknown value; `ambiguous`.
    """
    key, subjects, is_loose = question.key, question.subjects, at.weighs
    if len(subjects) == 1:
        rows = at.every(subjects[0]).tolist()
    else:
        rows = [row for each in subjects if (row := at.find_single(each)) is not None]
    things = at.scene.objects_at(rows if is_loose else dict.fromkeys(rows))
    if len(things) < 2:
        meant = say.listed(things) or "nothing known"
        raise ReasoningError("not_found", f"Only {meant} is meant: there is nothing to compare.")
    if key == "everything":
        key = _differing(things)
    match key:
        case "kind":
            values = [thing.label for thing in things]
        case "" | "height" | "width" | "length" | "elevation" | "thickness" | "depth":
            return _same_measure(key, things, at.scene)
        case "size" if not is_loose:
            return _same_measure("length", things, at.scene)
        case _ if is_loose:
            values = [attribute_of(thing, key).value for thing in things]
        case _:
            values = [thing.attributes.get(key, "") for thing in things]
    known = [(thing, value) for thing, value in zip(things, values, strict=True) if value]
    alike_to = [[one for one in known if alike(key, value, one[1])] for _, value in known]
    most = max(alike_to, key=len, default=[])
    is_pair = question.of_any and len(most) > 1
    if len(known) < len(things) and not is_pair:
        raise say.not_known(key, [t for t, value in zip(things, values, strict=True) if not value])
    word = say.yes_or_no(is_pair or len(most) == len(things))
    if is_pair:
        known, things = most, tuple(thing for thing, _ in most)
    each = [
        f"{say.the(thing)}{say.value_words(key, value)}{source_note([thing], key)}"
        for thing, value in known
    ]
    sure = say.mean_existence(things)
    if key == "kind":
        return Reply(f"{word}, they are {say.listed(things)}", sure, things, word)
    if key == "color" and word == "no" and len(known) > _FEW:
        return _most_alike(known, each, things, sure)
    return Reply(f"{word}, {say.bounded(each)}", sure, things, word)


def _differing(things: Sequence[MapObject]) -> Literal["kind", "length", "color"]:
    """What tells things apart first, of kind and size; their colour if neither does."""
    if not all(alike("kind", things[0].label, thing.label) for thing in things):
        return "kind"
    longest = [max(thing.box.size) for thing in things]
    return "length" if max(longest) > _OF_A_SIZE * min(longest) else "color"


def _most_alike(
    known: Sequence[tuple[MapObject, str]],
    each: Sequence[str],
    things: tuple[MapObject, ...],
    sure: float,
) -> Reply:
    """That many things are not of one colour: what most of them are, at least in part, and the
    others. Where all share one, light may have added the others."""
    plain = [plain_colours(value) for _, value in known]
    colours = Counter(colour for of_one in plain for colour in of_one)
    most, count = colours.most_common(1)[0]
    if 2 * count <= len(known):
        return Reply(f"no, {say.bounded(each)}", sure, things, "no")
    others = [text for text, of_one in zip(each, plain, strict=True) if most not in of_one]
    if not others:
        text = f"perhaps, all {len(known)} are {most}, some of them in part: {say.bounded(each)}"
        return Reply(text, min(sure, ABSENCE_CONFIDENCE), things, "yes")
    text = f"no, {count} of {len(known)} are {most}, at least in part; {say.bounded(others)}"
    return Reply(text, sure, things, "no")


def _same_measure(key: str, things: tuple[MapObject, ...], scene: Scene) -> Reply:
    measures = [measured_m(thing, key, scene) for thing in things]
    word = say.yes_or_no(max(measures) - min(measures) <= AS_LONG_M)
    above = f" {SAID_OF.get(key, 'above the floor')}"
    if word == "no" and len(things) > _FEW:
        least, most = int(np.argmin(measures)), int(np.argmax(measures))
        is_like = measures[most] <= _OF_A_SIZE * measures[least]
        ends = [f"{say.metres(measures[at])} ({say.the(things[at])})" for at in (least, most)]
        text = f"{'only roughly' if is_like else word}: from {' to '.join(ends)}{above}"
        return Reply(text, say.mean_existence(things), things, word)
    pairs = zip(map(say.the, things), map(say.metres, measures), strict=True)
    each = [f"{name} is {measure}{above}" for name, measure in pairs]
    return Reply(f"{word}, {say.bounded(each)}", say.mean_existence(things), things, word)


def compare(question: trees.Compare, at: Resolver) -> Reply:
    """The one of several objects that is larger, higher or nearer; neither where boxes do not
    tell."""
    found = _compared(question.options, question.rank, at)
    if found.best is None:
        return Reply(found.text, _all_exist(found.things), found.things, "the same")
    brief = say.noun_of(question.options[found.best], say.brief_name(found.things))
    return Reply(found.text, _all_exist(found.things), found.things, brief)


def is_more(question: trees.IsMore, at: Resolver) -> Reply:
    """Yes if the first of two objects is larger, higher or nearer than the second."""
    found = _compared((question.first, question.second), question.rank, at)
    word = say.yes_or_no(found.best == 0)
    return Reply(f"{word}, {found.text}", _all_exist(found.things), found.things, word)


def how_much_more(question: trees.HowMuchMore, at: Resolver) -> Reply:
    """The difference of a measure of two objects, with both values."""
    dimension = MEASURED_BY.get(question.rank.superlative)
    if dimension is None:
        raise ReasoningError("not_found", "That is no measure in metres.")
    rows = at.single(question.first), at.single(question.second)
    if rows[0] == rows[1]:
        only = say.the(at.scene.objects[rows[0]])
        raise ReasoningError("not_found", f"Only {only} is meant: there is nothing to compare.")
    things = at.scene.objects_at(rows)
    first, second = (measured_m(thing, dimension, at.scene) for thing in things)
    less = (first - second) * (-1.0 if question.rank.superlative in LESS else 1.0) < 0.0
    adjective, apart = SAID_OF[dimension], say.metres(abs(first - second))
    how = "less" if first < second else "more"
    text = (
        f"{'not at all, ' * less}{say.the(things[0])} is {say.metres(first)} {adjective} and"
        f" {say.the(things[1])} {say.metres(second)}: {apart} {how}"
    )
    return Reply(text, _all_exist(things), things, apart)


class _Compared(NamedTuple):
    """What a comparison of several things found.

    Attributes:
        best: number of the option that ranks first; None where it is as much as the next one.
        text: that, with the measures of both.
        things: one of each option, the first one first.
    """

    best: int | None
    text: str
    things: tuple[MapObject, ...]


def _compared(options: Sequence[Reference], rank: trees.Rank, at: Resolver) -> _Compared:
    """What ranks first of several things, or kinds of them."""
    each = [_of_option(option, rank, at) for option in options]
    rows = np.concatenate(each)
    standing = at.scene.low[rows, 2] - at.scene.floor_z < _STANDING_M
    if rank.superlative in _AS_TALL and standing.all():
        rank = replace(rank, superlative=_AS_TALL[rank.superlative])
    if len(set(rows.tolist())) < len(options) and not at.weighs:
        only = say.the(at.scene.objects[rows[0]])
        raise ReasoningError("not_found", f"Only {only} is meant: there is nothing to compare.")
    order = at.ranked(rows, rank, len(rows)).tolist()
    if not order:
        raise at.missing(options[0])
    number = {row: n for n, of in enumerate(each) for row in of.tolist()}
    first = number[order[0]]
    last = max(order.index(row) for row in each[first].tolist())
    if rank.anchor is not None:
        last, each[first] = 0, np.array(order[:1])  # the nearest of its kind counts
    elif last >= len(each[first]):  # some of its kind are more so, and some less
        raise at.ambiguous(options[first], each[first])
    others = [row for row in order if number[row] != first]
    best, next_one = order[last], others[0] if others else order[-1]
    things = at.scene.objects_at(
        dict.fromkeys((best, *(of[0] for of in each if len(of) and best not in of)))
    )
    count = len(each[first])
    name = say.the(at.scene.objects[best])
    if count > 1:
        name = say.all_of(count, say.noun_of(options[first]))
    to = "" if rank.anchor is None else f" to {verbalization.describe(rank.anchor)}"
    text = f"{name} {say.be(count)} the {rank.superlative} of them{to}"
    if rank.superlative == "earliest":
        before = [say.the(at.scene.objects[row]) for row in others]
        return _Compared(first, f"{name} was seen before {say.bounded(before)}", things)
    adjective = SAID_OF.get(MEASURED_BY.get(rank.superlative, ""), "")
    if at.weighs or rank.superlative in _OF_WHOLE or not adjective:
        return _Compared(first, text, things)
    pair = np.array((best, next_one))
    metres = np.abs(rank_keys(at.scene, rank, pair, at.anchors, at.viewpoint))
    against = " against ".join(map(say.metres, metres.tolist()))
    if abs(metres[0] - metres[1]) <= min(_SAME_M, _SAME * metres.max()):
        both = joined([say.the(thing) for thing in at.scene.objects_at(pair)])
        return _Compared(None, f"{both} are as {adjective} as each other: {against}", things)
    return _Compared(first, f"{text}: {against}", things)


def _of_option(option: Reference, rank: trees.Rank, at: Resolver) -> NDArray[np.intp]:
    """Rows of what an option means: of one thing, or of all of its kind where several fit and sizes
    are compared, or how near "a chair" is; none where no label fits and words are weighed."""
    try:
        row = at.find_single(option)
    except ReasoningError as error:
        of_kind = rank.superlative in MEASURED_BY or (rank.anchor and not option.definite)
        if error.failure.code != "ambiguous" or not of_kind:
            raise
        return at.every(option)
    return np.array([] if row is None else [row], np.intp)


def _all_exist(things: Sequence[MapObject]) -> float:
    return float(np.prod([thing.confidence for thing in things]))


def _said_of(reference: Reference) -> str:
    """What is said of a thing: "on the desk"."""
    said = reference.conditions if isinstance(reference, NounPhrase) else ()
    return " ".join(map(verbalization.claim, said))


def compare_counts(question: trees.CompareCounts, at: Resolver) -> Reply:
    """Yes or no: whether there are more of the first things than of the second; else of which
    there are more, or how many more."""
    subjects = question.first, question.second
    found = [set_of(subject, at) for subject in subjects]
    first, second = map(len, found)
    holds = {"more": first > second, "fewer": first < second, "as many": first == second}
    word = say.yes_or_no(holds[question.how])
    if question.asks == "difference":
        more = first - second if question.how == "more" else second - first
        word = (
            number_word(more)
            if more >= 0
            else f"none, but {number_word(-more)} {_OPPOSITE[question.how]}"
        )
    nouns = list(map(say.noun_of, subjects))
    if question.asks == "which":
        most = subjects[(first > second) != (question.how == "more")]
        where = f" {_said_of(most)}" * (nouns[0] == nouns[1])
        word = f"{question.how} {plural(singular(say.noun_of(most)))}{where}"
        word = "the same number" if first == second else word
    each = [say.counted(*one) for one in zip((first, second), nouns, strict=True)]
    if nouns[0] == nouns[1]:  # "1 cup on the desk and 2 cups on the table"
        each = [f"{one} {_said_of(of)}".strip() for one, of in zip(each, subjects, strict=True)]
    there = f"there {say.be(first + second)} {joined(each)}"
    things = (*found[0].objects, *found[1].objects)
    sure = min(say.mean_existence(things), 0.9) if things else 0.0
    return Reply(f"{word}, {there}", sure, things, word)
