"""Answers from where the asker stands: which way, what is seen or reached, which room it is."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from scenemind.language import trees
from scenemind.language.trees import NounPhrase, Related, Viewer, relations_to_viewer
from scenemind.memory import MapObject
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.loose_resolver import LooseResolver
from scenemind.reasoning.symbolic.place_answers import brief_landmark, locate
from scenemind.reasoning.symbolic.replies import Reply
from scenemind.reasoning.symbolic.viewpoint import bearing_of

# Length of an arm and a lean.
_REACH_M = 1.0
# Largest bearing of "forward", and smallest of "backward".
_AHEAD_RAD, _BACK_RAD = math.radians(20.0), math.radians(135.0)
# Largest bearing of a visible object; heads turn.
_SEEN_RAD = math.radians(90.0)
# An obstacle reaches to the knee, and stands within a step or two.
_KNEE_M, _STEPS_M, _PATH_RAD = 0.4, 0.8, 0.1
_SAID = {
    "forward": "ahead",
    "backward": "behind you",
    "left": "on the left",
    "right": "on the right",
}


def direction(question: trees.AskDirection, at: LooseResolver) -> Reply:
    """Direction in which to turn for the goal.

    Raises:
        ReasoningError: `not_found`: nothing serves it.
    """
    goal = question.subject
    row = at.find_goal(goal)
    if row is None:
        raise ReasoningError("not_found", "I know of nothing that serves that.")
    bearing = float(at.around.bearing_rad[row])
    # Its place is given: the question is over which side to turn.
    is_given = any(bearing_of(place.predicate) is not None for place in relations_to_viewer(goal))
    side = ("right" if bearing > 0.0 else "left") if is_given else side_of(bearing)
    return _said_of(at.scene.objects[row], side)


def side_or_place(question: trees.Where, at: LooseResolver) -> Reply:
    """The side on which a thing lies; its place, where its side is known, or nobody stands
    anywhere.

    Raises:
        ReasoningError: `not_found`.
    """
    phrase = question.subject
    if not isinstance(phrase, NounPhrase):
        return locate(question, at)
    row = at.find_best(phrase) if phrase.noun else at.find_goal(phrase)
    if row is None:
        raise at.missing(phrase)
    place = brief_landmark(at.scene, row)
    if not place and not at.stands:
        return locate(question, at)
    if not place or (at.stands and not relations_to_viewer(phrase)):
        place = side_of(float(at.around.bearing_rad[row]))
    return _said_of(at.scene.objects[row], place)


def is_in_view(phrase: NounPhrase, view: Related, at: LooseResolver) -> Reply:
    """Yes if one of the objects is in front, or behind for an asker who turns around."""
    fits = at.named(phrase.noun) if phrase.noun else at.scores(phrase)
    rows = np.flatnonzero(fits > 0.0)
    off_rad = np.abs(at.around.bearing_rad[rows])
    turned = Viewer(turned=True) in view.anchors
    seen = off_rad >= math.pi - _SEEN_RAD if turned else off_rad <= _SEEN_RAD
    return _if_any(rows[seen] if seen.any() else rows, bool(seen.any()), "in view", at)


def is_within_reach(phrase: NounPhrase, at: LooseResolver) -> Reply:
    """Yes if the object is within an arm's length and a lean."""
    row = at.find_goal(phrase)
    rows = np.array([] if row is None else [row], np.intp)
    near = row is not None and bool(at.around.gap_m[row] <= _REACH_M)
    return _if_any(rows, near, "within reach", at)


def is_way_clear(question: trees.IsWayClear, at: LooseResolver) -> Reply:
    """Yes if no object blocks the way to a side."""
    around, scene, predicate = at.around, at.scene, question.way.predicate
    knee = scene.floor_z + _KNEE_M
    standing = (scene.low[:, 2] < knee) & (scene.high[:, 2] > knee)
    ahead = around.towards(bearing_of(predicate) or 0.0, _PATH_RAD) > 0.0
    near = around.gap_m < _STEPS_M
    things = scene.objects_at(np.flatnonzero(standing & ahead & near))
    if things:
        return Reply(f"no, {say.listed(things)} {say.be(len(things))} there", 1.0, things, "no")
    return Reply("yes, nothing stands there", 1.0, brief="yes")


def side_of(bearing_rad: float) -> str:
    """Direction of a bearing, clockwise from ahead in (-pi, pi]."""
    if abs(bearing_rad) < _AHEAD_RAD:
        return "forward"
    if abs(bearing_rad) > _BACK_RAD:
        return "backward"
    return "right" if bearing_rad > 0.0 else "left"


def _said_of(thing: MapObject, place: str) -> Reply:
    text = f"{say.the(thing)} is {_SAID.get(place, place)}"
    return Reply(text, thing.confidence, (thing,), place)


def _if_any(rows: NDArray[np.intp], is_so: bool, where: str, at: LooseResolver) -> Reply:
    """Yes or no, with the objects that are asked for."""
    things, word = at.scene.objects_at(rows), say.yes_or_no(is_so)
    if not things:
        return Reply("no", 1.0, brief="no")
    text = f"{word}, {say.listed(things)} {say.be(len(things))} {'' if is_so else 'not '}{where}"
    sure = float(np.mean([thing.confidence for thing in things]))
    return Reply(text, sure, things, word)
