"""The scene graph: relations, the building, and all together at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from scenemind.geometry import Box3D, Pose
from scenemind.memory.types.objects import MapObject

RelationSource = Literal["geometry", "user"]
StructureKind = Literal["floor", "wall", "ceiling"]


@dataclass(frozen=True, slots=True)
class Relation:
    """`subject predicate object`, such as cup 3 `on` table 1. Independent of the viewpoint."""

    subject_id: int
    predicate: str
    object_id: int
    confidence: float = 1.0
    source: RelationSource = "geometry"


@dataclass(frozen=True, slots=True)
class StructurePlane:
    """A floor, wall or ceiling: a node of the scene graph that is no object of the map.

    Attributes:
        plane_id: negative, so that it is never an object's; stable while the memory lives.
        box: thin and upright, turned along a wall, world.
        normal: (x, y, z), unit, world, into the room.
        seen_m2: how much of it the camera has seen.
    """

    plane_id: int
    kind: StructureKind
    box: Box3D
    normal: tuple[float, float, float]
    seen_m2: float


@dataclass(frozen=True, slots=True, eq=False)
class MemorySnapshot:
    """The scene graph at one moment.

    Attributes:
        revision: grows with every change of objects, relations or corrections.
        stamp_ns: stamp of the newest integrated frame; 0 before the first.
        objects: confirmed objects by id, ascending.
        relations: relations between them.
        world_T_camera: where the camera was last; None before the first frame.
        gone: objects that were there once, by id; their last stay says where and when.
        structure: floor, walls and ceiling by their negative ids; relations name them too.
        levels: object id -> how many supporters stand between it and the building (SynergAI,
            appendix B); 0: the floor or a wall carries it, or nothing is known to.
    """

    revision: int
    stamp_ns: int
    objects: Mapping[int, MapObject]
    relations: tuple[Relation, ...]
    world_T_camera: Pose | None
    gone: Mapping[int, MapObject] = field(default_factory=dict)
    structure: Mapping[int, StructurePlane] = field(default_factory=dict)
    levels: Mapping[int, int] = field(default_factory=dict)
