"""What is measured of boxes, and how it compares with a length; see `language/measures.py`."""

from __future__ import annotations

from scenemind.language.measures import compared_by
from scenemind.language.trees import Dimension
from scenemind.memory import MapObject
from scenemind.reasoning.symbolic.scene import Scene

# Superlative -> what of it is compared with a length that was said, or with another thing.
MEASURED_BY: dict[str, Dimension] = {
    "largest": "length", "longest": "length", "tallest": "height", "highest": "height",
    "widest": "width", "deepest": "depth", "thickest": "width", "smallest": "length",
    "shortest": "height", "narrowest": "width", "thinnest": "width", "lowest": "height",
}  # fmt: skip
# What is said of a measure: "1.80 m high".
SAID_OF = {
    "length": "long", "width": "wide", "height": "high", "thickness": "thick", "depth": "deep",
}  # fmt: skip
LESS = ("smallest", "shortest", "narrowest", "thinnest", "lowest")
# Most difference of things that are as long or as high as each other: boxes are not exacter.
AS_LONG_M = 0.05


def measured_m(thing: MapObject, dimension: str, scene: Scene) -> float:
    """A measure of the upright box; "elevation": of its lower edge above the floor."""
    if dimension in ("", "elevation"):
        return max(0.0, thing.box.bottom_z - scene.floor_z)
    return extent_m(thing, dimension)


def extent_m(thing: MapObject, dimension: str) -> float:
    """A length, width, depth, height or thickness of the upright box."""
    wide, long = sorted(thing.yaw_box.size[:2])
    high = thing.box.size[2]
    front = long if high > wide else wide  # of upright things: a tv is as wide as its picture
    measures = {
        "length": long, "width": front, "depth": wide, "height": high, "thickness": min(wide, high),
    }  # fmt: skip
    return measures[dimension]


def is_sized(thing: MapObject, size: str) -> bool | None:
    """Whether a thing is "longer than 2 m"; None for a size that is no comparison."""
    by = compared_by(size)
    if by is None or by not in MEASURED_BY:
        return None
    apart = extent_m(thing, MEASURED_BY[by]) - float(size.split(" ")[-2])
    return apart < 0.0 if by in LESS else apart > 0.0
