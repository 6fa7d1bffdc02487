"""Colours and places of labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.report.drawing import (
    HEIGHT_PX,
    Anchor,
    LabelPlace,
    colors_of,
    overlap,
    place_labels,
    rgb_of,
    text_px,
)


def contrast_with_white(color: str) -> float:
    """WCAG 2.1's contrast ratio."""
    channels = [value / 255 for value in rgb_of(color)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return 1.05 / (luminance + 0.05)


LABELS = [f"label {number}" for number in range(40)]


def test_labels_differ_in_colour() -> None:
    assert len(set(colors_of(LABELS).values())) == len(LABELS)


def test_the_order_of_objects_does_not_matter() -> None:
    labels = ["cup", "chair", "chair", "table"]
    assert colors_of(labels) == colors_of(labels[::-1])


@pytest.mark.parametrize("color", colors_of(LABELS).values())
def test_white_text_can_be_read_on_it(color: str) -> None:
    assert contrast_with_white(color) >= 4.5


SIZE = 600.0
coordinate = st.floats(0.0, SIZE)
half = st.floats(1.0, 80.0)
anchors = st.lists(
    st.builds(Anchor, st.text("abc ", min_size=1, max_size=18), coordinate, coordinate, half, half),
    max_size=25,
)
Rectangle = tuple[float, float, float, float]


def rectangle(anchor: Anchor, place: LabelPlace) -> Rectangle:
    reach = text_px(anchor.text) / 2
    return (
        place.x - reach,
        place.y - HEIGHT_PX / 2,
        place.x + reach,
        place.y + HEIGHT_PX / 2,
    )


def apart(a: Rectangle, b: Rectangle) -> bool:
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_rectangles_that_touch_do_not_overlap() -> None:
    square = (0.0, 0.0, 10.0, 10.0)
    assert not overlap(square, (10.0, 0.0, 20.0, 10.0))
    assert not overlap((10.0, 0.0, 20.0, 10.0), square)
    assert not overlap(square, (0.0, 10.0, 10.0, 20.0))
    assert overlap(square, (9.9, 9.9, 20.0, 20.0))


@given(anchors, st.lists(st.tuples(coordinate, coordinate), max_size=5))
def test_labels_keep_out_of_free_space(
    things: list[Anchor], corners: list[tuple[float, float]]
) -> None:
    free = [(x, y, x + 90.0, y + 40.0) for x, y in corners]
    places = place_labels(things, SIZE, SIZE, free)
    drawn = [rectangle(a, p) for a, p in zip(things, places, strict=True) if p is not None]
    assert all(apart(a, b) for a in drawn for b in free)


@given(anchors)
def test_no_label_covers_another(things: list[Anchor]) -> None:
    places = place_labels(things, SIZE, SIZE)
    drawn = [rectangle(a, p) for a, p in zip(things, places, strict=True) if p is not None]
    assert all(apart(a, b) for i, a in enumerate(drawn) for b in drawn[:i])


@given(anchors)
def test_labels_stay_within_the_drawing(things: list[Anchor]) -> None:
    for anchor, place in zip(things, place_labels(things, SIZE, SIZE), strict=True):
        if place is not None:
            x0, y0, x1, y1 = rectangle(anchor, place)
            assert x0 >= 0.0
            assert y0 >= 0.0
            assert x1 <= SIZE
            assert y1 <= SIZE


def test_a_label_that_fits_stands_in_the_middle_of_its_object() -> None:
    (place,) = place_labels([Anchor("table", 300.0, 200.0, 100.0, 50.0)], SIZE, SIZE)
    assert place == LabelPlace(300.0, 200.0, needs_line=False)


def test_a_label_that_must_go_far_gets_a_line() -> None:
    crowd = [Anchor(f"thing {i}", 300.0, 300.0, 2.0, 2.0) for i in range(8)]
    places = place_labels(crowd, SIZE, SIZE)
    assert None not in places
    assert any(place.needs_line for place in places if place)
