"""Short answers to situated questions, always one: what was found, else what is usual."""

from __future__ import annotations

import math
import numpy as np

from scenemind.reasoning.symbolic.situated import ordinary, states
from scenemind.reasoning.symbolic.situated.finding import Finder
from scenemind.reasoning.symbolic.situated.properties import property_of
from scenemind.reasoning.symbolic.situated.short import Short
from scenemind.reasoning.symbolic.situated.surroundings import REACH_M
from scenemind.reasoning.symbolic.situated.tree import (
    AskClaim,
    AskClear,
    AskCount,
    AskDirection,
    AskExists,
    AskProperty,
    AskReach,
    AskRoom,
    AskSame,
    AskState,
    AskVisible,
    AskWhat,
    AskWhich,
    SituatedTree,
    Place,
    Thing,
)

_SEEN_RAD = math.radians(90.0)
_AHEAD_RAD, _BACK_RAD = math.radians(20.0), math.radians(135.0)
# What stands in one's way reaches to the knee at least.
_KNEE_M, _STEPS_M, _PATH_RAD = 0.4, 0.8, 0.1
_AS_LIKELY = 0.75
_NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip


def answer(question: SituatedTree, finder: Finder) -> Short:
    """The answer; never none."""
    match question:
        case AskProperty(of=thing, which=which):
            return _property(thing, which, finder)
        case AskCount():
            return _count(question, finder)
        case AskDirection():
            return _direction(question, finder)
        case AskWhich():
            return _which(question, finder)
        case AskState():
            return states.state(question, finder)
        case AskWhat(thing=thing):
            return _what(thing, finder)
        case AskExists():
            return _exists(question, finder)
        case AskClear(place=place):
            return _clear(place, finder)
        case AskVisible():
            return _visible(question, finder)
        case AskReach(thing=thing):
            return _reach(thing, finder)
        case AskSame():
            return _same(question, finder)
        case AskRoom(room=room):
            return _room(room, finder)
        case AskClaim(thing=thing):
            return _claim(thing, finder)


def _yes(is_so: bool, *rows: int) -> Short:
    return Short("yes" if is_so else "no", rows)


def _property(thing: Thing, which: str, finder: Finder) -> Short:
    row = finder.best(thing)
    if row is None:
        return Short({"color": "brown", "shape": "rectangular"}.get(which, "wood"))
    return Short(property_of(finder.scene.objects[row], which), (row,))  # type: ignore[arg-type]


def _count(question: AskCount, finder: Finder) -> Short:
    usual = ordinary.find_parts(question.of.noun)
    if usual is not None and not finder.sure_labels(question.of.noun):
        return Short(_NUMBERS[usual])
    rows = finder.holding(question.of)
    n = len(rows)
    found = tuple(rows.tolist())
    if question.divisor:
        return Short("yes" if n % question.divisor == 0 and n else "no", found)
    if question.parity:
        parity = "odd" if n % 2 else "even"
        if question.parity == "either":
            return Short(parity, found)
        return Short("yes" if parity == question.parity else "no", found)
    return Short(_NUMBERS[n] if n < len(_NUMBERS) else str(n), found)


def _direction(question: AskDirection, finder: Finder) -> Short:
    row = _goal(question.goal, finder)
    if row is None:
        return Short("right")
    bearing = float(finder.around.bearing_rad[row])
    if any(place.bearing_rad is not None for place in question.goal.places):
        # Which side it lies on was told: how to turn there is asked.
        return Short("right" if bearing > 0.0 else "left", (row,))
    return Short(side_of(bearing), (row,))


def side_of(bearing_rad: float) -> str:
    """Which way to turn for a bearing."""
    if abs(bearing_rad) < _AHEAD_RAD:
        return "forward"
    if abs(bearing_rad) > _BACK_RAD:
        return "backward"
    return "right" if bearing_rad > 0.0 else "left"


def _goal(goal: Thing, finder: Finder) -> int | None:
    """Nearest of what is named, else of what the words are for."""
    words = goal.hints
    phrases = [" ".join(words[i : i + n]) for n in (3, 2, 1) for i in range(len(words) - n + 1)]
    for phrase in phrases:
        labels = finder.sure_labels(phrase)
        if labels:
            scores = finder.named(phrase) * finder.at(goal.places)
            if not scores.any():
                scores = finder.named(phrase)
            break
    else:
        scores = finder.by_purpose(words)
    if not scores.any():
        return None
    fitting = np.flatnonzero(scores >= 0.95 * scores.max())
    return int(fitting[np.argmin(finder.around.gap_m[fitting])])


def _which(question: AskWhich, finder: Finder) -> Short:
    rows = [finder.best(option) for option in question.options]
    known = [(row, option) for row, option in zip(rows, question.options, strict=True)
             if row is not None]  # fmt: skip
    if not known:
        return Short(question.options[0].noun)
    measures = finder.measure(question.by)
    row, option = min(known, key=lambda pair: measures[pair[0]])
    return Short(option.noun, (row,))


def _what(thing: Thing, finder: Finder) -> Short:
    rows = finder.rows(thing)
    if thing.noun and finder.named(thing.noun).any():
        # "What table is ..." names its answer.
        thing = Thing("", thing.adjectives, thing.places, thing.links, thing.hints, thing.extreme)
    if not len(rows):
        rows = finder.rows(Thing(thing.noun, thing.adjectives, (), (), thing.hints))
    if not len(rows):
        return Short("table")
    return Short(finder.scene.objects[rows[0]].label, (int(rows[0]),))


def _exists(question: AskExists, finder: Finder) -> Short:
    thing = question.thing
    if thing.noun and not finder.named(thing.noun).any():
        return _yes(not question.is_there)
    rows = finder.holding(thing)
    return _yes(len(rows) > 0, *rows[:3].tolist())


def _visible(question: AskVisible, finder: Finder) -> Short:
    named = finder.named(question.thing.noun) if question.thing.noun else finder.scores(question.thing)
    rows = np.flatnonzero(named > 0.0)
    if not len(rows):
        return _yes(False)
    off = np.abs(finder.around.bearing_rad[rows])
    seen = off >= math.pi - _SEEN_RAD if question.turned else off <= _SEEN_RAD
    return _yes(bool(seen.any()), *rows[:3].tolist())


def _reach(thing: Thing, finder: Finder) -> Short:
    row = _goal(thing, finder)
    if row is None:
        return _yes(False)
    return _yes(bool(finder.around.gap_m[row] <= REACH_M), row)


def _clear(place: Place, finder: Finder) -> Short:
    """Whether nothing stands within a step or two at a place."""
    around, scene = finder.around, finder.scene
    knee = scene.floor_z + _KNEE_M
    standing = (scene.low[:, 2] < knee) & (scene.high[:, 2] > knee)
    ahead = around.scores(Place(place.bearing_rad, _PATH_RAD)) > 0.0
    rows = np.flatnonzero(standing & ahead & (around.gap_m < _STEPS_M))
    return _yes(not len(rows), *rows[:3].tolist())


def _same(question: AskSame, finder: Finder) -> Short:
    first, second = finder.best(question.first), finder.best(question.second)
    if first is None or second is None:
        return _yes(question.which == "thing")
    objects = finder.scene.objects
    if question.which == "thing":
        return _yes(objects[first].label == objects[second].label, first, second)
    values = {property_of(objects[row], question.which) for row in (first, second)}
    return _yes(len(values) == 1, first, second)


def _room(room: str, finder: Finder) -> Short:
    weights = {kind: _weight(kind, finder) for kind in ordinary.room_kinds()}
    likeliest = max(weights, key=lambda kind: weights[kind])
    if not room:
        return Short(likeliest)
    wanted = ordinary.find_room(room)
    return _yes(wanted is not None and weights[wanted] >= _AS_LIKELY * weights[likeliest] > 0.0)


def _weight(room: str, finder: Finder) -> float:
    weights = ordinary.room_weights(room)
    return sum(weight for name, weight in weights.items() if finder.sure_labels(name))


def _claim(thing: Thing, finder: Finder) -> Short:
    """A thing that is spoken of and is not there makes a claim false."""
    row = finder.best(thing)
    if row is None:
        return _yes(False)
    for hint in thing.hints:
        if finder.is_class(hint) and not finder.sure_labels(hint):
            return _yes(False, row)
    return _yes(True, row)
