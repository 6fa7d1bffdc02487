"""One memory, two views: MemTree3D and the 3D scene graph, on one set of object ids."""

from scenemind.errors import SceneMemoryError
from scenemind.memory.access import MemoryAccess
from scenemind.memory.disk.folder import list_memories
from scenemind.memory.finding import Found
from scenemind.memory.graph.corrections import LeftOut, Replay, SimilarObject
from scenemind.memory.memory import Memory, ReadOnlyMemory
from scenemind.memory.reader import MemoryStats
from scenemind.memory.tree.tree_json import TreeJson, tree_json
from scenemind.memory.types import (
    NAMED_BY,
    Correction,
    DepthImage,
    Description,
    DetectionNode,
    Edit,
    Embedding,
    FrameIndex,
    KeyFrame,
    LocationNode,
    MapObject,
    MemorySnapshot,
    ObjectAnchor,
    ObjectTracklet,
    PoseCorrection,
    Relation,
    Stay,
    StructurePlane,
)

__all__ = [
    "NAMED_BY",
    "Correction",
    "DepthImage",
    "Description",
    "DetectionNode",
    "Edit",
    "Embedding",
    "Found",
    "FrameIndex",
    "KeyFrame",
    "LeftOut",
    "LocationNode",
    "MapObject",
    "Memory",
    "MemoryAccess",
    "MemorySnapshot",
    "MemoryStats",
    "ObjectAnchor",
    "ObjectTracklet",
    "PoseCorrection",
    "ReadOnlyMemory",
    "Relation",
    "Replay",
    "SceneMemoryError",
    "SimilarObject",
    "Stay",
    "StructurePlane",
    "TreeJson",
    "list_memories",
    "tree_json",
]
