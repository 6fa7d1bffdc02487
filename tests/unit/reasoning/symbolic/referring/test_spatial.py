"""Graded relations of boxes, on boxes whose relations can be seen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.language.trees import Rank
from scenemind.reasoning.symbolic.referring.spatial import (
    Space,
    along,
    beside,
    between,
    compared,
    looking,
    order_scores,
    rank_scores,
    related,
)

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


def test_left_is_that_of_the_viewer(space: Space) -> None:
    """From the south, looking north, the chair at the table's end is to the right of it."""
    onlooker = looking(np.array((0.0, -3.0)), np.array((0.0, 0.0)), 1.0)
    assert beside(space, 0, "right", onlooker)[5] > 0.5 > beside(space, 0, "left", onlooker)[5]
    assert beside(space, 0, "rear", onlooker)[6] > 0.5 > beside(space, 0, "front", onlooker)[6]
    assert along(space, "right", onlooker)[5] == pytest.approx(1.4)


def test_view_of_the_viewers_own_place_has_no_direction(space: Space) -> None:
    nowhere = looking(np.zeros(2), np.zeros(2), 1.0)
    assert nowhere.sure == 0.0
    assert np.allclose(beside(space, 0, "left", nowhere), beside(space, 0, "right", nowhere))


@settings(deadline=None)
@given(st.floats(0, 2 * np.pi), st.integers(0, 6))
def test_left_and_right_change_when_one_turns_around(angle: float, anchor: int) -> None:
    low, high = CENTERS - SIZES / 2, CENTERS + SIZES / 2
    space = Space(low, high)
    ahead = np.array((np.cos(angle), np.sin(angle)))
    there, back = (looking(np.zeros(2), sign * ahead, 1.0) for sign in (1.0, -1.0))
    for one, other in (("left", "right"), ("front", "rear")):
        assert np.allclose(beside(space, anchor, one, there), beside(space, anchor, other, back))


def boxes(*center_and_size: tuple[tuple[float, ...], tuple[float, ...]]) -> Space:
    center, size = (np.array(column, float) for column in zip(*center_and_size, strict=True))
    return Space(center - size / 2, center + size / 2)


E, CUBE = float(np.exp(-1.0)), (0.2, 0.2, 0.2)
COORDINATE = st.floats(-3.0, 3.0)
POINT = st.tuples(COORDINATE, COORDINATE, COORDINATE)


@settings(deadline=None)
@given(POINT, POINT)
def test_gaps_of_cubes_are_those_of_their_axes(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    space = boxes((a, CUBE), (b, CUBE))
    apart = np.maximum(np.abs(np.subtract(a, b)) - 0.2, 0.0)
    assert space.gaps_m(0)[1] == pytest.approx(np.sqrt(apart @ apart))
    assert space.level_gaps_m(0)[1] == pytest.approx(np.hypot(*apart[:2]))
    centers = np.linalg.norm(np.subtract(a, b))
    assert space.distances_m(0)[1] == pytest.approx((np.linalg.norm(apart) + centers) / 2.0)


TABLE = ((0.0, 0.0, 0.5), (2.0, 1.0, 1.0))  # its top is at z = 1


@pytest.mark.parametrize(
    ("center", "size", "share", "score"),
    [
        ((0.0, 0.0, 1.1), CUBE, 1.0, 1.0),
        ((0.0, 0.0, 1.25), CUBE, 1.0, E),  # 0.15 m over the top
        ((0.0, 0.0, -0.05), CUBE, 1.0, E),  # 0.15 m under the bottom
        ((0.0, 0.0, 0.5), CUBE, 1.0, 1.0),  # in a drawer
        ((1.0, 0.0, 1.1), CUBE, 0.5, 0.3 + 0.7 * 0.5),  # half of it beyond the edge
        ((1.2, 0.0, 1.1), CUBE, 0.0, 0.3 * E),  # 0.1 m beside it
        ((0.0, 0.0, 1.1), (4.0, 2.0, 0.2), 1.0, 1.0),  # covers all of it
    ],
)
def test_on(center: tuple[float, ...], size: tuple[float, ...], share: float, score: float) -> None:
    space = boxes(TABLE, (center, size))
    assert space.overlaps(0)[1] == pytest.approx(share)
    assert space.on(0)[1] == pytest.approx(score)


def test_inside_is_half_by_volume_and_half_by_nearness() -> None:
    space = boxes(TABLE, ((0, 0, 0.5), CUBE), ((1.0, 0, 0.5), CUBE), ((1.4, 0, 0.5), CUBE))
    assert space.inside(0)[1:] == pytest.approx([1.0, 0.75, 0.5 * E])


def test_above_and_below_are_by_height_and_not_beside() -> None:
    """One cube is 0.15 m higher over the table, one as high as it 0.4 m beside."""
    space = boxes(TABLE, ((0, 0, 0.65), CUBE), ((1.5, 0, 0.5), CUBE))
    higher = 1.0 / (1.0 + E)
    assert space.above(0)[1:] == pytest.approx([higher, 0.5 * E])
    assert space.below(0)[1:] == pytest.approx([1.0 - higher, 0.5 * E])


def test_between_is_best_at_the_midpoint() -> None:
    space = boxes(
        ((0, 0, 0), CUBE), ((2, 0, 0), CUBE), ((1, 0, 0), CUBE), ((1.7, 0, 0), CUBE),
        ((1, 0.6, 0), CUBE), ((-0.3, 0, 0), CUBE),
    )  # fmt: skip
    expected = [1.0, E, E, np.exp(-(0.5 + 0.15) / 0.35)]
    assert space.between(0, 1)[2:] == pytest.approx(expected)
    assert space.between(1, 0) == pytest.approx(space.between(0, 1))


def test_opposite_is_aligned_and_more_than_a_metre_away() -> None:
    space = boxes(((0, 0, 0), CUBE), ((1, 0, 0), CUBE), ((0, 3, 0), CUBE), ((0.5, 1.0, 0), CUBE))
    far = 1.0 / (1.0 + np.exp(-4.0))
    assert space.opposite(0)[1:] == pytest.approx([0.5, far, 0.5 * E])


def test_the_end_is_beyond_a_short_side() -> None:
    """At half the length the score is a half, where nothing lies beside the table."""
    space = boxes(TABLE, ((1.0, 0, 0.5), CUBE), ((1.5, 0, 0.5), CUBE), ((0, 0.6, 0.5), CUBE))
    beyond = 1.0 / (1.0 + np.exp(-0.5 / 0.15))
    assert space.at_end(0)[1:3] == pytest.approx([0.5, beyond * E])
    assert space.at_end(0)[3] < 0.01


def test_corners_and_the_middle_of_the_room() -> None:
    """A room of 4 m by 2 m between the outermost surfaces."""
    space = boxes(
        ((-1.9, -0.9, 0), CUBE), ((1.9, 0.9, 0), CUBE), ((-1.1, 0.9, 0), CUBE), ((0, 0, 0), CUBE),
        ((1, 0, 0), CUBE),
    )  # fmt: skip
    assert space.in_corner(0.8) == pytest.approx(
        [1.0, 1.0, E, np.exp(-np.hypot(1.9, 0.9) / 0.8), np.exp(-np.hypot(0.9, 0.9) / 0.8)]
    )
    assert space.in_middle()[3:] == pytest.approx([1.0, E])


def test_sides_are_graded_by_the_cosine_and_the_gap() -> None:
    """Half where the cosine is 0.15, and 1/e of it at a gap of 1.5 m; half if unsure."""
    sure = looking(np.array((0.0, -3.0)), np.zeros(2))
    angle = np.arccos(0.15)
    near, far = ((r * np.cos(angle), r * np.sin(angle), 0.0) for r in (0.1, 2.0))
    space = boxes(((0, 0, 0), CUBE), (near, CUBE), (far, CUBE))
    gaps = space.level_gaps_m(0)
    expected = 0.5 * np.exp(-gaps[1:] / 1.5)
    assert beside(space, 0, "right", sure)[1:] == pytest.approx(expected)
    unsure = looking(np.array((0.0, -3.0)), np.zeros(2), 0.0)
    assert beside(space, 0, "left", unsure)[1:] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("predicate", "best"),
    [
        ("left of", 2), ("right of", 1), ("in front of", 4), ("behind", 3), ("on", 5),
        ("above", 5), ("below", 6), ("near", 6), ("with", 6), ("in", 6),
    ],
)  # fmt: skip
def test_relations_to_an_anchor_in_the_middle(predicate: str, best: int) -> None:
    """The onlooker stands in the south; the anchor never relates to itself."""
    space = boxes(
        ((0, 0, 0.5), (0.6, 0.6, 1.0)), ((1, 0, 0.5), CUBE), ((-1, 0, 0.5), CUBE),
        ((0, 1, 0.5), CUBE), ((0, -1, 0.5), CUBE), ((0, 0, 1.1), CUBE), ((0, 0, 0.2), CUBE),
    )  # fmt: skip
    onlooker = looking(np.array((0.0, -5.0)), np.zeros(2))
    fit = related(space, predicate, 0, onlooker)
    assert fit[0] == 0.0
    assert fit[best] == fit.max()


def test_any_pair_of_candidates_counts_for_between_and_no_end_is_between() -> None:
    space = boxes(((0, 0, 0), CUBE), ((2, 0, 0), CUBE), ((1, 0, 0), CUBE), ((0, 4, 0), CUBE))
    assert between(space, [(0, 1.0)], [(1, 1.0)])[2] == 1.0
    assert between(space, [(0, 1.0)], [(1, 0.5), (3, 1.0)])[2] == pytest.approx(
        max(0.5, space.between(0, 3)[2])
    )
    assert between(space, [(0, 1.0)], [(1, 1.0)])[:2].tolist() == [0.0, 0.0]
    assert between(space, [(0, 1.0)], [(0, 1.0)]).tolist() == [1.0] * 4


def test_comparisons_are_to_the_nearest_anchor() -> None:
    space = boxes(((0, 0, 0), CUBE), ((4, 0, 0), CUBE), ((1, 0, 0), CUBE), ((6, 0, 0), CUBE))
    nearer = compared(space, [0, 1], farthest=False)
    assert nearer[2:] == pytest.approx([-(0.8 + 1.0) / 2.0, -(1.8 + 2.0) / 2.0])
    assert compared(space, [0, 1], farthest=True) == pytest.approx(-nearer)


ROW = boxes(*(((x, 0.0, z), CUBE) for x, z in ((-1, 0.1), (0, 0.1), (1, 0.1), (0, 1.1))))
ALL = np.ones(4, bool)
SOUTH = looking(np.array((0.0, -3.0)), np.zeros(2))


@pytest.mark.parametrize(
    ("rank", "ranking"),
    [
        (Rank("leftmost"), [0.0, -1.0, -2.0, -1.0]),
        (Rank("rightmost"), [-2.0, -1.0, 0.0, -1.0]),
        (Rank("highest"), [-2.0, -2.0, -2.0, 0.0]),
        (Rank("lowest"), [0.0, 0.0, 0.0, -2.0]),
        (Rank("leftmost", order=2), [-1.2, 0.0, -2.4, -1.2]),
        (Rank("leftmost", negated=True), [np.log(0.1), np.log(1 - E), np.log(1 - E**2), None]),
    ],
)
def test_places_in_a_group(rank: Rank, ranking: list[float | None]) -> None:
    """In shares of the group's extent, twice; an ordinal costs 1.2 a place."""
    scores = rank_scores(ROW, rank, ALL, SOUTH)
    for found, expected in zip(scores, ranking, strict=True):
        if expected is not None:
            assert found == pytest.approx(expected)


def test_level_things_have_no_top_one() -> None:
    """The top of a plan is its back: farther from the onlooker."""
    space = boxes(((0, 0, 0.5), CUBE), ((0, 2, 0.5), CUBE), ((0, 1, 0.7), CUBE))
    scores = rank_scores(space, Rank("highest"), np.ones(3, bool), SOUTH)
    assert int(np.argmax(scores)) == 1
    bottom = rank_scores(space, Rank("lowest"), np.ones(3, bool), SOUTH)
    assert int(np.argmax(bottom)) == 0


def test_the_middle_one_is_nearest_to_the_mean_of_its_group() -> None:
    among = np.array([True, True, True, False])
    scores = rank_scores(ROW, Rank("middle"), among, None)
    spread = np.std([-1.0, 0.0, 1.0]) + 0.1
    assert scores[:3] == pytest.approx([-1.0 / spread, 0.0, -1.0 / spread])
    assert order_scores(np.array([3.0, 2.0, 1.0, 9.0]), among, 3).tolist() == pytest.approx(
        [-2.4, -1.2, 0.0, -2.4]
    )


def test_annotated_boxes_of_things_on_another_may_miss_it() -> None:
    """A cube 0.3 m beside the table: hardly on it, but a little by nearness."""
    space = boxes(TABLE, ((1.4, 0.0, 0.5), CUBE))
    assert related(space, "on", 0, None)[1] == pytest.approx(0.3 * E)
    assert related(space, "with", 0, None)[1] == pytest.approx(np.exp(-0.3 / 0.2))
    assert related(space, "near", 0, None)[1] == pytest.approx(np.exp(-(0.3 + 1.4) / 2.0 / 0.6))
