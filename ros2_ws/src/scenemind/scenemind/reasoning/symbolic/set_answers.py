"""Answers about the things that are there, and what they are like: whether, how many, which."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.language import verbalization
from scenemind.language.english import number_word, shown, singular, with_article
from scenemind.language.trees import (
    AskAttribute,
    Count,
    HasAttribute,
    NounPhrase,
    Reference,
    Related,
)
from scenemind.memory import MapObject
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.attribute_scores import (
    ATTRIBUTE_NOUNS,
    DESCRIBED_ONLY,
    DESCRIPTION_HINT,
    find_undescribed,
    source_note,
)
from scenemind.reasoning.symbolic.loose_resolver import LooseResolver
from scenemind.reasoning.symbolic.relation_scores import ALIKE, gaps_to
from scenemind.reasoning.symbolic.replies import ABSENCE_CONFIDENCE, Reply
from scenemind.reasoning.symbolic.resolver import Resolver, is_room
from scenemind.reasoning.symbolic.scene import Scores
from scenemind.reasoning.symbolic.situated.usual import (
    attribute_of,
    usual_count,
    usual_of,
)

_DESCRIBED = (
    *("color", "size", "dimensions", "shape", "orientation"),
    *("material", "texture", "state", "affordance", "owner", "caption"),
)
# How often a measured mean colour is the true one: indoor light is dim and warm.
_AS_MEASURED = 0.6
# Closer objects touch the anchor, and are no hint.
_TOUCHING_M = 0.005


def exists(subject: Reference, at: Resolver) -> Reply:
    """Yes with the objects, or no with near matches."""
    rows, scores = set_of(subject, at)
    if not len(rows):
        text = f"no, I know of no {_said(subject)}{_none_fits(subject, at)}"
        return Reply(text, ABSENCE_CONFIDENCE, brief="no")
    objects = at.objects(rows)
    sure = say.mean_confidence(at.scene, rows[:1], scores[:1])
    if not _is_sure(subject, at):
        return Reply(_perhaps(subject, objects), sure, tuple(objects))
    asked = subject.count if isinstance(subject, NounPhrase) else None
    word = "no" if asked is not None and asked > len(rows) else "yes"
    if len(rows) == 1:
        label = with_article(shown(objects[0].label))
        which = f": object {objects[0].object_id}" if objects[0].object_id >= 0 else ""
        text = f"{word}, there is {label}{which}"
    else:
        number = say.counted(len(rows), say.noun_of(subject))
        text = f"{word}, there are {number}: {say.listed(objects)}"
    return Reply(text, sure, tuple(objects), word)


def count(question: Count, at: Resolver) -> Reply:
    """Number of objects, named while they are few; whether it is odd, or can be divided."""
    subject = question.subject
    parts = _usual_parts(subject, at) if isinstance(at, LooseResolver) else None
    if parts is not None:
        return parts
    rows, scores = set_of(subject, at)
    n, objects = len(rows), at.objects(rows)
    number, beyond = say.counted(n, say.noun_of(subject)), verbalization.beyond_noun(subject)
    text = f"{number} {say.be(n)}{beyond}" if beyond else f"there {say.be(n)} {number}"
    brief = number_word(n)
    if question.divisor or question.parity:
        parity = "odd" if n % 2 else "even"
        is_so = parity == question.parity
        if question.divisor:
            is_so = n > 0 and n % question.divisor == 0
        brief = parity if question.parity == "either" else say.yes_or_no(is_so)
        text = f"{brief}, {text}"
    if not objects:
        text += f" in the memory{_none_fits(subject, at)}"
        return Reply(text, ABSENCE_CONFIDENCE, brief=brief)
    sure = say.mean_confidence(at.scene, rows, scores)
    if not _is_sure(subject, at):
        return Reply(_perhaps(subject, objects), sure, tuple(objects))
    names = f": {say.listed(objects)}" if n <= say.MAX_LISTED else ""
    return Reply(f"{text}{names}", sure, tuple(objects), brief)


def _usual_parts(subject: Reference, at: LooseResolver) -> Reply | None:
    """The usual number of such parts ("legs"), which are no objects; None for other nouns."""
    noun = getattr(subject, "noun", "")
    parts = None if at.finder.classes.sure_labels(noun) else usual_count(noun)
    if parts is None or not isinstance(subject, NounPhrase):
        return None
    return say.usually(number_word(parts), 1.0 if at.is_about_known(subject) else 0.0)


def list_objects(subject: Reference, at: Resolver) -> Reply:
    """Objects of a question; for a superlative the one ("which chair is closest to the door")."""
    if isinstance(subject, NounPhrase) and subject.ranks:
        return identify(subject, at)
    rows, scores = set_of(subject, at)
    if not len(rows):
        return _nothing(subject, at)
    objects = at.objects(rows)
    said = verbalization.beyond_noun(subject)
    if said:
        text = f"{say.listed(objects)} {say.be(len(objects))}{said}{_sources(subject, objects)}"
    else:
        noun = say.noun_of(subject)
        names = say.tally(objects) if noun == "object" else say.listed(objects)
        text = f"I know of {say.counted(len(objects), noun)}: {names}"
    sure = say.mean_confidence(at.scene, rows, scores)
    return Reply(text, sure, tuple(objects), say.brief_name(objects))


def identify(subject: Reference, at: Resolver) -> Reply:
    """Name of the described objects."""
    likeliest = _likeliest(subject, at) if isinstance(at, LooseResolver) else None
    rows, scores = likeliest or at.existing(subject)
    objects = at.objects(rows)
    if len(objects) == 1 and isinstance(subject, NounPhrase):
        # "Which of the cups is closest" asks for one.
        subject = replace(subject, noun=singular(subject.noun))
    said = verbalization.describe(subject)
    if len(objects) == 1:
        named = said if said.startswith(("the ", "object ")) else f"the {said}"
        named = "that" if likeliest else named
        colour = shown(objects[0].attributes.get("color", ""))
        tail = f", {colour}" if colour and colour not in said else ""
        text = f"{shown(named)} is {say.one(objects[0])}{tail}"
    else:
        text = f"{len(objects)} objects fit: {say.listed(objects)}"
    sure = say.mean_confidence(at.scene, rows, scores)
    return Reply(text, sure, tuple(objects), say.brief_name(objects))


def how_sure(subject: Reference, at: Resolver) -> Reply:
    """How sure it is that there is such a thing, of the surest one."""
    rows, scores = at.existing(_to_the_letter(subject))
    sure = say.confidences(at.scene, rows, scores)
    best = int(np.argmax(sure))
    thing = at.scene.objects[int(rows[best])]
    seen = f", seen in {say.counted(thing.observation_count, 'frame')}"
    share = f"{100.0 * sure[best]:.0f} %"
    name = say.one(thing) if _is_sure(subject, at) else f"something like it, {say.one(thing)}"
    return Reply(f"{share} sure that there is {name}{seen}", float(sure[best]), (thing,), share)


def _likeliest(subject: Reference, at: LooseResolver) -> tuple[NDArray[np.intp], Scores] | None:
    """The best row, whatever it is called, with the share of the scores that its label has; None
    where nothing fits."""
    if not isinstance(subject, NounPhrase):
        return None
    row = at.finder.find_best(subject)
    if row is None:
        row = at.finder.find_best(replace(subject, noun="", unread=()))
    if row is None:
        return None
    return np.array([row], np.intp), np.array([at.finder.share(subject, row)])


def attribute(question: AskAttribute, at: Resolver) -> Reply:
    """Attribute of each object of the question."""
    if isinstance(at, LooseResolver):
        return _likely_attribute(question, at)
    rows, scores = at.existing(question.subject)
    key, objects = question.key, at.objects(rows)
    known = [thing for thing in objects if thing.attributes.get(key)]
    if not known:
        hint = DESCRIPTION_HINT if key in DESCRIBED_ONLY else ""
        raise say.not_known(ATTRIBUTE_NOUNS.get(key, key), objects, hint)
    number = say.counted(len(known), say.noun_of(question.subject))
    values = {say.value_words(key, thing.attributes[key]) for thing in known}
    if len(known) == 1:
        text = f"{say.the(known[0])}{told(known[0], key)}"
    elif len(values) == 1 and key not in DESCRIBED_ONLY:
        text = f"all {number} are{values.pop().removeprefix(' is')}{source_note(known, key)}"
    else:
        each = [f"object {thing.object_id}{told(thing, key)}" for thing in known]
        text = f"there are {number}: {say.bounded(each)}"
    sure = say.mean_confidence(at.scene, rows, scores)
    if key == "color" and not any(key in thing.attribute_sources for thing in known):
        sure *= _AS_MEASURED
    return Reply(text, sure, tuple(known), say.shown_at_length(known[0].attributes[key]))


def _likely_attribute(question: AskAttribute, at: LooseResolver) -> Reply:
    """Attribute of one object as said or measured, else the usual one of such things."""
    row = at.find_single(question.subject)
    if row is None:
        usual = usual_of(say.noun_of(question.subject), question.key)
        return say.usually(usual.value, usual.share)
    thing = at.scene.objects[row]
    found = attribute_of(thing, question.key)
    text = f"{say.the(thing)}{say.value_words(question.key, found.value)}"
    return Reply(text, thing.confidence * found.share, (thing,), found.value)


def told(thing: MapObject, key: str) -> str:
    """An attribute of an object with its verb and source: " is made of wood (as said by Ann)"."""
    return f"{say.value_words(key, thing.attributes[key])}{source_note([thing], key)}"


def describe_thing(subject: Reference, at: Resolver) -> Reply:
    """All known attributes of one object, with their sources."""
    thing = at.scene.objects[at.single(subject)]
    parts = [told(thing, key) for key in _DESCRIBED if thing.attributes.get(key)]
    text = f"{say.the(thing)}{'; it'.join(parts) if parts else ' is all that is known of it'}"
    return Reply(text, thing.confidence, (thing,))


def set_of(subject: Reference, at: Resolver) -> tuple[NDArray[np.intp], Scores]:
    """Rows of a question's subject; a wall that was also detected as an object counts once.

    Raises:
        ReasoningError: `not_found`: a required attribute has not been described.
    """
    rows, scores = at.rows(_to_the_letter(subject))
    if isinstance(at, LooseResolver):
        return rows, scores
    if not len(rows) and is_room(subject):
        raise at.missing(subject)
    _check_said(subject, rows, at)
    is_building = ~at.scene.is_object[rows]
    return (rows[is_building], scores[is_building]) if is_building.any() else (rows, scores)


def _check_said(subject: Reference, rows: NDArray[np.intp], at: Resolver) -> None:
    if not isinstance(subject, NounPhrase):
        return
    asked = [c for c in subject.conditions if c.negated or not len(rows)]
    named = [at.scene.objects[row] for row in np.flatnonzero(at.label_scores(subject.noun))]
    unsaid = find_undescribed(named, asked) if named else None
    if unsaid:
        text = (
            f"The {unsaid} of no {singular(subject.noun or 'object')} is known{DESCRIPTION_HINT}."
        )
        raise ReasoningError("not_found", text)


def _nothing(subject: Reference, at: Resolver) -> Reply:
    """Reply that nothing fits, with the closest object where the question has one anchor."""
    text = f"no {say.noun_of(subject)} in the memory is{verbalization.beyond_noun(subject)}"
    conditions = subject.conditions if isinstance(subject, NounPhrase) else ()
    if len(conditions) != 1 or not isinstance(conditions[0], Related):
        return Reply(f"{text}{_none_fits(subject, at)}", ABSENCE_CONFIDENCE)
    otherwise = _otherwise(subject, conditions[0], at)
    if otherwise is not None:
        return Reply(f"{text}, but {otherwise[0]}", ABSENCE_CONFIDENCE, otherwise[1])
    anchors = at.anchors(conditions[0].anchors[0])
    gaps = gaps_to(at.scene, anchors[0])
    gaps[~at.scene.is_object] = np.inf
    gaps[gaps < _TOUCHING_M] = np.inf
    gaps[[anchor.row for anchor in anchors if anchor.row is not None]] = np.inf
    nearest = int(np.argmin(gaps))
    if np.isfinite(gaps[nearest]):
        closest = say.the(at.scene.objects[nearest])
        text += f"; the closest object is {closest}, {say.metres(gaps[nearest])} away"
    return Reply(text, ABSENCE_CONFIDENCE)


def _otherwise(
    subject: Reference, related: Related, at: Resolver
) -> tuple[str, tuple[MapObject, ...]] | None:
    """Objects attached, or standing beside, in another way than was asked."""
    if not isinstance(subject, NounPhrase):
        return None
    for predicate in ALIKE.get(related.predicate, ()):
        other = replace(subject, conditions=(replace(related, predicate=predicate),))
        rows, _ = at.rows(other)
        if len(rows):
            objects = tuple(at.objects(rows))
            said = f"{say.listed(objects)} {say.be(len(objects))}{verbalization.beyond_noun(other)}"
            return said, objects
    return None


def _is_sure(subject: Reference, at: Resolver) -> bool:
    return not isinstance(subject, NounPhrase) or at.is_sure_of(subject.noun)


def _perhaps(subject: Reference, objects: list[MapObject]) -> str:
    """Text for objects that are only like the subject, without a claim that they are it."""
    return f"not for sure: I know of no {_said(subject)}, but of {say.listed(objects)}"


def _sources(subject: Reference, objects: list[MapObject]) -> str:
    """Source of the first attribute condition that is only a statement, as a note."""
    conditions = subject.conditions if isinstance(subject, NounPhrase) else ()
    said = (source_note(objects, c.key) for c in conditions if isinstance(c, HasAttribute))
    return next((note for note in said if note), "")


def _to_the_letter(subject: Reference) -> Reference:
    """The subject without "the": existence questions must not take an orange chair for a red
    one."""
    return replace(subject, definite=False) if isinstance(subject, NounPhrase) else subject


def _said(subject: Reference) -> str:
    if not isinstance(subject, NounPhrase):
        return say.noun_of(subject)
    return shown(verbalization.bare(replace(subject, count=None)))


def _none_fits(subject: Reference, at: Resolver) -> str:
    """Note on objects of that name that fit not: " (3 chairs are known, none like that)"."""
    if not isinstance(subject, NounPhrase) or not subject.conditions or not subject.noun:
        return ""
    known = int(np.count_nonzero(at.label_scores(subject.noun)))
    return (
        f" ({say.counted(known, subject.noun)} {say.be(known)} known, none like that)"
        if known
        else ""
    )
