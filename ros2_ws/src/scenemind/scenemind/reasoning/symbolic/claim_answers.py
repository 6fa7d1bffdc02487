"""Answers to claims and choices: yes or no, one thing or another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scenemind.language import trees, verbalization
from scenemind.language.english import joined, number_word, plural, shown, singular, with_article
from scenemind.language.measures import compared_by, is_measured
from scenemind.language.trees import Condition, NounPhrase, Reference, Related
from scenemind.memory import MapObject
from scenemind.memory.attributes.lazy_attributes import quick_attributes
from scenemind.memory.graph.relations import CARRYING
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.attribute_scores import (
    DESCRIPTION_HINT,
    alike,
    find_undescribed,
    source_note,
)
from scenemind.reasoning.symbolic.graded_relations import SIDES, Onlooker
from scenemind.reasoning.symbolic.loose_resolver import LooseResolver, links
from scenemind.reasoning.symbolic.measures import AS_LONG_M, LESS, MEASURED_BY, extent_m, measured_m
from scenemind.reasoning.symbolic.place_answers import landmark, room_weight, telling
from scenemind.reasoning.symbolic.relation_scores import relations_of
from scenemind.reasoning.symbolic.replies import ABSENCE_CONFIDENCE, Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Found, Scene
from scenemind.reasoning.symbolic.set_answers import exists, set_of
from scenemind.reasoning.symbolic.situated.usual import (
    attribute_of,
    attribute_values,
    find_room,
    is_known_thing,
    state_share,
    usual_state,
)
from scenemind.reasoning.symbolic.viewer_answers import is_in_view, is_within_reach
from scenemind.reasoning.symbolic.viewpoint import bearing_of

_SIDES = {"left of": "left", "right of": "right", "in front of": "front", "behind": "back"}
_SHOWN = 3
_OPPOSITE = {"more": "fewer", "fewer": "more"}
_ADJECTIVES = {
    "length": "long",
    "width": "wide",
    "height": "high",
    "thickness": "thick",
    "depth": "deep",
}
# Gap up to which a thing is at another one.
_BESIDE_M = 0.5
# Least score of a relation, so that nearness decides where it holds for nothing.
_LITTLE = 1e-3
# Least share of the fits of all sides in the one that is chosen.
_CLEARLY = 0.7


def verify(question: trees.Verify, at: Resolver) -> Reply:
    """Yes or no, or the objects for which the claim holds.

    Raises:
        ReasoningError: `not_found`: the attribute has not been described.
    """
    claim, found = question.condition, at.existing(question.subject)
    scores = at.claim_scores(claim, found.rows)
    objects, fits = found.objects, scores > 0.0
    unsaid = find_undescribed(objects, (claim,))
    if unsaid and (claim.negated or not fits.any()):
        raise say.not_known(unsaid, objects, DESCRIPTION_HINT)
    said, noun = say.to_asker(verbalization.claim(claim)), say.noun_of(question.subject)
    them = say.the(objects[0]) if len(objects) == 1 else say.all_of(len(objects), noun)
    are = f"{them} {say.be(len(objects))}"
    if fits.all():
        sure = replace(found, scores=found.scores * scores).confidence
        word = "yes," if sure >= ABSENCE_CONFIDENCE else "perhaps"
        return Reply(f"{word} {are} {said}{_note(claim, objects)}", sure, objects, "yes")
    if fits.any():
        those = found.where(fits).objects
        # "Is the cup on the table" is true when one of the cups is; "are the chairs black" is not.
        is_all_asked = say.has_plural_noun(question.subject)
        number = say.counted(len(objects), noun)
        some = f"{len(those)} of {number} {say.be(len(those))} {said}: {say.listed(those)}"
        sure = min(_mean_existence(those), 1.0)
        if question.subject.bound == "most":
            word = say.yes_or_no(2 * len(those) > len(objects))
            return Reply(f"{word}, {some}", sure, those, word)
        text = f"{'not all' if is_all_asked else 'yes'}, {some}"
        return Reply(text, sure, those, say.yes_or_no(not is_all_asked))
    absence = 1.0 if _is_of_boxes(claim) else ABSENCE_CONFIDENCE
    text = f"no, {are} {_denial(claim, objects)}{_instead(claim, found)}"
    if len(objects) > 1 and not claim.negated:
        text = f"no, {say.none_of(len(objects), noun)} is {said}"
    return Reply(text, min(absence, found.confidence), objects, "no")


def is_taken(question: trees.IsTaken, at: Resolver) -> Reply:
    """Whether somebody is known to be at a thing, which alone a map tells of seats.

    Raises:
        ReasoningError: `not_found`: there is no such thing.
    """
    things = at.existing(question.subject).objects
    near = (Related("next to", (question.subject,)),)
    reply = exists(trees.Exists(NounPhrase("person", conditions=near)), at)
    if reply.brief == "no":
        named = say.bounded([say.the(thing) for thing in things])
        word = say.yes_or_no(question.free)
        return Reply(f"{word}, I saw nobody at {named}", ABSENCE_CONFIDENCE, things, word)
    word = say.yes_or_no(not question.free)
    return replace(reply, text=f"{word}, {reply.text.removeprefix('yes, ')}", brief=word)


def verify_loosely(question: trees.Verify, at: LooseResolver) -> Reply:
    """Yes or no by what is likeliest meant, is seen, or is usual."""
    subject, claim = question.subject, question.condition
    if not isinstance(subject, NounPhrase):
        return verify(question, at)
    match claim:
        case Related(predicate="in view of"):
            return is_in_view(subject, claim, at)
        case Related(predicate="within reach"):
            return is_within_reach(subject, at)
        case Related() if at.knows(subject) or is_known_thing(subject.noun):
            there = replace(subject, conditions=(*subject.conditions, claim))
            return exists(trees.Exists(there), at)
        case Related():
            return Reply("yes", 1.0, brief="yes")  # It may be no thing at all: "light".
    row = at.find_single(subject)
    if row is None:
        return Reply("no", 1.0, brief="no")
    return _is_so(_option_words(claim), row, at)


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
        named = at.named(name) > 0.0
        named &= at.named(thing.label) == 0.0
        near = named & (at.scene.gaps_to_m(row) <= _BESIDE_M)
        word = say.yes_or_no(bool(near.any()))
        there = say.listed(at.scene.objects_at(np.flatnonzero(near))) or f"no {name}"
        text = f"{word}, {there} {say.be(near.sum())} at {say.the(thing)}"
        return Reply(text, thing.confidence, (thing,), word)
    share = state_share(thing.label, words)
    share = 1.0 if share is None else share
    sure = thing.confidence * max(share, 1.0 - share)
    return say.usually(say.yes_or_no(share >= 0.5), sure, thing)


def _mean_existence(things: Sequence[MapObject]) -> float:
    return float(np.mean([thing.confidence for thing in things]))


def _note(condition: Condition, objects: Sequence[MapObject]) -> str:
    if not isinstance(condition, trees.HasAttribute):
        return ""
    measured = _measure_words(condition, objects)
    return f", {measured}" if measured else source_note(objects, condition.key)


def _is_of_boxes(condition: Condition) -> bool:
    """Whether measures decide, so that what is denied is as sure as the thing itself."""
    if isinstance(condition, Related):
        return is_measured(condition.predicate)
    return isinstance(condition, trees.HasAttribute) and compared_by(condition.value) is not None


def _measure_words(condition: trees.HasAttribute, objects: Sequence[MapObject]) -> str:
    """What of the one thing is compared with a length: "1.80 m long"; empty for others."""
    by = MEASURED_BY.get(compared_by(condition.value) or "")
    if by is None or len(objects) != 1:
        return ""
    return f"{say.metres(extent_m(objects[0], by))} {_ADJECTIVES[by]}"


def _denial(condition: Condition, objects: Sequence[MapObject]) -> str:
    said = say.to_asker(verbalization.claim(replace(condition, negated=not condition.negated)))
    if len(objects) != 1 or condition.negated:
        return said
    if isinstance(condition, trees.HasAttribute):
        value = objects[0].attributes.get(condition.key, "")
        if measured := _measure_words(condition, objects):
            return f"{measured}, {said}"
        if not value or condition.key == "affordance":
            return f"{said} as far as is known"
        return f"{shown(value)}{_note(condition, objects)}, {said}"
    if isinstance(condition, trees.Described):
        return f"{with_article(shown(objects[0].label))}, {said}"
    return said


def _instead(claim: Condition, found: Found) -> str:
    """Where the one thing is that is not on or in another: "; it is on the desk (object 4)"."""
    is_carried = isinstance(claim, Related) and claim.predicate in CARRYING and not claim.negated
    there = landmark(found.scene, int(found.rows[0])) if is_carried and len(found) == 1 else ""
    return f"; it is {there}" if there else ""


def same(question: trees.Same, at: Resolver) -> Reply:
    """Yes or no, with the value of each object.

    Raises:
        ReasoningError: `not_found`: fewer than two objects, or an unknown value; `ambiguous`.
    """
    key, subjects, is_loose = question.key, question.subjects, isinstance(at, LooseResolver)
    if len(subjects) == 1:
        rows = at.every(subjects[0]).tolist()
    else:
        rows = [row for each in subjects if (row := at.find_single(each)) is not None]
    things = at.scene.objects_at(rows if is_loose else dict.fromkeys(rows))
    if len(things) < 2:
        meant = say.listed(things) or "nothing known"
        raise ReasoningError("not_found", f"Only {meant} is meant: there is nothing to compare.")
    match key:
        case "kind":
            values = [thing.label for thing in things]
        case "" | "height" | "width" | "length" | "elevation" | "thickness" | "depth":
            return _same_measure(key, things, at.scene)
        case _ if is_loose:
            values = [attribute_of(thing, key).value for thing in things]
        case _:
            values = [thing.attributes.get(key, "") for thing in things]
    known = list(zip(things, values, strict=True))
    if not all(values):
        raise say.not_known(key, [thing for thing, value in known if not value])
    word = say.yes_or_no(all(alike(key, values[0], other) for other in values[1:]))
    each = [
        f"{say.the(thing)}{say.value_words(key, value)}{source_note([thing], key)}"
        for thing, value in known
    ]
    return Reply(f"{word}, {say.bounded(each)}", _mean_existence(things), things, word)


def _same_measure(key: str, things: tuple[MapObject, ...], scene: Scene) -> Reply:
    measures = [measured_m(thing, key, scene) for thing in things]
    word = say.yes_or_no(max(measures) - min(measures) <= AS_LONG_M)
    above = f" {_ADJECTIVES.get(key, 'above the floor')}"
    pairs = zip(map(say.the, things), map(say.metres, measures), strict=True)
    each = [f"{name} is {measure}{above}" for name, measure in pairs]
    return Reply(f"{word}, {say.bounded(each)}", _mean_existence(things), things, word)


def choose(question: trees.Choose, at: Resolver) -> Reply:
    """The option that holds for an object: "is the door open or closed"."""
    claims = [verbalization.claim(option) for option in question.options]
    several = _each_chosen(question, claims, at)
    if several is not None:
        return several
    row = at.single(question.subject)
    thing, rows = at.scene.objects[row], np.array([row], np.intp)
    fits = [float(at.claim_scores(option, rows)[0]) for option in question.options]
    if not any(fits):
        fits = _leanings(question, row, at)
    if not any(fits):
        unsaid = find_undescribed([thing], question.options)
        if unsaid:
            raise say.not_known(unsaid, [thing], DESCRIPTION_HINT)
        text = f"{say.the(thing)} is neither {' nor '.join(claims)}"
        return Reply(text, ABSENCE_CONFIDENCE, (thing,), "neither")
    best = fits.index(max(fits))
    text = f"{say.the(thing)} is {claims[best]}{_note(question.options[best], [thing])}"
    return Reply(text, min(1.0, thing.confidence * max(fits)), (thing,), claims[best])


def _each_chosen(question: trees.Choose, claims: list[str], at: Resolver) -> Reply | None:
    """What each of several things is that a name may mean: one cup is on the desk, and one on the
    table; None where one is meant, or nothing is so of one."""
    found = at.existing(question.subject)
    if len(found) < 2 or len(found) > len(claims) or question.subject.definite is False:
        return None
    said = [at.claim_scores(option, found.rows) > 0.0 for option in question.options]
    if not np.any(said, axis=0).all() or len(said) < len(found):
        return None
    each = [
        f"{say.the(thing)} is {claims[[bool(fits[place]) for fits in said].index(True)]}"
        for place, thing in enumerate(found.objects)
    ]
    number = say.counted(len(found), say.noun_of(question.subject))
    text = f"there are {number}: {joined(each)}"
    return Reply(text, min(found.confidence, ABSENCE_CONFIDENCE), found.objects)


def choose_loosely(question: trees.Choose, at: LooseResolver) -> Reply:
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
        kind = find_room(_option_words(room)) or ""
        things = tuple(telling(kind, at).values())[:_SHOWN]
    chosen = chosen or room or _thing_at(question, row, at)
    if chosen is not None:
        subject = say.the(things[0]) if things and not room else "it"
        text = f"{subject} is {verbalization.claim(chosen)}"
        return Reply(text, exist, things, _option_words(chosen))
    words = [_option_words(option) for option in question.options]
    usual = usual_state(things[0].label if things else say.noun_of(question.subject), words)
    value, share = (words[0], 1.0 / len(words)) if usual is None else usual
    return say.usually(value, exist * share, *things)


def _side_with_more(question: trees.Choose, at: LooseResolver) -> Condition | None:
    """The side with more objects: "are there more chairs on my left or right?"; None for other
    questions, and where there are as many."""
    of, options = question.subject, question.options
    if not isinstance(of, NounPhrase) or not say.has_plural_noun(of):
        return None
    if not all(isinstance(option, Related) for option in options):
        return None
    others = [c for c in of.conditions if c not in trees.relations_to_viewer(of)]
    there = [replace(of, conditions=(*others, option)) for option in options]
    counts = [len(at.rows(phrase)) for phrase in there]
    best = counts.index(max(counts))
    return None if counts.count(counts[best]) > 1 else options[best]


def _side(question: trees.Choose, row: int, at: LooseResolver) -> Condition | None:
    """The option whose direction is nearest to that of an object; None for other questions."""
    here = float(at.around.bearing_rad[row])
    sides = [
        (math.cos(here - bearing), option)
        for option in question.options
        if isinstance(option, Related)
        and isinstance(option.anchors[0], trees.Viewer)
        and (bearing := bearing_of(option.predicate)) is not None
    ]
    if len(sides) > 1:
        return max(sides, key=lambda side: side[0])[1]
    leanings = _leanings(question, row, at)
    return question.options[leanings.index(max(leanings))] if any(leanings) else None


def _leanings(question: trees.Choose, row: int, at: Resolver) -> list[float]:
    """How far a thing is on each of several sides of others, where it is clearly more on one of
    them: in front of the table, and more to its left than to its right; else 0."""
    found = []
    for option in question.options:
        if not isinstance(option, Related) or option.predicate not in SIDES:
            return [0.0 for _ in question.options]
        try:
            anchors = at.anchors(option.anchors[0])
        except ReasoningError:
            anchors = []
        seen_by = Onlooker.of(at.viewpoint())
        graded = relations_of(at.scene).graded
        each = [
            float(graded(option.predicate, a.row, seen_by)[row])
            for a in anchors
            if a.row is not None
        ]
        found.append(max(each, default=0.0))
    best = max(found)
    return [fit if fit == best and best >= _CLEARLY * sum(found) else 0.0 for fit in found]


def _look(question: trees.Choose, thing: MapObject) -> Condition | None:
    """The option that is an attribute of an object; None where none is known."""
    options = {_option_words(option): option for option in question.options}
    for key, of_key in attribute_values().items():
        values = {of_key[words]: option for words, option in options.items() if words in of_key}
        if len(values) >= 2:
            return values.get(attribute_of(thing, key).value, question.options[-1])
    stated = quick_attributes(thing).values()
    return next((option for words, option in options.items() if words in stated), None)


def _kind_of_room(question: trees.Choose, at: LooseResolver) -> Condition | None:
    """The likeliest of several kinds of rooms; None where they are none, or nothing tells."""
    kinds = [find_room(_option_words(option)) for option in question.options]
    weights = [room_weight(kind, at) for kind in kinds if kind]
    is_known = len(weights) == len(kinds) and any(weights)
    return question.options[weights.index(max(weights))] if is_known else None


def _thing_at(question: trees.Choose, row: int | None, at: LooseResolver) -> Condition | None:
    """The option that fits best, or that is nearest to the object in question; None where one is
    not known."""
    of = question.subject
    options = [option for option in question.options if isinstance(option, trees.Described)]
    if not isinstance(of, NounPhrase) or len(options) < len(question.options):
        return None
    if not all(at.sure_labels(option.noun) for option in options):
        return None
    if row is not None and of.noun and at.sure_labels(of.noun):
        fits = 1.0 / (1.0 + at.scene.gaps_to_m(row))
    else:
        fits = at.place_scores(of) / (1.0 + at.around.gap_m)
        for link in links(of):
            fits = fits * (at.related_scores(link) + _LITTLE)
    return max(options, key=lambda option: float((fits * at.named(option.noun)).max()))


def _option_words(option: Condition) -> str:
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


def compare(question: trees.Compare, at: Resolver) -> Reply:
    """The one of several objects that is larger, higher or nearer."""
    named, best, text = _compared(question.options, question.rank, at)
    things = at.scene.objects_at((best, *(row for row in named if row != best)))
    brief = say.noun_of(named[best], say.brief_name(things))
    return Reply(text, _all_exist(things), things, brief)


def is_more(question: trees.IsMore, at: Resolver) -> Reply:
    """Yes if the first of two objects is larger, higher or nearer than the second."""
    named, best, text = _compared((question.first, question.second), question.rank, at)
    things, word = at.scene.objects_at(named), say.yes_or_no(best == next(iter(named)))
    return Reply(f"{word}, {text}", _all_exist(things), things, word)


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
    adjective, apart = _ADJECTIVES[dimension], say.metres(abs(first - second))
    how = "less" if first < second else "more"
    text = (
        f"{'not at all, ' * less}{say.the(things[0])} is {say.metres(first)} {adjective} and"
        f" {say.the(things[1])} {say.metres(second)}: {apart} {how}"
    )
    return Reply(text, _all_exist(things), things, apart)


def _compared(
    options: Sequence[Reference], rank: trees.Rank, at: Resolver
) -> tuple[dict[int, Reference], int, str]:
    """Rows of options, the row of the one that ranks first, and what it is, in words."""
    named = {row: option for option in options if (row := at.find_single(option)) is not None}
    rows = np.array(list(named), np.intp)
    if len(rows) < len(options) and not isinstance(at, LooseResolver):
        only = say.the(at.scene.objects[rows[0]])
        raise ReasoningError("not_found", f"Only {only} is meant: there is nothing to compare.")
    best = at.ranked(rows, rank, 1)
    if not len(best):
        raise at.missing(options[0])
    to = "" if rank.anchor is None else f" to {verbalization.describe(rank.anchor)}"
    is_what = f"is the {rank.superlative} of them{to}"
    if rank.superlative == "earliest":
        is_what = "was seen before " + say.bounded(
            [say.the(at.scene.objects[row]) for row in named if row != best[0]]
        )
    text = f"{say.the(at.scene.objects[best[0]])} {is_what}"
    return named, int(best[0]), text


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
    sure = min(_mean_existence(things), 0.9) if things else 0.0
    return Reply(f"{word}, {there}", sure, things, word)
