"""Common parts of drawings: templates, label colours, metres to pixels, placement of labels."""

from __future__ import annotations

import colorsys
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from unicodedata import east_asian_width
from xml.etree import ElementTree

import numpy as np
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from numpy.typing import NDArray

__all__ = ["Markup", "render", "render_of"]
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Dark enough for white text and for lines on white paper, and apart from each other.
_FIRST = (
    "#2563b0", "#c2410c", "#15803d", "#9333a8", "#b91c4b", "#0f7f8c", "#8a6100", "#5b46c4",
    "#4d7c0f", "#a8327e", "#1f6f54", "#7a4a2b", "#51606f", "#b4471f",
)  # fmt: skip
_GOLDEN_ANGLE = 0.381966
_WIDTH_PX = 1000.0
_HEIGHT_PX = 900.0
_MARGIN_M = 0.6
_MOST_PX_PER_M = 160.0
_GRID_M = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_GRID_LINES = 14
CHARACTER_PX = 6.1  # of the drawing's 11 px sans-serif
HEIGHT_PX = 14.0
# Widths of bold sans-serif characters, in ems; drawings are told to keep to them in any font.
_WIDTHS_EM = {
    **dict.fromkeys("ijlI.,:;'|! ", 0.32),
    **dict.fromkeys("frt()[]-/", 0.42),
    **dict.fromkeys("mwMW@%&", 0.95),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ", 0.76),
}
_WIDTH_EM, _WIDE_EM = 0.66, 1.05  # of other characters, and of those that fill a square
Rectangle = tuple[float, float, float, float]  # x0, y0, x1, y1
_CELL_PX = 50.0
_DIRECTIONS = 16
_RINGS = (12.0, 20.0, 30.0, 42.0, 56.0, 72.0, 90.0, 112.0)


def render(template: str, **values: object) -> Markup:
    """Render a template of this package with escaping; characters that XML lacks become �."""
    return render_of("scenemind.report", template, **values)


def render_of(package: str, template: str, /, **values: object) -> Markup:
    """Render a template of another package; it may include templates of this package."""
    text = _environment(package).get_template(template).render(**values)
    return Markup(_NOT_IN_XML.sub("\ufffd", text))


@cache
def _environment(package: str) -> Environment:
    packages = dict.fromkeys((package, "scenemind.report"))
    return Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def standalone_svg(drawing: Markup) -> str:
    """A drawing of this package as an SVG file, with its style and a size in pixels."""
    width, height = drawing_size(drawing)
    return str(render("standalone.svg.j2", drawing=drawing, width=width, height=height))


def drawing_size(drawing: str) -> tuple[float, float]:
    """Width and height of a drawing, pixels."""
    _, _, width, height = ElementTree.fromstring(drawing).attrib["viewBox"].split()
    return float(width), float(height)


def colors_of(labels: Iterable[str]) -> dict[str, str]:
    """Label -> `#rrggbb`; frequent labels get the most distinct ones."""
    ranked = sorted(Counter(labels).items(), key=lambda item: (-item[1], item[0]))
    return {label: _color(place) for place, (label, _) in enumerate(ranked)}


def rgb_of(color: str) -> tuple[int, int, int]:
    """`#rrggbb` as three numbers, 0..255."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _color(place: int) -> str:
    if place < len(_FIRST):
        return _FIRST[place]
    red, green, blue = colorsys.hls_to_rgb(place * _GOLDEN_ANGLE % 1.0, 0.29, 0.6)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


@dataclass(frozen=True, slots=True)
class View:
    """Scale of a drawing from above: world metres to pixels, x to the right and y up."""

    low_x: float
    high_y: float
    px_per_m: float
    width: float
    height: float

    def x(self, world_x: float) -> float:
        return round((world_x - self.low_x) * self.px_per_m, 1)

    def y(self, world_y: float) -> float:
        return round((self.high_y - world_y) * self.px_per_m, 1)

    def points(self, world_xy: NDArray[np.floating]) -> str:
        """Points (N, 2 or more) as a list of points in SVG."""
        return " ".join(f"{self.x(p[0])},{self.y(p[1])}" for p in world_xy.tolist())


@dataclass(frozen=True, slots=True)
class Grid:
    """Grid lines at round metres: their places and their distance in pixels."""

    x: Sequence[float]
    y: Sequence[float]
    step_m: float
    step_px: float


def view_of(world_xy: Sequence[NDArray[np.floating]]) -> View:
    """A view of all these points, each (N, 2), with a margin."""
    points = np.vstack([*world_xy, np.zeros((0, 2))])
    if not len(points):
        points = np.zeros((1, 2))
    low, high = points.min(axis=0) - _MARGIN_M, points.max(axis=0) + _MARGIN_M
    extent = high - low
    scale = min(_WIDTH_PX / extent[0], _HEIGHT_PX / extent[1], _MOST_PX_PER_M)
    width, height = extent * scale
    return View(float(low[0]), float(high[1]), float(scale), float(width), float(height))


def grid_of(view: View) -> Grid:
    """The finest readable grid of a view."""
    longest_m = max(view.width, view.height) / view.px_per_m
    step = next((g for g in _GRID_M if longest_m / g <= _GRID_LINES), _GRID_M[-1])
    low_y, high_x = (
        view.high_y - view.height / view.px_per_m,
        view.low_x + view.width / view.px_per_m,
    )
    return Grid(
        _lines(view.low_x, high_x, step, view.x),
        _lines(low_y, view.high_y, step, view.y),
        step,
        step * view.px_per_m,
    )


def _lines(low: float, high: float, step: float, place: Callable[[float], float]) -> list[float]:
    first, last = int(np.ceil(low / step)), int(np.floor(high / step))
    return [place(index * step) for index in range(first, last + 1)]


@dataclass(frozen=True, slots=True)
class Anchor:
    """A label's text and its object: a rectangle around (x, y), pixels."""

    text: str
    x: float
    y: float
    half_width: float
    half_height: float


def text_px(text: str, size_px: float = 11.0) -> float:
    """Width that a name has in a drawing, by its `textLength`."""
    widths = (
        _WIDE_EM if east_asian_width(c) in "WF" else _WIDTHS_EM.get(c, _WIDTH_EM) for c in text
    )
    return round(size_px * sum(widths), 1)


@dataclass(frozen=True, slots=True)
class LabelPlace:
    """Centre of a label, pixels, and whether a line must join it to its object."""

    x: float
    y: float
    needs_line: bool


def place_labels(
    anchors: Sequence[Anchor], width: float, height: float, free_of: Sequence[Rectangle] = ()
) -> list[LabelPlace | None]:
    """Places for labels without overlaps, greedily: at the object, else on rings around it.

    Args:
        free_of: rectangles (x0, y0, x1, y1) that labels must not touch.

    Returns:
        In the order of the anchors; None where no place is free.
    """
    taken = _Taken(free_of)
    places: dict[int, LabelPlace] = {}
    # Labels of small objects have the fewest possible places.
    order = sorted(
        range(len(anchors)), key=lambda i: anchors[i].half_width * anchors[i].half_height
    )
    for index in order:
        anchor = anchors[index]
        half = (text_px(anchor.text) / 2 + 2, HEIGHT_PX / 2)
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
    """Rectangles, indexed by the cells of a grid that they touch."""

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
