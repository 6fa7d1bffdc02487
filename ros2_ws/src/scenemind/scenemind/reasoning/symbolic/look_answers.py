"""Answers about what things are like, and what else they may be."""

from __future__ import annotations

import numpy as np

from scenemind.language import trees
from scenemind.language.english import is_plural, shown, with_article
from scenemind.memory import MapObject
from scenemind.memory.types import NOTE
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.attribute_scores import (
    ATTRIBUTE_NOUNS,
    DESCRIBED_ONLY,
    DESCRIPTION_HINT,
    source_note,
)
from scenemind.reasoning.symbolic.replies import ABSENCE_CONFIDENCE, Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.usual import attribute_of, usual_of

_DESCRIBED = (
    *("color", "size", "dimensions", "shape", "orientation"),
    *("material", "texture", "state", "affordance", "owner", NOTE, "caption"),
)
# How often a measured mean colour is the true one: indoor light is dim and warm.
_AS_MEASURED = 0.6
# Least probability of a label that is said.
_WORTH_SAYING = 0.01


def could_be(question: trees.CouldBe, at: Resolver) -> Reply:
    """What else objects may be, by what detectors called them, their sizes and places."""
    found = at.existing(question.subject)
    each = [_what_it_may_be(thing) for thing in found.objects]
    first = next(iter(found.objects[0].alternatives), "nothing else")
    return Reply(say.bounded(each), found.confidence, found.objects, shown(first))


def _what_it_may_be(thing: MapObject) -> str:
    if not thing.label_probabilities or thing.label != thing.perceived_label:
        return f"{say.the(thing)} is what a person said, so nothing else"
    others = {name: p for name, p in thing.label_probabilities.items() if p >= _WORTH_SAYING}
    own = others.pop(thing.label, thing.confidence)
    named = [f"{with_article(shown(name))} with {100.0 * p:.0f} %" for name, p in others.items()]
    rest = 1.0 - own - sum(others.values())
    if rest >= _WORTH_SAYING:
        named.append(f"something else, or nothing, with {100.0 * rest:.0f} %")
    sure = f"{say.the(thing)} is one with {100.0 * own:.0f} %"
    return f"{sure}; it may be {' or '.join(named)}" if named else sure


def attribute(question: trees.AskAttribute, at: Resolver) -> Reply:
    """Attribute of each object of the question; where words are weighed, of one object as said or
    measured, else the usual one of such things."""
    key, noun = question.key, say.noun_of(question.subject)
    if at.weighs:
        row = at.find_single(question.subject)
        if row is None:
            usual = usual_of(noun, key)
            return say.usually(usual.value, usual.share)
        thing = at.scene.objects[row]
        likely = attribute_of(thing, key)
        text = f"{say.the(thing)}{say.value_words(key, likely.value)}"
        return Reply(text, thing.confidence * likely.share, (thing,), likely.value)
    found = at.existing(question.subject)
    known = tuple(thing for thing in found.objects if thing.attributes.get(key))
    if not known:
        hint = DESCRIPTION_HINT if key in DESCRIBED_ONLY else ""
        raise say.not_known(ATTRIBUTE_NOUNS.get(key, key), found.objects, hint)
    values = {say.value_words(key, thing.attributes[key]) for thing in known}
    if len(known) == 1:
        text = f"{say.the(known[0])}{_told(known[0], key)}"
    elif len(values) == 1 and key not in DESCRIBED_ONLY:
        text = f"{say.all_of(len(known), noun)} are{values.pop().removeprefix(' is')}"
        text += source_note(known, key)
    else:
        each = [f"object {thing.object_id}{_told(thing, key)}" for thing in known]
        text = f"there are {say.counted(len(known), noun)}: {say.bounded(each)}"
    is_measured = key == "color" and not any(key in thing.attribute_sources for thing in known)
    sure = found.confidence * (_AS_MEASURED if is_measured else 1.0)
    return Reply(text, sure, known, shown(known[0].attributes[key], say.AT_LENGTH))


def _told(thing: MapObject, key: str) -> str:
    """An attribute of an object with its verb and source: " is made of wood (as said by Ann)"."""
    return f"{say.value_words(key, thing.attributes[key])}{source_note([thing], key)}"


def describe_things(question: trees.Describe, at: Resolver) -> Reply:
    """All known attributes of one object, or of each of a few, with their sources."""
    subject = question.subject
    rows = at.every(subject) if is_plural(subject.noun) else np.array([at.single(subject)])
    if len(rows) > say.MAX_LISTED:
        raise at.ambiguous(subject, rows)
    things = at.scene.objects_at(rows)
    sure = min(thing.confidence for thing in things)
    if not any(thing.attributes.get(key) for thing in things for key in _DESCRIBED):
        sure = min(sure, ABSENCE_CONFIDENCE)
    return Reply(". ".join(say.sentence(_described(each))[:-1] for each in things), sure, things)


def _described(thing: MapObject) -> str:
    parts = [_told(thing, key) for key in _DESCRIBED if thing.attributes.get(key)]
    if not parts:
        return f"of {say.the(thing)} I know where it is, and no more"
    text = f"{say.the(thing)}{'; it'.join(parts)}"
    if thing.is_completed:
        text += f"; {thing.measured_share:.0%} of its box was measured, the rest is completed"
    return text
