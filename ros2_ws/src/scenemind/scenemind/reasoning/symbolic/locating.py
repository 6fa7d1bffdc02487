"""Where something is: by a landmark and by coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.graph.relations import CARRYING
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.gone import find_gone
from scenemind.reasoning.symbolic.phrasing import (
    MAX_LISTED,
    coordinates,
    counted,
    metres,
    noun_of,
    sentence,
    the,
)
from scenemind.reasoning.symbolic.relation_scores import ATTACHED
from scenemind.reasoning.symbolic.reply import Reply, mean_confidence
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.syntax import (
    AskCarrier,
    NounPhrase,
    Reference,
)
from scenemind.words.english import joined, shown, with_article

# A landmark is easier to find than what it leads to: it has at least this share of its length.
_LANDMARK_LENGTH = 0.8
# Farther away a landmark is no help.
_LANDMARK_M = 3.0
# No landmarks, where they were detected as objects.
_EVERYWHERE = frozenset(("floor", "ceiling"))
_TOUCHING_M = 0.005
# Asked -> what memories keep of it.
_CARRIED_BY = {"on": ("on", *ATTACHED), "inside": ("inside", "embedded in")}


def locate(subject: Reference, at: Resolver) -> Reply:
    """The places of all objects that are meant; where they were, if all of them are gone."""
    try:
        rows, scores = at.existing(subject)
    except ReasoningError:
        reply = find_gone(subject, at)
        if reply is None:
            raise
        return reply
    sure = not isinstance(subject, NounPhrase) or at.is_sure_of(subject.noun)
    reply = None if sure else find_gone(subject, at)
    return reply or _places(subject, at, rows, scores, sure)


def _places(
    subject: Reference, at: Resolver, rows: NDArray[np.intp], scores: Scores, sure: bool
) -> Reply:
    """Args: sure: they are what was said, and not only like it."""
    objects = at.objects(rows)
    floor_z = at.scene.floor_z
    if len(rows) == 1:
        obj = objects[0]
        where = [landmark(at.scene, int(rows[0])), coordinates(obj, floor_z)]
        text = f"{the(obj)} is {', '.join(filter(None, where))}"
    else:
        places = [
            f"object {o.object_id} {landmark(at.scene, int(row)) or coordinates(o, floor_z)}"
            for o, row in zip(objects[:MAX_LISTED], rows[:MAX_LISTED], strict=True)
        ]
        if len(objects) > MAX_LISTED:
            places.append(f"{len(objects) - MAX_LISTED} more")
        number = counted(len(rows), noun_of(subject) if sure else "object")
        text = f"there are {number}{'' if sure else ' that may be meant'}: {joined(places)}"
    confidence = mean_confidence(at.scene, rows, scores)
    brief = brief_landmark(at.scene, int(rows[0]))
    return Reply(sentence(text), confidence, tuple(objects), brief)


def carrier(question: AskCarrier, at: Resolver) -> Reply:
    """What each of the things that are meant is on, or in."""
    rows, scores = at.existing(question.subject)
    wanted = at.label_scores(question.noun) > 0.0 if question.noun else np.ones(len(at.scene), bool)
    spoken = lexicon.spoken(question.predicate)
    told: list[str] = []
    asked = at.objects(rows)
    named = dict.fromkeys(asked)
    for row in rows[:MAX_LISTED].tolist():
        thing = at.scene.objects[row]
        found = [
            (confidence, other)
            for predicate in _CARRIED_BY[question.predicate]
            for other, confidence in at.scene.relations_of(row, predicate)
            if wanted[other]
        ]
        if found:
            below = at.scene.objects[max(found)[1]]
            named[below] = None
            told.append(f"{the(thing)} is {spoken} {the(below)}")
        else:
            what = with_article(shown(question.noun)) if question.noun else "anything that I know"
            told.append(f"{the(thing)} is not {spoken} {what}")
    sure = mean_confidence(at.scene, rows, scores)
    carriers = (shown(thing.label) for thing in named if thing not in asked)
    brief = next(carriers, "nothing")
    return Reply(sentence("; ".join(told)), sure, tuple(named), brief)


def landmark(scene: Scene, row: int) -> str:
    """ "on the dining table (object 3)", "0.52 m from the door (object 9)"; empty for none."""
    found = _find_landmark(scene, row)
    return "" if found is None else f"{found[0]} {the(scene.objects[found[1]])}"


def brief_landmark(scene: Scene, row: int) -> str:
    """ "on the dining table", "near the door"; empty for none."""
    found = _find_landmark(scene, row)
    if found is None:
        return ""
    how, other = found
    return f"{'near' if how.endswith('from') else how} the {shown(scene.objects[other].label)}"


def _find_landmark(scene: Scene, row: int) -> tuple[str, int] | None:
    """How it stands to the row of something that is easy to find."""
    for predicate in CARRYING:
        kept = max(scene.relations_of(row, predicate), key=lambda found: found[1], default=None)
        if kept is not None and scene.objects[kept[0]].label != "floor":
            return lexicon.spoken(predicate), kept[0]
    gaps = scene.gaps_m(scene.low[row], scene.high[row])
    gaps[~scene.is_object] = np.inf
    gaps[[thing.label in _EVERYWHERE for thing in scene.objects]] = np.inf
    longest = scene.size.max(axis=1)
    gaps[longest < _LANDMARK_LENGTH * longest[row]] = np.inf
    gaps[row] = np.inf
    nearest = int(np.argmin(gaps))
    if gaps[nearest] > _LANDMARK_M:
        return None
    if any(other == nearest for other, _ in scene.relations_of(row, "next to")):
        return "next to", nearest
    return ("at" if gaps[nearest] < _TOUCHING_M else f"{metres(gaps[nearest])} from"), nearest
