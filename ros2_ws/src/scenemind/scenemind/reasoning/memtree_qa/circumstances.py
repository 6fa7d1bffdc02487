"""What a question depends on beside its words, in words for a model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scenemind.geometry import gaps_m
from scenemind.memory import MapObject, MemorySnapshot
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.types import Query
from scenemind.words.quoting import quoted

LONGEST_SAID = 600  # characters of what a person says, and of a few words around it
_NEAREST = 8
_NEAR_M = 5.0
_SIDES = ("ahead", "to the left", "behind", "to the right")


def circumstances(query: Query, snapshot: MemorySnapshot) -> str:
    """The person's situation, marks and viewpoint, a line each; empty where none was given.

    Raises:
        ReasoningError: all that was marked is gone.
    """
    return "\n".join(_lines(query, snapshot))


def objects_told(query: Query, snapshot: MemorySnapshot) -> set[int]:
    """Ids of the objects that `circumstances` names."""
    viewer = _find_viewer(query, snapshot)
    near = [] if viewer is None else _nearest(viewer, list(snapshot.objects.values()))
    return {*query.marked_object_ids, *(thing.object_id for thing, _ in near)}


def named(thing: MapObject) -> str:
    """As models are told of an object: `"chair" 3`."""
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
    """The viewpoint that was given, else the camera's; none beside one in words."""
    if query.viewpoint is not None:
        return Viewpoint.of_body(query.viewpoint)
    if query.situation.strip() or snapshot.world_T_camera is None:
        return None
    return Viewpoint.of_camera(snapshot.world_T_camera)


def _nearest(viewer: Viewpoint, objects: list[MapObject]) -> list[tuple[MapObject, float]]:
    """The objects that are near, nearest first, and how far away they are in metres."""
    extents = np.array([o.box.extent() for o in objects], np.float64).reshape(-1, 6)
    away_m = gaps_m(extents[:, :3], extents[:, 3:], viewer.position, viewer.position)
    nearest = np.argsort(away_m, kind="stable")[:_NEAREST]
    return [(objects[i], float(away_m[i])) for i in nearest.tolist() if away_m[i] <= _NEAR_M]


def _side(viewer: Viewpoint, thing: MapObject) -> str:
    way = (np.array(thing.box.center) - viewer.position)[:2]
    angle_rad = np.arctan2(-(viewer.right @ way), viewer.ahead @ way)  # counterclockwise
    return _SIDES[round(float(angle_rad) / (np.pi / 2)) % 4]
