"""The map from above: scale, places and what it must not let through."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from scenemind.geometry import Box3D
from scenemind.memory import MemorySnapshot, Stay
from scenemind.report import Run, TrueObject, colors_of
from scenemind.report.run_map import render_run_map

from .made import make_object, make_run

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
    """From the scale bar and what is written on it."""
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


def test_what_is_turned_is_drawn_turned() -> None:
    turned = Box3D((0.0, 3.0, 0.4), (2.0, 1.0, 0.8), np.pi / 6)
    table = replace(make_object(1, "table", turned.center), known_yaw_box=turned)
    drawing = draw(make_run([table]))
    (outline,) = outlines(drawing, "boxes")
    sides = np.diff(outline[[0, 1, 2]], axis=0) / px_per_m(drawing)
    assert np.linalg.norm(sides, axis=1) == pytest.approx((2.0, 1.0), abs=0.01)
    # The drawing's y goes down.
    assert np.arctan2(-sides[0, 1], sides[0, 0]) == pytest.approx(np.pi / 6, abs=0.01)


def test_places_that_were_left_are_outlined_with_what_happened() -> None:
    def left(object_id: int, label: str, x: float) -> Stay:
        return Stay(make_object(object_id, label, (x, 1.0, 0.5), (0.5, 0.5, 1.0)).box, 0, 5, 9)

    chair = replace(make_object(1, "chair", (3.0, 1.0, 0.5)), stays=(left(1, "chair", 1.0),))
    vase = replace(make_object(2, "vase", (-4.0, 1.0, 0.5)), stays=(left(2, "vase", -4.0),))
    snapshot = MemorySnapshot(1, 10, {1: chair}, (), None, {2: vase})
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


def test_ground_truth_lies_where_it_is() -> None:
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


def test_a_label_is_text_whatever_it_says() -> None:
    label = '</title><script>alert("x")</script>'
    drawing = draw(make_run([make_object(1, label, (0.0, 0.0, 0.0))]))
    assert not list(drawing.iter(f"{SVG}script"))
    assert any((text.text or "").startswith(label) for text in drawing.iter(f"{SVG}text"))


def test_an_empty_map_is_drawn() -> None:
    nothing = make_run(path=np.zeros((0, 3), np.float32), locations=())
    assert outlines(draw(nothing), "boxes") == []
    assert outlines(draw(nothing), "earlier") == []
