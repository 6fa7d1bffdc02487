"""The support tree, and its drawing."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from scenemind.geometry import Box3D
from scenemind.memory import MemorySnapshot, Relation
from scenemind.memory.types import StructurePlane
from scenemind.report.drawing import colors_of
from scenemind.report.levels import render_levels, support_tree
from tests.unit.report.made import make_object

FLOOR = StructurePlane(-1, "floor", Box3D((0.0, 0.0, 0.0), (5.0, 5.0, 0.0)), (0.0, 0.0, 1.0), 20.0)
WALL = StructurePlane(-2, "wall", Box3D((0.0, 2.5, 1.2), (5.0, 0.0, 2.4)), (0.0, -1.0, 0.0), 9.0)


def make_scene(*relations: Relation, labels: dict[int, str], planes: tuple = ()) -> MemorySnapshot:
    objects = {i: make_object(i, label, (0.0, 0.0, 0.0)) for i, label in labels.items()}
    structure = {plane.plane_id: plane for plane in planes}
    return MemorySnapshot(1, 0, objects, relations, None, structure=structure)


def shape(snapshot: MemorySnapshot) -> list[tuple[int, int | None, str]]:
    return [(b.depth, b.node_id, b.predicate) for b in support_tree(snapshot)]


def test_each_node_is_followed_by_the_things_on_it() -> None:
    scene = make_scene(
        Relation(1, "on", 2),
        Relation(2, "on", -1),
        Relation(3, "on", -1),
        Relation(4, "hanging on", -2),
        Relation(1, "near", 3),
        labels={1: "cup", 2: "table", 3: "chair", 4: "picture"},
        planes=(WALL, FLOOR),
    )
    assert shape(scene) == [
        (0, -1, ""),
        (1, 2, "on"),
        (2, 1, "on"),
        (1, 3, "on"),
        (0, -2, ""),
        (1, 4, "hanging on"),
    ]
    carries = {branch.node_id: branch.carries for branch in support_tree(scene)}
    assert carries == {-1: 2, 2: 1, 1: 0, 3: 0, -2: 1, 4: 0}


def test_objects_that_are_the_building_stand_with_it() -> None:
    scene = make_scene(Relation(2, "on", 7), labels={2: "table", 7: "floor"})
    assert shape(scene) == [(0, 7, ""), (1, 2, "on")]


def test_objects_without_a_known_supporter_come_last() -> None:
    scene = make_scene(Relation(1, "on", 2), labels={1: "cup", 2: "table"}, planes=(FLOOR,))
    assert shape(scene) == [(0, -1, ""), (0, None, ""), (1, 2, ""), (2, 1, "on")]


def test_an_object_stands_once_under_its_surest_carrier() -> None:
    scene = make_scene(
        Relation(1, "on", 2, 0.4),
        Relation(1, "inside", 3, 0.9),
        Relation(2, "on", -1),
        Relation(3, "on", -1),
        labels={1: "cup", 2: "table", 3: "box"},
        planes=(FLOOR,),
    )
    assert (2, 1, "inside") in shape(scene)
    assert [node for _, node, _ in shape(scene)].count(1) == 1


@pytest.mark.parametrize("circle", [(1, 1), (1, 2, 1), (1, 2, 3, 1)])
def test_stated_circle_of_supporters_loses_no_object(circle: tuple[int, ...]) -> None:
    said = [Relation(a, "on", b, source="user") for a, b in pairwise(circle)]
    scene = make_scene(*said, labels=dict.fromkeys((1, 2, 3), "box"))
    assert sorted(node for _, node, _ in shape(scene) if node is not None) == [1, 2, 3]


def test_a_stack_may_be_high() -> None:
    count = 3000
    relations = [Relation(i + 1, "on", i) for i in range(count - 1)]
    scene = make_scene(*relations, labels=dict.fromkeys(range(count), "box"))
    assert max(branch.depth for branch in support_tree(scene)) == count


def test_empty_scene_is_an_empty_tree() -> None:
    assert shape(make_scene(labels={})) == []


SVG = "{http://www.w3.org/2000/svg}"
ROOM = make_scene(
    Relation(1, "on", 2),
    Relation(2, "on", -1),
    Relation(3, "on", -1),
    Relation(4, "hanging on", -2),
    labels={1: "cup", 2: "table", 3: "chair", 4: "picture"},
    planes=(FLOOR, WALL),
)


def draw(snapshot: MemorySnapshot, *relations: Relation) -> ElementTree.Element:
    colors = colors_of(thing.label for thing in snapshot.objects.values())
    return ElementTree.fromstring(render_levels(snapshot, colors, relations))


def group(drawing: ElementTree.Element, name: str) -> ElementTree.Element:
    found = drawing.find(f"{SVG}g[@class='{name}']")
    assert found is not None
    return found


def places(drawing: ElementTree.Element) -> dict[str, tuple[float, float]]:
    """Text of a node -> (x, y) of its rectangle."""
    found = {}
    for node in group(drawing, "nodes"):
        (box,), (text,) = node.iter(f"{SVG}rect"), node.iter(f"{SVG}text")
        found[text.text or ""] = (float(box.attrib["x"]), float(box.attrib["y"]))
    return found


def test_a_level_is_a_column() -> None:
    at = places(draw(ROOM))
    columns = sorted({x for x, _ in at.values()})
    assert [sorted(name for name, (x, _) in at.items() if x == column) for column in columns] == [
        ["floor -1", "wall -2"],
        ["chair 3", "picture 4", "table 2"],
        ["cup 1"],
    ]
    headings = [text.text for text in group(draw(ROOM), "columns").iter(f"{SVG}text")]
    assert headings == ["building", "level 0", "level 1"]


def test_no_two_nodes_share_a_place_and_all_lie_within_the_drawing() -> None:
    drawing = draw(ROOM)
    at = list(places(drawing).values())
    assert len(set(at)) == len(at)
    _, _, width, height = map(float, drawing.attrib["viewBox"].split())
    assert all(0 <= x < width and 0 <= y < height for x, y in at)


def test_only_other_relations_than_on_are_named() -> None:
    words = [text.text for text in group(draw(ROOM), "edges").iter(f"{SVG}text")]
    assert words == ["hanging on"]
    titles = [title.text for title in group(draw(ROOM), "edges").iter(f"{SVG}title")]
    assert "cup 1 on table 2" in titles


def test_other_relations_are_bows_and_carrying_ones_are_not_drawn_twice() -> None:
    plain = len(list(group(draw(ROOM), "edges")))
    more = draw(ROOM, Relation(3, "next to", 2), Relation(1, "on", 2))
    assert len(list(group(more, "edges"))) == plain + 1
    assert len(group(more, "edges").findall(f"{SVG}g[@class='other']")) == 1


def test_only_objects_are_links() -> None:
    links = {link.attrib["href"] for link in draw(ROOM).iter(f"{SVG}a")}
    assert links == {f"#object-{i}" for i in (1, 2, 3, 4)}


@pytest.mark.parametrize("label", ["x" * 10_000, "<script>alert(1)</script>", '"&', "\x00\x1b"])
def test_any_label_is_text_that_fits(label: str) -> None:
    drawing = draw(make_scene(labels={5: label}))
    (text,) = [name for name in places(drawing) if name.endswith(" 5")]
    assert len(text) < 30
    assert not list(drawing.iter(f"{SVG}script"))


def test_an_empty_scene_is_drawn() -> None:
    assert places(draw(make_scene(labels={}))) == {}
    assert places(draw(MemorySnapshot(1, 0, {1: make_object(1, "cup", (0, 0, 0))}, (), None)))
