"""Answers to claims and choices: yes or no, one thing or another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scenemind.language import trees, verbalization
from scenemind.language.english import is_plural, shown, with_article
from scenemind.language.measures import compared_by, is_measured
from scenemind.language.trees import Condition, NounPhrase, Related
from scenemind.memory import MapObject
from scenemind.memory.attributes.lazy_attributes import quick_attributes
from scenemind.memory.graph.relations import CARRYING
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.attribute_scores import (
    DESCRIPTION_HINT,
    find_undescribed,
    source_note,
)
from scenemind.reasoning.symbolic.graded_relations import SIDES, Onlooker
from scenemind.reasoning.symbolic.measures import MEASURED_BY, SAID_OF, extent_m
from scenemind.reasoning.symbolic.place_answers import is_within_reach, landmark, room_weight
from scenemind.reasoning.symbolic.relation_scores import relations_of
from scenemind.reasoning.symbolic.replies import ABSENCE_CONFIDENCE, Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Found
from scenemind.reasoning.symbolic.set_answers import exists
from scenemind.reasoning.symbolic.usual import (
    attribute_of,
    attribute_values,
    find_room,
    is_known_thing,
    state_share,
    usual_state,
)
from scenemind.reasoning.symbolic.viewpoint import bearing_of

_SIDES = {"left of": "left", "right of": "right", "in front of": "front", "behind": "back"}
_SHOWN = 3
# Gap up to which a thing is at another one.
_BESIDE_M = 0.5
# Largest gap between a seat and who is on it.
_SEATED_M = 0.25
# Least score of a relation, so that nearness decides where it holds for nothing.
_LITTLE = 1e-3
# Least share of the fits of all sides in the one that is chosen.
_CLEARLY = 0.7


def verify(question: trees.Verify, at: Resolver) -> Reply:
    """Yes or no, or the objects for which the claim holds; for words that weigh see `_is_likely`.

    Raises:
        ReasoningError: `not_found`: the attribute has not been described.
    """
    claim, subject = question.condition, question.subject
    if at.weighs and isinstance(subject, NounPhrase):
        return _is_likely(subject, claim, at)
    found = at.existing(subject)
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
        # "Is the cup on the table" is true when one of the cups is; "are the chairs black" is not.
        is_all_asked = is_plural(question.subject.noun)
        is_not_none = claim.negated and is_all_asked and not question.subject.bound
        if is_not_none:  # "is none of the chairs red" is answered by those that are
            fits, claim = ~fits, replace(claim, negated=False)
            said = say.to_asker(verbalization.claim(claim))
        those = found.where(fits).objects
        number = say.counted(len(objects), noun)
        some = f"{len(those)} of {number} {say.be(len(those))} {said}: {say.listed(those)}"
        sure = min(say.mean_existence(those), 1.0)
        if question.subject.bound == "most":
            word = say.yes_or_no(2 * len(those) > len(objects))
            return Reply(f"{word}, {some}", sure, those, word)
        text = f"{'no' if is_not_none else 'not all' if is_all_asked else 'yes'}, {some}"
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
    beside = (Related(f"within {_SEATED_M:g} m of", (question.subject,)),)
    reply = exists(trees.Exists(NounPhrase("person", conditions=beside)), at)
    if reply.brief == "no":
        named = say.bounded([say.the(thing) for thing in things])
        word = say.yes_or_no(question.free)
        return Reply(f"{word}, I saw nobody at {named}", ABSENCE_CONFIDENCE, things, word)
    word = say.yes_or_no(not question.free)
    return replace(reply, text=f"{word}, {reply.text.removeprefix('yes, ')}", brief=word)


def _is_likely(subject: NounPhrase, claim: Condition, at: Resolver) -> Reply:
    """Yes or no by what is likeliest meant, and is seen or usual: what a relation names is looked
    for, and so are things that name a state ("covered by a curtain")."""
    if isinstance(claim, Related) and claim.predicate == "within reach":
        return is_within_reach(subject, at)
    if isinstance(claim, Related):
        if at.knows(subject) or is_known_thing(subject.noun):
            return exists(trees.Exists(subject.that(claim)), at)
        return Reply("yes", 1.0, brief="yes")  # It may be no thing at all: "light".
    row, words = at.find_single(subject), _option_words(claim)
    if row is None:
        return Reply("no", 1.0, brief="no")
    thing = at.scene.objects[row]
    for key, of_key in attribute_values().items():
        if words in of_key:
            found = attribute_of(thing, key)
            word = say.yes_or_no(found.value == of_key[words])
            text = f"{word}, {say.the(thing)}{say.value_words(key, found.value)}"
            return Reply(text, thing.confidence * found.share, (thing,), word)
    for name in filter(is_known_thing, words.split()):
        near = (at.named(name) > 0.0) & (at.named(thing.label) == 0.0)
        near &= at.scene.gaps_to_m(row) <= _BESIDE_M
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
        return f"{said}{_note(condition, objects)}" if _is_of_boxes(condition) else said
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
    """The option that holds for an object: "is the door open or closed"; where words are weighed,
    the one that fits best, else the usual one, else the first."""
    options, claims = question.options, [verbalization.claim(each) for each in question.options]
    if verbalization.is_many(question.subject) and not at.weighs:
        return _choose_of_each(question, at)
    row = at.find_single(question.subject)
    things = at.scene.objects_at([] if row is None else [row])
    if row is not None and not at.weighs:
        rows = np.array([row], np.intp)
        fits = [float(at.claim_scores(option, rows)[0]) for option in options]
        fits = fits if any(fits) else _leanings(question, row, at)
    else:
        fits = _weighed(question, row, at)
    exist = min((thing.confidence for thing in things), default=1.0)
    if any(fits):
        best = fits.index(max(fits))
        names = say.the(things[0]) if things else "it"
        text = f"{names} is {claims[best]}{_note(options[best], things)}"
        brief = _option_words(options[best]) if at.weighs else claims[best]
        return Reply(text, min(1.0, exist * max(fits)), things, brief)
    if not at.weighs:
        unsaid = find_undescribed(things, options)
        if unsaid:
            raise say.not_known(unsaid, things, DESCRIPTION_HINT)
        text = f"{say.the(things[0])} is neither {' nor '.join(claims)}"
        return Reply(text, ABSENCE_CONFIDENCE, things, "neither")
    words = [_option_words(option) for option in options]
    usual = usual_state(things[0].label if things else say.noun_of(question.subject), words)
    value, share = (words[0], 1.0 / len(words)) if usual is None else usual
    return say.usually(value, exist * share, *things)


def _choose_of_each(question: trees.Choose, at: Resolver) -> Reply:
    """The option that holds for each of several things: "are the chairs of wood or metal"."""
    ids = at.scene.ids[at.every(question.subject)].tolist()
    each = [choose(replace(question, subject=trees.ObjectNumber(one)), at) for one in ids]
    things = tuple(thing for reply in each for thing in reply.objects)
    briefs = dict.fromkeys(reply.brief for reply in each)
    sure = min(reply.confidence for reply in each)
    text = say.bounded([reply.text for reply in each])
    return Reply(text, sure, things, next(iter(briefs)) if len(briefs) == 1 else "")


def _weighed(question: trees.Choose, row: int | None, at: Resolver) -> list[float]:
    """1 for the option that fits best, by what is seen, else 0; all 0 where nothing tells.

    Of sides of the asker the one whose direction is nearest, of sides of other things that on which
    the thing clearly is; of looks the one it has; of kinds of rooms the likeliest; of things the
    nearest.
    """
    options, of = question.options, question.subject
    said, fits = list(map(_option_words, options)), [0.0]
    sides = trees.relations_to_viewer(NounPhrase("", conditions=options))
    kinds = list(filter(None, map(find_room, said)))
    if row is not None and len(sides) > 1:
        bearings = (
            bearing_of(one.predicate) if isinstance(one, Related) and one in sides else None
            for one in options
        )
        here = float(at.around.bearing_rad[row])
        fits = [0.0 if way is None else 2.0 + math.cos(here - way) for way in bearings]
    elif row is not None and any(leanings := _leanings(question, row, at)):
        fits = leanings
    elif row is not None and any(looks := _looks(said, at.scene.objects[row])):
        fits = looks
    elif len(kinds) == len(options):
        fits = [room_weight(kind, at) for kind in kinds]
    elif all(isinstance(each, trees.Described) and at.sure_labels(each.noun) for each in options):
        if row is not None and at.sure_labels(of.noun):
            near = 1.0 / (1.0 + at.scene.gaps_to_m(row))
        else:
            near = at.scores(of) if isinstance(of, NounPhrase) else np.zeros(len(at.scene))
        fits = [float((near * at.named(noun)).max()) for noun in said]
    return [float(fit == max(fits) > 0.0) for fit in fits]


def _looks(options: Sequence[str], thing: MapObject) -> list[float]:
    """1 for the option that a thing looks like, as is said of it or measured, else 0; of values
    that it has none of, the last."""
    for key, of_key in attribute_values().items():
        values = [of_key.get(words) for words in options]
        if len(values) - values.count(None) >= 2:
            own = attribute_of(thing, key).value
            chosen = values.index(own) if own in values else len(values) - 1
            return [float(place == chosen) for place in range(len(values))]
    stated = quick_attributes(thing).values()
    return [float(words in stated) for words in options]


def _leanings(question: trees.Choose, row: int, at: Resolver) -> list[float]:
    """How far a thing is on each of several sides of others, where it is clearly more on one of
    them: in front of the table, and more to its left than to its right; else 0."""
    found = []
    for option in question.options:
        if not isinstance(option, Related) or option.predicate not in SIDES:
            return [0.0 for _ in question.options]
        rows = [anchor.row for anchor in at.anchors(option.anchors[0]) if anchor.row is not None]
        seen_by = Onlooker.of(at.viewpoint())
        each = relations_of(at.scene).graded(option.predicate, rows, seen_by, np.array([row]))
        found.append(float(each.max(initial=0.0)))
    best = max(found)
    return [fit if fit == best and best >= _CLEARLY * sum(found) else 0.0 for fit in found]


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
