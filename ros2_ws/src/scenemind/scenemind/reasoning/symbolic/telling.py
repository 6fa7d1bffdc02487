"""What is it, what colour has it, is it so: questions about objects that must exist."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scenemind.memory import MapObject
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import rendering
from scenemind.reasoning.symbolic.phrasing import (
    be,
    bounded,
    brief_name,
    counted,
    listed,
    noun_of,
    one,
    said_plural,
    sentence,
    shown_at_length,
    the,
)
from scenemind.reasoning.symbolic.reply import ABSENCE_CONFIDENCE, Reply, mean_confidence
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.sayings import (
    HELP_ON,
    SAID_ONLY,
    SPOKEN,
    find_unsaid,
    source_note,
)
from scenemind.reasoning.symbolic.syntax import (
    AskAttribute,
    Condition,
    Described,
    HasAttribute,
    NounPhrase,
    Reference,
    Verify,
)
from scenemind.words.english import joined, shown, singular, with_article

_NAMED = 4
_DESCRIBED = (
    *("color", "size", "dimensions", "shape", "orientation"),
    *("material", "texture", "state", "affordance", "owner", "caption"),
)


def identify(subject: Reference, at: Resolver) -> Reply:
    """What the described object is."""
    rows, scores = at.existing(subject)
    objects = at.objects(rows)
    if len(objects) == 1 and isinstance(subject, NounPhrase):
        # "Which of the cups is closest" asks for one.
        subject = replace(subject, noun=singular(subject.noun))
    said = rendering.describe(subject)
    if len(objects) == 1:
        named = said if said.startswith(("the ", "object ")) else f"the {said}"
        colour = shown(objects[0].attributes.get("color", ""))
        tail = f", {colour}" if colour and colour not in said else ""
        text = f"{shown(named)} is {one(objects[0])}{tail}"
    else:
        text = f"{len(objects)} objects fit: {listed(objects)}"
    sure = mean_confidence(at.scene, rows, scores)
    return Reply(sentence(text), sure, tuple(objects), brief_name(objects))


def attribute(question: AskAttribute, at: Resolver) -> Reply:
    """The colour (or size, material, state) of each object that is meant."""
    rows, scores = at.existing(question.subject)
    name = SPOKEN.get(question.key, question.key)
    valued = [row for row in rows if at.scene.objects[row].attributes.get(question.key)]
    if not valued:
        raise _not_known(name, at.objects(rows), HELP_ON if question.key in SAID_ONLY else "")
    known = at.objects(np.array(valued))
    key = question.key
    values = [told(key, shown_at_length(o.attributes[key])) for o in known]
    number = counted(len(known), noun_of(question.subject))
    note = source_note(known, key)
    if len(known) == 1:
        text = f"{the(known[0])}{values[0]}{note}"
    elif len(set(values)) == 1 and key not in SAID_ONLY:
        text = f"all {number} are{values[0].removeprefix(' is')}{note}"
    else:
        each = [
            f"object {o.object_id}{v}{source_note([o], key)}"
            for o, v in zip(known, values, strict=True)
        ]
        text = f"there are {number}: {bounded(each)}"
    sure, first = mean_confidence(at.scene, rows, scores), known[0].attributes[key]
    return Reply(sentence(text), sure, tuple(known), shown_at_length(first))


def describe(subject: Reference, at: Resolver) -> Reply:
    """All that is known of one object, with who says it."""
    thing = at.scene.objects[at.single(subject)]
    parts = [
        f"{told(key, shown_at_length(thing.attributes[key]))}{source_note([thing], key)}"
        for key in _DESCRIBED
        if thing.attributes.get(key)
    ]
    text = f"{the(thing)}{'; it'.join(parts) if parts else ' is all that is known of it'}"
    return Reply(sentence(text), thing.confidence, (thing,))


def told(key: str, value: str) -> str:
    """With the verb that fits: " is red", " is made of wood", " can be used to sit on it"."""
    if key == "caption":
        return f' looks like this: "{value.rstrip(".")}"'
    verb = {
        "material": "is made of",
        "affordance": "can be used to",
        "dimensions": "measures",
        "texture": "has this texture:",
        "owner": "belongs to",
    }.get(key, "is")
    return f" {verb} {value}"


def verify(question: Verify, at: Resolver) -> Reply:
    """Yes or no; which ones, where some of several do.

    Raises:
        ReasoningError: only a model or a person could say it, and nobody has.
    """
    rows, scores = at.existing(question.subject)
    among = np.zeros(len(at.scene))
    among[rows] = 1.0
    holds = at.condition_scores(question.condition, among, lenient=False)[rows]
    objects, fitting = at.objects(rows), holds > 0.0
    unsaid = find_unsaid(objects, (question.condition,))
    if unsaid and (question.condition.negated or not fitting.any()):
        raise _not_known(unsaid, objects, HELP_ON)
    if fitting.any() and not fitting.all():
        return _some(question, objects, fitting.tolist())
    subject = the(objects[0]) if len(objects) == 1 else f"all {counted(len(objects), 'object')}"
    if fitting.all():
        note = _note(question.condition, objects)
        text = f"Yes, {subject} {be(len(objects))} {rendering.claim(question.condition)}{note}"
        sure = mean_confidence(at.scene, rows, scores * holds)
        return Reply(sentence(text), sure, tuple(objects), "yes")
    text = f"No, {subject} {be(len(objects))} {_denial(question.condition, objects)}"
    sure = ABSENCE_CONFIDENCE * mean_confidence(at.scene, rows, scores)
    return Reply(sentence(text), sure, tuple(objects), "no")


def _not_known(name: str, objects: list[MapObject], help_on: str) -> ReasoningError:
    several = joined([the(o) for o in objects[:_NAMED]])
    return ReasoningError("not_found", f"The {name} of {several} is not known{help_on}.")


def _some(question: Verify, objects: list[MapObject], fits: list[bool]) -> Reply:
    those = [o for o, fit in zip(objects, fits, strict=True) if fit]
    number = counted(len(objects), noun_of(question.subject))
    text = f"{len(those)} of {number} {be(len(those))} {rendering.claim(question.condition)}"
    sure = float(np.mean([o.confidence for o in those]))
    # "Is the cup on the table" is true when one of the cups is; "are the chairs black" is not.
    is_all_asked = said_plural(question.subject)
    whole = sentence(f"{'Not all' if is_all_asked else 'Yes'}, {text}: {listed(those)}")
    return Reply(whole, min(sure, 1.0), tuple(those), "no" if is_all_asked else "yes")


def _note(condition: Condition, objects: list[MapObject]) -> str:
    return source_note(objects, condition.key) if isinstance(condition, HasAttribute) else ""


def _denial(condition: Condition, objects: list[MapObject]) -> str:
    said = rendering.claim(replace(condition, negated=not condition.negated))
    if len(objects) != 1 or condition.negated:
        return said
    if isinstance(condition, HasAttribute):
        value = objects[0].attributes.get(condition.key, "")
        if not value or condition.key == "affordance":
            return f"{said} as far as is known"
        return f"{shown(value)}{_note(condition, objects)}, {said}"
    if isinstance(condition, Described):
        return f"{with_article(shown(objects[0].label))}, {said}"
    return said
