"""Where labels go on a drawing so that none covers another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CHARACTER_PX = 6.1  # of the drawing's 11 px sans-serif
HEIGHT_PX = 14.0
Rectangle = tuple[float, float, float, float]  # x0, y0, x1, y1
_CELL_PX = 50.0
_DIRECTIONS = 16
_RINGS = (12.0, 20.0, 30.0, 42.0, 56.0, 72.0, 90.0, 112.0)


@dataclass(frozen=True, slots=True)
class Anchor:
    """What is to be labelled: a rectangle about (x, y), pixels."""

    text: str
    x: float
    y: float
    half_width: float
    half_height: float


@dataclass(frozen=True, slots=True)
class LabelPlace:
    """Centre of a label, and whether a line must lead to its object."""

    x: float
    y: float
    needs_line: bool


def place_labels(
    anchors: Sequence[Anchor], width: float, height: float, free_of: Sequence[Rectangle] = ()
) -> list[LabelPlace | None]:
    """A place for each anchor, greedily: at the object, else on rings about it.

    Args:
        free_of: rectangles (x0, y0, x1, y1) that labels must not touch.

    Returns:
        In the order of the anchors; None where everything near is taken.
    """
    taken = _Taken(free_of)
    places: dict[int, LabelPlace] = {}
    # Small things have the least choice of where their label may be.
    order = sorted(
        range(len(anchors)), key=lambda i: anchors[i].half_width * anchors[i].half_height
    )
    for index in order:
        anchor = anchors[index]
        half = (len(anchor.text) * CHARACTER_PX / 2 + 2, HEIGHT_PX / 2)
        for x, y, is_at_object in _candidates(anchor, half):
            spot = (x - half[0], y - half[1], x + half[0], y + half[1])
            is_inside = spot[0] >= 0 and spot[1] >= 0 and spot[2] <= width and spot[3] <= height
            if is_inside and taken.is_free(spot):
                taken.add(spot)
                places[index] = LabelPlace(x, y, not is_at_object)
                break
    return [places.get(index) for index in range(len(anchors))]


def _candidates(anchor: Anchor, half: tuple[float, float]) -> Iterator[tuple[float, float, bool]]:
    fits_within = half[0] <= anchor.half_width and half[1] <= anchor.half_height
    if fits_within:
        rows = math.floor((anchor.half_height - half[1]) / HEIGHT_PX)
        for row in sorted(range(-rows, rows + 1), key=abs):
            yield anchor.x, anchor.y + row * HEIGHT_PX, True
    below, beside = anchor.half_height + half[1] + 2, anchor.half_width + half[0] + 3
    yield anchor.x, anchor.y + below, True
    yield anchor.x, anchor.y - below, True
    yield anchor.x + beside, anchor.y, True
    yield anchor.x - beside, anchor.y, True
    for ring in _RINGS:
        for step in range(_DIRECTIONS):
            angle = 2 * math.pi * step / _DIRECTIONS
            reach = (anchor.half_width + ring + half[0], anchor.half_height + ring)
            yield (
                anchor.x + reach[0] * math.cos(angle),
                anchor.y + reach[1] * math.sin(angle),
                False,
            )


class _Taken:
    """Rectangles, found by the cells of a grid that they reach into."""

    def __init__(self, rectangles: Sequence[Rectangle]) -> None:
        self._cells: dict[tuple[int, int], list[Rectangle]] = {}
        for rectangle in rectangles:
            self.add(rectangle)

    def add(self, rectangle: Rectangle) -> None:
        for cell in _cells(rectangle):
            self._cells.setdefault(cell, []).append(rectangle)

    def is_free(self, rectangle: Rectangle) -> bool:
        return not any(
            overlap(rectangle, other)
            for cell in _cells(rectangle)
            for other in self._cells.get(cell, ())
        )


def _cells(rectangle: Rectangle) -> Iterator[tuple[int, int]]:
    x0, y0, x1, y1 = (math.floor(edge / _CELL_PX) for edge in rectangle)
    for x in range(x0, x1 + 1):
        for y in range(y0, y1 + 1):
            yield x, y


def overlap(a: Rectangle, b: Rectangle) -> bool:
    """Whether two rectangles have an area in common."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
