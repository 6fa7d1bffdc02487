"""Shapes and orientation of solids whose form is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.geometry import Box3D
from scenemind.memory.attributes.form import (
    Form,
    _long_side_deg,
    _orientation_name,
    _shape_name,
)
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
    assert _shape_name(form_of(turned(points, axis=2, degrees=yaw_deg))) == shape


@given(st.floats(0.15, 0.4), st.floats(0.15, 0.4), st.floats(0.0, 90.0), st.integers(0, 9))
def test_a_box_is_never_round(width: float, height: float, yaw_deg: float, seed: int) -> None:
    points = turned(box((0.3, width, height)), axis=2, degrees=yaw_deg)
    assert _shape_name(form_of(points, seed=seed)) in ("box-shaped", None)


@pytest.mark.parametrize("points", [box((0.08, 0.08, 0.1)), sphere(0.04), np.zeros((1, 3))])
def test_small_things_have_no_form(points: Points) -> None:
    assert _shape_name(form_of(points)) is None


BOARD, STICK = box((0.8, 0.02, 0.6)), box((0.04, 0.04, 1.4))


@pytest.mark.parametrize(
    ("points", "posture"),
    [
        (BOARD, "upright"),
        (turned(BOARD, axis=0, degrees=10), "upright"),
        (turned(BOARD, axis=0, degrees=45), "leaning"),
        (turned(BOARD, axis=0, degrees=90), "lying"),
        (turned(BOARD, axis=2, degrees=37), "upright"),
        (STICK, "upright"),
        (turned(STICK, axis=1, degrees=40), "leaning"),
        (turned(STICK, axis=1, degrees=85), "lying"),
    ],
)
def test_boards_and_sticks_have_a_posture_without_a_label(points: Points, posture: str) -> None:
    assert _orientation_name(form_of(points), "thing") == posture


@pytest.mark.parametrize(
    ("label", "points", "posture"),
    [
        ("bottle", cylinder(0.05, 0.3), "upright"),
        ("bottle", turned(cylinder(0.05, 0.3), axis=0, degrees=90), "lying"),
        ("trash can", cylinder(0.15, 0.4), "upright"),
        ("chair", box((0.45, 0.45, 0.9)), "upright"),
        ("chair", box((0.9, 0.45, 0.45)), "lying"),
        ("chair", box((1.4, 0.5, 0.85)), None),  # two chairs in one
        ("chair", box((0.45, 0.4, 0.2)), None),  # a seat
        ("table", table(1.2, 0.8, 0.7), None),  # a table that stands is not "lying"
        ("couch", box((1.9, 0.9, 0.8)), None),
        ("box", box((0.4, 0.3, 0.3)), None),
    ],
)
def test_kinds_that_stand_tall(label: str, points: Points, posture: str | None) -> None:
    assert _orientation_name(form_of(points), label) == posture


@pytest.mark.parametrize("degrees", [0, 30, 60, 90, 135, 179])
def test_the_long_side_points_along_the_thing(degrees: int) -> None:
    seen = _long_side_deg(form_of(turned(box((1.2, 0.4, 0.7)), axis=2, degrees=degrees)))
    assert seen is not None
    assert min((seen - degrees) % 180, (degrees - seen) % 180) <= 4


def test_a_square_thing_has_no_long_side() -> None:
    assert _long_side_deg(form_of(box((0.5, 0.52, 1.0)))) is None


def test_of_what_hangs_in_its_box_depth_showed_as_much_as_the_points_span() -> None:
    """A back rest over a table: its box reaches the floor, and the points are its upper third."""
    back_rest = box((0.45, 0.45, 0.3))
    back_rest[:, 2] += 0.75
    chair = Box3D.from_bounds((-0.23, -0.23, 0.0), (0.23, 0.23, 0.9))
    whole = Box3D.from_bounds((-0.23, -0.23, 0.6), (0.23, 0.23, 0.9))
    assert Form(back_rest, chair, 0.03).measured_share == pytest.approx(1 / 3, abs=0.02)
    assert Form(back_rest, whole, 0.03).measured_share == pytest.approx(1.0)


def test_the_foot_of_a_thing_that_pictures_place_is_its_support() -> None:
    foot = box((0.45, 0.45, 0.01))
    place = Box3D.from_bounds((-0.23, -0.23, 0.0), (0.23, 0.23, 0.9))
    assert Form(foot, place, 0.03, is_placed=True).measured_share == 0.0
