"""Each relation in closed-form scenes, with the peers' known mistakes as cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations import nearness, vertical
from scenemind.memory.graph.relations.level_surface import level_surface_z

CONFIG = RelationConfig()
TABLE = (-0.8, -0.4, 0.0, 0.8, 0.4, 0.75)
CHAIR = (-0.25, -0.25, 0.0, 0.25, 0.25, 0.9)
BOWL = (-0.1, -0.1, 0.75, 0.1, 0.1, 0.85)


def at(
    x: float, y: float, bottom: float, side: float = 0.1, height: float = 0.1
) -> tuple[float, ...]:
    """A box on a square footprint around (x, y)."""
    return (x - side / 2, y - side / 2, bottom, x + side / 2, y + side / 2, bottom + height)


def row(box: tuple[float, ...]) -> np.ndarray:
    return np.array([box], dtype=np.float64)


def on(upper: tuple[float, ...], lower: tuple[float, ...]) -> float:
    return float(vertical.on(row(upper), row(lower), CONFIG)[0])


@pytest.mark.parametrize(
    ("upper", "lower", "holds"),
    [
        pytest.param(at(0.3, 0, 0.75), TABLE, True, id="a cup on a table"),
        pytest.param(at(0.3, 0, 0.80), TABLE, True, id="its bottom was not seen"),
        pytest.param(at(0.3, 0, 0.60), TABLE, True, id="the table's top is uneven"),
        pytest.param(at(0.3, 0, 1.0), TABLE, False, id="a lamp that hangs over it"),
        pytest.param(at(0.3, 0, 0.86, 0.1, 0.05), TABLE, False, id="a gap of twice its height"),
        pytest.param(at(0.3, 0, 0.0, 0.3, 0.3), TABLE, False, id="a bin under it"),
        pytest.param(at(1.0, 0, 0.75, 0.5), TABLE, False, id="nearly all of it beside the table"),
        pytest.param(at(0, 0, 0.45, 0.3, 0.4), CHAIR, True, id="a bag on a seat, below its back"),
        pytest.param(at(0, 0, 0.0, 0.4, 1.2), CHAIR, False, id="a person's feet are on the floor"),
        pytest.param(at(0, 0, 0.76, 0.08, 0.08), BOWL, False, id="an apple in a bowl"),
        pytest.param(TABLE, at(0, 0, 0.0), False, id="a table over a cup"),
    ],
)
def test_on(upper: tuple[float, ...], lower: tuple[float, ...], holds: bool) -> None:
    assert (on(upper, lower) > 0.0) == holds


@given(st.floats(-50.0, 50.0))
def test_on_is_the_same_wherever_the_floor_of_the_map_is(floor: float) -> None:
    """A peer measures from the middle of the scene and loses every cup of a raised map."""
    shift = np.array([0, 0, floor, 0, 0, floor])
    upper, lower = row(at(0.3, 0, 0.76)) + shift, row(TABLE) + shift
    np.testing.assert_allclose(
        vertical.on(upper, lower, CONFIG), on(at(0.3, 0, 0.76), TABLE), atol=1e-6
    )


def seat_and_back(count: int) -> np.ndarray:
    """Surface of a chair: a level seat at 0.45 m, and a back and legs spread over its height."""
    rng = np.random.default_rng(0)
    seat = np.column_stack((rng.uniform(-0.25, 0.25, (count, 2)), rng.normal(0.45, 0.005, count)))
    rest = np.column_stack((rng.uniform(-0.25, 0.25, (count, 2)), rng.uniform(0.0, 0.9, count)))
    return np.vstack((seat, rest)).astype(np.float32)


def test_the_level_surface_of_a_chair_is_its_seat() -> None:
    assert level_surface_z(seat_and_back(200)) == pytest.approx(0.45, abs=0.015)


def test_a_wall_a_bowl_and_a_few_points_have_no_level_surface() -> None:
    rng = np.random.default_rng(0)
    wall = rng.uniform(0.0, 2.0, (300, 3)).astype(np.float32)
    bowl = rng.uniform(0.0, 0.1, (300, 3)).astype(np.float32)
    assert level_surface_z(wall) is None
    assert level_surface_z(bowl) is None
    assert level_surface_z(wall[:5]) is None


@pytest.mark.parametrize(
    ("bottom", "holds"), [(0.45, True), (0.40, True), (0.52, True), (0.62, False), (0.25, False)]
)
def test_where_the_seat_is_known_a_bag_must_stand_on_it(bottom: float, holds: bool) -> None:
    bag = row(at(0, 0, bottom, 0.3, 0.5))
    score = vertical.on(bag, row(CHAIR), CONFIG, np.array([0.45]))[0]
    assert (score > 0.0) == holds


def test_full_contact_scores_highest() -> None:
    assert on(at(0.3, 0, 0.75), TABLE) == pytest.approx(1.0, abs=0.01)
    assert on(at(0.3, 0, 0.80), TABLE) < on(at(0.3, 0, 0.77), TABLE)


boxes = st.tuples(
    *[st.integers(-10, 10).map(lambda i: i * 0.1)] * 3,
    *[st.integers(0, 10).map(lambda i: i * 0.1)] * 3,
).map(lambda b: (b[0], b[1], b[2], b[0] + b[3], b[1] + b[4], b[2] + b[5]))


@given(boxes, boxes)
def test_nothing_carries_what_carries_it(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    assert on(a, b) == 0.0 or on(b, a) == 0.0


@given(boxes, boxes)
def test_scores_are_within_0_and_1_and_inverses_agree(
    a: tuple[float, ...], b: tuple[float, ...]
) -> None:
    x, y = row(a), row(b)
    scores = [
        vertical.on(x, y, CONFIG),
        vertical.inside(x, y, CONFIG),
        vertical.above(x, y, CONFIG),
        nearness.next_to(x, y, CONFIG),
        nearness.near(x, y, CONFIG),
    ]
    assert all(0.0 <= float(s[0]) <= 1.0 for s in scores)
    assert nearness.near(x, y, CONFIG) == nearness.near(y, x, CONFIG)
    assert nearness.next_to(x, y, CONFIG) == nearness.next_to(y, x, CONFIG)
    assert vertical.above(x, y, CONFIG) == 0.0 or vertical.above(y, x, CONFIG) == 0.0
    assert vertical.inside(x, y, CONFIG) == 0.0 or vertical.inside(y, x, CONFIG) == 0.0


def test_an_apple_is_inside_a_bowl_and_not_the_other_way_round() -> None:
    apple = at(0, 0, 0.76, 0.08, 0.08)
    assert vertical.inside(row(apple), row(BOWL), CONFIG)[0] == pytest.approx(1.0)
    assert vertical.inside(row(BOWL), row(apple), CONFIG)[0] == 0.0


def test_inside_asks_for_most_of_the_volume() -> None:
    shelf = (0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    assert vertical.inside(row((-0.1, 0, 0, 0.9, 0.5, 0.5)), row(shelf), CONFIG)[
        0
    ] == pytest.approx(0.9)
    assert vertical.inside(row((-0.3, 0, 0, 0.7, 0.5, 0.5)), row(shelf), CONFIG)[0] == 0.0


@pytest.mark.parametrize(
    ("bottom", "x", "holds"),
    [(1.5, 0.0, True), (0.73, 0.0, True), (0.5, 0.0, False), (1.5, 1.2, False)],
)
def test_above_is_wholly_higher_and_over_it(bottom: float, x: float, holds: bool) -> None:
    assert (vertical.above(row(at(x, 0, bottom)), row(TABLE), CONFIG)[0] > 0.0) == holds


def test_a_bin_under_a_desk_is_within_its_frame_only_where_the_frame_is_open() -> None:
    bin_, desk = row(at(0.3, 0, 0.0, 0.3, 0.4)), row(TABLE)
    assert vertical.within_frame(bin_, desk, np.array([True]), CONFIG)[0] > 0.0
    assert vertical.within_frame(bin_, desk, np.array([False]), CONFIG)[0] == 0.0


@pytest.mark.parametrize(
    ("gap", "bottom", "holds"),
    [(0.0, 0.0, True), (0.5, 0.0, True), (0.7, 0.0, False), (0.2, 0.7, False)],
)
def test_next_to_is_beside_on_one_level(gap: float, bottom: float, holds: bool) -> None:
    chair = row(at(0.8 + gap + 0.25, 0, bottom, 0.5, 0.9))
    score = nearness.next_to(chair, row(TABLE), CONFIG)[0]
    assert (score > 0.0) == holds


def test_small_things_are_neighbours_only_when_close() -> None:
    cup = row(at(0, 0, 0.75))
    assert nearness.next_to(cup, row(at(0.35, 0, 0.75)), CONFIG)[0] > 0.0
    assert nearness.next_to(cup, row(at(0.55, 0, 0.75)), CONFIG)[0] == 0.0


def test_near_is_the_gap_between_boxes() -> None:
    cube = (0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    corner = (1.3, 1.4, 0.0, 2.0, 2.0, 1.0)  # 0.3 and 0.4 m away: a gap of 0.5 m
    assert nearness.near(row(cube), row(corner), CONFIG)[0] == pytest.approx(0.75)
    assert nearness.near(row(cube), row((1.5, 0, 0, 2, 1, 1)), CONFIG)[0] == pytest.approx(0.75)
    assert nearness.near(row(cube), row((2.1, 0, 0, 3, 1, 1)), CONFIG)[0] == 0.0
