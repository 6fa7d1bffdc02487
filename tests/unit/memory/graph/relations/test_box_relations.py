"""Relations between boxes in layouts whose relations are evident."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations import box_relations
from scenemind.memory.graph.relations.box_relations import (
    CEILING,
    WALL,
    between,
    higher_than,
    level_surface_z,
    lower_than,
)
from tests.unit.memory.graph.relations.columns import at, column, put, row

CONFIG = RelationConfig()
TABLE = (-0.8, -0.4, 0.0, 0.8, 0.4, 0.75)
CHAIR = (-0.25, -0.25, 0.0, 0.25, 0.25, 0.9)
BOWL = (-0.1, -0.1, 0.75, 0.1, 0.1, 0.85)


def on(upper: tuple[float, ...], lower: tuple[float, ...]) -> float:
    return float(box_relations.on(row(upper), row(lower), CONFIG)[0])


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
        box_relations.on(upper, lower, CONFIG), on(put(0.3, 0, 0.76), TABLE), atol=1e-6
    )


@pytest.mark.parametrize(
    ("bottom", "holds"), [(0.45, True), (0.40, True), (0.52, True), (0.62, False), (0.25, False)]
)
def test_where_the_seat_is_known_a_bag_must_stand_on_it(bottom: float, holds: bool) -> None:
    bag = row(put(0, 0, bottom, 0.3, 0.5))
    score = box_relations.on(bag, row(CHAIR), CONFIG, np.array([0.45]))[0]
    assert (score > 0.0) == holds


def test_full_contact_scores_highest() -> None:
    assert on(put(0.3, 0, 0.75), TABLE) == pytest.approx(1.0, abs=0.01)
    assert on(put(0.3, 0, 0.80), TABLE) < on(put(0.3, 0, 0.77), TABLE)


boxes = st.tuples(
    *[st.integers(-10, 10).map(lambda i: i * 0.1)] * 3,
    *[st.integers(0, 10).map(lambda i: i * 0.1)] * 3,
).map(lambda b: (b[0], b[1], b[2], b[0] + b[3], b[1] + b[4], b[2] + b[5]))


@given(boxes, boxes)
def test_of_two_boxes_at_most_one_is_on_the_other(
    a: tuple[float, ...], b: tuple[float, ...]
) -> None:
    assert on(a, b) == 0.0 or on(b, a) == 0.0


@given(boxes, boxes)
def test_scores_are_within_0_and_1_and_inverses_agree(
    a: tuple[float, ...], b: tuple[float, ...]
) -> None:
    x, y = row(a), row(b)
    scores = [
        box_relations.on(x, y, CONFIG),
        box_relations.inside(x, y, CONFIG),
        box_relations.above(x, y, CONFIG),
        box_relations.next_to(x, y, CONFIG),
        box_relations.near(x, y, CONFIG),
    ]
    assert all(0.0 <= float(s[0]) <= 1.0 for s in scores)
    assert box_relations.near(x, y, CONFIG) == box_relations.near(y, x, CONFIG)
    assert box_relations.next_to(x, y, CONFIG) == box_relations.next_to(y, x, CONFIG)
    assert box_relations.above(x, y, CONFIG) == 0.0 or box_relations.above(y, x, CONFIG) == 0.0
    assert box_relations.inside(x, y, CONFIG) == 0.0 or box_relations.inside(y, x, CONFIG) == 0.0


def test_an_apple_is_inside_a_bowl_and_not_the_other_way_round() -> None:
    apple = put(0, 0, 0.76, 0.08, 0.08)
    assert box_relations.inside(row(apple), row(BOWL), CONFIG)[0] == pytest.approx(1.0)
    assert box_relations.inside(row(BOWL), row(apple), CONFIG)[0] == 0.0


def test_inside_asks_for_most_of_the_volume() -> None:
    shelf = (0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    assert box_relations.inside(row((-0.1, 0, 0, 0.9, 0.5, 0.5)), row(shelf), CONFIG)[
        0
    ] == pytest.approx(0.9)
    assert box_relations.inside(row((-0.3, 0, 0, 0.7, 0.5, 0.5)), row(shelf), CONFIG)[0] == 0.0


@pytest.mark.parametrize(
    ("bottom", "x", "holds"),
    [(1.5, 0.0, True), (0.73, 0.0, True), (0.5, 0.0, False), (1.5, 1.2, False)],
)
def test_above_is_wholly_higher_and_over_it(bottom: float, x: float, holds: bool) -> None:
    assert (box_relations.above(row(put(x, 0, bottom)), row(TABLE), CONFIG)[0] > 0.0) == holds


@pytest.mark.parametrize(
    ("depth", "behind", "holds"), [(0.04, 0.2, True), (0.04, 0.4, False), (0.3, 0.2, False)]
)
def test_a_picture_is_above_what_stands_before_its_wall(
    depth: float, behind: float, holds: bool
) -> None:
    """What is no flat thing on a wall has to be over it."""
    sofa = (0.0, 0.0, 0.0, 2.0, 0.8, 0.8)
    hung = (0.5, 0.8 + behind, 1.2, 1.3, 0.8 + behind + depth, 1.7)
    assert (box_relations.above(row(hung), row(sofa), CONFIG)[0] > 0.0) == holds


def test_a_bin_under_a_desk_is_within_its_frame_only_where_the_frame_is_open() -> None:
    bin_, desk = row(put(0.3, 0, 0.0, 0.3, 0.4)), row(TABLE)
    assert box_relations.within_frame(bin_, desk, np.array([True]), CONFIG)[0] > 0.0
    assert box_relations.within_frame(bin_, desk, np.array([False]), CONFIG)[0] == 0.0


COUNTER = (-1.0, -0.3, 0.0, 1.0, 0.3, 0.9)


def embedded(inner: tuple[float, ...], outer: tuple[float, ...]) -> float:
    return float(box_relations.embedded_in(row(inner), row(outer), CONFIG)[0])


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


def test_thing_that_sticks_out_at_the_side_is_not_embedded() -> None:
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
    assert box_relations.below(row(a), row(b), CONFIG) == box_relations.above(
        row(b), row(a), CONFIG
    )


@pytest.mark.parametrize(
    ("gap", "bottom", "holds"),
    [(0.0, 0.0, True), (0.5, 0.0, True), (0.7, 0.0, False), (0.2, 0.7, False)],
)
def test_next_to_is_beside_on_one_level(gap: float, bottom: float, holds: bool) -> None:
    chair = row(put(0.8 + gap + 0.25, 0, bottom, 0.5, 0.9))
    score = box_relations.next_to(chair, row(TABLE), CONFIG)[0]
    assert (score > 0.0) == holds


def test_small_things_are_neighbours_only_when_close() -> None:
    cup = row(put(0, 0, 0.75))
    assert box_relations.next_to(cup, row(put(0.35, 0, 0.75)), CONFIG)[0] > 0.0
    assert box_relations.next_to(cup, row(put(0.55, 0, 0.75)), CONFIG)[0] == 0.0


def test_near_is_the_gap_between_boxes() -> None:
    cube = (0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    corner = (1.3, 1.4, 0.0, 2.0, 2.0, 1.0)  # 0.3 and 0.4 m away: a gap of 0.5 m
    assert box_relations.near(row(cube), row(corner), CONFIG)[0] == pytest.approx(0.75)
    assert box_relations.near(row(cube), row((1.5, 0, 0, 2, 1, 1)), CONFIG)[0] == pytest.approx(
        0.75
    )
    assert box_relations.near(row(cube), row((2.1, 0, 0, 3, 1, 1)), CONFIG)[0] == 0.0


@pytest.mark.parametrize(
    ("y", "holds"),
    [
        pytest.param(0.0, True, id="side by side"),
        pytest.param(0.4, True, id="half of its side faces the table"),
        pytest.param(0.5, False, id="off its corner"),
    ],
)
def test_besides_is_side_by_side(y: float, holds: bool) -> None:
    chair = row(put(1.2, y, 0.0, 0.5, 0.9))
    beside = box_relations.besides(chair, row(TABLE), CONFIG)[0]
    assert (beside > 0.0) == holds
    assert box_relations.next_to(chair, row(TABLE), CONFIG)[0] > 0.0


def test_besides_scores_as_much_as_next_to() -> None:
    chair = row(put(1.2, 0.1, 0.0, 0.5, 0.9))
    assert box_relations.besides(chair, row(TABLE), CONFIG) == box_relations.next_to(
        chair, row(TABLE), CONFIG
    )


PICTURE = ((3.0, 0.0, 1.6), (0.6, 0.05, 0.4))
CHAIR_HEIGHTS = ((0.0, 0.0, 0.45), (0.5, 0.5, 0.9))
WARDROBE = ((0.0, 2.0, 1.0), (1.0, 0.6, 2.0))


@pytest.mark.parametrize("floor_z", [-30.0, -0.3, 0.0, 0.7, 12.0])
def test_heights_are_differences(floor_z: float) -> None:
    """A peer measures from the middle of the scene, where other things hold in a raised map."""
    up = np.array((0.0, 0.0, floor_z, 0.0, 0.0, floor_z))
    picture, chair = column(PICTURE) + up, column(CHAIR_HEIGHTS) + up
    assert higher_than(picture, chair, CONFIG)[0] == pytest.approx(1.0)
    assert lower_than(chair, picture, CONFIG)[0] == pytest.approx(1.0)
    assert higher_than(chair, picture, CONFIG)[0] == 0.0


def test_thing_from_floor_to_ceiling_is_neither_higher_nor_lower() -> None:
    assert higher_than(column(PICTURE), column(WARDROBE), CONFIG)[0] == 0.0
    assert lower_than(column(PICTURE), column(WARDROBE), CONFIG)[0] == 0.0


def test_the_least_difference_is_barely_true() -> None:
    one, ten_cm_higher = ((0.0, 0.0, 1.0), (0.2,) * 3), ((2.0, 0.0, 1.1 + 1e-9), (0.2,) * 3)
    assert higher_than(column(ten_cm_higher), column(one), CONFIG)[0] == pytest.approx(0.5)
    assert higher_than(column(one), column(one), CONFIG)[0] == 0.0


def test_between_holds_on_the_line_and_not_beyond_its_ends() -> None:
    targets = np.vstack((at(2.0, 0.0), at(2.0, 0.3), at(2.0, 2.0), at(5.0, 0.0)))
    a, b = np.repeat(at(0.0, 0.0, 0.4), 4, axis=0), np.repeat(at(4.0, 0.0, 0.4), 4, axis=0)
    np.testing.assert_allclose(between(targets, a, b), [1.0, 0.5, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("aside_m", [0.0, 0.3, 0.6, 0.79, 0.81, -0.3, -0.81])
@pytest.mark.parametrize("turn", [0.0, 0.7, 2.2])
def test_between_falls_linearly_beside_the_line(aside_m: float, turn: float) -> None:
    """Half of the larger anchor's longer side and half of the target's: (1.0 + 0.6) / 2 = 0.8 m."""
    c, s = np.cos(turn), np.sin(turn)
    a = column(((0.0, 0.0, 0.4), (0.4, 1.0, 0.8)))
    b = column(((4.0 * c, 4.0 * s, 0.9), (0.2, 0.5, 1.8)))
    place = (1.0 * c - aside_m * s, 1.0 * s + aside_m * c, 0.5)
    target = column((place, (0.6, 0.1, 0.2)))
    expected = 1.0 - 0.5 * abs(aside_m) / 0.8
    expected = expected if expected >= 0.5 else 0.0
    for first, second in ((a, b), (b, a)):
        assert between(target, first, second)[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("along_m", "holds"), [(-0.01, 0), (0.01, 1), (3.99, 1), (4.01, 0)])
def test_between_ends_at_the_centres_of_the_anchors(along_m: float, holds: int) -> None:
    assert between(at(along_m, 1.0), at(0.0, 1.0), at(4.0, 1.0))[0] == holds


def test_nothing_is_between_a_thing_and_itself() -> None:
    assert between(at(0.0, 0.0), at(0.0, 0.0), at(0.0, 0.0)).tolist() == [0.0]


def test_no_targets_no_scores() -> None:
    assert between(column(), column(), column()).shape == (0,)


numbers = st.floats(-5.0, 5.0)


@given(numbers, numbers, numbers, numbers)
def test_the_order_of_the_anchors_is_no_matter(x: float, y: float, u: float, v: float) -> None:
    one = between(at(x, y), at(0.0, 0.0, 1.0), at(u, v, 0.5))
    other = between(at(x, y), at(u, v, 0.5), at(0.0, 0.0, 1.0))
    close = abs(one - other) < 1e-6
    on_the_limit = (np.maximum(one, other) < 0.5 + 1e-6) | (np.hypot(u, v) < 1e-6)
    assert (close | on_the_limit).all() or min(abs(x), abs(x - u)) < 1e-6


WALL_BOX = (-2.0, 0.0, 0.0, 2.0, 0.1, 2.5)  # 4 m along, 0.1 m thick
CEILING_BOX = (-2.0, -2.0, 2.5, 2.0, 2.0, 2.6)


def before_wall(
    depth: float, gap: float = 0.0, width: float = 0.6, bottom: float = 1.2, height: float = 0.5
) -> tuple[float, ...]:
    """A thing in the middle of the wall that stands out by its depth."""
    return (-width / 2, -gap - depth, bottom, width / 2, -gap, bottom + height)


def under_ceiling(height: float, gap: float = 0.0, side: float = 0.2) -> tuple[float, ...]:
    top = 2.5 - gap
    return (-side / 2, -side / 2, top - height, side / 2, side / 2, top)


def score(
    relation: Callable[..., np.ndarray], thing: tuple[float, ...], across: int = WALL
) -> float:
    surface = WALL_BOX if across == WALL else CEILING_BOX
    pair = np.array([thing], float), np.array([surface], float)
    return float(relation(*pair, CONFIG, across)[0])


@pytest.mark.parametrize(
    ("gap", "expected"), [(0.0, 1.0), (0.06, 0.75), (0.12, 0.5), (0.13, 0.0), (-0.02, 1.0)]
)
def test_attached_falls_with_the_gap(gap: float, expected: float) -> None:
    assert score(box_relations.attached, before_wall(0.03, gap)) == pytest.approx(expected)


def test_a_thing_may_be_on_either_side_of_a_wall() -> None:
    behind = (-0.3, 0.1, 1.2, 0.3, 0.13, 1.7)
    assert score(box_relations.attached, behind) == 1.0


@pytest.mark.parametrize(
    ("thing", "holds"),
    [
        pytest.param((1.8, -0.03, 1.2, 2.15, 0.0, 1.6), True, id="most of it before the wall"),
        pytest.param((1.9, -0.03, 1.2, 2.3, 0.0, 1.6), False, id="a quarter of it"),
        pytest.param((-0.2, -0.03, 2.4, 0.2, 0.0, 2.9), False, id="mostly above the wall"),
        pytest.param((-0.2, -1.5, 1.2, 0.2, 0.0, 1.6), False, id="stands out by 1.5 m"),
    ],
)
def test_attached_is_before_the_surface(thing: tuple[float, ...], holds: bool) -> None:
    assert (score(box_relations.attached, thing) > 0.0) == holds


@pytest.mark.parametrize(
    ("thing", "relation"),
    [
        pytest.param(before_wall(0.03), box_relations.hanging_on, id="a picture"),
        pytest.param(before_wall(0.4), box_relations.mounted_on, id="a cabinet"),
        pytest.param(
            before_wall(0.02, width=0.1, height=0.1), box_relations.affixed_on, id="a light switch"
        ),
    ],
)
def test_shape_decides_how_a_wall_holds_a_thing(
    thing: tuple[float, ...], relation: Callable[..., np.ndarray]
) -> None:
    ways = (box_relations.hanging_on, box_relations.mounted_on, box_relations.affixed_on)
    assert [way for way in ways if score(way, thing) > 0.0] == [relation]


@pytest.mark.parametrize(
    ("thing", "relation"),
    [
        pytest.param(under_ceiling(0.6), box_relations.hanging_on, id="a lamp"),
        pytest.param(under_ceiling(0.05), box_relations.affixed_on, id="a smoke detector"),
    ],
)
def test_shape_decides_how_a_ceiling_holds_a_thing(
    thing: tuple[float, ...], relation: Callable[..., np.ndarray]
) -> None:
    ways = (box_relations.hanging_on, box_relations.mounted_on, box_relations.affixed_on)
    assert [way for way in ways if score(way, thing, CEILING) > 0.0] == [relation]


def test_a_window_is_set_into_the_wall_that_it_goes_through() -> None:
    assert score(box_relations.set_into, (-0.5, -0.05, 1.0, 0.5, 0.15, 2.0)) == 1.0
    assert score(box_relations.set_into, before_wall(0.03)) == 0.0


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


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30])
def test_a_wrong_point_leaves_the_surface_unknown(bad: float) -> None:
    points = seat_and_back(200)
    points[7, 2] = bad
    assert level_surface_z(points) is None


def test_a_pipe_that_leaves_a_counter_below_is_not_embedded_in_it() -> None:
    counter = row((-0.5, -0.5, 0.4, 0.5, 0.5, 0.9))
    sink, pipe = row((-0.1, -0.1, 0.4, 0.1, 0.1, 0.95)), row((-0.1, -0.1, 0.3, 0.1, 0.1, 0.95))
    assert box_relations.embedded_in(sink, counter, CONFIG)[0] == pytest.approx(0.5 / 0.55)
    assert box_relations.embedded_in(pipe, counter, CONFIG)[0] == 0.0


def test_a_wardrobe_around_the_height_of_a_switch_is_neither_higher_nor_lower() -> None:
    wardrobe, switch = row((0.0, 0.0, 0.0, 1.0, 0.6, 2.4)), row((1.5, 0.0, 0.3, 1.6, 0.0, 0.4))
    assert higher_than(wardrobe, switch, CONFIG)[0] == 0.0
    assert lower_than(switch, wardrobe, CONFIG)[0] == 0.0
    above = row((1.5, 0.0, 0.9, 1.6, 0.0, 2.5))
    assert higher_than(above, switch, CONFIG)[0] == 1.0
