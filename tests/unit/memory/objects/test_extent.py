"""Boxes of objects in closed form, with what pictures and their kind add to the points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.objects.extent import BOX_STEP_M, box_of, is_too_wide
from scenemind.perception.standing import Stance
from tests.unit.memory.things import surface_points

FLOOR_Z, CELL_M = -1.5, 0.03
CHAIR = Stance((0.75, 1.10), (0.45, 0.65), on_floor=True)
TABLE = Stance((0.60, 0.95), on_floor=True, flat_top=True)
NOWHERE: NDArray[np.float32] = np.zeros((0, 6), np.float32)


def level(z: float, size: tuple[float, float]) -> NDArray[np.float32]:
    """Points 3 cm apart on a level rectangle about the origin."""
    x, y = (np.arange(-side / 2.0, side / 2.0, CELL_M) for side in size)
    grid = np.stack((*np.meshgrid(x, y), np.full((len(y), len(x)), z)), axis=-1)
    return grid.reshape(-1, 3).astype(np.float32)


def extent(points: NDArray[np.float32], stance: Stance | None, floor_z: float | None) -> Box3D:
    return box_of(points, NOWHERE, stance, floor_z, CELL_M)


def test_of_other_kinds_the_box_is_that_of_the_points() -> None:
    points = surface_points((0.0, 0.0, -1.0), (0.4, 0.6, 0.2), 100, 0)
    for stance, floor_z in ((None, FLOOR_Z), (CHAIR, None), (Stance((0.1, 0.3)), FLOOR_Z)):
        low, high = extent(points, stance, floor_z).bounds()
        np.testing.assert_allclose(low, points.min(axis=0), atol=BOX_STEP_M)
        np.testing.assert_allclose(high, points.max(axis=0), atol=BOX_STEP_M)


def test_a_back_rest_over_a_table_reaches_the_floor() -> None:
    points = surface_points((0.0, 0.0, FLOOR_Z + 0.75), (0.45, 0.05, 0.2), 100, 0)
    box = extent(points, CHAIR, FLOOR_Z)
    assert box.bottom_z == pytest.approx(FLOOR_Z, abs=BOX_STEP_M)
    assert box.top_z == pytest.approx(FLOOR_Z + 0.85, abs=2 * BOX_STEP_M)


def test_a_chair_on_a_table_stays_up_there() -> None:
    points = surface_points((0.0, 0.0, FLOOR_Z + 1.2), (0.45, 0.45, 0.9), 100, 0)
    assert extent(points, CHAIR, FLOOR_Z).bottom_z == pytest.approx(FLOOR_Z + 0.75, abs=0.01)


def test_a_table_ends_with_its_top_whatever_lies_on_it() -> None:
    top, crate = level(FLOOR_Z + 0.74, (1.6, 0.8)), level(FLOOR_Z + 1.1, (0.5, 0.4))
    box = extent(np.concatenate((top, crate)), TABLE, FLOOR_Z)
    assert box.top_z == pytest.approx(FLOOR_Z + 0.74, abs=CELL_M)
    assert box.bottom_z == pytest.approx(FLOOR_Z, abs=BOX_STEP_M)
    assert box.size[0] == pytest.approx(1.6, abs=2 * CELL_M)


@pytest.mark.parametrize("top_m", [0.68, 0.74, 0.80])
def test_a_cup_does_not_raise_a_table(top_m: float) -> None:
    """What stands on it is no higher than some tables are."""
    top, cup = level(FLOOR_Z + top_m, (1.6, 0.8)), level(FLOOR_Z + top_m + 0.12, (0.2, 0.2))
    box = extent(np.concatenate((top, cup)), TABLE, FLOOR_Z)
    assert box.top_z == pytest.approx(FLOOR_Z + top_m, abs=2 * BOX_STEP_M)


def test_what_has_no_level_top_at_a_tables_height_keeps_its_height() -> None:
    points = level(FLOOR_Z + 1.4, (1.0, 1.0))
    assert extent(points, TABLE, FLOOR_Z).top_z == pytest.approx(FLOOR_Z + 1.4, abs=0.01)


@given(st.floats(-3.0, 3.0), st.integers(1, 4))
def test_few_wrong_pictures_do_not_move_a_thing(shift_m: float, wrong: int) -> None:
    """Of nine places up to four are of something else; the slab of floor does not count."""
    true = np.array((-0.3, -0.3, FLOOR_Z, 0.3, 0.3, FLOOR_Z + 0.85), np.float32)
    places = np.tile(true, (9, 1))
    places[:wrong, [0, 3]] += shift_m
    slab = level(FLOOR_Z + 0.05, (1.5, 1.5))
    low, high = box_of(slab, places, CHAIR, FLOOR_Z, CELL_M).bounds()
    np.testing.assert_allclose((*low, *high), true, atol=2 * BOX_STEP_M)


def test_two_chairs_in_a_row_are_wider_than_one() -> None:
    one, two = level(FLOOR_Z, (0.65, 0.65)), level(FLOOR_Z, (0.65, 1.2))
    cup = Stance((0.07, 0.15), (0.06, 0.12))
    assert [is_too_wide(points, CHAIR) for points in (one, two)] == [False, True]
    assert not is_too_wide(two, TABLE)
    assert not is_too_wide(one, cup), "what stands on a table has no floor in its mask"
