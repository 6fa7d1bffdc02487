"""Is there, how many, which ones: questions about sets. An empty set is an answer too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import MapObject
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import rendering
from scenemind.reasoning.symbolic.explaining import is_room
from scenemind.reasoning.symbolic.phrasing import (
    MAX_LISTED,
    be,
    brief_name,
    counted,
    listed,
    metres,
    noun_of,
    sentence,
    tally,
    the,
)
from scenemind.reasoning.symbolic.relation_scores import ALIKE, gaps_to
from scenemind.reasoning.symbolic.reply import ABSENCE_CONFIDENCE, Reply, mean_confidence
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.sayings import HELP_ON, find_unsaid, source_note
from scenemind.reasoning.symbolic.scene import Scores
from scenemind.reasoning.symbolic.syntax import HasAttribute, NounPhrase, Reference, Related
from scenemind.reasoning.symbolic.telling import identify
from scenemind.words.english import number_word, shown, singular, with_article

# What is closer is part of the place that was asked for, and no hint.
_TOUCHING_M = 0.005


def exists(subject: Reference, at: Resolver) -> Reply:
    """Yes with the objects, or no with what comes near."""
    rows, scores = _set_of(subject, at)
    if not len(rows):
        text = f"No, I know of no {_said(subject)}{_none_fits(subject, at)}"
        return Reply(sentence(text), ABSENCE_CONFIDENCE, brief="no")
    objects = at.objects(rows)
    sure = mean_confidence(at.scene, rows[:1], scores[:1])
    if not _is_sure(subject, at):
        return Reply(_perhaps(subject, objects), sure, tuple(objects))
    asked = subject.count if isinstance(subject, NounPhrase) else None
    yes = "No" if asked is not None and asked > len(rows) else "Yes"
    if len(rows) == 1:
        label = with_article(shown(objects[0].label))
        which = f": object {objects[0].object_id}" if objects[0].object_id >= 0 else ""
        text = f"{yes}, there is {label}{which}"
    else:
        text = f"{yes}, there are {counted(len(rows), noun_of(subject))}: {listed(objects)}"
    return Reply(sentence(text), sure, tuple(objects), yes.lower())


def count(subject: Reference, at: Resolver) -> Reply:
    """How many; named while they are few."""
    rows, scores = _set_of(subject, at)
    objects = at.objects(rows)
    number, beyond = counted(len(rows), noun_of(subject)), rendering.beyond_noun(subject)
    text = f"{number} {be(len(rows))}{beyond}" if beyond else f"there {be(len(rows))} {number}"
    if not objects:
        text += f" in the memory{_none_fits(subject, at)}"
        return Reply(sentence(text), ABSENCE_CONFIDENCE, brief=number_word(0))
    sure = mean_confidence(at.scene, rows, scores)
    if not _is_sure(subject, at):
        return Reply(_perhaps(subject, objects), sure, tuple(objects))
    names = f": {listed(objects)}" if len(objects) <= MAX_LISTED else ""
    return Reply(sentence(f"{text}{names}"), sure, tuple(objects), number_word(len(rows)))


def list_objects(subject: Reference, at: Resolver) -> Reply:
    """Which ones; the one of a superlative ("which chair is closest to the door")."""
    if isinstance(subject, NounPhrase) and subject.rank is not None:
        return identify(subject, at)
    rows, scores = _set_of(subject, at)
    if not len(rows):
        return _nothing(subject, at)
    objects = at.objects(rows)
    said = rendering.beyond_noun(subject)
    if said:
        text = f"{listed(objects)} {be(len(objects))}{said}{_sources(subject, objects)}"
    else:
        noun = noun_of(subject)
        names = tally(objects) if noun == "object" else listed(objects)
        text = f"I know of {counted(len(objects), noun)}: {names}"
    sure = mean_confidence(at.scene, rows, scores)
    return Reply(sentence(text), sure, tuple(objects), brief_name(objects))


def _set_of(subject: Reference, at: Resolver) -> tuple[NDArray[np.intp], Scores]:
    """The rows that are meant; a wall that was also detected as an object counts once.

    Raises:
        ReasoningError: only a model or a person could say which they are, and nobody has.
    """
    rows, scores = at.rows(_to_the_letter(subject))
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
    unsaid = find_unsaid(named, asked) if named else None
    if unsaid:
        text = f"The {unsaid} of no {singular(subject.noun or 'object')} is known{HELP_ON}."
        raise ReasoningError("not_found", text)


def _nothing(subject: Reference, at: Resolver) -> Reply:
    """Nothing stands so: say what is closest where the question has one anchor."""
    text = f"no {noun_of(subject)} in the memory is{rendering.beyond_noun(subject)}"
    conditions = subject.conditions if isinstance(subject, NounPhrase) else ()
    if len(conditions) != 1 or not isinstance(conditions[0], Related):
        return Reply(sentence(f"{text}{_none_fits(subject, at)}"), ABSENCE_CONFIDENCE)
    otherwise = _otherwise(subject, conditions[0], at)
    if otherwise is not None:
        return Reply(sentence(f"{text}, but {otherwise[0]}"), ABSENCE_CONFIDENCE, otherwise[1])
    anchors = at.anchors(conditions[0].anchors[0])
    gaps = gaps_to(at.scene, anchors[0])
    gaps[~at.scene.is_object] = np.inf
    gaps[gaps < _TOUCHING_M] = np.inf
    gaps[[anchor.row for anchor in anchors if anchor.row is not None]] = np.inf
    nearest = int(np.argmin(gaps))
    if np.isfinite(gaps[nearest]):
        closest = the(at.scene.objects[nearest])
        text += f"; the closest object is {closest}, {metres(gaps[nearest])} away"
    return Reply(sentence(text), ABSENCE_CONFIDENCE)


def _otherwise(
    subject: Reference, related: Related, at: Resolver
) -> tuple[str, tuple[MapObject, ...]] | None:
    """What is attached, or stands beside, in another way than was asked."""
    if not isinstance(subject, NounPhrase):
        return None
    for predicate in ALIKE.get(related.predicate, ()):
        other = replace(subject, conditions=(replace(related, predicate=predicate),))
        rows, _ = at.rows(other)
        if len(rows):
            objects = tuple(at.objects(rows))
            said = f"{listed(objects)} {be(len(objects))}{rendering.beyond_noun(other)}"
            return said, objects
    return None


def _is_sure(subject: Reference, at: Resolver) -> bool:
    return not isinstance(subject, NounPhrase) or at.is_sure_of(subject.noun)


def _perhaps(subject: Reference, objects: list[MapObject]) -> str:
    """For things that are only like what was asked: no claim that they are it."""
    return sentence(f"not for sure: I know of no {_said(subject)}, but of {listed(objects)}")


def _sources(subject: Reference, objects: list[MapObject]) -> str:
    """Who says so, where one of the conditions is no more than said."""
    conditions = subject.conditions if isinstance(subject, NounPhrase) else ()
    said = (source_note(objects, c.key) for c in conditions if isinstance(c, HasAttribute))
    return next((note for note in said if note), "")


def _to_the_letter(subject: Reference) -> Reference:
    """Questions of existence must not take "the red chair" for an orange one."""
    return replace(subject, definite=False) if isinstance(subject, NounPhrase) else subject


def _said(subject: Reference) -> str:
    if not isinstance(subject, NounPhrase):
        return noun_of(subject)
    return shown(rendering.bare(replace(subject, count=None)))


def _none_fits(subject: Reference, at: Resolver) -> str:
    """Things of that name there may be: " (3 chairs are known, none like that)"."""
    if not isinstance(subject, NounPhrase) or not subject.conditions or not subject.noun:
        return ""
    known = int(np.count_nonzero(at.label_scores(subject.noun)))
    return f" ({counted(known, subject.noun)} {be(known)} known, none like that)" if known else ""
