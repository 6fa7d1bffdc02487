"""What the panels say."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from scenemind.geometry import Box3D
from scenemind.memory import Correction, Edit, Relation, Stay, StructurePlane
from scenemind.memory.history import TimeSpan, Visit
from scenemind.viewer.colors import ClassColors
from scenemind.viewer.panels import (
    Filter,
    classes_json,
    gone_json,
    journal_json,
    neighbors_of,
    objects_json,
    place_words,
    related_ids,
    stays_of,
    tree_json,
    visits_json,
)
from scenemind.viewer.scene_view import edges_of, trail_of
from tests.unit.viewer.room import make_scene, make_thing

CUP, TABLE, CHAIR = (
    make_thing(1, "cup", (0, 0, 1)),
    make_thing(2, "table", (0, 0, 0.4)),
    make_thing(3, "chair", (1, 0, 0.4)),
)

FLOOR = Box3D((0, 0, 0), (4, 4, 0.1))


def graph(*relations: Relation):
    return make_scene(CUP, TABLE, CHAIR, relations=relations)


def told(object_id: int, *relations: Relation) -> dict[str, list[str]]:
    found = neighbors_of(object_id, graph(*relations))
    return {title: [thing["name"] for thing in things] for title, things in found.items()}


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
    (told,) = stays_of(moved, make_scene(moved))
    assert told == "at x 1.0, y 2.0, z 0.5 m, from 0.0 s until 60.0 s"


def test_places_are_told_by_what_stands_there() -> None:
    at = [Box3D((x, 0.0, z), (0.1, 0.1, 0.1)) for x, z in ((0.1, 0.65), (1.4, 0.4), (2.0, 0.4))]
    said = [place_words(box, (CUP, TABLE, CHAIR), but=1).partition(" (")[0] for box in at]
    assert said == ["on table 2", "beside chair 3", "near chair 3"]
    assert place_words(at[0], (CUP,), but=1) == "at x 0.1, y 0.0, z 0.7 m"


def test_edges_are_as_long_as_the_box() -> None:
    edges = edges_of(Box3D((1.0, 2.0, 3.0), (0.5, 1.0, 2.0), yaw=0.3))
    lengths = np.linalg.norm(edges[:, 1] - edges[:, 0], axis=1)
    assert np.allclose(sorted(lengths), [0.5] * 4 + [1.0] * 4 + [2.0] * 4, atol=1e-5)
    assert np.allclose(edges.reshape(-1, 3).mean(axis=0), (1.0, 2.0, 3.0), atol=1e-5)


def test_a_trail_leads_from_each_place_to_the_next() -> None:
    stays = [Stay(Box3D((x, 0.0, 1.0), (1.0, 1.0, 1.0)), 0, 1, 2) for x in (4.0, 2.0)]
    trail = trail_of(dataclasses.replace(CUP, stays=tuple(stays)))
    assert np.allclose(trail[0, 0], (4, 0, 1))
    assert np.allclose(trail[-1, -1], CUP.box.center)
    assert (np.diff(trail[:, 0, 0]) <= 0).all()
    assert len(trail_of(CUP)) == 0


def test_classes_keep_their_colours_and_do_not_share_them() -> None:
    colors = ClassColors()
    labels = [f"kind {n}" for n in range(36)]
    colors.meet(labels)
    assert len({colors.css(label) for label in labels}) == len(labels)
    before = colors.css("kind 3")
    colors.meet(["another"])
    assert colors.css("kind 3") == before


def names(branches: list[dict[str, Any]]) -> list[Any]:
    """A tree as nested lists."""
    return [
        [branch["name"], *names(branch["children"])] if branch.get("children") else branch["name"]
        for branch in branches
    ]


def test_the_tree_shows_what_carries_what() -> None:
    floor = StructurePlane(-1, "floor", FLOOR, (0, 0, 1), 16.0)
    relations = (Relation(1, "on", 2), Relation(2, "on", -1), Relation(2, "near", 3))
    scene = dataclasses.replace(graph(*relations), structure={-1: floor})
    tree = tree_json(scene, Filter(), ClassColors())
    assert names(tree) == [
        ["building", ["room", ["floor", ["table 2", "cup 1"]], ["not known on what", "chair 3"]]]
    ]


def test_the_tree_counts_as_people_do() -> None:
    named = ((18, "chair"), (101, "chair"), (2, "sofa"))
    things = [make_thing(i, label, (i % 10, 0, 0.4)) for i, label in named]
    floors = {i: StructurePlane(i, "floor", FLOOR, (0, 0, 1), 16.0) for i in (-1, -2)}
    carried = (Relation(101, "on", -1), Relation(2, "on", -1), Relation(18, "on", -2))
    scene = dataclasses.replace(make_scene(*things, relations=carried), structure=floors)
    ((_, (_, (floor, *on_it))),) = names(tree_json(scene, Filter(), ClassColors()))
    assert (floor, on_it) == ("2 floors", ["chair 18", "chair 101", "sofa 2"])


def test_things_that_carry_each_other_are_in_the_tree_once() -> None:
    scene = graph(Relation(1, "on", 2), Relation(2, "on", 1))
    assert names(tree_json(scene, Filter(), ClassColors())) == [
        ["building", ["room", ["not known on what", "chair 3", ["table 2", "cup 1"]]]]
    ]


def test_hidden_classes_and_doubtful_objects_are_not_shown() -> None:
    doubtful = dataclasses.replace(CHAIR, confidence=0.3)
    scene = make_scene(CUP, TABLE, doubtful)
    only = Filter(frozenset(["cup"]), 0.5)
    legend = classes_json(scene, only, ClassColors())
    assert (legend["shown"], legend["total"]) == (1, 3)
    assert [(c["label"], c["count"], c["on"]) for c in legend["classes"]] == [
        ("chair", 1, True),
        ("cup", 1, False),
        ("table", 1, True),
    ]
    shown = filter(only.shows, scene.objects.values())
    assert [one["name"] for one in objects_json(shown, ClassColors())] == ["table 2"]


def test_a_visit_tells_what_moved_when_and_from_where_but_of_nobody_who_left() -> None:
    second = 1_000_000_000
    stay = Stay(Box3D((3.0, 0.0, 1.0), (0.4, 0.4, 0.4)), 0, 5 * second, 1001 * second)
    moved = dataclasses.replace(CUP, stays=(stay,), here_since_ns=1002 * second)
    went = dataclasses.replace(CHAIR, stays=(dataclasses.replace(stay, gone_ns=1003 * second),))
    left = dataclasses.replace(went, object_id=4, label="person")
    scene = dataclasses.replace(make_scene(moved, TABLE), gone={3: went, 4: left})
    visits = (
        Visit(1, TimeSpan(0, 10 * second), (0, 10)),
        Visit(2, TimeSpan(1000 * second, 1010 * second), (11, 20)),
    )
    first, later = visits_json(visits, scene)
    assert (first["first_seen"], first["events"]) == (2, [])
    assert [(e["id"], e["name"], e["what"], e["when"]) for e in later["events"]] == [
        (1, "cup 1", "moved 3.0 m, was at x 3.0, y 0.0, z 1.0 m", "last seen there 5.0 s"),
        (None, "chair 3", "gone, was at x 3.0, y 0.0, z 1.0 m", "last seen there 5.0 s"),
    ]
    assert [told.partition(",")[0] for told in gone_json(scene)] == ["chair 3"]


def test_a_sentence_of_several_corrections_is_one_line_of_the_journal() -> None:
    def renamed(number: int, at_ns: int, reason: str, undone_ns: int = 0) -> Correction:
        edit = Edit("rename", (number,), value="stool")
        return Correction(number, edit, "Ada", reason, at_ns, undone_ns)

    told = journal_json(
        [
            renamed(1, 5, "both are stools", undone_ns=9),
            renamed(2, 5, "both are stools"),
            renamed(3, 5, "both are stools"),
            renamed(4, 6, "a stool"),
        ]
    )
    assert [(one["id"], one["reason"], one["undone"]) for one in told] == [
        (4, "a stool", False),
        (3, "both are stools", False),
        (1, "both are stools", True),
    ]
    assert [line.split(".")[0] for line in told[1]["what"]] == ["2", "3"]
    (long,) = journal_json([renamed(i, 5, "all are stools") for i in range(1, 41)])
    assert long["what"][-1] == "and 28 more"
