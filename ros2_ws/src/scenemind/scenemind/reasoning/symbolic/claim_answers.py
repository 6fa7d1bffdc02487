"""Answers to claims and choices: yes or no, one thing or another."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from scenemind.language import lexicon, trees, verbalization
from scenemind.language.english import joined, shown, with_article
from scenemind.language.trees import Condition, NounPhrase, Reference, Related
from scenemind.memory import MapObject
from scenemind.memory.attributes.lazy_attributes import quick_attributes
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.attribute_scores import (
    DESCRIPTION_HINT,
    find_undescribed,
    mentions,
    source_note,
)
from scenemind.reasoning.symbolic.loose_resolver import LooseResolver
from scenemind.reasoning.symbolic.place_answers import room_weight, telling
from scenemind.reasoning.symbolic.ranks import ranked_rows
from scenemind.reasoning.symbolic.replies import ABSENCE_CONFIDENCE, Reply
from scenemind.reasoning.symbolic.resolver import Resolver, every_row
from scenemind.reasoning.symbolic.set_answers import exists, set_of
from scenemind.reasoning.symbolic.situated.finder import is_several, links
from scenemind.reasoning.symbolic.situated.usual import (
    attribute_of,
    attribute_values,
    find_room,
    is_known_thing,
    state_share,
    usual_state,
)
from scenemind.reasoning.symbolic.viewer_answers import (
    is_in_view,
    is_within_reach,
)
from scenemind.reasoning.symbolic.viewpoint import bearing_of

_SIDES = {"left of": "left", "right of": "right", "in front of": "front", "behind": "back"}
_SHOWN = 3
# Gap up to which a thing is at another one.
_BESIDE_M = 0.5
# Least score of a relation, so that nearness decides where it holds for nothing.
_LITTLE = 1e-3


def verify(question: trees.Verify, at: Resolver) -> Reply:
    """Yes or no, or the objects for which the claim holds.

    Raises:
        ReasoningError: `not_found`: the attribute has not been described.
    """
    if isinstance(at, LooseResolver) and isinstance(question.subject, NounPhrase):
        return _verify_loosely(question.subject, question.condition, at)
    rows, scores = at.existing(question.subject)
    among = np.zeros(len(at.scene))
    among[rows] = 1.0
    holds = at.condition_scores(question.condition, among, lenient=False)[rows]
    objects, fitting = at.objects(rows), holds > 0.0
    unsaid = find_undescribed(objects, (question.condition,))
    if unsaid and (question.condition.negated or not fitting.any()):
        raise say.not_known(unsaid, objects, DESCRIPTION_HINT)
    if fitting.any() and not fitting.all():
        return _some(question, objects, fitting.tolist())
    number = say.counted(len(objects), say.noun_of(question.subject))
    subject = say.the(objects[0]) if len(objects) == 1 else f"all {number}"
    if fitting.all():
        note = _note(question.condition, objects)
        text = (
            f"yes, {subject} {say.be(len(objects))} {verbalization.claim(question.condition)}{note}"
        )
        sure = say.mean_confidence(at.scene, rows, scores * holds)
        return Reply(text, sure, tuple(objects), "yes")
    text = f"no, {subject} {say.be(len(objects))} {_denial(question.condition, objects)}"
    if len(objects) > 1 and not question.condition.negated:
        text = f"no, none of the {number} is {verbalization.claim(question.condition)}"
    sure = ABSENCE_CONFIDENCE * say.mean_confidence(at.scene, rows, scores)
    return Reply(text, sure, tuple(objects), "no")


def _verify_loosely(subject: NounPhrase, condition: Condition, at: LooseResolver) -> Reply:
    match condition:
        case Related(predicate="in view of"):
            return is_in_view(subject, condition, at)
        case Related(predicate="within reach"):
            return is_within_reach(subject, at)
        case Related() if at.knows(subject) or is_known_thing(subject.noun):
            return exists(replace(subject, conditions=(*subject.conditions, condition)), at)
        case Related():
            return Reply("yes", 1.0, brief="yes")  # It may be no thing at all: "light".
    row = at.find_single(subject)
    if row is None:
        return Reply("no", 1.0, brief="no")
    return _is_so(option_words(condition), row, at)


def _is_so(words: str, row: int, at: LooseResolver) -> Reply:
    """Yes or no to a claim in words: things that it names must be there, else what is usual."""
    thing = at.scene.objects[row]
    for key, of_key in attribute_values().items():
        if words in of_key:
            found = attribute_of(thing, key)
            word = say.yes_or_no(found.value == of_key[words])
            text = f"{word}, {say.the(thing)}{say.value_words(key, found.value)}"
            return Reply(text, thing.confidence * found.share, (thing,), word)
    for name in filter(is_known_thing, words.split()):
        # "Is the window covered by a curtain", "is somebody sitting on the chair".
        named = at.finder.classes.named(name) > 0.0
        named &= at.finder.classes.named(thing.label) == 0.0
        near = named & (at.scene.gaps_to_m(row) <= _BESIDE_M)
        word = say.yes_or_no(bool(near.any()))
        there = say.listed(at.objects(np.flatnonzero(near))) or f"no {name}"
        text = f"{word}, {there} {say.be(near.sum())} at {say.the(thing)}"
        return Reply(text, thing.confidence, (thing,), word)
    share = state_share(thing.label, words)
    share = 1.0 if share is None else share
    sure = thing.confidence * max(share, 1.0 - share)
    return say.usually(say.yes_or_no(share >= 0.5), sure, thing)


def _some(question: trees.Verify, objects: list[MapObject], fits: list[bool]) -> Reply:
    those = [o for o, fit in zip(objects, fits, strict=True) if fit]
    number = say.counted(len(objects), say.noun_of(question.subject))
    text = (
        f"{len(those)} of {number} {say.be(len(those))} {verbalization.claim(question.condition)}"
    )
    sure = float(np.mean([o.confidence for o in those]))
    # "Is the cup on the table" is true when one of the cups is; "are the chairs black" is not.
    is_all_asked = say.has_plural_noun(question.subject)
    whole = f"{'not all' if is_all_asked else 'yes'}, {text}: {say.listed(those)}"
    return Reply(whole, min(sure, 1.0), tuple(those), "no" if is_all_asked else "yes")


def _note(condition: Condition, objects: list[MapObject]) -> str:
    return source_note(objects, condition.key) if isinstance(condition, trees.HasAttribute) else ""


def _denial(condition: Condition, objects: list[MapObject]) -> str:
    said = verbalization.claim(replace(condition, negated=not condition.negated))
    if len(objects) != 1 or condition.negated:
        return said
    if isinstance(condition, trees.HasAttribute):
        value = objects[0].attributes.get(condition.key, "")
        if not value or condition.key == "affordance":
            return f"{said} as far as is known"
        return f"{shown(value)}{_note(condition, objects)}, {said}"
    if isinstance(condition, trees.Described):
        return f"{with_article(shown(objects[0].label))}, {said}"
    return said


def same(question: trees.Same, at: Resolver) -> Reply:
    """Yes or no, with the value of each object.

    Raises:
        ReasoningError: `not_found`: fewer than two objects, or an unknown value; `ambiguous`.
    """
    key, subjects = question.key, question.subjects
    if isinstance(at, LooseResolver):
        found = [at.find_single(subject) for subject in subjects]
        rows = [row for row in found if row is not None]
    elif len(subjects) > 1:
        rows = list(dict.fromkeys(at.single(subject) for subject in subjects))
    else:
        rows = every_row(subjects[0], at).tolist()
    things = [at.scene.objects[row] for row in rows]
    if len(things) < 2:
        meant = say.listed(things) or "nothing known"
        raise ReasoningError("not_found", f"Only {meant} is meant: there is nothing to compare.")
    values = [_value(thing, key, at) for thing in things]
    if not all(values):
        unknown = [thing for thing, value in zip(things, values, strict=True) if not value]
        raise say.not_known(key, unknown)
    word = say.yes_or_no(all(_alike(key, values[0], other) for other in values[1:]))
    each = [
        f"{say.the(thing)}{say.value_words(key, value)}{source_note([thing], key)}"
        for thing, value in zip(things, values, strict=True)
    ]
    sure = float(np.mean([thing.confidence for thing in things]))
    return Reply(f"{word}, {say.bounded(each)}", sure, tuple(things), word)


def _value(thing: MapObject, key: trees.Attribute | Literal["kind"], at: Resolver) -> str:
    """An attribute as it is known; where it is read loosely, or else as is usual."""
    if key == "kind":
        return thing.label
    return (
        attribute_of(thing, key).value
        if isinstance(at, LooseResolver)
        else thing.attributes.get(key, "")
    )


def _alike(key: str, first: str, second: str) -> bool:
    if key == "color":
        return _plain(first) == _plain(second)
    return first == second or mentions(first, second) or mentions(second, first)


def _plain(colours: str) -> set[str]:
    return {lexicon.base_colour(colour) for colour in colours.split(" and ")}


def choose(question: trees.Choose, at: Resolver) -> Reply:
    """The option that holds for an object: "is the door open or closed"."""
    if isinstance(at, LooseResolver):
        return _choose_loosely(question, at)
    row = at.single(question.subject)
    thing, among = at.scene.objects[row], np.zeros(len(at.scene))
    among[row] = 1.0
    fits = [
        float(at.condition_scores(option, among, lenient=False)[row]) for option in question.options
    ]
    claims = [verbalization.claim(option) for option in question.options]
    if not any(fits):
        unsaid = find_undescribed([thing], question.options)
        if unsaid:
            raise say.not_known(unsaid, [thing], DESCRIPTION_HINT)
        return Reply(
            f"{say.the(thing)} is neither {' nor '.join(claims)}",
            ABSENCE_CONFIDENCE,
            (thing,),
            "neither",
        )
    best = fits.index(max(fits))
    note = _note(question.options[best], [thing])
    sure = min(1.0, thing.confidence * max(fits))
    return Reply(f"{say.the(thing)} is {claims[best]}{note}", sure, (thing,), claims[best])


def _choose_loosely(question: trees.Choose, at: LooseResolver) -> Reply:
    """The option that fits, else the usual one, else the first."""
    row = at.find_single(question.subject)
    things: tuple[MapObject, ...] = () if row is None else (at.scene.objects[row],)
    exist = things[0].confidence if things else 1.0
    chosen = None
    if row is not None:
        chosen = _side_with_more(question, at) or _side(question, row, at)
        chosen = chosen or _look(question, things[0])
    room = None if chosen else _kind_of_room(question, at)
    if room is not None:
        kind = find_room(option_words(room)) or ""
        things = tuple(telling(kind, at).values())[:_SHOWN]
    chosen = chosen or room or _thing_at(question, row, at)
    if chosen is not None:
        subject = say.the(things[0]) if things and not room else "it"
        text = f"{subject} is {verbalization.claim(chosen)}"
        return Reply(text, exist, things, option_words(chosen))
    words = [option_words(option) for option in question.options]
    usual = usual_state(things[0].label if things else say.noun_of(question.subject), words)
    value, share = (words[0], 1.0 / len(words)) if usual is None else usual
    return say.usually(value, exist * share, *things)


def _side_with_more(question: trees.Choose, at: LooseResolver) -> Condition | None:
    """The side with more objects: "are there more chairs on my left or right?"; None for other
    questions, and where there are as many."""
    of, options = question.subject, question.options
    if not isinstance(of, NounPhrase) or not is_several(of):
        return None
    if not all(isinstance(option, Related) for option in options):
        return None
    others = [c for c in of.conditions if c not in trees.relations_to_viewer(of)]
    there = [replace(of, conditions=(*others, option)) for option in options]
    counts = [len(at.rows(phrase)[0]) for phrase in there]
    best = counts.index(max(counts))
    return None if counts.count(counts[best]) > 1 else options[best]


def _side(question: trees.Choose, row: int, at: LooseResolver) -> Condition | None:
    """The option whose direction is nearest to that of an object; None for other questions."""
    here = float(at.finder.around.bearing_rad[row])
    sides = [
        (math.cos(here - bearing), option)
        for option in question.options
        if isinstance(option, Related) and (bearing := bearing_of(option.predicate)) is not None
    ]
    return max(sides, key=lambda side: side[0])[1] if len(sides) > 1 else None


def _look(question: trees.Choose, thing: MapObject) -> Condition | None:
    """The option that is an attribute of an object; None where none is known."""
    options = {option_words(option): option for option in question.options}
    for key, of_key in attribute_values().items():
        values = {of_key[words]: option for words, option in options.items() if words in of_key}
        if len(values) >= 2:
            return values.get(attribute_of(thing, key).value, question.options[-1])
    stated = quick_attributes(thing).values()
    return next((option for words, option in options.items() if words in stated), None)


def _kind_of_room(question: trees.Choose, at: LooseResolver) -> Condition | None:
    """The likeliest of several kinds of rooms; None where they are none, or nothing tells."""
    kinds = [find_room(option_words(option)) for option in question.options]
    weights = [room_weight(kind, at) for kind in kinds if kind]
    is_known = len(weights) == len(kinds) and any(weights)
    return question.options[weights.index(max(weights))] if is_known else None


def _thing_at(question: trees.Choose, row: int | None, at: LooseResolver) -> Condition | None:
    """The option that fits best, or that is nearest to the object in question; None where one is
    not known."""
    classes, of = at.finder.classes, question.subject
    options = [option for option in question.options if isinstance(option, trees.Described)]
    if not isinstance(of, NounPhrase) or len(options) < len(question.options):
        return None
    if not all(classes.sure_labels(option.noun) for option in options):
        return None
    if row is not None and of.noun and classes.sure_labels(of.noun):
        fits = 1.0 / (1.0 + at.scene.gaps_to_m(row))
    else:
        fits = at.finder.at(of) / (1.0 + at.finder.around.gap_m)
        for link in links(of):
            fits = fits * (at.finder.related(link) + _LITTLE)
    return max(options, key=lambda option: float((fits * classes.named(option.noun)).max()))


def option_words(option: Condition) -> str:
    """An option in a word."""
    match option:
        case trees.HasAttribute(value=value):
            return value
        case trees.Described(noun=noun):
            return noun
        case trees.Among(things=things):
            return say.noun_of(things)
        case Related(predicate=predicate):
            return _SIDES.get(predicate, predicate)


def compare(question: trees.Compare | trees.IsMore, at: Resolver) -> Reply:
    """The one of several objects that is larger, higher or nearer; of a claim: yes if it is the
    first."""
    is_claim = isinstance(question, trees.IsMore)
    options = (
        (question.first, question.second)
        if isinstance(question, trees.IsMore)
        else question.options
    )
    named = {row: option for option in options if (row := _row(option, at)) is not None}
    rank, rows = question.rank, np.array(list(named), np.intp)
    if isinstance(at, LooseResolver):
        best = rows[np.argsort(at.finder.measure(rank)[rows], kind="stable")][:1]
    elif len(rows) < len(options):
        only = say.the(at.scene.objects[rows[0]])
        raise ReasoningError("not_found", f"Only {only} is meant: there is nothing to compare.")
    else:
        best = ranked_rows(at, rows, rank, 1)
    if not len(best):
        raise at.missing(options[0])
    things, largest = at.objects(rows), at.scene.objects[best[0]]
    to = "" if rank.anchor is None else f" to {verbalization.describe(rank.anchor)}"
    text = f"{say.the(largest)} is the {rank.superlative} of them{to}"
    sure = float(np.prod([thing.confidence for thing in things]))
    if not is_claim:
        ordered = (largest, *(thing for thing in things if thing is not largest))
        brief = say.noun_of(named[int(best[0])], say.brief_name(ordered))
        return Reply(text, sure, ordered, brief)
    word = say.yes_or_no(best[0] == rows[0])
    return Reply(f"{word}, {text}", sure, tuple(things), word)


def _row(option: Reference, at: Resolver) -> int | None:
    return at.find_single(option) if isinstance(at, LooseResolver) else at.single(option)


def compare_counts(question: trees.CompareCounts, at: Resolver) -> Reply:
    """Yes or no: whether there are more of the first things than of the second; for a choice, of
    which there are more."""
    rows = [set_of(subject, at)[0] for subject in (question.first, question.second)]
    first, second = len(rows[0]), len(rows[1])
    holds = {"more": first > second, "fewer": first < second, "as many": first == second}
    word = say.yes_or_no(holds[question.how])
    if question.is_choice:
        most = question.first if (first > second) == (question.how == "more") else question.second
        word = "the same number" if first == second else f"{question.how} {say.noun_of(most)}"
    numbers = joined(
        [
            say.counted(len(found), say.noun_of(subject))
            for found, subject in zip(rows, (question.first, question.second), strict=True)
        ]
    )
    things = tuple(at.objects(np.concatenate(rows)))
    sure = float(np.mean([thing.confidence for thing in things])) if things else 0.0
    there = say.be(first + second)
    return Reply(f"{word}, there {there} {numbers}", min(sure, 0.9), things, word)
