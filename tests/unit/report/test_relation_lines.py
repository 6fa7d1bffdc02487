"""Relations on the map from above, and the walls about them."""

from __future__ import annotations

import math
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from scenemind.geometry import Box3D
from scenemind.memory import MemorySnapshot, Relation
from scenemind.report import colors_of, render_top_down, standalone_svg
from scenemind.report.relation_lines import nearest_place

from .made import make_object
from .test_support_tree import FLOOR, WALL

SVG = "{http://www.w3.org/2000/svg}"
CUP = make_object(1, "cup", (0.5, 0.0, 0.8), (0.1, 0.1, 0.1))
TABLE = make_object(2, "table", (0.0, 0.0, 0.4), (2.0, 1.0, 0.8))
LAMP = make_object(3, "lamp", (-2.0, 0.0, 1.0), (0.2, 0.2, 0.5))
ROOM = MemorySnapshot(1, 0, {1: CUP, 2: TABLE, 3: LAMP}, (), None, structure={-1: FLOOR, -2: WALL})


def draw(snapshot: MemorySnapshot, *relations: Relation, **more: object) -> ElementTree.Element:
    colors = colors_of(thing.label for thing in snapshot.objects.values())
    return ElementTree.fromstring(render_top_down(snapshot, colors, relations=relations, **more))


def lines(drawing: ElementTree.Element) -> list[ElementTree.Element]:
    found = drawing.find(f"{SVG}g[@class='relations']")
    return [] if found is None else list(found)


@pytest.mark.parametrize(
    ("xy", "expected"),
    [((0.0, 3.0), (0.0, 0.5)), ((4.0, 0.1), (1.0, 0.1)), ((5.0, 5.0), (1.0, 0.5)),
     ((0.9, 0.0), (1.0, 0.0))],
)  # fmt: skip
def test_the_nearest_place_on_an_outline(
    xy: tuple[float, float], expected: tuple[float, float]
) -> None:
    assert nearest_place(TABLE.box, np.array(xy)) == pytest.approx(expected)
    # The same turned by a quarter.
    turned = Box3D(TABLE.box.center, TABLE.box.size, math.pi / 2)
    quarter = np.array([(0.0, -1.0), (1.0, 0.0)])
    assert nearest_place(turned, quarter @ xy) == pytest.approx(quarter @ expected)


def test_a_line_leads_from_the_subject_to_the_object_and_says_what_it_is() -> None:
    (lamp,) = lines(draw(ROOM, Relation(3, "near", 2)))
    (line,), (word,), (title,) = (lamp.iter(SVG + tag) for tag in ("line", "text", "title"))
    x0, y0, x1, y1 = (float(line.attrib[name]) for name in ("x1", "y1", "x2", "y2"))
    assert x0 < x1
    assert y0 == y1
    assert (word.text, title.text) == ("near", "lamp 3 near table 2")
    assert lamp.attrib["class"] == "other"
    assert "marker-end" not in line.attrib


def test_what_carries_has_an_arrow_and_what_people_said_a_colour() -> None:
    on, tied = lines(draw(ROOM, Relation(1, "on", 2), Relation(3, "tied to", 1, source="user")))
    assert next(on.iter(f"{SVG}line")).attrib["marker-end"] == "url(#arrow-carrying)"
    assert tied.attrib["class"] == "user"


def test_no_line_leads_to_a_floor_and_one_to_a_wall() -> None:
    drawing = draw(ROOM, Relation(2, "on", -1), Relation(3, "hanging on", -2))
    assert [line.find(f"{SVG}title").text for line in lines(drawing)] == [
        "lamp 3 hanging on wall -2"
    ]


def test_floor_and_walls_are_drawn_and_not_named() -> None:
    ceiling = make_object(7, "ceiling", (0.0, 0.0, 2.4), (5.0, 5.0, 0.1))
    wall = make_object(8, "wall", (2.5, 0.0, 1.2), (0.1, 5.0, 2.4))
    objects = {**ROOM.objects, 7: ceiling, 8: wall}
    drawing = draw(replace(ROOM, objects=objects))
    parts = drawing.find(f"{SVG}g[@class='building']")
    assert [part.attrib["class"] for part in parts] == ["floor", "wall", "wall"]
    labels = {text.text for text in drawing.find(f"{SVG}g[@class='labels']").iter(f"{SVG}text")}
    assert labels == {"cup 1", "table 2", "lamp 3"}


def test_looking_at_some_objects_leaves_the_others_faint_and_nameless() -> None:
    drawing = draw(ROOM, only={1, 2})
    faint = [link.attrib["href"] for link in drawing.iter(f"{SVG}a") if "class" in link.attrib]
    assert faint == ["#object-3"]
    _, _, width, _ = map(float, drawing.attrib["viewBox"].split())
    _, _, whole, _ = map(float, draw(ROOM).attrib["viewBox"].split())
    scale, whole_scale = width / (2.0 + 1.2), whole / (5.0 + 1.2)  # two margins of 0.6 m
    assert scale >= whole_scale


def test_many_lines_go_without_words() -> None:
    count = 60
    objects = {i: make_object(i, "box", (i * 1.0, 0.0, 0.0)) for i in range(count + 1)}
    chain = [Relation(i, "near", i + 1) for i in range(count)]
    drawn = lines(draw(MemorySnapshot(1, 0, objects, (), None), *chain))
    assert len(drawn) == count
    assert not any(list(line.iter(f"{SVG}text")) for line in drawn)


def test_a_file_of_its_own_has_its_style_and_size() -> None:
    drawing = render_top_down(ROOM, colors_of(["cup", "table", "lamp"]))
    alone = ElementTree.fromstring(standalone_svg(drawing))
    inner = alone.find(f"{SVG}svg")
    assert inner.attrib["viewBox"] == f"0 0 {alone.attrib['width']} {alone.attrib['height']}"
    assert ".topdown" in (alone.find(f"{SVG}style").text or "")
