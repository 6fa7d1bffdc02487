"""One of several words that a question offers: "on my left or behind me", "open or closed"."""

from __future__ import annotations

import math

from scenemind.reasoning.symbolic.situated import ordinary
from scenemind.reasoning.symbolic.situated.finding import Finder
from scenemind.reasoning.symbolic.situated.properties import plain_color, property_of
from scenemind.reasoning.symbolic.situated.short import Short
from scenemind.reasoning.symbolic.situated.tree import AskState

_BEARINGS = {
    "left": -math.pi / 2, "right": math.pi / 2, "front": 0.0, "forward": 0.0, "ahead": 0.0,
    "behind": math.pi, "back": math.pi, "backward": math.pi,
}  # fmt: skip
_SHAPES = frozenset(("round", "circular", "square", "rectangular", "oval", "circle", "rectangle"))


def state(question: AskState, finder: Finder) -> Short:
    """The option that fits, else the usual one, else the first."""
    options = question.options
    row = finder.best(question.of)
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
    usual = ordinary.usual_state(options)
    if usual is not None:
        return Short(usual, () if row is None else (row,))
    known = [option for option in options if finder.named(option).any()]
    return Short(known[0] if known else options[0])
