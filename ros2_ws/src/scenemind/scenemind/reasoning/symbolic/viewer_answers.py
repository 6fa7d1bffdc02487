"""Answers from where the asker stands: which way, what is seen or reached, which room it is."""

from __future__ import annotations

import math

import numpy as np

from scenemind.language import trees
from scenemind.language.trees import Reference, relations_to_viewer
from scenemind.memory import MapObject
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import replies as say
from scenemind.reasoning.symbolic.replies import Reply
from scenemind.reasoning.symbolic.resolver import Resolver
from scenemind.reasoning.symbolic.viewpoint import bearing_of

# Length of an arm and a lean.
_REACH_M = 1.0
# Largest bearing of "forward", and smallest of "backward".
_AHEAD_RAD, _BACK_RAD = math.radians(20.0), math.radians(135.0)
# An obstacle reaches to the knee, and stands within a step or two.
_KNEE_M, _STEPS_M, _PATH_RAD = 0.4, 0.8, 0.1
_SAID = {
    "forward": "ahead",
    "backward": "behind you",
    "left": "on the left",
    "right": "on the right",
}


def direction(question: trees.AskDirection, at: Resolver) -> Reply:
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
    return said_of(at.scene.objects[row], side)


def is_within_reach(goal: Reference, at: Resolver) -> Reply:
    """Yes if what is named, or serves what is said, is within an arm's length and a lean."""
    row = at.find_goal(goal)
    if row is None:
        return Reply("no", 1.0, brief="no")
    thing, word = at.scene.objects[row], say.yes_or_no(bool(at.around.gap_m[row] <= _REACH_M))
    text = f"{word}, {say.the(thing)} is {'not ' * (word == 'no')}within reach"
    return Reply(text, thing.confidence, (thing,), word)


def is_way_clear(question: trees.IsWayClear, at: Resolver) -> Reply:
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


def said_of(thing: MapObject, place: str) -> Reply:
    """Reply with where a thing is, in a word."""
    text = f"{say.the(thing)} is {_SAID.get(place, place)}"
    return Reply(text, thing.confidence, (thing,), place)
