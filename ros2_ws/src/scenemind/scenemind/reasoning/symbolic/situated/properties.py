"""Colour, shape and material of a thing in a word: as measured, else as is usual."""

from __future__ import annotations

from scenemind.memory import MapObject
from scenemind.memory.attributes.lazy import quick_attributes
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.situated import ordinary
from scenemind.reasoning.symbolic.situated.tree import Property

_LONG = 1.25


def plain_color(words: str) -> str:
    """"light brown" -> "brown"; empty for what is no colour."""
    last = words.split()[-1:] if words else []
    return lexicon.COLOURS.get(last[0], "") if last else ""


def property_of(thing: MapObject, which: Property) -> str:
    """In one word."""
    if which == "color":
        return _color(thing)
    if which == "shape":
        return _shape(thing)
    return quick_attributes(thing).get("material") or ordinary.usual(thing.label, which) or "wood"


def _color(thing: MapObject) -> str:
    measured = plain_color(quick_attributes(thing).get("color", ""))
    return measured or ordinary.usual(thing.label, "color") or "brown"


def _shape(thing: MapObject) -> str:
    length, width, _ = thing.yaw_box.size
    if ordinary.may_be_round(thing.label) and max(length, width) < _LONG * min(length, width):
        return "round"
    return ordinary.usual(thing.label, "shape") or "rectangular"
