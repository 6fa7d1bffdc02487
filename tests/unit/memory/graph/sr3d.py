"""Sr3D's utterances on ground-truth boxes, resolved from class, anchors and relation alone."""

from __future__ import annotations

import ast
import csv
import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.relation_profiles import PROFILES
from scenemind.geometry import Box3D
from scenemind.memory import MapObject
from scenemind.memory.graph.relation_query import RelationContext, relate
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from tests.unit.memory.things import thing

_CONFIG = PROFILES["sr3d"]
# Sr3D's spelling where it is none of a name's forms.
_SPELLED = {"supporting": "supports", "supported-by": "on"}
ALLOCENTRIC = ("left", "right", "front", "back")


@dataclass(frozen=True, slots=True)
class Row:
    """One utterance: of the objects of a class, which stands in the relation to the anchors?"""

    utterance: str
    relation: str
    scene: tuple[MapObject, ...]
    target: MapObject
    anchors: tuple[MapObject, ...]

    @property
    def candidates(self) -> list[MapObject]:
        return [o for o in self.scene if o.label == self.target.label]


def read_rows(annotations: Path) -> Iterator[Row]:
    """The sampled rows, with their scenes."""
    with gzip.open(annotations / "scannet_objects.json.gz", "rt") as file:
        scenes = json.load(file)
    for path in sorted((annotations / "referit3d").glob("sr3d*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                listed = scenes[row["scan_id"]]["objects"]
                objects = {
                    o["id"]: thing(o["id"], o["label"], o["center"], o["size"]) for o in listed
                }
                yield Row(
                    f"{row['scan_id']}: {row['utterance']}",
                    row["reference_type"],
                    tuple(objects.values()),
                    objects[int(row["target_id"])],
                    tuple(objects[i] for i in ast.literal_eval(row["anchor_ids"])),
                )


def resolve(row: Row) -> MapObject | None:
    """The object that the row means; None where nothing fits."""
    relation = _SPELLED.get(row.relation, row.relation)
    if relation == "between":
        return _best(row, relation, (row.anchors[0], row.anchors[1]), [RelationContext(_CONFIG)])
    anchor = row.anchors[0]
    if relation not in ALLOCENTRIC:
        return _best(row, relation, anchor, [RelationContext(_CONFIG)])
    # Which way an anchor faces is not in the data; its back is taken to be at a wall.
    ways = fronts(anchor.box, _walls(row.scene))
    contexts = [RelationContext(_CONFIG, facing(anchor.box, way)) for way in ways]
    return _best(row, relation, anchor, contexts)


def _best(
    row: Row,
    relation: str,
    anchor: MapObject | tuple[MapObject, MapObject],
    contexts: Sequence[RelationContext],
) -> MapObject | None:
    found = [f for context in contexts for f in relate(row.candidates, anchor, relation, context)]
    return max(found, key=lambda f: f.score).thing if found else None


def _walls(scene: Sequence[MapObject]) -> list[Box3D]:
    return [o.box for o in scene if o.label == "wall"]


# A viewer who faces a thing stands this far before it.
FACING_DISTANCE_M = 1.5
# A back stands at most this far from its wall, and along at least this share of its width.
BACK_GAP_M = 0.3
BACK_SHARE = 0.5
# Thicker boxes of walls go around corners: where they stand says nothing.
WALL_THICKNESS_M = 0.5
PARALLEL_COS = float(np.cos(np.radians(20.0)))


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """A way that a thing may face.

    Attributes:
        ahead: (2,) unit: out of its front, world.
        wall_gap_m: how far its back is from the wall.
    """

    ahead: NDArray[np.float64]
    wall_gap_m: float


def fronts(thing: Box3D, walls: Iterable[Box3D]) -> tuple[Front, ...]:
    """The ways that a thing may face: away from each wall that one of its sides stands along.

    Args:
        walls: boxes of walls, thin ones; what the nodes of the building or detections gave.

    Returns:
        Those with the longer side at the wall first (a shelf in a corner), then the nearer wall;
        none for a thing in the open.
    """
    length, width = thing.size[:2]
    c, s = float(np.cos(thing.yaw)), float(np.sin(thing.yaw))
    sides = (((c, s), length, width), ((-s, c), width, length))
    found: list[tuple[float, Front]] = []
    for wall in walls:
        normal, thickness, long = _thin_side(wall)
        if thickness > WALL_THICKNESS_M:
            continue
        for axis, depth, breadth in sides:
            cosine = float(np.dot(axis, normal))
            if abs(cosine) < PARALLEL_COS:
                continue
            offset = np.asarray(thing.center[:2]) - np.asarray(wall.center[:2])
            from_wall = float(offset @ normal)
            gap = abs(from_wall) - depth / 2.0 - thickness / 2.0
            along = abs(float(offset @ (-normal[1], normal[0])))
            shared = min(breadth, (long + breadth) / 2.0 - along)
            if gap <= BACK_GAP_M and shared >= BACK_SHARE * breadth and from_wall != 0.0:
                ahead = np.asarray(axis) * float(np.sign(cosine) * np.sign(from_wall))
                found.append((breadth, Front(ahead, max(gap, 0.0))))
    found.sort(key=lambda entry: (-round(entry[0], 1), entry[1].wall_gap_m))
    return tuple(_without_repeats(front for _, front in found))


def facing(thing: Box3D, front: Front, origin: str = "before it") -> Viewpoint:
    """Standing before a thing's front and looking at it ("facing the bed")."""
    center = np.asarray(thing.center)
    reach = float(np.linalg.norm(thing.size[:2])) / 2.0 + FACING_DISTANCE_M
    position = np.append(center[:2] + reach * front.ahead, center[2])
    return Viewpoint(position, -front.ahead, origin)


def _without_repeats(found: Iterable[Front]) -> list[Front]:
    kept: list[Front] = []
    for front in found:
        if all(float(front.ahead @ other.ahead) < PARALLEL_COS for other in kept):
            kept.append(front)
    return kept


def _thin_side(wall: Box3D) -> tuple[NDArray[np.float64], float, float]:
    """Unit normal (2,) of the wall's face, its thickness and its length."""
    c, s = np.cos(wall.yaw), np.sin(wall.yaw)
    length, width = wall.size[:2]
    if length < width:
        return np.array((c, s)), length, width
    return np.array((-s, c)), width, length
