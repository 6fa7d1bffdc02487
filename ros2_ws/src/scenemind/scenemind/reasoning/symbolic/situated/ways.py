"""Short answers for one who may turn, walk, look and reach."""

from __future__ import annotations

import math

import numpy as np

from scenemind.reasoning.symbolic.situated.finding import Finder
from scenemind.reasoning.symbolic.situated.short import Short, yes_or_no
from scenemind.reasoning.symbolic.situated.surroundings import REACH_M
from scenemind.reasoning.symbolic.situated.tree import AskVisible, Place, Thing

# One turns for what lies further aside, and turns around for what lies further back.
_AHEAD_RAD, _BACK_RAD = math.radians(20.0), math.radians(135.0)
# Heads turn: what is not behind can be seen.
_SEEN_RAD = math.radians(90.0)
# What is in one's way reaches to the knee, and stands within a step or two.
_KNEE_M, _STEPS_M, _PATH_RAD = 0.4, 0.8, 0.1
_LONGEST_NAME = 3
_TIED = 0.95
_SHOWN = 3


def direction(goal: Thing, finder: Finder) -> Short:
    """Which way to turn for the goal."""
    row = _find_goal(goal, finder)
    if row is None:
        return Short("right")
    bearing = float(finder.around.bearing_rad[row])
    if any(place.bearing_rad is not None for place in goal.places):
        # Where it lies was told: over which side to turn is asked.
        return Short("right" if bearing > 0.0 else "left", (row,))
    return Short(side_of(bearing), (row,))


def side_of(bearing_rad: float) -> str:
    """Which way to turn for a bearing, clockwise from ahead in (-pi, pi]."""
    if abs(bearing_rad) < _AHEAD_RAD:
        return "forward"
    if abs(bearing_rad) > _BACK_RAD:
        return "backward"
    return "right" if bearing_rad > 0.0 else "left"


def visible(question: AskVisible, finder: Finder) -> Short:
    """Whether one of them is in front, or behind for one who turns around."""
    thing = question.thing
    fits = finder.classes.named(thing.noun) if thing.noun else finder.scores(thing)
    rows = np.flatnonzero(fits > 0.0)
    off_rad = np.abs(finder.around.bearing_rad[rows])
    in_view = off_rad >= math.pi - _SEEN_RAD if question.turned else off_rad <= _SEEN_RAD
    return yes_or_no(bool(in_view.any()), *rows[:_SHOWN].tolist())


def reach(thing: Thing, finder: Finder) -> Short:
    """Whether an arm's length and a lean get there."""
    row = _find_goal(thing, finder)
    if row is None:
        return yes_or_no(False)
    return yes_or_no(bool(finder.around.gap_m[row] <= REACH_M), row)


def clear(place: Place, finder: Finder) -> Short:
    """Whether nothing stands in the way to a side."""
    around, scene = finder.around, finder.scene
    knee = scene.floor_z + _KNEE_M
    standing = (scene.low[:, 2] < knee) & (scene.high[:, 2] > knee)
    ahead = around.scores(Place(place.bearing_rad, _PATH_RAD)) > 0.0
    rows = np.flatnonzero(standing & ahead & (around.gap_m < _STEPS_M))
    return yes_or_no(not len(rows), *rows[:_SHOWN].tolist())


def _find_goal(goal: Thing, finder: Finder) -> int | None:
    """The nearest of what the hints name, else of what they are the purpose of."""
    fits = finder.classes.by_purpose(goal.hints)
    for name in _names(goal.hints):
        if finder.classes.sure_labels(name):
            fits = finder.classes.named(name)
            break
    there = fits * finder.at(goal.places)
    fits = there if there.any() else fits
    if not fits.any():
        return None
    rows = np.flatnonzero(fits >= _TIED * fits.max())
    return int(rows[np.argmin(finder.around.gap_m[rows])])


def _names(words: tuple[str, ...]) -> list[str]:
    """What may be a name among the words, the longest first."""
    lengths = range(_LONGEST_NAME, 0, -1)
    return [" ".join(words[i : i + n]) for n in lengths for i in range(len(words) - n + 1)]
