"""Labels never cover each other, and stay within the drawing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scenemind.report.label_places import CHARACTER_PX, HEIGHT_PX, Anchor, LabelPlace, place_labels

SIZE = 600.0
coordinate = st.floats(0.0, SIZE)
half = st.floats(1.0, 80.0)
anchors = st.lists(
    st.builds(Anchor, st.text("abc ", min_size=1, max_size=18), coordinate, coordinate, half, half),
    max_size=25,
)

Rectangle = tuple[float, float, float, float]


def rectangle(anchor: Anchor, place: LabelPlace) -> Rectangle:
    reach = len(anchor.text) * CHARACTER_PX / 2
    return (
        place.x - reach,
        place.y - HEIGHT_PX / 2,
        place.x + reach,
        place.y + HEIGHT_PX / 2,
    )


def apart(a: Rectangle, b: Rectangle) -> bool:
    return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


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
