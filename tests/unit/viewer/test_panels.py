"""The panel of the marked object."""

from __future__ import annotations

import dataclasses

import numpy as np

from scenemind.geometry import Box3D
from scenemind.memory import Relation, Stay
from scenemind.viewer.panels import neighbors_of, stays_of
from scenemind.viewer.scene_view import color_of, edges_of, related_ids
from tests.unit.viewer.room import make_scene, make_thing

CUP, TABLE, CHAIR = (
    make_thing(1, "cup", (0, 0, 1)),
    make_thing(2, "table", (0, 0, 0.4)),
    make_thing(3, "chair", (1, 0, 0.4)),
)


def graph(*relations: Relation):
    return make_scene(CUP, TABLE, CHAIR, relations=relations)


def told(object_id: int, *relations: Relation) -> dict[str, list[str]]:
    return {c.title: list(c.options) for c in neighbors_of(object_id, graph(*relations))}


def test_support_is_shown_for_both_objects() -> None:
    on = Relation(1, "on", 2)
    assert told(1, on) == {"on": ["table 2"]}
    assert told(2, on) == {"supports": ["cup 1"]}
    assert told(3, on) == {}


def test_narrowest_of_beside_next_to_and_near_is_shown() -> None:
    relations = [Relation(2, word, 3) for word in ("near", "next to", "besides")]
    back = [Relation(3, r.predicate, 2) for r in relations]
    assert told(2, *relations, *back) == {"besides": ["chair 3"]}


def test_stated_relations_come_first() -> None:
    relations = Relation(2, "near", 3), Relation(2, "belongs to", 1, source="user")
    assert list(told(2, *relations)) == ["belongs to", "near"]
    assert told(1, *relations) == {"belongs to it": ["table 2"]}


def test_the_building_is_no_button() -> None:
    assert told(2, Relation(2, "on", -1)) == {}
    assert related_ids(2, graph(Relation(2, "on", -1), Relation(1, "on", 2))) == [1]


def test_earlier_place_is_shown() -> None:
    stay = Stay(Box3D((1.0, 2.0, 0.5), (1.0, 1.0, 1.0)), 0, 60_000_000_000, 61_000_000_000)
    moved = dataclasses.replace(CUP, stays=(stay,))
    assert stays_of(moved) == ["was at x 1.0, y 2.0, z 0.5 m from 0.0 s until 60.0 s"]


def test_edges_are_as_long_as_the_box() -> None:
    edges = edges_of(Box3D((1.0, 2.0, 3.0), (0.5, 1.0, 2.0), yaw=0.3))
    lengths = np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1)
    assert np.allclose(sorted(lengths), [0.5] * 4 + [1.0] * 4 + [2.0] * 4, atol=1e-5)
    assert np.allclose(edges.reshape(-1, 3).mean(axis=0), (1.0, 2.0, 3.0), atol=1e-5)


def test_a_kind_has_its_colour() -> None:
    assert np.array_equal(color_of("cup"), color_of("cup"))
    assert not np.array_equal(color_of("cup"), color_of("table"))
