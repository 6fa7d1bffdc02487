"""Relations that the simulation states, on cubes of known places."""

from __future__ import annotations

import pytest

from scenemind.geometry import Box3D
from scenemind.simulation.primitives import Cuboid
from scenemind.simulation.room import (
    SimObject,
    find_surely_closest,
    surely_apart,
    surely_higher,
    surely_next_to,
)


def cube_at(
    instance_id: int, x: float, on_wall: bool = False, bottom_z: float = 0.0, length: float = 1.0
) -> SimObject:
    """A cube of 1 m, or a longer block, whose centre is at x."""
    box = Box3D((x, 0.0, bottom_z + 0.5), (length, 1.0, 1.0))
    return SimObject(instance_id, "crate", "red", box, (Cuboid(box, (9, 9, 9)),), on_wall=on_wall)


ANCHOR = cube_at(1, 0.0)


@pytest.mark.parametrize(("x", "expected"), [(1.3, True), (1.4, False), (-1.3, True)])
def test_neighbours_have_hardly_a_gap(x: float, expected: bool):
    assert surely_next_to(cube_at(2, x), ANCHOR) is expected


def test_thing_on_a_wall_is_next_to_nothing():
    assert not surely_next_to(cube_at(2, 1.3, on_wall=True), ANCHOR)
    assert not surely_next_to(ANCHOR, ANCHOR)


@pytest.mark.parametrize(("x", "expected"), [(2.1, False), (2.3, True)])
def test_apart_is_more_than_near_allows(x: float, expected: bool):
    assert surely_apart(cube_at(2, x), ANCHOR) is expected


def test_the_closest_one_needs_a_lead():
    near, second, far = cube_at(2, 1.5), cube_at(3, -1.8), cube_at(4, 3.0)
    assert find_surely_closest(ANCHOR, [far, near]) == near
    assert find_surely_closest(ANCHOR, [far, second, near]) is None
    assert find_surely_closest(ANCHOR, [near]) is None


def test_the_closest_one_leads_by_surfaces_and_by_centres():
    """The long block's end is 1 m nearer than the cube, its centre 0.5 m farther."""
    assert find_surely_closest(ANCHOR, [cube_at(2, 3.0, length=4.0), cube_at(3, 2.5)]) is None


@pytest.mark.parametrize(("bottom_z", "expected"), [(0.9, False), (1.1, False), (1.3, True)])
def test_higher_is_above_the_top(bottom_z: float, expected: bool):
    assert surely_higher(cube_at(2, 3.0, bottom_z=bottom_z), ANCHOR) is expected
