"""One of several words that a question offers: "on my left or behind me", "open or closed"."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from scenemind.memory import MapObject
from scenemind.memory.attributes.lazy import quick_attributes
from scenemind.reasoning.symbolic.situated import ordinary
from scenemind.reasoning.symbolic.situated.classes import is_several
from scenemind.reasoning.symbolic.situated.finding import Finder
from scenemind.reasoning.symbolic.situated.places import BEARINGS, side
from scenemind.reasoning.symbolic.situated.properties import plain_color, property_of
from scenemind.reasoning.symbolic.situated.short import Short
from scenemind.reasoning.symbolic.situated.tree import AskState

_SHAPES = frozenset(("round", "circular", "square", "rectangular", "oval", "circle", "rectangle"))
# Of an anchor's relation that does not hold of anything, nearness is left.
_LITTLE = 1e-3


def state(question: AskState, finder: Finder) -> Short:
    """The option that fits, else the usual one, else the first."""
    row = finder.find_named(question.of)
    for rule in _RULES:
        found = rule(question, row, finder)
        if found is not None:
            return found
    rows = () if row is None else (row,)
    return Short(ordinary.find_usual_state(question.options) or question.options[0], rows)


def _more(question: AskState, row: int | None, finder: Finder) -> Short | None:
    """ "Are there more chairs on my left or right?": of many, no single one (`row`) tells it."""
    options = question.options
    if row is None or not (is_several(question.of) and BEARINGS.keys() >= set(options)):
        return None
    counts = [len(finder.holding(replace(question.of, places=(side(o),)))) for o in options]
    most = max(counts)
    return Short(options[counts.index(most)]) if counts.count(most) == 1 else None


def _side(question: AskState, row: int | None, finder: Finder) -> Short | None:
    sides = [option for option in question.options if option in BEARINGS]
    if row is None or len(sides) < 2:
        return None
    bearing = float(finder.around.bearing_rad[row])
    return Short(max(sides, key=lambda name: math.cos(bearing - BEARINGS[name])), (row,))


def _look(question: AskState, row: int | None, finder: Finder) -> Short | None:
    """By shape, by colour, or by what somebody said of its state."""
    if row is None:
        return None
    thing, options = finder.scene.objects[row], question.options
    if len(_SHAPES.intersection(options)) >= 2:
        shape = property_of(thing, "shape")
        return Short(shape if shape in options else options[-1], (row,))
    colors = {plain_color(option): option for option in options if plain_color(option)}
    if len(colors) >= 2:
        return Short(colors.get(property_of(thing, "color"), options[0]), (row,))
    said = _said(thing, options)
    return Short(said, (row,)) if said else None


def _said(thing: MapObject, options: tuple[str, ...]) -> str:
    values = quick_attributes(thing).values()
    return next((option for option in options if option in values), "")


def _thing(question: AskState, row: int | None, finder: Finder) -> Short | None:
    """Of several things the one that fits best, or that the thing in question is nearest to."""
    classes, options, of = finder.classes, question.options, question.of
    if not all(classes.sure_labels(option) for option in options):
        return None
    if row is not None and of.noun and classes.sure_labels(of.noun):
        fits = 1.0 / (1.0 + finder.scene.gaps_to_m(row))
    else:
        fits = finder.at(of.places) / (1.0 + finder.around.gap_m)
        for link in of.links:
            fits = fits * (finder.related(link, fits) + _LITTLE)
    worth = [float((fits * classes.named(option)).max()) for option in options]
    return Short(options[worth.index(max(worth))], () if row is None else (row,))


_RULES: tuple[Callable[[AskState, int | None, Finder], Short | None], ...] = (
    _more,
    _side,
    _look,
    _thing,
)
