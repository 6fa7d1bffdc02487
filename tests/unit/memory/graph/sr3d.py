"""Sr3D's utterances on ground-truth boxes, resolved from class, anchors and relation alone."""

from __future__ import annotations

import ast
import csv
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scenemind.geometry import Box3D
from scenemind.memory import MapObject
from scenemind.memory.graph.relate import relate
from scenemind.memory.graph.relation_query import RelationContext
from scenemind.memory.graph.relations.profiles import relation_profile
from scenemind.memory.graph.relations.viewpoint import facing, fronts
from tests.unit.memory.things import thing

_CONFIG = relation_profile("sr3d")
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
