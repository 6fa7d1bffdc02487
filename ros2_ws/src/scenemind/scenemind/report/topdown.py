"""The map from above, as SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory import LocationNode, MapObject
from scenemind.report.content import Run
from scenemind.report.earlier_places import EarlierPlace, earlier_places
from scenemind.report.label_places import Anchor, LabelPlace, place_labels
from scenemind.report.templating import Markup, render

_WIDTH_PX = 1000.0
_HEIGHT_PX = 900.0
_MARGIN_M = 0.6
_MOST_PX_PER_M = 160.0
_GRID_M = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_GRID_LINES = 14
_MARK_PX = 9.0  # radius of a location's mark


@dataclass(frozen=True, slots=True)
class View:
    """World metres to drawing pixels: x to the right, y up."""

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
        """(N, 2 or more) as SVG's list of points."""
        return " ".join(f"{self.x(p[0])},{self.y(p[1])}" for p in world_xy.tolist())


@dataclass(frozen=True, slots=True)
class _Drawn:
    """One object, ready to draw."""

    item: MapObject
    color: str
    outline: str
    x: float
    y: float
    text: str
    label: LabelPlace | None


@dataclass(frozen=True, slots=True)
class _Left:
    """A place that an object has left, ready to draw."""

    object_id: int
    color: str
    outline: str
    text: str


@dataclass(frozen=True, slots=True)
class _Mark:
    """A location's anchor and where its camera looked."""

    number: int
    x: float
    y: float
    tip_x: float
    tip_y: float


def render_top_down(run: Run, colors: Mapping[str, str]) -> Markup:
    """Objects, the camera's way and the locations seen from above.

    Args:
        colors: label -> `#rrggbb`, see `palette.colors_of`.
    """
    objects = sorted(run.snapshot.objects.values(), key=_ground_area, reverse=True)
    earlier = earlier_places(run.snapshot)
    boxes = [o.yaw_box for o in objects] + [t.box for t in run.truth]
    view = _view(boxes + [place.box for place in earlier], run.path)
    marks = [_mark(location, view) for location in run.locations]
    grid_m = next((g for g in _GRID_M if _lines(view, g) <= _GRID_LINES), _GRID_M[-1])
    return render(
        "topdown.svg.j2",
        view=view,
        earlier=[_left(place, colors, view) for place in earlier],
        objects=_drawn(objects, colors, marks, view),
        truth=[view.points(item.box.footprint()) for item in run.truth],
        path=view.points(run.path) if len(run.path) > 1 else "",
        marks=marks,
        mark_px=_MARK_PX,
        grid_x=_grid(view.low_x, view.low_x + view.width / view.px_per_m, grid_m, view.x),
        grid_y=_grid(view.high_y - view.height / view.px_per_m, view.high_y, grid_m, view.y),
        grid_m=grid_m,
        grid_px=grid_m * view.px_per_m,
    )


def _view(boxes: Sequence[Box3D], path: NDArray[np.float32]) -> View:
    corners = [box.footprint() for box in boxes] + [path[:, :2].astype(np.float64)]
    points = np.vstack([*corners, np.zeros((0, 2))])
    if not len(points):
        points = np.zeros((1, 2))
    low, high = points.min(axis=0) - _MARGIN_M, points.max(axis=0) + _MARGIN_M
    extent = high - low
    scale = min(_WIDTH_PX / extent[0], _HEIGHT_PX / extent[1], _MOST_PX_PER_M)
    width, height = extent * scale
    return View(float(low[0]), float(high[1]), float(scale), float(width), float(height))


def _drawn(
    objects: Sequence[MapObject], colors: Mapping[str, str], marks: Sequence[_Mark], view: View
) -> list[_Drawn]:
    anchors = []
    for obj in objects:
        low, high = obj.yaw_box.bounds()
        half_width, half_height = (high - low)[:2] * view.px_per_m / 2
        x, y = view.x(obj.yaw_box.center[0]), view.y(obj.yaw_box.center[1])
        text = f"{obj.label} {obj.object_id}"
        anchors.append(Anchor(text, x, y, float(half_width), float(half_height)))
    reserved = [
        (mark.x - _MARK_PX, mark.y - _MARK_PX, mark.x + _MARK_PX, mark.y + _MARK_PX)
        for mark in marks
    ]
    # The scale bar's corner.
    reserved.append((0.0, view.height - 34.0, 40.0 + view.px_per_m, view.height))
    places = place_labels(anchors, view.width, view.height, reserved)
    return [
        _Drawn(
            obj, colors[obj.label], view.points(obj.yaw_box.footprint()), a.x, a.y, a.text, place
        )
        for obj, a, place in zip(objects, anchors, places, strict=True)
    ]


def _left(place: EarlierPlace, colors: Mapping[str, str], view: View) -> _Left:
    outline = view.points(place.box.footprint())
    return _Left(place.object_id, colors[place.label], outline, place.text)


def _mark(location: LocationNode, view: View) -> _Mark:
    at = location.anchor.translation
    forward = location.anchor.rotation[:2, 2]  # the optical axis, seen from above
    length = float(np.linalg.norm(forward))
    tip_px = forward / length * (_MARK_PX + 9.0) if length > 1e-6 else np.zeros(2)
    x, y = view.x(at[0]), view.y(at[1])
    return _Mark(
        location.location_id, x, y, round(x + float(tip_px[0]), 1), round(y - float(tip_px[1]), 1)
    )


def _grid(low: float, high: float, step: float, place: Callable[[float], float]) -> list[float]:
    first, last = int(np.ceil(low / step)), int(np.floor(high / step))
    return [place(index * step) for index in range(first, last + 1)]


def _lines(view: View, step_m: float) -> float:
    return max(view.width, view.height) / view.px_per_m / step_m


def _ground_area(obj: MapObject) -> float:
    return obj.yaw_box.size[0] * obj.yaw_box.size[1]
