"""Notes for a model: where the person stands, and what the map knows of pictures and objects."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from scenemind.geometry import gaps_m
from scenemind.language.quoting import quoted, tame
from scenemind.memory import KeyFrame, MapObject, MemorySnapshot, Relation
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.memory.tree.tree_json import displayed_label, estimate_tokens
from scenemind.reasoning.query import Query, ReasoningError

_MOST_IN_PICTURE = 20
_MOST_FACTS = 6  # objects
_MOST_ATTRIBUTES, _MOST_RELATIONS = 8, 6  # of each
_NS_PER_S = 1e9
LONGEST_SAID = 600  # characters of a person's words, in prompts
_NEAREST = 8  # objects around the viewer
_NEAR_M = 5.0
_SIDES = ("ahead", "to the left", "behind", "to the right")
_TABLE_HEAD = "Of some objects by id: colour, size, and place x,y,z (metres, z up)."
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def picture_notes(
    frames: Sequence[KeyFrame], snapshot: MemorySnapshot, first: Sequence[int]
) -> list[str]:
    """A line of JSON for each picture: camera pose, age and visible objects.

    Args:
        frames: with the boxes of all objects in them.
        first: ids of the objects that are listed first where a picture shows many.
    """
    return [_encode(_note(n, f, snapshot, set(first))) for n, f in enumerate(frames, start=1)]


def object_notes(object_ids: Sequence[int], snapshot: MemorySnapshot) -> list[str]:
    """A line of JSON for each of the first few objects that have attributes or relations."""
    things = [snapshot.objects[i] for i in object_ids if i in snapshot.objects][:_MOST_FACTS]
    relations = _relations_of({thing.object_id for thing in things}, snapshot)
    return [
        _encode({"id": thing.object_id, "label": displayed_label(thing.label), **known})
        for thing in things
        if (known := _known_of(thing, relations[thing.object_id]))
    ]


def object_table(things: Collection[MapObject], first: Collection[int], room: int) -> str:
    """Lines of JSON with colour, size and place of objects, a label each, as the first line
    explains; empty where there is no room.

    Args:
        first: ids of the objects that come before those that were seen most.
        room: most tokens.
    """
    room -= estimate_tokens(_TABLE_HEAD)
    rows: dict[str, dict[int, str]] = {}
    for thing in sorted(things, key=lambda o: (o.object_id not in first, -o.observation_count)):
        label, row = displayed_label(thing.label), _row(thing)
        room -= estimate_tokens(_encode({thing.object_id: row} if label in rows else {label: row}))
        if room < 0:
            break
        rows.setdefault(label, {})[thing.object_id] = row
    lines = [_encode({label: rows[label]}) for label in sorted(rows)]
    return "\n".join([_TABLE_HEAD, *lines]) if lines else ""


def _row(thing: MapObject) -> str:
    size = "x".join(f"{side:.1f}" for side in thing.yaw_box.size)
    place = ",".join(f"{v + 0.0:.1f}" for v in thing.box.center)
    return f"{tame(thing.attributes.get('color', ''))} {size} {place}".lstrip()


def related_to(object_ids: Collection[int], snapshot: MemorySnapshot) -> set[int]:
    """Ids of the objects that `object_notes` may name in relations of these objects."""
    return {r.object_id for r in snapshot.relations if r.subject_id in object_ids}


def _note(
    number: int, frame: KeyFrame, snapshot: MemorySnapshot, first: Collection[int]
) -> dict[str, Any]:
    forward = frame.world_T_camera.rotation[:, 2]
    ago_s = max(0.0, (snapshot.stamp_ns - frame.stamp_ns) / _NS_PER_S)
    return {
        "picture": number,
        "at_m": [round(v, 1) + 0.0 for v in frame.world_T_camera.translation.tolist()],
        "heading_deg": round(float(np.degrees(np.arctan2(forward[1], forward[0])))) % 360,
        "pitch_deg": round(float(np.degrees(np.arcsin(np.clip(forward[2], -1.0, 1.0))))),
        "seconds_ago": round(ago_s),
        "shows": dict(_shown(frame, snapshot, first)),
    }


def _shown(
    frame: KeyFrame, snapshot: MemorySnapshot, first: Collection[int]
) -> Iterator[tuple[str, list[int]]]:
    """The objects in a picture, such as `chair 3`, with their boxes: those of `first`, then the
    largest."""
    known = [(i, box) for i, box in frame.boxes_px.items() if i in snapshot.objects]
    known.sort(key=lambda item: (item[0] not in first, -_area(item[1])))
    width, height = frame.camera.width, frame.camera.height
    for object_id, (x0, y0, x1, y1) in known[:_MOST_IN_PICTURE]:
        box = [round(1000 * v) for v in (x0 / width, y0 / height, x1 / width, y1 / height)]
        label = displayed_label(snapshot.objects[object_id].label)
        yield f"{label} {object_id}", [min(max(v, 0), 1000) for v in box]


def _area(box_px: tuple[float, float, float, float]) -> float:
    x0, y0, x1, y1 = box_px
    return (x1 - x0) * (y1 - y0)


def _known_of(thing: MapObject, relations: Sequence[str]) -> dict[str, Any]:
    attributes = {tame(k): tame(v) for k, v in list(thing.attributes.items())[:_MOST_ATTRIBUTES]}
    known = {"attributes": attributes, "relations": list(relations[:_MOST_RELATIONS])}
    return {name: value for name, value in known.items() if value}


def _relations_of(object_ids: Collection[int], snapshot: MemorySnapshot) -> dict[int, list[str]]:
    """Object id -> its relations to others, such as `on table 1`, the most telling first, and one
    to each.

    Of what people state nothing is left out. A predicate tells the more the rarer it is on this
    map (its information, weighed with the confidence): most things that are near are also next to.
    """
    count_of = Counter(relation.predicate for relation in snapshot.relations)

    def telling(relation: Relation) -> tuple[bool, float]:
        rarity = np.log((1 + len(snapshot.relations)) / count_of[relation.predicate])
        return relation.source == "user", relation.confidence * float(rarity)

    said: dict[int, dict[str, str]] = {object_id: {} for object_id in object_ids}
    for relation in sorted(snapshot.relations, key=telling, reverse=True):
        if relation.subject_id in said and (to := _find_name(relation, snapshot)):
            text = f"{tame(relation.predicate)} {to}"
            key = text if relation.source == "user" else to
            said[relation.subject_id].setdefault(key, text)
    return {object_id: list(texts.values()) for object_id, texts in said.items()}


def _find_name(relation: Relation, snapshot: MemorySnapshot) -> str | None:
    if relation.object_id in snapshot.objects:
        thing = snapshot.objects[relation.object_id]
        return f"{displayed_label(thing.label)} {thing.object_id}"
    plane = snapshot.structure.get(relation.object_id)
    return None if plane is None else f"the {plane.kind}"


def circumstances(query: Query, snapshot: MemorySnapshot) -> str:
    """The person's situation, marks and viewpoint, a line each; empty where none was given.

    Raises:
        ReasoningError: all marked objects are gone.
    """
    return "\n".join(_lines(query, snapshot))


def named_in_circumstances(query: Query, snapshot: MemorySnapshot) -> set[int]:
    """Ids of the objects that `circumstances` names."""
    viewer = _find_viewer(query, snapshot)
    near = [] if viewer is None else _nearest(viewer, list(snapshot.objects.values()))
    return {*query.marked_object_ids, *(thing.object_id for thing, _ in near)}


def named(thing: MapObject) -> str:
    """An object's name in prompts, such as `"chair" 3`."""
    return f"{quoted(thing.label)} {thing.object_id}"


def _lines(query: Query, snapshot: MemorySnapshot) -> Iterator[str]:
    if query.situation.strip():
        yield f"The person's situation, in their words: {quoted(query.situation, LONGEST_SAID)}"
    if query.marked_object_ids:
        marked = [snapshot.objects[i] for i in query.marked_object_ids if i in snapshot.objects]
        if not marked:
            raise ReasoningError("not_found", "The marked object is not in the memory any more.")
        yield f"The person points at: {', '.join(map(named, marked))}"
    viewer = _find_viewer(query, snapshot)
    if viewer is not None:
        x, y, z = viewer.position.tolist()
        near = _nearest(viewer, list(snapshot.objects.values()))
        around = "; ".join(f"{named(o)} {_side(viewer, o)}, {away_m:.1f} m" for o, away_m in near)
        yield (
            f"In case it matters where one stands: that is {viewer.origin}, x {x:.1f}, y {y:.1f},"
            f" z {z:.1f} in metres; {f'around it: {around}' if around else 'nothing is near it'}"
        )


def _find_viewer(query: Query, snapshot: MemorySnapshot) -> Viewpoint | None:
    """The given viewpoint, else the camera's; None where a situation is given in words."""
    if query.viewpoint is not None:
        return Viewpoint.of_body(query.viewpoint)
    if query.situation.strip() or snapshot.world_T_camera is None:
        return None
    return Viewpoint.of_camera(snapshot.world_T_camera)


def _nearest(viewer: Viewpoint, objects: list[MapObject]) -> list[tuple[MapObject, float]]:
    """The nearest objects, nearest first, with their distances in metres."""
    extents = np.array([o.box.extent() for o in objects], np.float64).reshape(-1, 6)
    away_m = gaps_m(extents[:, :3], extents[:, 3:], viewer.position, viewer.position)
    nearest = np.argsort(away_m, kind="stable")[:_NEAREST]
    return [(objects[i], float(away_m[i])) for i in nearest.tolist() if away_m[i] <= _NEAR_M]


def _side(viewer: Viewpoint, thing: MapObject) -> str:
    way = (np.array(thing.box.center) - viewer.position)[:2]
    angle_rad = np.arctan2(-(viewer.right @ way), viewer.ahead @ way)  # counterclockwise
    return _SIDES[round(float(angle_rad) / (np.pi / 2)) % 4]
