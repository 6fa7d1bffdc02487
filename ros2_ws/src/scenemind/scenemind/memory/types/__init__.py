"""What the memory holds and hands out: all values, safe to keep and to pass between threads."""

from scenemind.memory.types.corrections import Correction, Edit, EditKind, ObjectAnchor
from scenemind.memory.types.descriptions import Description, Embedding
from scenemind.memory.types.graph import (
    MemorySnapshot,
    Relation,
    RelationSource,
    StructureKind,
    StructurePlane,
)
from scenemind.memory.types.objects import AttributeSource, MapObject, Stay
from scenemind.memory.types.tree import (
    DepthImage,
    DetectionNode,
    FrameIndex,
    KeyFrame,
    LocationNode,
    ObjectTracklet,
)

__all__ = [
    "AttributeSource",
    "Correction",
    "DepthImage",
    "Description",
    "DetectionNode",
    "Edit",
    "EditKind",
    "Embedding",
    "FrameIndex",
    "KeyFrame",
    "LocationNode",
    "MapObject",
    "MemorySnapshot",
    "ObjectAnchor",
    "ObjectTracklet",
    "Relation",
    "RelationSource",
    "Stay",
    "StructureKind",
    "StructurePlane",
]
