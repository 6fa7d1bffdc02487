"""Supporters of things in scanned rooms: facts checked by hand against labels and boxes.

The rooms are ScanNet's; a fact is stated where the boxes leave no doubt.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from scenemind.config import RelationConfig
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.graph.relations import CARRYING
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.memory.graph.statements import contradictions
from tests.unit.memory.things import thing

# Scene, thing, predicate, supporter, level.
FACTS = [
    ("scene0000_01", (6, "toilet"), "on", (54, "floor"), 0),
    ("scene0000_01", (40, "bicycle"), "on", (54, "floor"), 0),
    ("scene0000_01", (58, "ottoman"), "on", (54, "floor"), 0),
    ("scene0000_01", (69, "nightstand"), "on", (54, "floor"), 0),
    ("scene0000_01", (9, "tissue box"), "on", (69, "nightstand"), 1),
    ("scene0000_01", (46, "pillow"), "on", (53, "bed"), 1),
    ("scene0000_01", (61, "cabinet"), "on", (45, "refrigerator"), 1),
    ("scene0000_01", (50, "tv"), "inside", (37, "cabinet"), 1),
    ("scene0000_01", (17, "mirror"), "affixed on", (27, "wall"), 0),
    ("scene0000_01", (7, "door"), "embedded in", (28, "wall"), 0),
    ("scene0000_01", (55, "window"), "embedded in", (31, "wall"), 0),
    ("scene0000_01", (65, "kitchen cabinet"), "mounted on", (28, "wall"), 0),
    ("scene0011_00", (5, "chair"), "on", (0, "floor"), 0),
    ("scene0011_00", (18, "tv"), "mounted on", (16, "wall"), 0),
    ("scene0011_00", (23, "window"), "embedded in", (21, "wall"), 0),
    ("scene0046_01", (19, "laptop"), "on", (4, "table"), 1),
    ("scene0046_01", (36, "light switch"), "affixed on", (35, "wall"), 0),
    ("scene0046_01", (54, "light"), "mounted on", (44, "wall"), 0),
    ("scene0046_01", (1, "shower curtain"), "hanging on", (44, "wall"), 0),
    ("scene0061_00", (0, "plant"), "on", (1, "flower stand"), 1),
    ("scene0061_00", (6, "pillow"), "on", (2, "couch"), 1),
    ("scene0140_00", (43, "picture"), "hanging on", (28, "wall"), 0),
    ("scene0140_00", (44, "clock"), "hanging on", (28, "wall"), 0),
    ("scene0140_00", (38, "whiteboard"), "affixed on", (26, "wall"), 0),
    ("scene0141_00", (25, "mouse"), "on", (28, "desk"), 1),
    ("scene0141_00", (4, "radiator"), "mounted on", (5, "wall"), 0),
    ("scene0158_02", (19, "ceiling light"), "mounted on", (18, "ceiling"), 0),
    ("scene0168_02", (39, "books"), "inside", (9, "bookshelf"), 1),
    ("scene0207_02", (7, "sink"), "embedded in", (6, "bathroom vanity"), 1),
    ("scene0238_01", (2, "box"), "on", (27, "box"), 1),
]


def graph_of(objects: list[dict]) -> SceneGraph:
    things = {o["id"]: thing(o["id"], o["label"], o["center"], o["size"]) for o in objects}
    graph = SceneGraph(RelationConfig())
    graph.refresh(things, things)
    return graph


@pytest.fixture(scope="module")
def scans(shared_data: Path) -> dict[str, list[dict]]:
    with gzip.open(shared_data / "annotations" / "scannet_objects.json.gz") as file:
        return {name: scene["objects"] for name, scene in json.load(file).items()}


@pytest.mark.parametrize(("scene", "subject", "predicate", "carrier", "level"), FACTS)
def test_supporter_and_level_of_a_thing(
    scans: dict[str, list[dict]],
    scene: str,
    subject: tuple[int, str],
    predicate: str,
    carrier: tuple[int, str],
    level: int,
) -> None:
    labels = {o["id"]: o["label"] for o in scans[scene]}
    assert (labels[subject[0]], labels[carrier[0]]) == (subject[1], carrier[1])
    graph = graph_of(scans[scene])
    assert (predicate, carrier[0]) in {
        (r.predicate, r.object_id)
        for r in graph.relations()
        if r.subject_id == subject[0] and r.predicate in CARRYING
    }
    assert graph.levels()[subject[0]] == level


def test_most_things_have_a_known_supporter(scans: dict[str, list[dict]]) -> None:
    """All statements about every tenth scene are consistent, too."""
    carried, count = 0, 0
    for name in sorted(scans)[::10]:
        graph = graph_of(scans[name])
        assert contradictions(graph.relations()) == []
        things = {o["id"] for o in scans[name] if sense_of(o["label"]).structure is None}
        known = {r.subject_id for r in graph.relations() if r.predicate in CARRYING}
        carried, count = carried + len(things & known), count + len(things)
    assert count > 1000
    assert carried / count > 0.88


def test_the_graph_does_not_depend_on_the_order_of_objects(scans: dict[str, list[dict]]) -> None:
    objects = scans["scene0000_01"]
    shuffled = [objects[i] for i in np.random.default_rng(0).permutation(len(objects))]
    assert graph_of(shuffled).relations() == graph_of(objects).relations()
