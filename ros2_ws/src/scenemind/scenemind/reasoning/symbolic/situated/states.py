"""One of several words that a question offers: "on my left or behind me", "open or closed"."""

from __future__ import annotations

import math
from dataclasses import replace

from scenemind.reasoning.symbolic.situated import ordinary
from scenemind.reasoning.symbolic.situated.finding import Finder, is_several
from scenemind.reasoning.symbolic.situated.properties import plain_color, property_of
from scenemind.reasoning.symbolic.situated.short import Short
from scenemind.reasoning.symbolic.situated.tree import AskState, Place

_BEARINGS = {
    "left": -math.pi / 2, "right": math.pi / 2, "front": 0.0, "forward": 0.0, "ahead": 0.0,
    "behind": math.pi, "back": math.pi, "backward": math.pi,
}  # fmt: skip
_SIDE_RAD = math.radians(50.0)
_LITTLE = 1e-3
_SHAPES = frozenset(("round", "circular", "square", "rectangular", "oval", "circle", "rectangle"))


def state(question: AskState, finder: Finder) -> Short:
    """The option that fits, else the usual one, else the first."""
    options = question.options
    row = finder.best(question.of)
    if len(options) == 2 and set(options) <= _BEARINGS.keys() and is_several(question.of):
        counts = [len(finder.holding(replace(question.of, places=(_place(o),)))) for o in options]
        if counts[0] != counts[1]:
            return Short(options[int(counts[1] > counts[0])])
    sides = [option for option in options if option in _BEARINGS]
    if row is not None and len(sides) >= 2:
        bearing = float(finder.around.bearing_rad[row])
        return Short(max(sides, key=lambda s: math.cos(bearing - _BEARINGS[s])), (row,))
    if row is not None:
        thing = finder.scene.objects[row]
        if len(_SHAPES.intersection(options)) >= 2:
            shape = property_of(thing, "shape")
            return Short(shape if shape in options else options[-1], (row,))
        colors = [option for option in options if plain_color(option)]
        color = property_of(thing, "color")
        if len(colors) >= 2:
            fitting = next((option for option in colors if plain_color(option) == color), colors[0])
            return Short(fitting, (row,))
    by_place = _nearest_option(question, row, finder)
    if by_place is not None:
        return by_place
    usual = ordinary.usual_state(options)
    if usual is not None:
        return Short(usual, () if row is None else (row,))
    return Short(options[0])


def _nearest_option(question: AskState, row: int | None, finder: Finder) -> Short | None:
    """Of several things the one that fits best, or that the thing in question is nearest to."""
    if not all(finder.sure_labels(option) for option in question.options):
        return None
    of = question.of
    if of.noun and finder.sure_labels(of.noun) and row is not None:
        gaps = finder.scene.gaps_to_m(row)
        worth = [-float(gaps[finder.named(option) > 0.0].min()) for option in question.options]
    else:
        fits = finder.at(of.places) / (1.0 + finder.around.gap_m)
        for link in of.links:
            fits = fits * (finder.related(link, fits) + _LITTLE)
        worth = [float((fits * finder.named(option)).max()) for option in question.options]
    return Short(question.options[worth.index(max(worth))], () if row is None else (row,))


def _place(side: str) -> Place:
    return Place(_BEARINGS[side], _SIDE_RAD)
