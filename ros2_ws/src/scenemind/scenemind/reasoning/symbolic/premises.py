"""The objects that a correction is about, and what the map says against the words for them.

A correction on a false premise ("chair 3 is a stool", where object 3 is a couch) may mean another
object: it is put to the person with what the map says, and not written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from scenemind.language import lexicon, trees, verbalization
from scenemind.language.english import (
    is_plural,
    joined,
    normal,
    number_word,
    plural,
    shown,
    with_article,
)
from scenemind.memory import MapObject
from scenemind.memory.graph.relations.superlatives import OF_A_VIEWER
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic.attribute_scores import letter_score
from scenemind.reasoning.symbolic.replies import (
    be,
    candidates,
    counted,
    sentence,
    span_words,
    the,
)
from scenemind.reasoning.symbolic.resolver import Resolver

# Least confidence in a thing that was seen too plainly to be no more than told away.
_PLAIN = 0.9
# Share of the best fit from which another object may be meant as well, and most that are tried.
_ALIKE, _MOST_TRIED = 0.6, 8
# Where nothing is behind the sofa, what is so much nearer to it is meant.
_NEARER_M = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Meant:
    """The objects of a correction.

    Attributes:
        objection: what the map says against the words, in sentences; empty where they are true.
        is_open: a plural without a number or marks: it may be more than the person thinks.
    """

    objects: tuple[MapObject, ...]
    objection: str = ""
    is_open: bool = False


def meant_by(subject: trees.Subject, at: Resolver, denied: str = "") -> Meant:
    """The objects that a subject means: all marked, numbered or plural ones, else the only one.

    Args:
        denied: what "this" is said not to be, which it may be called.

    Raises:
        ReasoningError: `not_found`; `ambiguous`: several fit, or not as many as were said;
            `invalid_request`: a part of the building.
    """
    if isinstance(subject, trees.Several):
        return _together([meant_by(number, at) for number in subject.parts])
    if isinstance(subject, trees.Marked) and not at.has_marks and denied:
        named = meant_by(trees.NounPhrase(denied, definite=True), at)
        names = joined([the(thing) for thing in named.objects])
        return replace(named, objection=named.objection or f"You seem to mean {names}.")
    if denied and isinstance(subject, trees.NounPhrase) and _is_nameless(subject):
        head = subject.noun.split()[:-1]
        subject = replace(subject, noun=" ".join((*head, denied)))  # "the black thing ..."
    if isinstance(subject, trees.Marked) and (at.has_marks or not subject.noun):
        marked = at.existing(subject).objects
        return Meant(marked, _misnamed(marked, subject.noun, at))
    phrase = (
        trees.NounPhrase(subject.noun, definite=True)
        if isinstance(subject, trees.Marked)
        else subject
    )
    try:
        if isinstance(phrase, trees.NounPhrase) and is_plural(phrase.noun):
            return _all_of(phrase, at)
        objects: tuple[MapObject, ...] = (_single(phrase, at),)
    except ReasoningError as error:
        nearest = _nearest(phrase, at, error) or _standing_out(phrase, at, error)
        if nearest is None or error.failure.code == "invalid_request":
            raise
        return nearest
    if not isinstance(phrase, trees.NounPhrase):
        return Meant(objects)
    of_viewer = any(rank.superlative in OF_A_VIEWER for rank in phrase.ranks)
    if of_viewer or (phrase.ranks and not phrase.noun):  # "the second one", "the book on the left"
        return Meant(objects, f"You seem to mean {the(objects[0])}.")
    return Meant(objects, _substituted(objects, phrase.noun, at) or _recoloured(objects, phrase))


def _is_nameless(phrase: trees.NounPhrase) -> bool:
    """Whether a thing is told by other words than its name: "the tall black thing"."""
    return not phrase.noun or phrase.noun.split()[-1] in lexicon.ANYTHING


def meant_as_one(command: trees.Merge, at: Resolver) -> Meant:
    """The objects that a merge makes one thing.

    Raises:
        ReasoningError: see `meant_by`.
    """
    if len(command.subjects) > 1:
        return _together([meant_by(subject, at) for subject in command.subjects])
    (subject,) = command.subjects
    if isinstance(subject, trees.Marked) and not at.has_marks and command.noun:
        subject = trees.NounPhrase(plural(normal(command.noun)), True, count=command.count)
        return replace(_all_of(subject, at), is_open=True)
    if isinstance(subject, trees.NounPhrase):
        return _all_of(subject, at)
    meant = meant_by(subject, at)
    if command.count not in (None, len(meant.objects)):
        raise _miscounted("what is marked", meant.objects, command.count)
    return meant


def denial_of(
    command: trees.Rename | trees.IsA | trees.SetAttribute,
    objects: Sequence[MapObject],
    at: Resolver,
) -> str:
    """What the map says against "not a chair" or "not red"; empty where it does say so.

    What is so already is nothing to ask about.
    """
    if not command.denied:
        return ""
    if not isinstance(command, trees.SetAttribute):
        now = command.label if isinstance(command, trees.Rename) else command.noun
        others = [thing for thing in objects if at.is_named_otherwise([thing], now)]
        return _misnamed(others, command.denied, at)
    key = command.key
    one, other = map(lexicon.base_colour, (command.value, command.denied))
    if command.value == command.denied or (key == "color" and one == other):  # "silver, not grey"
        return f"What is said and what is denied are both {one or command.value} to me."
    wrong = [
        f"{the(thing)} is {shown(known)}, not {command.denied}"
        for thing in objects
        if (known := thing.attributes.get(key))
        and not any(letter_score(thing, key, value) for value in (command.denied, command.value))
    ]
    return sentence(joined(wrong)) if wrong else ""


def presence_of(command: trees.DeleteObject, objects: Sequence[MapObject], at: Resolver) -> str:
    """What was seen of things that are told, by their names alone, not to be there; empty for
    orders, and where they may well be mistakes of perception."""
    is_shown = isinstance(command.subject, trees.ObjectNumber) or at.has_marks
    if not command.is_told or is_shown or any(t.confidence < _PLAIN for t in objects):
        return ""
    now_ns = at.scene.snapshot.stamp_ns
    return " ".join(
        f"I saw {the(thing)} in {counted(thing.observation_count, 'frame')}, last"
        f" {span_words(now_ns - thing.last_seen_ns)} before the end of my visit."
        for thing in objects
    )


def _together(all_meant: Sequence[Meant]) -> Meant:
    objects = {thing.object_id: thing for meant in all_meant for thing in meant.objects}
    objections = dict.fromkeys(meant.objection for meant in all_meant if meant.objection)
    return Meant(tuple(objects.values()), " ".join(objections), any(m.is_open for m in all_meant))


def _single(reference: trees.Reference, at: Resolver) -> MapObject:
    rows = at.existing(reference).rows
    if not at.scene.is_object[rows].any():
        raise ReasoningError(
            "invalid_request",
            "Floors, walls and ceilings are measured anew all the time, so nothing that is said of"
            " them would stay: only objects can be corrected, and what they are on.",
        )
    return at.scene.objects[at.single(reference)]


def _all_of(phrase: trees.NounPhrase, at: Resolver) -> Meant:
    """All objects that fit a plural, without those that only may be called so.

    Raises:
        ReasoningError: see `meant_by`.
    """
    rows = at.existing(phrase).rows
    fitting = at.scene.objects_at(rows[at.scene.is_object[rows]])
    sure = tuple(o for o in fitting if not at.is_named_otherwise([o], phrase.noun))
    objects = sure if sure and phrase.noun not in lexicon.ANYTHING else fitting
    # "Both chairs", where there is an office chair as well.
    exact = tuple(thing for thing in objects if thing.label == normal(phrase.noun))
    objects = exact if len(exact) == phrase.count else objects
    if phrase.count not in (None, len(objects)):
        raise _miscounted(f'"{verbalization.describe(phrase)}"', objects, phrase.count)
    return Meant(objects, _substituted(objects, phrase.noun, at), phrase.count is None)


def _miscounted(what: str, objects: Sequence[MapObject], said: int | None) -> ReasoningError:
    """Error for a number that does not fit, to be raised."""
    if len(objects) < (said or 0):
        return ReasoningError(
            "ambiguous",
            f"I know only {candidates(objects)}. Say the numbers of all that are meant.",
        )
    return ReasoningError(
        "ambiguous",
        f"{len(objects)} objects fit {what}: {candidates(objects)}. Which"
        f" {number_word(said or 0)} do you mean? Say their numbers.",
    )


def _misnamed(objects: Sequence[MapObject], noun: str, at: Resolver) -> str:
    """Which objects are not called so: "Object 3 is a couch, not a chair."."""
    wrong = [thing for thing in objects if noun and at.is_named_otherwise([thing], noun)]
    said = [f"object {o.object_id} is {with_article(shown(o.label))}" for o in wrong]
    return sentence(f"{joined(said)}, not {with_article(shown(noun))}") if said else ""


def _substituted(objects: Sequence[MapObject], noun: str, at: Resolver) -> str:
    """Which objects stand for a noun that the map does not have."""
    if not noun or noun in lexicon.ANYTHING or at.is_sure_of(noun):
        return ""
    others = [thing for thing in objects if at.is_named_otherwise([thing], noun)]
    names = joined([the(thing) for thing in others])
    return (
        f"I know no {shown(noun)}; the nearest that I know {be(len(others))} {names}."
        if names
        else ""
    )


def _recoloured(objects: Sequence[MapObject], phrase: trees.NounPhrase) -> str:
    """Which objects have only a similar colour: "The cup (object 3) is blue, not green."."""
    wanted = [c for c in phrase.conditions if isinstance(c, trees.HasAttribute) and not c.negated]
    return " ".join(
        f"{sentence(the(thing))[:-1]} {_contrary(thing, condition)}."
        for condition in wanted
        for thing in objects
        if condition.key == "color" and not letter_score(thing, "color", condition.value)
    )


def _nearest(reference: trees.Reference, at: Resolver, error: ReasoningError) -> Meant | None:
    """The object that fits best of all that is said, where one does."""
    if isinstance(reference, trees.ObjectNumber):
        row = at.scene.row_of_id.get(reference.object_id)
        return None if row is None else Meant((at.scene.objects[row],), str(error))
    if not (isinstance(reference, trees.NounPhrase) and reference.noun and reference.conditions):
        return None
    readings = (reference, trees.flattened(reference) or reference)
    found = list(chain.from_iterable(_fitting(phrase, at) for phrase in dict.fromkeys(readings)))
    least = min((len(wrong) for _, _, wrong in found), default=0)
    found = [each for each in found if len(each[2]) == least]
    far_m = [_gap_m(thing, wrong, at) for _, thing, wrong in found]
    found = [each for each, m in zip(found, far_m, strict=True) if m <= min(far_m) + _NEARER_M]
    if not found:
        return None
    fit, thing, wrong = max(found, key=lambda each: each[0])
    as_good = (each for each in found if each[0] >= _ALIKE * fit)
    if len({one.object_id for _, one, _ in as_good}) > 1:
        return None
    if not wrong:
        return Meant((thing,), f"You seem to mean {the(thing)}.")
    claims = joined([_contrary(thing, condition) for condition in wrong])
    return Meant((thing,), f"{sentence(the(thing))[:-1]} {claims}.")


def _gap_m(thing: MapObject, wrong: Sequence[trees.Condition], at: Resolver) -> float:
    """Metres between an object and the farthest thing to which it has not the relation that is
    said; 0 without any."""
    gaps_m, farthest_m = at.scene.gaps_to_m(at.scene.row_of_id[thing.object_id]), 0.0
    for one in trees.parts_of(tuple(wrong), trees.Related):
        with suppress(ReasoningError):
            ends = [end.row for anchor in one.anchors for end in at.anchors(anchor)]
            near_m = min((float(gaps_m[end]) for end in ends if end is not None), default=0.0)
            farthest_m = max(farthest_m, near_m)
    return farthest_m


def _standing_out(phrase: trees.Reference, at: Resolver, error: ReasoningError) -> Meant | None:
    """The one of several that fit that is as a size says far more than the others: "the thin
    book"."""
    if error.failure.code != "ambiguous" or not isinstance(phrase, trees.NounPhrase):
        return None
    rows = at.existing(phrase).rows
    best = at.standing_out(phrase, rows)
    thing = at.scene.objects[best[0]]
    is_one = len(best) == 1 < len(rows)
    return Meant((thing,), f"You seem to mean {the(thing)}.") if is_one else None


def _fitting(
    phrase: trees.NounPhrase, at: Resolver
) -> Iterator[tuple[float, MapObject, list[trees.Condition]]]:
    """How well the best objects of a name fit, and what is not so of each."""
    scores = at.graded.object_scores(phrase) * at.scene.is_object
    scores = scores * (at.label_scores(phrase.noun) > 0.0)
    for row in np.argsort(-scores, kind="stable")[:_MOST_TRIED].tolist():
        wrong = [one for one in phrase.conditions if not _holds(one, row, at)]
        if scores[row] > 0.0 and not any(isinstance(one, trees.Among) for one in wrong):
            yield float(scores[row]), at.scene.objects[row], wrong


def _holds(condition: trees.Condition, row: int, at: Resolver) -> bool:
    """Whether a condition is so of an object, as far as is known."""
    with suppress(ReasoningError):
        return bool(at.claim_scores(condition, np.array([row]))[0])
    return False


def _contrary(thing: MapObject, condition: trees.Condition) -> str:
    """What an object is instead: "is blue, not red", "is not on the shelf"."""
    words = verbalization.condition_words(replace(condition, negated=False))
    words = words.removeprefix("that is ")
    if condition.negated:
        return f"is {words}"
    if not isinstance(condition, trees.HasAttribute):
        return f"is not {words}"
    known = thing.attributes.get(condition.key)
    return f"is {shown(known)}, not {words}" if known else f"is not known to be {words}"
