"""Shapes of solids whose shape is known, seen whole and in part, with a camera's noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory.attributes.shapes import shape_name
from tests.unit.memory.attributes.solids_seen import (
    Points,
    box,
    cylinder,
    form_of,
    sphere,
    table,
    turned,
)

SOLIDS: list[tuple[str | None, Points]] = [
    ("box-shaped", box((0.4, 0.3, 0.25))),
    ("box-shaped", box((0.6, 0.5, 1.7))),
    ("box-shaped", box((0.5, 0.5, 0.5), faces="XYZ")),  # three sides, as a camera sees it
    ("cylindrical", cylinder(0.15, 0.4)),
    ("cylindrical", cylinder(0.2, 0.5, -100, 100)),  # one side and the top
    ("cylindrical", turned(cylinder(0.15, 0.5), axis=1, degrees=90)),  # lying
    ("round", sphere(0.12)),
    ("round", sphere(0.3)[sphere(0.3) @ (0.6, 0.0, 0.8) > 0.0]),  # the half that is seen
    ("flat and rectangular", box((0.9, 0.02, 0.6))),
    ("flat and rectangular", box((1.2, 0.02, 0.8), faces="Y")),
    ("flat and round", cylinder(0.4, 0.02)),
    ("flat and round", turned(cylinder(0.25, 0.02), axis=0, degrees=90)),  # a clock on a wall
    ("flat", turned(cylinder(0.3, 0.02), axis=0, degrees=90) * (1.0, 1.0, 0.5)),  # an oval
    ("long", box((0.04, 0.04, 1.3))),
    (None, table(1.2, 0.8, 0.72)),
    (None, table(0.45, 0.45, 0.5)),  # its legs lie on a circle
    (None, np.vstack((sphere(0.2), box((0.3, 0.1, 0.9))))),
]


@pytest.mark.parametrize(("shape", "points"), SOLIDS)
@pytest.mark.parametrize("yaw_deg", [0.0, 30.0])
def test_the_shape_of_a_solid(shape: str | None, points: Points, yaw_deg: float) -> None:
    assert shape_name(form_of(turned(points, axis=2, degrees=yaw_deg))) == shape


@given(st.floats(0.15, 0.4), st.floats(0.15, 0.4), st.floats(0.0, 90.0), st.integers(0, 9))
def test_a_box_is_never_round(width: float, height: float, yaw_deg: float, seed: int) -> None:
    points = turned(box((0.3, width, height)), axis=2, degrees=yaw_deg)
    assert shape_name(form_of(points, seed=seed)) in ("box-shaped", None)


@pytest.mark.parametrize("points", [box((0.08, 0.08, 0.1)), sphere(0.04), np.zeros((1, 3))])
def test_too_small_to_tell(points: Points) -> None:
    assert shape_name(form_of(points)) is None
