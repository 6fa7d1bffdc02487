"""Made-up scenes on which new methods are tried. They are known by heart, and the same each time,
so that what methods do in them can be compared.

The office, seen from above (x to the right, y ahead of who faces its desk, metres):

        y=3    window 9             door 10
        y=2    cabinet 4 with plant 5
        y=0    chair 6    desk 1 with laptop 2, mug 3    chair 7
        y=-1                                             trash can 8

The living room has its things on the other side, and other colors, materials and states.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory import MapObject, MemorySnapshot, StructurePlane
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.memory.graph.scene_graph import SceneGraph

Row = tuple[str, tuple[float, float, float], tuple[float, float, float], str]
"""Category, centre, size, and colour, material, shape and state."""

OFFICE: tuple[Row, ...] = (
    ("desk", (0.0, 0.0, 0.375), (1.6, 0.8, 0.75), "brown wood rectangular clean"),
    ("laptop", (0.2, 0.0, 0.77), (0.35, 0.25, 0.04), "black metal flat on"),
    ("mug", (-0.5, 0.1, 0.8), (0.1, 0.1, 0.1), "red ceramic round empty"),
    ("cabinet", (-2.0, 2.0, 0.5), (1.0, 0.5, 1.0), "white wood rectangular closed"),
    ("plant", (-2.0, 2.0, 1.2), (0.3, 0.3, 0.4), "green leaf round dry"),
    ("chair", (-1.3, 0.0, 0.45), (0.5, 0.5, 0.9), "black plastic round occupied"),
    ("chair", (1.4, 0.0, 0.5), (0.55, 0.5, 1.0), "blue metal round empty"),
    ("trash can", (2.1, -1.0, 0.2), (0.3, 0.3, 0.4), "gray metal round full"),
    ("window", (-0.8, 2.95, 1.5), (1.2, 0.1, 1.0), "white glass square open"),
    ("door", (1.8, 2.95, 1.0), (0.9, 0.1, 2.0), "brown wood rectangular closed"),
)
LIVING_ROOM: tuple[Row, ...] = (
    ("couch", (1.6, 1.2, 0.4), (2.0, 0.9, 0.8), "gray fabric rectangular empty"),
    ("pillow", (2.1, 1.3, 0.85), (0.4, 0.3, 0.1), "red fabric square clean"),
    ("table", (-0.6, 0.9, 0.25), (0.9, 0.9, 0.5), "black glass round clean"),
    ("book", (-0.7, 1.0, 0.52), (0.2, 0.3, 0.04), "blue paper flat open"),
    ("lamp", (-0.4, 0.7, 0.7), (0.2, 0.2, 0.4), "white metal round on"),
    ("chair", (-0.6, -0.3, 0.45), (0.5, 0.5, 0.9), "brown wood square empty"),
    ("chair", (-1.9, 0.8, 0.4), (0.5, 0.6, 0.8), "red fabric square occupied"),
    ("chair", (2.4, -1.4, 0.55), (0.6, 0.5, 1.1), "brown leather round empty"),
    ("shelf", (-2.5, -1.5, 0.9), (0.4, 1.2, 1.8), "white wood rectangular full"),
    ("tv", (0.2, 2.95, 1.4), (1.2, 0.1, 0.7), "black plastic flat off"),
)
NOTHING: tuple[Row, ...] = (("box", (1.0, 0.5, 0.2), (0.4, 0.4, 0.4), "brown paper square closed"),)

_ATTRIBUTES = ("color", "material", "shape", "state")
_NO_POINTS = np.zeros((0, 3), np.float32)
_BUILDING = (
    StructurePlane(-1, "floor", Box3D((0, 0, -0.01), (8, 8, 0.02)), (0, 0, 1), 30.0),
    StructurePlane(-2, "wall", Box3D((0, 3.05, 1.25), (8, 0.1, 2.5)), (0, -1, 0), 12.0),
)


@cache
def scene_of(rows: Sequence[Row]) -> MemorySnapshot:
    """With the relations that a memory finds between such things; their ids count from 1."""
    things = {i: _thing(i, row) for i, row in enumerate(rows, start=1)}
    graph = SceneGraph(RelationConfig())
    graph.refresh(things, things, _BUILDING)
    structure = {plane.plane_id: plane for plane in _BUILDING}
    relations, levels = graph.relations(), graph.levels()
    return MemorySnapshot(1, 1, things, relations, None, structure=structure, levels=levels)


def standing(x: float, y: float, toward: tuple[float, float]) -> Viewpoint:
    """Of a person there who looks towards a point of the floor."""
    ahead = np.subtract(toward, (x, y))
    return Viewpoint(np.array((x, y, 1.6)), ahead / np.linalg.norm(ahead), "a made-up place")


def _thing(object_id: int, row: Row) -> MapObject:
    label, center, size_m, words = row
    return MapObject(
        object_id=object_id,
        label=label,
        perceived_label=label,
        attributes=dict(zip(_ATTRIBUTES, words.split(), strict=True)),
        confidence=1.0,
        box=Box3D(center, size_m),
        points=_NO_POINTS,
        first_seen_ns=0,
        last_seen_ns=0,
        observation_count=1,
        track_ids=(),
    )
