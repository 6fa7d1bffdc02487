"""The scene graph by levels: a column a level, and nothing that leads astray."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from scenemind.memory import MemorySnapshot, Relation
from scenemind.report import colors_of, render_levels

from .made import make_object
from .test_support_tree import FLOOR, WALL, make_scene

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


def test_only_what_is_not_on_is_said() -> None:
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
