"""Graded relations of boxes, on boxes whose relations can be seen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.reasoning.symbolic.referring.sides import along, beside, looking
from scenemind.reasoning.symbolic.referring.space import Space

# A table in the middle, a cup on it, a lamp above it, a box under it, a shelf in a corner, a chair
# at the table's end, one at its long side.
NAMES = ("table", "cup", "lamp", "box", "shelf", "end chair", "side chair")
CENTERS = np.array(
    [
        *((0, 0, 0.7), (0.5, 0, 0.8), (0, 0, 2), (0, 0, 0.2)),
        *((3.7, 2.7, 1), (1.4, 0, 0.5), (0, 0.9, 0.5)),
    ]
)
SIZES = np.array(
    [
        *((2, 1, 0.1), (0.1, 0.1, 0.1), (0.3, 0.3, 0.3), (0.4, 0.4, 0.4)),
        *((0.6, 0.6, 2), (0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
    ]
)


@pytest.fixture
def space() -> Space:
    low, high = CENTERS - SIZES / 2, CENTERS + SIZES / 2
    corners = np.array([(-4, -3, 0), (4, 3, 0)], float)
    return Space(np.vstack((low, corners)), np.vstack((high, corners)))


def best(scores: np.ndarray) -> str:
    return NAMES[int(np.argmax(scores[1 : len(NAMES)])) + 1]


def test_each_relation_fits_the_thing_that_stands_so(space: Space) -> None:
    assert best(space.on(0)) == "cup"
    assert best(space.above(0)) == "lamp"
    assert best(space.below(0)) == "box"
    assert best(space.at_end(0)) == "end chair"
    assert best(space.in_corner(0.8)) == "shelf"
    assert best(space.between(0, 5)) == "cup"


def test_distances_are_between_surfaces(space: Space) -> None:
    assert space.gaps_m(0)[5] == pytest.approx(0.15)
    assert space.level_gaps_m(0)[2] == 0.0


def test_left_is_left_of_who_looks(space: Space) -> None:
    """From the south, looking north, the chair at the table's end is to the right of it."""
    onlooker = looking(np.array((0.0, -3.0)), np.array((0.0, 0.0)), 1.0)
    assert beside(space, 0, "right", onlooker)[5] > 0.5 > beside(space, 0, "left", onlooker)[5]
    assert beside(space, 0, "back", onlooker)[6] > 0.5 > beside(space, 0, "front", onlooker)[6]
    assert along(space, "right", onlooker)[5] == pytest.approx(1.4)


def test_who_looks_at_their_own_place_is_not_sure(space: Space) -> None:
    nowhere = looking(np.zeros(2), np.zeros(2), 1.0)
    assert nowhere.sure == 0.0
    assert np.allclose(beside(space, 0, "left", nowhere), beside(space, 0, "right", nowhere))


@given(st.floats(0, 2 * np.pi), st.integers(0, 6))
def test_left_and_right_change_when_one_turns_around(angle: float, anchor: int) -> None:
    low, high = CENTERS - SIZES / 2, CENTERS + SIZES / 2
    space = Space(low, high)
    ahead = np.array((np.cos(angle), np.sin(angle)))
    there, back = (looking(np.zeros(2), sign * ahead, 1.0) for sign in (1.0, -1.0))
    for one, other in (("left", "right"), ("front", "back")):
        assert np.allclose(beside(space, anchor, one, there), beside(space, anchor, other, back))
