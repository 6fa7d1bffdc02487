"""The map from above, as SVG: building, floor, objects, earlier places, ways and relations."""

from __future__ import annotations

import base64
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import cv2
import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from scenemind.geometry import Box3D, Pose
from scenemind.memory import KeyFrame, LocationNode, MapObject, MemorySnapshot, Relation
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.graph.relations import CARRYING, INVERSE
from scenemind.memory.history import staying
from scenemind.memory.occupancy.approach import ApproachPose
from scenemind.memory.occupancy.grid import FREE, OCCUPIED, OccupancyGrid
from scenemind.memory.types import StructureKind
from scenemind.report.content import Run, TrueObject
from scenemind.report.drawing import (
    HEIGHT_PX,
    Anchor,
    LabelPlace,
    Rectangle,
    View,
    grid_of,
    overlap,
    place_labels,
    render,
    text_px,
    view_of,
)
from scenemind.surface import Ground

_MARK_PX = 9.0  # radius
_TIP_PX = 9.0
_WEDGE_PX = 80.0  # drawn range of a frame's field of view
LineKind = Literal["carrying", "other", "user"]
# With more lines than this, predicates are not written beside them.
_MOST_WORDS = 40
_WORD_PX = 10.0  # size of the text
# A word may hide at most this share of its line.
_WORD_SHARE = 0.7
# Places of a word along its line, best first.
_ALONG = (0.5, 0.62, 0.38, 0.74, 0.86)
_FREE_BGRA, _OCCUPIED_BGRA = (207, 233, 205, 200), (120, 110, 105, 160)
_LEAST_CELL_PX, _WEBP_QUALITY = 1.5, 80
_NO_PATH = np.zeros((0, 3), np.float32)


@dataclass(frozen=True, slots=True)
class BuildingPart:
    """A floor or a wall, seen from above."""

    kind: StructureKind
    box: Box3D
    title: str


def building_parts(snapshot: MemorySnapshot) -> list[BuildingPart]:
    """Floors, then walls; ceilings would hide everything."""
    parts = [part for part in _all_parts(snapshot) if part.kind != "ceiling"]
    return sorted(parts, key=lambda part: part.kind)


def is_building(thing: MapObject) -> bool:
    """Whether an object is a floor, wall or ceiling by its label."""
    return sense_of(thing.label).structure is not None


def _all_parts(snapshot: MemorySnapshot) -> Iterator[BuildingPart]:
    for plane in snapshot.structure.values():
        title = f"{plane.kind} {plane.plane_id}: {plane.seen_m2:.1f} m2 seen"
        yield BuildingPart(plane.kind, plane.box, title)
    for thing in snapshot.objects.values():
        kind = sense_of(thing.label).structure
        if kind is not None:
            yield BuildingPart(kind, thing.yaw_box, f"{thing.label} {thing.object_id}")


@dataclass(frozen=True, slots=True)
class EarlierPlace:
    """The place of an object before it was moved or removed.

    Attributes:
        object_id, label: of the object.
        box: axis-aligned, world.
        text: description of the change, for people.
    """

    object_id: int
    label: str
    box: Box3D
    text: str


def earlier_places(snapshot: MemorySnapshot) -> list[EarlierPlace]:
    """Places that moved and removed objects have left, by object id, oldest first."""
    moved = [
        _place_before(obj, "was here before it moved") for obj in staying(snapshot.objects).values()
    ]
    gone = [
        _place_before(obj, "was thought to be here" if obj.is_ghost else "was here and is gone")
        for obj in staying(snapshot.gone).values()
    ]
    return [place for places in (*moved, *gone) for place in places]


def _place_before(obj: MapObject, what: str) -> list[EarlierPlace]:
    text = f"{obj.label} {obj.object_id} {what}"
    return [EarlierPlace(obj.object_id, obj.label, stay.box, text) for stay in obj.stays]


@dataclass(frozen=True, slots=True)
class Mark:
    """A numbered camera pose.

    Attributes:
        wedge: field of view as a list of points in SVG; empty: not drawn.
    """

    number: int
    title: str
    x: float
    y: float
    tip_x: float
    tip_y: float
    wedge: str = ""

    def place(self) -> Rectangle:
        """The rectangle that it covers, pixels."""
        return self.x - _MARK_PX, self.y - _MARK_PX, self.x + _MARK_PX, self.y + _MARK_PX


def _mark_of_location(location: LocationNode, view: View) -> Mark:
    """The anchor pose of a location, with the location's id."""
    title = f"location {location.location_id}"
    return _mark(location.location_id, title, location.anchor, view)


def _mark_of_frame(frame: KeyFrame, rank: int, view: View) -> Mark:
    """The pose of a key frame, with its rank."""
    title = f"frame {frame.frame_number}, location {frame.location_id}"
    return _mark(rank, title, frame.world_T_camera, view, _wedge(frame, view))


def _mark_of_stand(pose: ApproachPose, rank: int, view: View) -> Mark:
    """A place to stand, with its rank and the way it faces."""
    c, s = np.cos(pose.yaw), np.sin(pose.yaw)
    turn = np.column_stack(((s, -c, 0.0), (0.0, 0.0, -1.0), (c, s, 0.0)))
    camera = Pose(turn, np.array((pose.x, pose.y, pose.z)))
    return _mark(rank, f"{pose.stand_off_m:.2f} m from it, {pose.visible:.0%} seen", camera, view)


def _mark(number: int, title: str, world_T_camera: Pose, view: View, wedge: str = "") -> Mark:
    at = world_T_camera.translation
    x, y = view.x(at[0]), view.y(at[1])
    tip_x, tip_y = (_level(world_T_camera.rotation[:, 2]) * (_MARK_PX + _TIP_PX)).tolist()
    return Mark(number, title, x, y, round(x + tip_x, 1), round(y - tip_y, 1), wedge)


def _wedge(frame: KeyFrame, view: View) -> str:
    """Field of view: from the camera along the left and the right border of its image."""
    camera, pose = frame.camera, frame.world_T_camera
    reach_m = _WEDGE_PX / view.px_per_m
    borders = [((column - camera.cx) / camera.fx, 0.0, 1.0) for column in (0.0, camera.width)]
    corners = [
        pose.translation[:2] + reach_m * _level(pose.rotation @ np.array(border))
        for border in borders
    ]
    return view.points(np.array([pose.translation[:2], *corners]))


def _level(direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """A direction (3,) seen from above, (2,) of length 1; 0 where it points up or down."""
    length = float(np.linalg.norm(direction[:2]))
    return direction[:2] / length if length > 1e-6 else np.zeros(2)


@dataclass(frozen=True, slots=True)
class Word:
    """A predicate beside its line, centred on (x, y)."""

    text: str
    x: float
    y: float

    def place(self) -> Rectangle:
        half = text_px(self.text, _WORD_PX) / 2
        return self.x - half, self.y - HEIGHT_PX / 2, self.x + half, self.y + HEIGHT_PX / 2


@dataclass(frozen=True, slots=True)
class RelationLine:
    """A relation as a line from subject to object, pixels.

    Attributes:
        has_arrow: the relation has a direction.
        word: None: there is no room for it.
        title: the whole relation.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    kind: LineKind
    has_arrow: bool
    word: Word | None
    title: str


def relation_lines(
    snapshot: MemorySnapshot, relations: Collection[Relation], view: View
) -> list[RelationLine]:
    """Lines of relations, except those to floors and ceilings."""
    boxes = _boxes(snapshot)
    names: Mapping[int, str] = {
        **{thing.object_id: thing.label for thing in snapshot.objects.values()},
        **{plane.plane_id: plane.kind for plane in snapshot.structure.values()},
    }
    drawn = [r for r in relations if r.subject_id in boxes and r.object_id in boxes]
    lines: list[RelationLine] = []
    taken: list[Rectangle] = []
    for relation in drawn:
        start = np.array(boxes[relation.subject_id].center[:2])
        end = nearest_place(boxes[relation.object_id], start)
        x0, y0, x1, y1 = view.x(start[0]), view.y(start[1]), view.x(end[0]), view.y(end[1])
        word = None
        if len(drawn) <= _MOST_WORDS:
            word = _place_word(relation.predicate, (x0, y0, x1, y1), taken)
        if word is not None:
            taken.append(word.place())
        title = f"{names[relation.subject_id]} {relation.subject_id} {relation.predicate}"
        title += f" {names[relation.object_id]} {relation.object_id}"
        has_arrow = INVERSE.get(relation.predicate) != relation.predicate
        lines.append(RelationLine(x0, y0, x1, y1, _kind(relation), has_arrow, word, title))
    return lines


def nearest_place(box: Box3D, xy: NDArray[np.float64]) -> NDArray[np.float64]:
    """The point (2,) on the outline of a box, seen from above, nearest to (x, y), metres."""
    begins = box.footprint()
    sides = np.roll(begins, -1, axis=0) - begins
    length2 = np.maximum((sides**2).sum(axis=1), 1e-12)
    share = np.clip(((xy - begins) * sides).sum(axis=1) / length2, 0.0, 1.0)
    places = begins + sides * share[:, None]
    return np.asarray(places[np.linalg.norm(places - xy, axis=1).argmin()])


def _boxes(snapshot: MemorySnapshot) -> dict[int, Box3D]:
    """Boxes of all nodes except floors and ceilings."""
    things = {
        thing.object_id: thing.yaw_box
        for thing in snapshot.objects.values()
        if sense_of(thing.label).structure in (None, "wall")
    }
    return things | {p.plane_id: p.box for p in snapshot.structure.values() if p.kind == "wall"}


def _kind(relation: Relation) -> LineKind:
    if relation.source == "user":
        return "user"
    return "carrying" if relation.predicate in CARRYING else "other"


def _place_word(
    text: str, line: tuple[float, float, float, float], taken: Sequence[Rectangle]
) -> Word | None:
    """A place for a word along its line; None: the line is too short, or no place is free."""
    x0, y0, x1, y1 = line
    if text_px(text, _WORD_PX) > _WORD_SHARE * np.hypot(x1 - x0, y1 - y0):
        return None
    for share in _ALONG:
        word = Word(text, round(x0 + share * (x1 - x0), 1), round(y0 + share * (y1 - y0), 1))
        if not any(overlap(word.place(), other) for other in taken):
            return word
    return None


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
    """An earlier place of an object, ready to draw."""

    object_id: int
    color: str
    outline: str
    text: str


class GroundPicture(NamedTuple):
    """What was seen from above as a picture in base64, and its rectangle in the drawing."""

    kind: Literal["png", "webp"]
    data: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, eq=False)
class MapLayers:
    """Layers of a top-down map besides the building and the objects.

    Attributes:
        path: (N, 3), world: camera positions.
        locations: of MemTree3D, by their anchor poses.
        truth: real objects of a simulated room.
        relations: drawn as lines, see `shown_relations`.
        only: ids of objects to zoom in on, others are faint; None: all.
        key_frames: marked by their rank, with their field of view; without zoom.
        floor: what was seen of it.
        ground: the place, in its colours.
        stands: places to stand, marked by their rank.
    """

    path: NDArray[np.float32] = field(default_factory=_NO_PATH.copy)
    locations: Sequence[LocationNode] = ()
    truth: Sequence[TrueObject] = ()
    relations: Collection[Relation] = ()
    only: Collection[int] | None = None
    key_frames: Sequence[KeyFrame] = ()
    floor: OccupancyGrid | None = None
    ground: Ground | None = None
    stands: Sequence[ApproachPose] = ()


def render_top_down(
    snapshot: MemorySnapshot, colors: Mapping[str, str], layers: MapLayers | None = None
) -> Markup:
    """The map from above.

    Args:
        colors: label -> `#rrggbb`, see `colors_of`.
    """
    layers = layers or MapLayers()
    only, path = layers.only, layers.path
    things = [thing for thing in snapshot.objects.values() if not is_building(thing)]
    objects = sorted(things, key=_ground_area, reverse=True)
    earlier, building = earlier_places(snapshot), building_parts(snapshot)
    if only is None or layers.key_frames:
        boxes = [o.yaw_box for o in objects] + [t.box for t in layers.truth]
        boxes += [place.box for place in earlier] + [part.box for part in building]
        cameras = [path[:, :2].astype(np.float64)]
        cameras += [frame.world_T_camera.translation[None, :2] for frame in layers.key_frames]
        view = view_of([*(box.footprint() for box in boxes), *cameras])
    else:
        view = view_of([o.yaw_box.footprint() for o in objects if o.object_id in only])
    marks = [_mark_of_location(location, view) for location in layers.locations]
    marks += [_mark_of_frame(frame, rank, view) for rank, frame in enumerate(layers.key_frames, 1)]
    marks += [_mark_of_stand(pose, rank, view) for rank, pose in enumerate(layers.stands, 1)]
    lines = relation_lines(snapshot, layers.relations, view)
    taken = [mark.place() for mark in marks]
    taken += [line.word.place() for line in lines if line.word is not None]
    return render(
        "topdown.svg.j2",
        view=view,
        building=[_part(part, view) for part in building],
        ground=None if layers.ground is None else _drawn_ground(layers.ground, view),
        floor=None if layers.floor is None else _drawn_floor(layers.floor, view),
        earlier=[_drawn_left(place, colors, view) for place in earlier],
        objects=_drawn(objects, colors, taken, view, only),
        truth=[view.points(item.box.footprint()) for item in layers.truth],
        path=view.points(path) if len(path) > 1 else "",
        marks=marks,
        mark_px=_MARK_PX,
        text_px=text_px,
        word_px=_WORD_PX,
        lines=lines,
        grid=grid_of(view),
    )


def _drawn_ground(ground: Ground, view: View) -> GroundPicture:
    """The highest point of each cell, about as far apart as the points; small gaps are closed."""
    cell_px = max(ground.apart_m * view.px_per_m, _LEAST_CELL_PX)
    columns = np.floor((ground.points[:, 0] - view.low_x) * view.px_per_m / cell_px).astype(int)
    rows = np.floor((view.high_y - ground.points[:, 1]) * view.px_per_m / cell_px).astype(int)
    shape = math.ceil(view.height / cell_px), math.ceil(view.width / cell_px)
    inside = (rows >= 0) & (columns >= 0) & (rows < shape[0]) & (columns < shape[1])
    upward = np.argsort(ground.points[:, 2], kind="stable")
    upward = upward[inside[upward]]  # the last one that is written is the highest
    picture = np.zeros((*shape, 4), np.uint8)
    picture[rows[upward], columns[upward], :3] = ground.rgb[upward, ::-1]
    picture[rows[upward], columns[upward], 3] = 255
    around = cv2.morphologyEx(picture, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    picture = np.where(picture[..., 3:] > 0, picture, around)
    _, webp = cv2.imencode(".webp", picture, (cv2.IMWRITE_WEBP_QUALITY, _WEBP_QUALITY))
    data = base64.b64encode(webp.tobytes()).decode()
    return GroundPicture("webp", data, 0.0, 0.0, shape[1] * cell_px, shape[0] * cell_px)


def _drawn_floor(grid: OccupancyGrid, view: View) -> GroundPicture:
    """One pixel a cell; what was not seen is clear."""
    picture = np.zeros((*grid.data.shape, 4), np.uint8)  # blue, green, red, opacity
    picture[grid.data == FREE] = _FREE_BGRA
    picture[grid.data == OCCUPIED] = _OCCUPIED_BGRA
    _, png = cv2.imencode(".png", picture[::-1])
    rows, columns = grid.data.shape
    x, y = grid.origin
    side_px = grid.resolution_m * view.px_per_m
    return GroundPicture(
        "png",
        base64.b64encode(png.tobytes()).decode(),
        view.x(x),
        view.y(y + rows * grid.resolution_m),
        columns * side_px,
        rows * side_px,
    )


def _drawn(
    objects: Sequence[MapObject],
    colors: Mapping[str, str],
    taken: Sequence[Rectangle],
    view: View,
    only: Collection[int] | None,
) -> list[_Drawn]:
    anchors = [_anchor(obj, view) for obj in objects]
    # The corner with the scale bar.
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


def _drawn_left(place: EarlierPlace, colors: Mapping[str, str], view: View) -> _Left:
    outline = view.points(place.box.footprint())
    return _Left(place.object_id, colors[place.label], outline, place.text)


def _ground_area(obj: MapObject) -> float:
    return obj.yaw_box.size[0] * obj.yaw_box.size[1]


def render_run_map(run: Run, colors: Mapping[str, str]) -> Markup:
    """The map of a run, with camera path, locations, and the truth where it is known."""
    layers = MapLayers(run.path, run.locations, run.truth, ground=run.ground)
    return render_top_down(run.snapshot, colors, layers)
