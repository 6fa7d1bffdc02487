"""What carries, contains and is over what, in closed-form scenes; peers' mistakes are cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations import nearness, vertical
from tests.unit.memory.graph.relations.columns import put, row

CONFIG = RelationConfig()
TABLE = (-0.8, -0.4, 0.0, 0.8, 0.4, 0.75)
CHAIR = (-0.25, -0.25, 0.0, 0.25, 0.25, 0.9)
BOWL = (-0.1, -0.1, 0.75, 0.1, 0.1, 0.85)


def on(upper: tuple[float, ...], lower: tuple[float, ...]) -> float:
    return float(vertical.on(row(upper), row(lower), CONFIG)[0])


@pytest.mark.parametrize(
    ("upper", "lower", "holds"),
    [
        pytest.param(put(0.3, 0, 0.75), TABLE, True, id="a cup on a table"),
        pytest.param(put(0.3, 0, 0.80), TABLE, True, id="its bottom was not seen"),
        pytest.param(put(0.3, 0, 0.60), TABLE, True, id="the table's top is uneven"),
        pytest.param(put(0.3, 0, 1.0), TABLE, False, id="a lamp that hangs over it"),
        pytest.param(put(0.3, 0, 0.86, 0.1, 0.05), TABLE, False, id="a gap of twice its height"),
        pytest.param(put(0.3, 0, 0.0, 0.3, 0.3), TABLE, False, id="a bin under it"),
        pytest.param(put(1.0, 0, 0.75, 0.5), TABLE, False, id="nearly all of it beside the table"),
        pytest.param(put(0, 0, 0.45, 0.3, 0.4), CHAIR, True, id="a bag on a seat, below its back"),
        pytest.param(put(0, 0, 0.0, 0.4, 1.2), CHAIR, False, id="a person's feet are on the floor"),
        pytest.param(put(0, 0, 0.76, 0.08, 0.08), BOWL, False, id="an apple in a bowl"),
        pytest.param(TABLE, put(0, 0, 0.0), False, id="a table over a cup"),
    ],
)
def test_on(upper: tuple[float, ...], lower: tuple[float, ...], holds: bool) -> None:
    assert (on(upper, lower) > 0.0) == holds


@given(st.floats(-50.0, 50.0))
def test_on_is_the_same_wherever_the_floor_of_the_map_is(floor: float) -> None:
    """A peer measures from the middle of the scene and loses every cup of a raised map."""
    shift = np.array([0, 0, floor, 0, 0, floor])
    upper, lower = row(put(0.3, 0, 0.76)) + shift, row(TABLE) + shift
    np.testing.assert_allclose(
        vertical.on(upper, lower, CONFIG), on(put(0.3, 0, 0.76), TABLE), atol=1e-6
    )


@pytest.mark.parametrize(
    ("bottom", "holds"), [(0.45, True), (0.40, True), (0.52, True), (0.62, False), (0.25, False)]
)
def test_where_the_seat_is_known_a_bag_must_stand_on_it(bottom: float, holds: bool) -> None:
    bag = row(put(0, 0, bottom, 0.3, 0.5))
    score = vertical.on(bag, row(CHAIR), CONFIG, np.array([0.45]))[0]
    assert (score > 0.0) == holds


def test_full_contact_scores_highest() -> None:
    assert on(put(0.3, 0, 0.75), TABLE) == pytest.approx(1.0, abs=0.01)
    assert on(put(0.3, 0, 0.80), TABLE) < on(put(0.3, 0, 0.77), TABLE)


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
    apple = put(0, 0, 0.76, 0.08, 0.08)
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
    assert (vertical.above(row(put(x, 0, bottom)), row(TABLE), CONFIG)[0] > 0.0) == holds


def test_a_bin_under_a_desk_is_within_its_frame_only_where_the_frame_is_open() -> None:
    bin_, desk = row(put(0.3, 0, 0.0, 0.3, 0.4)), row(TABLE)
    assert vertical.within_frame(bin_, desk, np.array([True]), CONFIG)[0] > 0.0
    assert vertical.within_frame(bin_, desk, np.array([False]), CONFIG)[0] == 0.0


COUNTER = (-1.0, -0.3, 0.0, 1.0, 0.3, 0.9)


def embedded(inner: tuple[float, ...], outer: tuple[float, ...]) -> float:
    return float(vertical.embedded_in(row(inner), row(outer), CONFIG)[0])


@pytest.mark.parametrize(
    ("bottom", "share"),
    [
        pytest.param(0.75, 0.0, id="three quarters deep: it stands in a dent"),
        pytest.param(0.72, 0.9, id="sunk by nine tenths"),
        pytest.param(0.70, 0.0, id="its rim is level with the top: inside"),
        pytest.param(0.9, 0.0, id="on the top"),
    ],
)
def test_a_sink_is_embedded_in_its_counter(bottom: float, share: float) -> None:
    assert embedded(put(0, 0, bottom, 0.4, 0.2), COUNTER) == pytest.approx(share, abs=1e-6)


def test_what_sticks_out_at_the_side_is_not_embedded() -> None:
    assert embedded(put(0.95, 0, 0.72, 0.4, 0.2), COUNTER) == 0.0


def test_a_small_thing_is_on_a_large_one() -> None:
    """Over the anchor's area, as LLM-TPC's equation 1 has it, a cup covers 0.8 % of this table."""
    cup = put(0.3, 0, 0.75)
    assert 0.1 * 0.1 / (1.6 * 0.8) < 0.01
    assert on(cup, TABLE) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("surface_z", [0.7, 1.4, 2.1])
def test_a_cup_is_carried_at_any_height_of_the_scene(surface_z: float) -> None:
    """A peer's tolerance is a fifth of the height above mid-room: none there, centimetres below."""
    shelf = put(0, 0, 0.0, 0.6, surface_z)
    assert on(put(0, 0, surface_z + 0.02), shelf) > 0.0
    assert on(put(0, 0, surface_z + 0.3), shelf) == 0.0


@given(boxes, boxes)
def test_below_is_above_the_other_way_round(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    assert vertical.below(row(a), row(b), CONFIG) == vertical.above(row(b), row(a), CONFIG)
