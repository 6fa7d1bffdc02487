"""How things stand, and where their long side points."""

from __future__ import annotations

import pytest

from scenemind.memory.attributes.orientation import long_side_deg, orientation_name
from tests.unit.memory.attributes.solids_seen import (
    Points,
    box,
    cylinder,
    form_of,
    table,
    turned,
)

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
def test_boards_and_sticks_tell_by_themselves(points: Points, posture: str) -> None:
    assert orientation_name(form_of(points), "thing") == posture


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
    assert orientation_name(form_of(points), label) == posture


@pytest.mark.parametrize("degrees", [0, 30, 60, 90, 135, 179])
def test_the_long_side_points_along_the_thing(degrees: int) -> None:
    seen = long_side_deg(form_of(turned(box((1.2, 0.4, 0.7)), axis=2, degrees=degrees)))
    assert seen is not None
    assert min((seen - degrees) % 180, (degrees - seen) % 180) <= 4


def test_a_square_thing_has_no_long_side() -> None:
    assert long_side_deg(form_of(box((0.5, 0.52, 1.0)))) is None
