"""Planes keep their ids while they are refined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.structure.found_plane import FoundPlane
from scenemind.memory.types import StructurePlane

FLOOR_ID, CEILING_ID = -1, -2
FIRST_WALL_ID = -3
# What is the same wall, measured again.
_SAME_COSINE = float(np.cos(np.deg2rad(15.0)))
_SAME_OFFSET_M = 0.3
# What is worth a new value: smaller changes are noise.
_MOVED_M, _CORNER_M = 0.01, 0.05
_SEEN_FACTOR = 1.25


def identified(
    found: Iterable[FoundPlane], known: Sequence[StructurePlane], next_id: int
) -> tuple[tuple[StructurePlane, ...], int]:
    """The planes with the ids of what they are known as, else new ones.

    A plane that hardly differs from the known one is that very value.

    Args:
        known: from the last time.
        next_id: for the next new wall; they go down.

    Returns:
        The planes, floor first, then ceiling, then walls as they were found; the next free id.
    """
    found = list(found)
    walls = [plane for plane in found if plane.kind == "wall"]
    ids = _wall_ids(walls, [p for p in known if p.kind == "wall"])
    numbered = []
    for plane in found:
        if plane.kind != "wall":
            numbered.append((FLOOR_ID if plane.kind == "floor" else CEILING_ID, plane))
    for number, wall in enumerate(walls):
        plane_id = ids.get(number, next_id)
        next_id -= plane_id == next_id
        numbered.append((plane_id, wall))
    by_id = {plane.plane_id: plane for plane in known}
    planes = tuple(
        _updated(by_id.get(plane_id), plane_id, plane)
        for plane_id, plane in sorted(numbered, key=lambda item: -item[0])
    )
    return planes, next_id


def _wall_ids(walls: Sequence[FoundPlane], known: Sequence[StructurePlane]) -> dict[int, int]:
    """Number of the wall -> id of the known wall that it overlaps most; each once."""
    if not walls or not known:
        return {}
    overlap_m = _overlaps_m(walls, known)
    pairs = np.argwhere(overlap_m > 0.0)
    order = np.argsort(-overlap_m[pairs[:, 0], pairs[:, 1]], kind="stable")
    ids: dict[int, int] = {}
    taken: set[int] = set()
    for number, column in pairs[order].tolist():
        plane_id = known[column].plane_id
        if number not in ids and plane_id not in taken:
            ids[number] = plane_id
            taken.add(plane_id)
    return ids


def _overlaps_m(
    walls: Sequence[FoundPlane], known: Sequence[StructurePlane]
) -> NDArray[np.float64]:
    """(walls, known): the length that both share along the known wall; 0 where they are not the
    same plane."""
    normals = np.array([plane.normal for plane in known])
    centers = np.array([plane.box.center for plane in known])
    apart = np.array([wall.box.center for wall in walls])[:, None] - centers
    same = np.array([wall.normal for wall in walls]) @ normals.T >= _SAME_COSINE
    same &= np.abs((apart * normals).sum(axis=2)) <= _SAME_OFFSET_M
    directions = np.column_stack((-normals[:, 1], normals[:, 0], np.zeros(len(normals))))
    between_m = np.abs((apart * directions).sum(axis=2))
    lengths = np.array([wall.box.size[0] for wall in walls])[:, None]
    others = np.array([plane.box.size[0] for plane in known])
    shared_m = np.minimum(np.minimum(lengths, others), (lengths + others) / 2.0 - between_m)
    return np.where(same, shared_m, 0.0)


def _updated(known: StructurePlane | None, plane_id: int, plane: FoundPlane) -> StructurePlane:
    if known is not None and not _differs(plane, known):
        return known
    return StructurePlane(plane_id, plane.kind, plane.box, plane.normal, plane.seen_m2)


def _differs(plane: FoundPlane, known: StructurePlane) -> bool:
    moved_m = abs(np.subtract(plane.box.center, known.box.center) @ known.normal)
    return bool(
        moved_m > _MOVED_M
        or plane.seen_m2 > _SEEN_FACTOR * known.seen_m2
        or _corners_moved_m(plane.box, known.box) > _CORNER_M
    )


def _corners_moved_m(a: Box3D, b: Box3D) -> float:
    """The farthest that a corner is from the other box's nearest one: a wall's line has no
    direction, so corners may have changed their order."""
    apart = np.linalg.norm(a.corners()[:, None] - b.corners()[None], axis=2)
    return float(max(apart.min(axis=0).max(), apart.min(axis=1).max()))
