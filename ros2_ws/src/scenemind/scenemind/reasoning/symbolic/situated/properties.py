"""Colour, shape and material of a thing in a word: as measured, else as is usual."""

from __future__ import annotations

from scenemind.memory import MapObject
from scenemind.memory.attributes.lazy import quick_attributes
from scenemind.reasoning.symbolic import lexicon
from scenemind.reasoning.symbolic.situated import ordinary
from scenemind.reasoning.symbolic.situated.tree import Property

# Where nothing is known.
COMMONEST: dict[Property, str] = {
    "color": "brown",
    "shape": "rectangular",
    "material": "wood",
    "size": "large",
}
# The longer side of what may be round is at most so many times the other one.
_LONG = 1.25
# What a mean colour that a camera saw indoors may be, likeliest first: light there is dim and warm,
# and shadows and edges are part of the mean.
_LIKELY = {
    "light grey": ("white", "grey"),
    "grey": ("grey", "white"),
    "dark grey": ("black", "grey"),
    "beige": ("beige", "white", "brown"),
    "orange": ("brown", "orange"),
    "yellow": ("yellow", "brown"),
    "light brown": ("brown", "beige", "white"),
    "brown": ("brown", "black"),
    "dark brown": ("brown", "black"),
    "dark green": ("green", "black"),
    "dark blue": ("blue", "black"),
}


def plain_color(words: str) -> str:
    """ "light brown" -> "brown"; empty for what is no colour."""
    *_, last = words.split() or [""]
    return lexicon.COLOURS.get(last, "")


def property_of(thing: MapObject, which: Property) -> str:
    """In one word."""
    said = thing.attributes[which] if which in thing.attribute_sources else ""
    if which == "color":
        return plain_color(said) or _color(thing)
    if said and which != "size":
        return said
    if which == "shape":
        return _shape(thing)
    return ordinary.usual(thing.label, which) or COMMONEST[which]


def _color(thing: MapObject) -> str:
    """The measured one; or the usual one, where it may look as measured in a room's light."""
    measured = quick_attributes(thing).get("color", "")
    usual = ordinary.usual(thing.label, "color")
    if not measured:
        return usual or COMMONEST["color"]
    likely = _LIKELY.get(measured, (plain_color(measured) or measured,))
    return usual if usual in likely else likely[0]


def _shape(thing: MapObject) -> str:
    length, width, _ = thing.yaw_box.size
    if ordinary.may_be_round(thing.label) and max(length, width) < _LONG * min(length, width):
        return "round"
    return ordinary.usual(thing.label, "shape") or COMMONEST["shape"]
