"""Names that fit into a view."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scenemind.viewer.name_tags import MARKED, PLAIN, RELATED, View, letters_of, names_that_fit

# From the origin along x; right is -y, down is -z.
FORWARD = np.array([(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)])
VIEW = View(FORWARD, np.zeros(3), 1.0, 1200, 800)
Place = tuple[float, float, float]


def fit(places: list[Place], sizes: list[float], ranks: list[int]) -> list[int]:
    shown = np.array(places, np.float32).reshape(-1, 3)
    return names_that_fit(VIEW, shown, np.array(sizes, np.float32), [8] * len(places), ranks)


def test_larger_thing_keeps_its_name_where_names_overlap() -> None:
    assert fit([(5, 0, 0), (5, 0.01, 0), (5, 2, 0)], [0.3, 0.6, 0.2], [PLAIN] * 3) == [1, 2]


def test_marked_object_is_named_first() -> None:
    places = [(2.0, 0.0, 0.0)] * 3
    assert fit(places, [1.0, 0.1, 0.5], [PLAIN, MARKED, RELATED]) == [1]


def test_things_outside_of_the_picture_have_no_name() -> None:
    assert fit([(-3, 0, 0), (3, 9, 0), (3, 0, 9)], [1.0] * 3, [MARKED] * 3) == []


def test_a_name_that_the_edge_would_cut_is_shown_only_when_it_matters() -> None:
    at_the_edge = (5.0, -3.9, 0.0)  # 571 of the 600 pixels to the right, with a name of 64
    assert fit([at_the_edge], [1.0], [PLAIN]) == []
    assert fit([at_the_edge], [1.0], [MARKED]) == [0]


def test_tiny_things_are_named_only_when_they_matter() -> None:
    places = [(30.0, 0.0, 0.0), (30.0, 4.0, 0.0)]
    assert fit(places, [0.05, 0.05], [PLAIN, RELATED]) == [1]


@given(st.lists(st.tuples(st.floats(1, 9), st.floats(-4, 4), st.floats(-3, 3)), max_size=60))
def test_no_two_names_overlap(places: list[Place]) -> None:
    kept = fit(places, [0.5] * len(places), [PLAIN] * len(places))
    shown = np.array(places, np.float64).reshape(-1, 3)[kept]
    focal_px = 400.0 / np.tan(0.5)
    u, v = -focal_px * shown[:, 1] / shown[:, 0], -focal_px * shown[:, 2] / shown[:, 0]
    for i in range(len(kept)):
        apart = (np.abs(u - u[i]) > 60.0) | (np.abs(v - v[i]) > 16.0)
        assert apart.sum() == len(kept) - 1


def test_signs_that_are_drawn_wider_count_for_more() -> None:
    assert letters_of("cup 1") == 5.0
    assert letters_of("机 1") > letters_of("j 1")
    assert letters_of("WWW") > letters_of("Cup") > letters_of("cup")


def test_views_are_alike_only_if_equal() -> None:
    assert VIEW.is_like(VIEW)
    assert not VIEW.is_like(None)
    assert not VIEW.is_like(View(FORWARD, np.array([0.0, 0.1, 0.0]), 1.0, 1200, 800))
    assert not VIEW.is_like(View(FORWARD, np.zeros(3), 1.0, 1200, 700))
