"""The map from above, as SVG."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import KeyFrame, LocationNode, MapObject, MemorySnapshot, Relation
from scenemind.report.building_outlines import BuildingPart, building_parts, is_building
from scenemind.report.camera_marks import MARK_PX, mark_of_frame, mark_of_location
from scenemind.report.content import TrueObject
from scenemind.report.earlier_places import EarlierPlace, earlier_places
from scenemind.report.label_places import Anchor, LabelPlace, Rectangle, place_labels
from scenemind.report.relation_lines import relation_lines
from scenemind.report.templating import Markup, render
from scenemind.report.view import View, grid_of, view_of

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


def render_top_down(
    snapshot: MemorySnapshot,
    colors: Mapping[str, str],
    path: NDArray[np.float32] = _NO_PATH,
    locations: Sequence[LocationNode] = (),
    truth: Sequence[TrueObject] = (),
    relations: Collection[Relation] = (),
    only: Collection[int] | None = None,
    key_frames: Sequence[KeyFrame] = (),
) -> Markup:
    """Floor, walls and objects, the camera's way and the locations seen from above.

    Args:
        colors: label -> `#rrggbb`, see `palette.colors_of`.
        path: (N, 3), world: where the camera was.
        truth: real objects, of a simulated room.
        relations: those to draw as lines, see `shown_relations`.
        only: objects to look at: the picture shows their surroundings, and all else is faint.
        key_frames: frames to mark by their rank, with their field of view; the picture then shows
            the whole place.
    """
    things = [thing for thing in snapshot.objects.values() if not is_building(thing)]
    objects = sorted(things, key=_ground_area, reverse=True)
    earlier, building = earlier_places(snapshot), building_parts(snapshot)
    if only is None or key_frames:
        boxes = [o.yaw_box for o in objects] + [t.box for t in truth]
        boxes += [place.box for place in earlier] + [part.box for part in building]
        ways = [path[:, :2].astype(np.float64)]
        ways += [frame.world_T_camera.translation[None, :2] for frame in key_frames]
        view = view_of([*(box.footprint() for box in boxes), *ways])
    else:
        view = view_of([o.yaw_box.footprint() for o in objects if o.object_id in only])
    marks = [mark_of_location(location, view) for location in locations]
    marks += [mark_of_frame(frame, rank, view) for rank, frame in enumerate(key_frames, start=1)]
    lines = relation_lines(snapshot, relations, view)
    taken = [mark.place() for mark in marks]
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
        mark_px=MARK_PX,
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


def _ground_area(obj: MapObject) -> float:
    return obj.yaw_box.size[0] * obj.yaw_box.size[1]
