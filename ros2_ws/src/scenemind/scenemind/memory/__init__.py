"""One memory, two views: MemTree3D and the 3D scene graph, on one set of object ids."""

from scenemind.memory.access import MemoryAccess
from scenemind.memory.disk.folder import list_memories
from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.memory import Memory
from scenemind.memory.stats import MemoryStats
from scenemind.memory.tree.tree_json import TreeJson, tree_json
from scenemind.memory.types import (
    Correction,
    DetectionNode,
    Edit,
    KeyFrame,
    LocationNode,
    MapObject,
    MemorySnapshot,
    ObjectTracklet,
    Relation,
    Stay,
)

__all__ = [
    "Correction",
    "DetectionNode",
    "Edit",
    "KeyFrame",
    "LocationNode",
    "MapObject",
    "Memory",
    "MemoryAccess",
    "MemorySnapshot",
    "MemoryStats",
    "ObjectTracklet",
    "Relation",
    "SceneMemoryError",
    "Stay",
    "TreeJson",
    "list_memories",
    "tree_json",
]
