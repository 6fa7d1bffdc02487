"""Lines over logarithmic axes."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from scenemind.report.curves import Chart, Series, render_curves
from scenemind.report.drawing import standalone_svg

SVG = "{http://www.w3.org/2000/svg}"
STEADY = Series("steady", ((1.0, 2.0), (10.0, 2.0), (100.0, 2.0)))
GROWING = Series("growing <b>", ((1.0, 2.0), (10.0, 20.0), (100.0, 200.0)))
CHART = Chart("Time & length", "of all", "frames", "seconds", (STEADY, GROWING))


def draw(*charts: Chart) -> ElementTree.Element:
    return ElementTree.fromstring(render_curves(charts))


def lines(drawing: ElementTree.Element) -> list[list[tuple[float, float]]]:
    polylines = (line.attrib["points"].split() for line in drawing.iter(f"{SVG}polyline"))
    return [[tuple(map(float, point.split(","))) for point in points] for points in polylines]


def test_equal_ratios_are_equally_far_apart_and_growth_is_a_straight_line():
    steady, growing = lines(draw(CHART))
    xs, ys = zip(*growing, strict=True)
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1])
    assert ys[0] - ys[1] == pytest.approx(ys[1] - ys[2], abs=0.2)
    assert ys[0] > ys[2]  # up is more
    assert len({y for _, y in steady}) == 1
    assert steady[0] == growing[0]


def test_ticks_are_powers_of_ten():
    texts = [text.text for text in draw(CHART).iter(f"{SVG}text")]
    assert texts[:2] == ["Time & length", "of all"]
    assert texts[2:9] == ["1", "10", "100", "1", "10", "100", "1,000"]


def test_names_of_lines_that_end_together_do_not_overlap():
    chart = Chart("a", "b", "c", "d", tuple(Series(n, ((1.0, 5.0),)) for n in "xyz"))
    names = [g.find(f"{SVG}text") for g in draw(chart).iter(f"{SVG}g") if "stroke" in g.attrib]
    heights = [float(name.attrib["y"]) for name in names]
    assert [b - a for a, b in pairwise(heights)] == [15.0, 15.0]


def test_a_chart_without_lines_is_empty():
    drawing = draw(Chart("a", "b", "c", "d", ()), CHART)
    assert len(lines(drawing)) == 2
    assert [text.text for text in drawing.iter(f"{SVG}text")][:2] == ["a", "b"]


def test_charts_stand_side_by_side_and_a_name_has_one_colour():
    drawing = draw(CHART, CHART)
    colors = [g.attrib["stroke"] for g in drawing.iter(f"{SVG}g") if "stroke" in g.attrib]
    assert colors[:2] == colors[2:]
    assert colors[0] != colors[1]
    first, _, third, _ = lines(drawing)
    assert third[0][0] > first[-1][0]
    assert "growing &lt;b&gt;" in standalone_svg(render_curves([CHART]))
