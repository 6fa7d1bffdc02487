"""Answers to claims and choices: yes or no, one thing or another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scenemind.language import trees, verbalization
from scenemind.language.english import joined, shown, with_article
from scenemind.language.measures import compared_by, is_measured
from scenemind.language.trees import Condition, NounPhrase, Related
from scenemind.memory import MapObject
from scenemind.memory.attributes.lazy_attributes import quick_attributes
from scenemind.memory.graph.relations import CARRYING
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.attribute_scores import (
    DESCRIPTION_HINT,
    find_undescribed,
    source_note,
)
from scenemind.reasoning.symbolic.graded_relations import SIDES, Onlooker
from scenemind.reasoning.symbolic.loose_resolver import LooseResolver, links
from scenemind.reasoning.symbolic.measures import MEASURED_BY, SAID_OF, extent_m
from scenemind.reasoning.symbolic.place_answers import landmark, room_weight, telling
from scenemind.reasoning.symbolic.relation_scores import relations_of
from scenemind.reasoning.symbolic.replies import ABSENCE_CONFIDENCE, Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Found
from scenemind.reasoning.symbolic.set_answers import exists
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
        sure = min(say.mean_existence(those), 1.0)
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
            return exists(trees.Exists(subject.that(claim)), at)
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
    return f"{say.metres(extent_m(objects[0], by))} {SAID_OF[by]}"


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
        rows = [anchor.row for anchor in anchors if anchor.row is not None]
        each = relations_of(at.scene).graded(option.predicate, rows, seen_by, np.array([row]))
        found.append(float(each.max(initial=0.0)))
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
            fits = fits * (at.related_scores(link, fits) + _LITTLE)
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
