"""The map from above."""

from __future__ import annotations

import base64
import math
from dataclasses import replace
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest

from scenemind.geometry import Box3D
from scenemind.memory import MemorySnapshot, Relation, Stay
from scenemind.report.content import Run, TrueObject
from scenemind.report.drawing import colors_of, drawing_size, standalone_svg
from scenemind.report.page import render_page
from scenemind.report.topdown import MapLayers, nearest_place, render_run_map, render_top_down
from scenemind.surface import Ground
from tests.unit.report.made import make_key_frame, make_object, make_run
from tests.unit.report.test_levels import FLOOR, WALL

SVG = "{http://www.w3.org/2000/svg}"


def draw(run: Run) -> ElementTree.Element:
    return ElementTree.fromstring(render_run_map(run, colors_of(run.labels())))


def group(drawing: ElementTree.Element, name: str) -> ElementTree.Element:
    found = drawing.find(f".//{SVG}g[@class='{name}']")
    assert found is not None
    return found


def outlines(drawing: ElementTree.Element, name: str) -> list[np.ndarray]:
    polygons = group(drawing, name).iter(f"{SVG}polygon")
    return [
        np.array([pair.split(",") for pair in polygon.attrib["points"].split()], dtype=float)
        for polygon in polygons
    ]


def px_per_m(drawing: ElementTree.Element) -> float:
    """The scale, from the scale bar and its label."""
    scale = group(drawing, "scale")
    bar, text = scale.find(f"{SVG}path"), scale.find(f"{SVG}text")
    assert bar is not None
    assert text is not None
    pixels = bar.attrib["d"].split("H")[1].split()[0]
    return float(pixels) / float((text.text or "").split()[0])


def test_boxes_have_their_true_size_by_the_scale_bar() -> None:
    drawing = draw(make_run([make_object(1, "table", (0.0, 3.0, 0.4), (2.0, 1.0, 0.8))]))
    (outline,) = outlines(drawing, "boxes")
    width, height = np.ptp(outline, axis=0) / px_per_m(drawing)
    assert (width, height) == pytest.approx((2.0, 1.0), abs=0.01)


def test_turned_boxes_are_drawn_turned() -> None:
    turned = Box3D((0.0, 3.0, 0.4), (2.0, 1.0, 0.8), np.pi / 6)
    table = replace(make_object(1, "table", turned.center), known_yaw_box=turned)
    drawing = draw(make_run([table]))
    (outline,) = outlines(drawing, "boxes")
    sides = np.diff(outline[[0, 1, 2]], axis=0) / px_per_m(drawing)
    assert np.linalg.norm(sides, axis=1) == pytest.approx((2.0, 1.0), abs=0.01)
    # The drawing's y goes down.
    assert np.arctan2(-sides[0, 1], sides[0, 0]) == pytest.approx(np.pi / 6, abs=0.01)


def test_earlier_places_of_things_are_outlined_with_the_change() -> None:
    def left(object_id: int, label: str, x: float) -> Stay:
        return Stay(make_object(object_id, label, (x, 1.0, 0.5), (0.5, 0.5, 1.0)).box, 0, 5, 9)

    chair = replace(make_object(1, "chair", (3.0, 1.0, 0.5)), stays=(left(1, "chair", 1.0),))
    vase = replace(make_object(2, "vase", (-4.0, 1.0, 0.5)), stays=(left(2, "vase", -4.0),))
    guest = replace(make_object(3, "person", (0.0, 1.0, 0.5)), stays=(left(3, "person", 0.0),))
    snapshot = MemorySnapshot(1, 10, {1: chair}, (), None, {2: vase, 3: guest})
    drawing = draw(make_run(snapshot=snapshot))
    assert [title.text for title in group(drawing, "earlier").iter(f"{SVG}title")] == [
        "chair 1 was here before it moved",
        "vase 2 was here and is gone",
    ]
    (now,), (before, gone) = outlines(drawing, "boxes"), outlines(drawing, "earlier")
    assert (now - before).mean(axis=0) / px_per_m(drawing) == pytest.approx((2.0, 0.0), abs=0.01)
    assert (gone >= 0.0).all()


def test_x_goes_right_and_y_goes_up() -> None:
    drawing = draw(
        make_run([make_object(1, "left", (-2.0, 0.0, 0.0)), make_object(2, "up", (1.0, 3.0, 0.0))])
    )
    left, up = (outline.mean(axis=0) for outline in outlines(drawing, "boxes"))
    dx, dy = (up - left) / px_per_m(drawing)
    assert (dx, dy) == pytest.approx((3.0, -3.0), abs=0.01)


def test_small_things_are_drawn_above_large_ones() -> None:
    table = make_object(2, "table", (0.0, 2.0, 0.4), (2.0, 1.0, 0.8))
    cup = make_object(1, "cup", (0.0, 2.0, 0.9), (0.1, 0.1, 0.1))
    sizes = [np.ptp(o, axis=0).prod() for o in outlines(draw(make_run([cup, table])), "boxes")]
    assert sizes == sorted(sizes, reverse=True)


def test_ground_truth_is_drawn_at_its_place() -> None:
    box = Box3D((1.0, 1.0, 0.5), (1.0, 1.0, 1.0))
    truth = (TrueObject("table", box, True, 1, "table", 1.0),)
    drawing = draw(make_run([make_object(1, "table", box.center, box.size)], truth=truth))
    assert np.array_equal(outlines(drawing, "truth"), outlines(drawing, "boxes"))


def test_everything_lies_within_the_drawing() -> None:
    things = [make_object(i, "thing", (4.0 * np.cos(i), 9.0 * np.sin(i), 0.0)) for i in range(12)]
    drawing = draw(make_run(things))
    _, _, width, height = map(float, drawing.attrib["viewBox"].split())
    points = np.vstack(outlines(drawing, "boxes"))
    assert (points >= 0.0).all()
    assert (points <= (width, height)).all()


def test_any_label_is_drawn_as_text() -> None:
    label = '</title><script>alert("x")</script>'
    drawing = draw(make_run([make_object(1, label, (0.0, 0.0, 0.0))]))
    assert not list(drawing.iter(f"{SVG}script"))
    assert any((text.text or "").startswith(label) for text in drawing.iter(f"{SVG}text"))


def test_an_empty_map_is_drawn() -> None:
    nothing = make_run(path=np.zeros((0, 3), np.float32), locations=())
    assert outlines(draw(nothing), "boxes") == []
    assert outlines(draw(nothing), "earlier") == []


CUP = make_object(1, "cup", (0.5, 0.0, 0.8), (0.1, 0.1, 0.1))
TABLE = make_object(2, "table", (0.0, 0.0, 0.4), (2.0, 1.0, 0.8))
LAMP = make_object(3, "lamp", (-2.0, 0.0, 1.0), (0.2, 0.2, 0.5))
ROOM = MemorySnapshot(1, 0, {1: CUP, 2: TABLE, 3: LAMP}, (), None, structure={-1: FLOOR, -2: WALL})


def draw_relations(
    snapshot: MemorySnapshot, *relations: Relation, **more: object
) -> ElementTree.Element:
    colors = colors_of(thing.label for thing in snapshot.objects.values())
    return ElementTree.fromstring(
        render_top_down(snapshot, colors, MapLayers(relations=relations, **more))
    )


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


def test_line_of_a_relation_leads_from_subject_to_object_with_its_name() -> None:
    (lamp,) = lines(draw_relations(ROOM, Relation(3, "near", 2)))
    (line,), (word,), (title,) = (lamp.iter(SVG + tag) for tag in ("line", "text", "title"))
    x0, y0, x1, y1 = (float(line.attrib[name]) for name in ("x1", "y1", "x2", "y2"))
    assert x0 < x1
    assert y0 == y1
    assert (word.text, title.text) == ("near", "lamp 3 near table 2")
    assert lamp.attrib["class"] == "other"
    assert "marker-end" not in line.attrib


def test_support_has_an_arrow_and_a_stated_relation_a_colour() -> None:
    on, tied = lines(
        draw_relations(ROOM, Relation(1, "on", 2), Relation(3, "tied to", 1, source="user"))
    )
    assert next(on.iter(f"{SVG}line")).attrib["marker-end"] == "url(#arrow-carrying)"
    assert tied.attrib["class"] == "user"


def test_no_line_leads_to_a_floor_and_one_to_a_wall() -> None:
    drawing = draw_relations(ROOM, Relation(2, "on", -1), Relation(3, "hanging on", -2))
    assert [line.find(f"{SVG}title").text for line in lines(drawing)] == [
        "lamp 3 hanging on wall -2"
    ]


def test_floor_and_walls_are_drawn_and_not_named() -> None:
    ceiling = make_object(7, "ceiling", (0.0, 0.0, 2.4), (5.0, 5.0, 0.1))
    wall = make_object(8, "wall", (2.5, 0.0, 1.2), (0.1, 5.0, 2.4))
    objects = {**ROOM.objects, 7: ceiling, 8: wall}
    drawing = draw_relations(replace(ROOM, objects=objects))
    parts = drawing.find(f"{SVG}g[@class='building']")
    assert [part.attrib["class"] for part in parts] == ["floor", "wall", "wall"]
    labels = {text.text for text in drawing.find(f"{SVG}g[@class='labels']").iter(f"{SVG}text")}
    assert labels == {"cup 1", "table 2", "lamp 3"}


def test_looking_at_some_objects_leaves_the_others_faint_and_nameless() -> None:
    drawing = draw_relations(ROOM, only={1, 2})
    faint = [link.attrib["href"] for link in drawing.iter(f"{SVG}a") if "class" in link.attrib]
    assert faint == ["#object-3"]
    _, _, width, _ = map(float, drawing.attrib["viewBox"].split())
    _, _, whole, _ = map(float, draw_relations(ROOM).attrib["viewBox"].split())
    scale, whole_scale = width / (2.0 + 1.2), whole / (5.0 + 1.2)  # two margins of 0.6 m
    assert scale >= whole_scale


def test_many_lines_go_without_words() -> None:
    count = 60
    objects = {i: make_object(i, "box", (i * 1.0, 0.0, 0.0)) for i in range(count + 1)}
    chain = [Relation(i, "near", i + 1) for i in range(count)]
    drawn = lines(draw_relations(MemorySnapshot(1, 0, objects, (), None), *chain))
    assert len(drawn) == count
    assert not any(list(line.iter(f"{SVG}text")) for line in drawn)


def test_a_file_of_its_own_has_its_style_and_size() -> None:
    drawing = render_top_down(ROOM, colors_of(["cup", "table", "lamp"]))
    alone = ElementTree.fromstring(standalone_svg(drawing))
    inner = alone.find(f"{SVG}svg")
    assert inner.attrib["viewBox"] == f"0 0 {alone.attrib['width']} {alone.attrib['height']}"
    assert ".topdown" in (alone.find(f"{SVG}style").text or "")


def test_some_objects_are_looked_at_from_near() -> None:
    """The cup is 0.1 m wide and has margins of 0.6 m, at 160 px a metre at most."""
    colors = colors_of(["cup", "table", "lamp"])
    width, height = drawing_size(render_top_down(ROOM, colors, MapLayers(only={1})))
    assert (width, height) == pytest.approx((208.0, 208.0), abs=1.0)
    marked = MapLayers(only={1}, key_frames=(make_key_frame({}),))
    assert drawing_size(render_top_down(ROOM, colors, marked))[0] > 400.0


def test_the_ground_shows_the_highest_point_of_each_place_in_its_colour() -> None:
    """A metre of red floor with half a metre of blue table above its right half."""
    at = (np.arange(40) + 0.5) / 40.0
    floor = np.array([(x, y, 0.0) for x in at for y in at], np.float32)
    table = np.array([(x, y, 0.7) for x in at[20:] for y in at], np.float32)
    rgb = np.array([(255, 0, 0)] * len(floor) + [(0, 0, 255)] * len(table), np.uint8)
    things = [make_object(1, "table", (0.75, 0.5, 0.35), (0.5, 1.0, 0.7))]
    ground = Ground(np.concatenate((table, floor)), np.concatenate((rgb[1600:], rgb[:1600])), 0.025)
    drawing = draw(make_run(things, ground=ground))
    image = drawing.find(f".//{SVG}image[@class='ground']")
    assert image is not None
    data = base64.b64decode(image.attrib["href"].split(",")[1])
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    (outline,) = outlines(drawing, "boxes")
    (x0, y0), (x1, y1) = outline.min(axis=0), outline.max(axis=0)
    scale = picture.shape[1] / float(image.attrib["width"])
    row, right = round((y0 + y1) / 2 * scale), round((x0 + x1) / 2 * scale)
    left = round((x0 - 0.25 * px_per_m(drawing)) * scale)
    outside = round((x1 + 0.25 * px_per_m(drawing)) * scale)
    blue, red = picture[row, right], picture[row, left]
    assert (blue[3], red[3], picture[row, outside, 3]) == (255, 255, 0)
    assert blue[0] > 200 > 60 > blue[2]
    assert red[2] > 200 > 60 > red[0]


def test_a_map_of_points_says_so_once() -> None:
    ground = Ground(np.zeros((1, 3), np.float32), np.zeros((1, 3), np.uint8), 0.025, "type this")
    assert render_page(make_run(ground=ground)).count("as the points of its frames") == 1
    assert "points of its frames" not in render_page(make_run(ground=replace(ground, note="")))
