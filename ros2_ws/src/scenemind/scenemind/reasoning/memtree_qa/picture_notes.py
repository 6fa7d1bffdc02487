"""What the map knows of pictures and of objects in them, as lines of JSON for a model."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from scenemind.memory import KeyFrame, MapObject, MemorySnapshot, Relation
from scenemind.memory.tree.tree_lines import label_shown
from scenemind.words.quoting import tame

_MOST_IN_PICTURE = 20
_MOST_FACTS = 6  # objects
_MOST_ATTRIBUTES, _MOST_RELATIONS = 8, 6  # of each
_NS_PER_S = 1e9

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def picture_notes(
    frames: Sequence[KeyFrame], snapshot: MemorySnapshot, first: Sequence[int]
) -> list[str]:
    """A line for each picture.

    Args:
        frames: with the boxes of all objects in them.
        first: ids of objects that must not be left out where a picture shows many.
    """
    return [_encode(_note(n, f, snapshot, set(first))) for n, f in enumerate(frames, start=1)]


def object_notes(object_ids: Sequence[int], snapshot: MemorySnapshot) -> list[str]:
    """A line for each of the first few objects of which more is known than the label."""
    things = [snapshot.objects[i] for i in object_ids if i in snapshot.objects][:_MOST_FACTS]
    relations = _relations_of({thing.object_id for thing in things}, snapshot)
    return [
        _encode({"id": thing.object_id, "label": label_shown(thing.label), **known})
        for thing in things
        if (known := _known_of(thing, relations[thing.object_id]))
    ]


def related_to(object_ids: Collection[int], snapshot: MemorySnapshot) -> set[int]:
    """Ids of what `object_notes` may name beside the objects themselves."""
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
        "shows": list(_shown(frame, snapshot, first)),
    }


def _shown(
    frame: KeyFrame, snapshot: MemorySnapshot, first: Collection[int]
) -> Iterator[dict[str, Any]]:
    """Those that must not be left out, then the largest."""
    known = [(i, box) for i, box in frame.boxes_px.items() if i in snapshot.objects]
    known.sort(key=lambda item: (item[0] not in first, -_area(item[1])))
    width, height = frame.camera.width, frame.camera.height
    for object_id, (x0, y0, x1, y1) in known[:_MOST_IN_PICTURE]:
        box = [round(1000 * v) for v in (x0 / width, y0 / height, x1 / width, y1 / height)]
        label = label_shown(snapshot.objects[object_id].label)
        yield {"id": object_id, "label": label, "box": [min(max(v, 0), 1000) for v in box]}


def _area(box_px: tuple[float, float, float, float]) -> float:
    x0, y0, x1, y1 = box_px
    return (x1 - x0) * (y1 - y0)


def _known_of(thing: MapObject, relations: Sequence[str]) -> dict[str, Any]:
    attributes = {tame(k): tame(v) for k, v in list(thing.attributes.items())[:_MOST_ATTRIBUTES]}
    known = {"attributes": attributes, "relations": list(relations[:_MOST_RELATIONS])}
    return {name: value for name, value in known.items() if value}


def _relations_of(object_ids: Collection[int], snapshot: MemorySnapshot) -> dict[int, list[str]]:
    """Object id -> what it is to others, surest first: `on table 1`."""
    said: dict[int, list[str]] = {object_id: [] for object_id in object_ids}
    for relation in sorted(snapshot.relations, key=lambda relation: -relation.confidence):
        if relation.subject_id in said and (to := _find_name(relation, snapshot)):
            said[relation.subject_id].append(f"{tame(relation.predicate)} {to}")
    return said


def _find_name(relation: Relation, snapshot: MemorySnapshot) -> str | None:
    if relation.object_id in snapshot.objects:
        thing = snapshot.objects[relation.object_id]
        return f"{label_shown(thing.label)} {thing.object_id}"
    plane = snapshot.structure.get(relation.object_id)
    return None if plane is None else f"the {plane.kind}"
