"""Floors and walls on the map from above: planes, and objects that are such."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot
from scenemind.memory.graph.verification.common_sense import sense_of
from scenemind.memory.types import StructureKind


@dataclass(frozen=True, slots=True)
class BuildingPart:
    """A floor or a wall, seen from above."""

    kind: StructureKind
    box: Box3D
    title: str


def building_parts(snapshot: MemorySnapshot) -> list[BuildingPart]:
    """Floors first; without ceilings, which would hide all."""
    parts = [part for part in _all_parts(snapshot) if part.kind != "ceiling"]
    return sorted(parts, key=lambda part: part.kind)


def is_building(thing: MapObject) -> bool:
    """A floor, wall or ceiling by its label."""
    return sense_of(thing.label).structure is not None


def _all_parts(snapshot: MemorySnapshot) -> Iterator[BuildingPart]:
    for plane in snapshot.structure.values():
        title = f"{plane.kind} {plane.plane_id}: {plane.seen_m2:.1f} m2 seen"
        yield BuildingPart(plane.kind, plane.box, title)
    for thing in snapshot.objects.values():
        kind = sense_of(thing.label).structure
        if kind is not None:
            yield BuildingPart(kind, thing.yaw_box, f"{thing.label} {thing.object_id}")
