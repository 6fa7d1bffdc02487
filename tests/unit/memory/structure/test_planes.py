"""Floor and ceiling by their heights: rooms in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.memory.structure.planes import (
    ceiling_plane,
    find_ceiling_z,
    find_floor_z,
    floor_plane,
)
from scenemind.memory.structure.tiles import Tiles
from tests.unit.memory.structure.surfaces import level, room, tiles_of, turned


@pytest.mark.parametrize("floor_z", [0.0, -1.53, 12.34])
def test_floor_is_the_lowest_large_level_not_the_table(floor_z):
    table = level((0.0, 2.0), (0.0, 1.5), floor_z + 0.74)
    tiles = tiles_of(*room((4.0, 3.0), z=floor_z), table, noise_m=0.01)
    assert find_floor_z(tiles) == pytest.approx(floor_z, abs=0.005)


def test_a_few_places_below_the_floor_do_not_lower_it():
    reflection = level((1.0, 1.5), (1.0, 1.5), -0.9)
    assert find_floor_z(tiles_of(*room((4.0, 3.0)), reflection)) == pytest.approx(0.0, abs=0.005)


def test_a_table_top_is_no_floor_while_the_wall_goes_on_below_it():
    _, *walls = room((3.0, 3.0))
    table = level((-0.5, 0.5), (-0.5, 0.5), 0.74)
    assert find_floor_z(tiles_of(table, *walls)) is None


def test_nothing_seen_gives_no_floor():
    assert find_floor_z(Tiles()) is None
    assert find_floor_z(tiles_of(level((0.0, 0.5), (0.0, 0.5), 0.0))) is None


def test_ceiling_is_the_highest_large_level_that_faces_down():
    under_table = level((0.0, 2.0), (0.0, 1.5), 0.72, up=False)
    lamp = level((0.0, 0.5), (0.0, 0.5), 2.2, up=False)
    ceiling = level((-2.0, 2.0), (-1.5, 1.5), 2.61, up=False)
    without = tiles_of(*room((4.0, 3.0)), under_table)
    assert find_ceiling_z(without, 0.0) is None
    tiles = tiles_of(*room((4.0, 3.0)), under_table, lamp, ceiling)
    assert find_ceiling_z(tiles, 0.0) == pytest.approx(2.61, abs=0.005)
    surface = ceiling_plane(tiles, 2.61, 0.0)
    assert surface.normal == (0.0, 0.0, -1.0)
    assert surface.seen_m2 == pytest.approx(12.0, rel=0.05)


@pytest.mark.parametrize("yaw_deg", [0.0, 30.0, -44.0])
def test_floor_is_the_rectangle_of_its_seen_points(yaw_deg):
    yaw, shift = np.deg2rad(yaw_deg), (3.0, -5.0)
    tiles = tiles_of(turned(level((-2.0, 2.0), (-1.0, 1.0), 0.05), yaw, shift))
    surface = floor_plane(tiles, 0.05, yaw)
    assert surface.box.center == pytest.approx((*shift, 0.05), abs=0.03)
    assert surface.box.size[:2] == pytest.approx((4.0, 2.0), abs=0.06)
    assert surface.seen_m2 == pytest.approx(8.0, rel=0.1)
