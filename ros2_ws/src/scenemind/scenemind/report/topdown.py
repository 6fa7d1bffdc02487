"""The map from above, as SVG."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import LocationNode, MapObject, MemorySnapshot, Relation
from scenemind.report.building_outlines import BuildingPart, building_parts, is_building
from scenemind.report.content import TrueObject
from scenemind.report.earlier_places import EarlierPlace, earlier_places
from scenemind.report.label_places import Anchor, LabelPlace, Rectangle, place_labels
from scenemind.report.relation_lines import relation_lines
from scenemind.report.templating import Markup, render
from scenemind.report.view import View, grid_of, view_of

_MARK_PX = 9.0  # radius of a location's mark
_NO_PATH = np.zeros((0, 3), np.float32)


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
    is_faint: bool


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


def render_top_down(
    snapshot: MemorySnapshot,
    colors: Mapping[str, str],
    path: NDArray[np.float32] = _NO_PATH,
    locations: Sequence[LocationNode] = (),
    truth: Sequence[TrueObject] = (),
    relations: Collection[Relation] = (),
    only: Collection[int] | None = None,
) -> Markup:
    """Floor, walls and objects, the camera's way and the locations seen from above.

    Args:
        colors: label -> `#rrggbb`, see `palette.colors_of`.
        path: (N, 3), world: where the camera was.
        truth: real objects, of a simulated room.
        relations: those to draw as lines, see `shown_relations`.
        only: objects to look at: the picture shows their surroundings, and all else is faint.
    """
    things = [thing for thing in snapshot.objects.values() if not is_building(thing)]
    objects = sorted(things, key=_ground_area, reverse=True)
    earlier, building = earlier_places(snapshot), building_parts(snapshot)
    if only is None:
        boxes = [o.yaw_box for o in objects] + [t.box for t in truth]
        boxes += [place.box for place in earlier] + [part.box for part in building]
        view = view_of([*(box.footprint() for box in boxes), path[:, :2].astype(np.float64)])
    else:
        view = view_of([o.yaw_box.footprint() for o in objects if o.object_id in only])
    marks = [_mark(location, view) for location in locations]
    lines = relation_lines(snapshot, relations, view)
    taken = [
        (mark.x - _MARK_PX, mark.y - _MARK_PX, mark.x + _MARK_PX, mark.y + _MARK_PX)
        for mark in marks
    ]
    taken += [line.word.place() for line in lines if line.word is not None]
    return render(
        "topdown.svg.j2",
        view=view,
        building=[_part(part, view) for part in building],
        earlier=[_left(place, colors, view) for place in earlier],
        objects=_drawn(objects, colors, taken, view, only),
        truth=[view.points(item.box.footprint()) for item in truth],
        path=view.points(path) if len(path) > 1 else "",
        marks=marks,
        mark_px=_MARK_PX,
        lines=lines,
        grid=grid_of(view),
    )


def _drawn(
    objects: Sequence[MapObject],
    colors: Mapping[str, str],
    taken: Sequence[Rectangle],
    view: View,
    only: Collection[int] | None,
) -> list[_Drawn]:
    anchors = [_anchor(obj, view) for obj in objects]
    # The scale bar's corner.
    free_of = [*taken, (0.0, view.height - 34.0, 40.0 + view.px_per_m, view.height)]
    is_named = [only is None or obj.object_id in only for obj in objects]
    named = [anchor for anchor, named in zip(anchors, is_named, strict=True) if named]
    places = iter(place_labels(named, view.width, view.height, free_of))
    return [
        _Drawn(
            obj,
            colors[obj.label],
            view.points(obj.yaw_box.footprint()),
            anchor.x,
            anchor.y,
            anchor.text,
            next(places) if named else None,
            not named,
        )
        for obj, anchor, named in zip(objects, anchors, is_named, strict=True)
    ]


def _anchor(obj: MapObject, view: View) -> Anchor:
    low, high = obj.yaw_box.bounds()
    half_width, half_height = (high - low)[:2] * view.px_per_m / 2
    x, y = view.x(obj.yaw_box.center[0]), view.y(obj.yaw_box.center[1])
    return Anchor(f"{obj.label} {obj.object_id}", x, y, float(half_width), float(half_height))


def _part(part: BuildingPart, view: View) -> tuple[str, str, str]:
    return part.kind, view.points(part.box.footprint()), part.title


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


def _ground_area(obj: MapObject) -> float:
    return obj.yaw_box.size[0] * obj.yaw_box.size[1]
