"""Graded relations of boxes, in closed form on boxes whose relations can be seen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.language.trees import Rank
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.symbolic import graded_relations as graded
from scenemind.reasoning.symbolic.graded_relations import Onlooker, Pairs
from scenemind.reasoning.symbolic.ranks import compared, order_scores, rank_scores
from scenemind.reasoning.symbolic.relation_scores import relations_of
from scenemind.reasoning.symbolic.scene import Scene
from tests.unit.reasoning.scene import Triple, snapshot_of, thing

Box = tuple[Triple, Triple]
E, CUBE = float(np.exp(-1.0)), (0.2, 0.2, 0.2)
COORDINATE = st.floats(-3.0, 3.0)
POINT = st.tuples(COORDINATE, COORDINATE, COORDINATE)


def pairs(other: Box, *subjects: Box) -> Pairs:
    """Boxes by middle and size, and the one that they relate to."""
    center, size = (np.array(column, float) for column in zip(other, *subjects, strict=True))
    low, high = center - size / 2, center + size / 2
    return Pairs(low[1:], high[1:], low[0], high[0])


def cubes(*centers: Triple, size: Triple = CUBE) -> Scene:
    return Scene(snapshot_of([thing(i, "box", at, size) for i, at in enumerate(centers)]))


def at(x: float, y: float, heading_rad: float) -> Onlooker:
    ahead = np.array((np.cos(heading_rad), np.sin(heading_rad)))
    return Onlooker.of(Viewpoint(np.array((x, y, 1.2)), ahead, "a test"))


SOUTH = at(0.0, -3.0, np.pi / 2)
UNKNOWN = Onlooker(np.array((0.0, -3.0)))


@settings(deadline=None)
@given(POINT, POINT)
def test_gaps_of_cubes_are_those_of_their_axes(a: Triple, b: Triple) -> None:
    two = pairs((a, CUBE), (b, CUBE))
    apart = np.maximum(np.abs(np.subtract(a, b)) - 0.2, 0.0)
    assert two.gap_m[0] == pytest.approx(np.linalg.norm(apart))
    assert two.level_gap_m[0] == pytest.approx(np.hypot(*apart[:2]))
    centers = np.linalg.norm(np.subtract(a, b))
    assert two.distance_m[0] == pytest.approx((np.linalg.norm(apart) + centers) / 2.0)


TABLE = ((0.0, 0.0, 0.5), (2.0, 1.0, 1.0))  # its top is at z = 1


@pytest.mark.parametrize(
    ("center", "size", "share", "score"),
    [
        ((0.0, 0.0, 1.1), CUBE, 1.0, 1.0),
        ((0.0, 0.0, 1.25), CUBE, 1.0, E),  # 0.15 m over the top
        ((0.0, 0.0, 0.5), CUBE, 1.0, 1.0),  # in a drawer
        ((0.0, 0.0, 0.15), CUBE, 1.0, 0.5),  # it starts in the lowest 15 %, as a chair does
        ((1.0, 0.0, 1.1), CUBE, 0.5, 0.3 + 0.7 * 0.5),  # half of it beyond the edge
        ((1.2, 0.0, 1.1), CUBE, 0.0, 0.3 * np.exp(-0.1 / 0.3)),  # 0.1 m beside it
        ((1.4, 0.0, 0.5), CUBE, 0.0, 0.3 * E),  # 0.3 m: annotated boxes may miss what carries them
        ((0.0, 0.0, 1.1), (4.0, 2.0, 0.2), 1.0, 0.3),  # larger than what would carry it
    ],
)
def test_on(center: Triple, size: Triple, share: float, score: float) -> None:
    two = pairs(TABLE, (center, size))
    assert two.overlap[0] == pytest.approx(share)
    assert graded.on(two)[0] == pytest.approx(score)


def test_inside_is_half_by_volume_and_half_by_nearness() -> None:
    found = graded.inside(pairs(TABLE, *(((x, 0.0, 0.5), CUBE) for x in (0.0, 1.0, 1.4))))
    assert found == pytest.approx([1.0, 0.75, 0.5 * E])


def test_above_and_below_are_by_height_and_not_beside() -> None:
    """One cube is 0.15 m higher over the table, one as high as it 0.4 m beside."""
    two = pairs(TABLE, ((0, 0, 0.65), CUBE), ((1.5, 0, 0.5), CUBE))
    higher = 1.0 / (1.0 + E)
    assert graded.above(two) == pytest.approx([higher, 0.5 * E])
    assert graded.below(two) == pytest.approx([1.0 - higher, 0.5 * E])


def test_nearness_is_by_the_gap_and_the_middles() -> None:
    two = pairs(TABLE, ((1.4, 0.0, 0.5), CUBE))
    assert graded.near(two)[0] == pytest.approx(np.exp(-(0.3 + 1.4) / 2.0 / 0.6))
    assert graded.beside_closely(two)[0] == pytest.approx(np.exp(-0.3 / 0.2))


def test_opposite_is_aligned_and_more_than_a_metre_away() -> None:
    two = pairs(((0, 0, 0), CUBE), *((at, CUBE) for at in ((1, 0, 0), (0, 3, 0), (0.5, 1, 0))))
    far = 1.0 / (1.0 + np.exp(-4.0))
    assert graded.opposite(two) == pytest.approx([0.5, far, 0.5 * E])


@pytest.mark.parametrize(
    ("third", "on_it"),
    [
        ((0.3, 5.0, 0.5), [1, 1, 0, 0, 0]),  # before a long side, and not far off its middle
        ((5.0, 0.0, 0.5), [0, 1, 1, 0, 1]),  # before a short side
        ((0.0, 0.9, 1.1), [1, 1, 0, 0, 0]),
    ],
)
def test_a_side_of_a_thing_is_that_before_a_third_one(third: Triple, on_it: list[int]) -> None:
    """Around the table two boxes at a long side, one at the end, one at the other long side, one on
    it at the end; and one too far away."""
    places = ((-0.5, 0.8), (0.9, 0.8), (1.3, 0.0), (-0.5, -0.8))
    boxes = (*(((x, y, 0.5), CUBE) for x, y in places), ((0.8, 0.0, 1.1), CUBE))
    two, way = pairs(TABLE, *boxes, ((0, 9, 0.5), CUBE)), pairs(TABLE, (third, CUBE))
    toward, away = graded.on_side(two, way), graded.on_side(two, way, away=True)
    assert toward[5] < 0.01
    assert (toward[:5] > 0.15).tolist() == list(map(bool, on_it))
    assert (np.minimum(toward, away) == 0.0).all()


def test_facing_is_before_a_side_and_reaches_further_than_near() -> None:
    """One box 0.6 m before the table's long side, and one off its corner."""
    two = pairs(TABLE, ((0.5, 1.2, 0.5), CUBE), ((2.1, 1.2, 0.5), CUBE))
    before, corner = graded.facing(two)
    assert before == pytest.approx(E)
    assert before > graded.near(two)[0]
    assert corner < 0.3 * before


def test_the_end_is_beyond_a_short_side() -> None:
    """At half the length the score is a half, where nothing lies beside the table."""
    subjects = (((1.0, 0, 0.5), CUBE), ((1.5, 0, 0.5), CUBE), ((0, 0.6, 0.5), CUBE))
    found = graded.at_end(pairs(TABLE, *subjects))
    beyond = 1.0 / (1.0 + np.exp(-0.5 / 0.15))
    assert found[:2] == pytest.approx([0.5, beyond * E])
    assert found[2] < 0.01


def test_between_is_best_at_the_midpoint() -> None:
    middles = np.array([(1, 0), (1.7, 0), (1, 0.6), (-0.3, 0)], float)
    a, b = np.zeros(2), np.array((2.0, 0.0))
    expected = [1.0, np.exp(-0.35 / 0.35), E, np.exp(-(0.5 + 0.15) / 0.35)]
    assert graded.between(middles, a, b) == pytest.approx(expected)
    assert graded.between(middles, b, a) == pytest.approx(expected)


def test_any_pair_of_candidates_counts_for_between_and_no_end_is_between() -> None:
    between = relations_of(cubes((0, 0, 0), (2, 0, 0), (1, 0, 0), (0, 4, 0))).graded_between
    assert between([(0, 1.0)], [(1, 1.0)], np.arange(3)).tolist() == [0.0, 0.0, 1.0]
    assert between([(0, 1.0)], [(1, 0.5), (3, 1.0)], np.array([2])) == pytest.approx([0.5])
    assert between([(0, 1.0)], [(0, 1.0)], np.arange(4)).tolist() == [1.0] * 4


def test_corners_and_the_middle_of_the_room() -> None:
    """A room of 4 m by 2 m between the outermost surfaces."""
    scene = cubes((-1.9, -0.9, 0), (1.9, 0.9, 0), (-1.1, 0.9, 0), (0, 0, 0), (1, 0, 0))
    room = relations_of(scene)
    expected = [1.0, 1.0, E, np.exp(-np.hypot(1.9, 0.9) / 0.8), np.exp(-np.hypot(0.9, 0.9) / 0.8)]
    assert room.in_room("in the corner of") == pytest.approx(expected)
    assert room.in_room("in the middle of")[3:] == pytest.approx([1.0, E])


def test_walls_make_corners_inside_the_room() -> None:
    """Walls that meet far from the edge of what is known; another one ends nowhere."""
    walls = [
        thing(3, "wall", (0, 0.05, 1), (4, 0.1, 2)),
        thing(4, "wall", (0.05, 2, 1), (0.1, 4, 2)),
    ]
    cups = [thing(1, "cup", (0.2, 0.2, 0), CUBE), thing(2, "cup", (1.8, 1.8, 0), CUBE)]
    far = [thing(k, "lamp", (x, x, 0), CUBE) for k, x in ((5, -9.0), (6, 9.0))]
    fit = relations_of(Scene(snapshot_of([*cups, *walls, *far]))).in_room("in the corner of")
    assert fit[0] == pytest.approx(0.5)
    assert fit[1] == pytest.approx(0.5 * np.exp(-np.hypot(1.6, 1.6) / 0.8))
    alone = relations_of(Scene(snapshot_of([*cups, walls[0], *far]))).in_room("in the corner of")
    assert alone[0] < 0.01


def test_sides_are_graded_by_the_cosine_and_the_gap() -> None:
    """Half where the cosine is 0.3, and 1/e of it at a gap of 1.2 m."""
    angle = np.arccos(0.3)
    near, far = ((r * np.cos(angle), r * np.sin(angle), 0.0) for r in (0.1, 2.0))
    two = pairs(((0, 0, 0), CUBE), (near, CUBE), (far, CUBE))
    found = SOUTH.beside(two, "right")
    assert found == pytest.approx(0.5 * np.exp(-two.level_gap_m / 1.2))


def test_an_unknown_onlooker_looks_at_the_thing_and_is_less_sure() -> None:
    """It sees what somebody at its place sees, which only decides four parts of five."""
    two = pairs(((0, 0, 0), CUBE), ((1, 0, 0), CUBE))
    sure, unsure = (one.beside(two, "right")[0] for one in (SOUTH, UNKNOWN))
    gap = np.exp(-two.level_gap_m[0] / 1.2)
    assert unsure == pytest.approx(0.8 * sure + 0.2 * 0.5 * gap)
    nowhere = Onlooker(np.zeros(2))
    sides = [nowhere.beside(two, side)[0] for side in ("left", "right")]
    assert sides == pytest.approx([0.5 * gap] * 2)


@settings(deadline=None)
@given(st.floats(0, 2 * np.pi), POINT)
def test_sides_change_when_one_turns_around(angle: float, center: Triple) -> None:
    two = pairs(TABLE, (center, CUBE))
    there, back = at(0.0, 0.0, angle), at(0.0, 0.0, angle + np.pi)
    for one, other in (("left", "right"), ("front", "rear")):
        assert there.beside(two, one) == pytest.approx(back.beside(two, other))


@pytest.mark.parametrize(
    ("predicate", "best"),
    [
        ("left of", 2), ("right of", 1), ("in front of", 4), ("behind", 3), ("on", 5),
        ("above", 5), ("below", 6), ("near", 6), ("with", 6),
    ],
)  # fmt: skip
def test_relations_to_an_anchor_in_the_middle(predicate: str, best: int) -> None:
    """The onlooker stands in the south; the anchor never relates to itself."""
    things = [thing(0, "box", (0, 0, 0.5), (0.6, 0.6, 1.0))]
    places = ((1, 0, 0.5), (-1, 0, 0.5), (0, 1, 0.5), (0, -1, 0.5), (0, 0, 1.1), (0, 0, 0.2))
    things += [thing(i, "box", at, CUBE) for i, at in enumerate(places, 1)]
    (fit,) = relations_of(Scene(snapshot_of(things))).graded(predicate, [0], SOUTH, np.arange(7))
    assert fit[0] == 0.0
    assert fit[best] == fit.max()


@pytest.mark.parametrize("predicate", ["left of", "on", "supports", "near", "within 1 m of"])
def test_some_things_and_several_anchors_score_as_each_by_itself(predicate: str) -> None:
    scene = cubes((0, 0, 0), (1, 0, 0), (0, 0, 0.2), (0.4, 0.3, 0), (-1, 2, 0))
    graded_of, things = relations_of(scene).graded, np.array([4, 0, 2])
    found = graded_of(predicate, [0, 3], UNKNOWN, things)
    for row, scores in zip((0, 3), found, strict=True):
        (whole,) = graded_of(predicate, [row], UNKNOWN, np.arange(5))
        assert scores == pytest.approx(whole[things])


@pytest.mark.parametrize(("carries", "lies"), [("supports", "on"), ("contains", "inside")])
def test_what_carries_a_thing_is_what_it_lies_on(carries: str, lies: str) -> None:
    things = [thing(0, "box", *TABLE), thing(1, "box", (0, 0, 1.1), CUBE)]
    things.append(thing(2, "box", (3, 0, 0.5), (1, 1, 1)))
    relations = relations_of(Scene(snapshot_of(things)))
    (found,) = relations.graded(carries, [1], UNKNOWN, np.arange(3))
    assert found[0] == pytest.approx(relations.graded(lies, [0], UNKNOWN, np.array([1]))[0, 0])
    assert found[0] > found[2]


def test_comparisons_are_to_the_nearest_anchor() -> None:
    scene = cubes((0, 0, 0), (4, 0, 0), (1, 0, 0), (6, 0, 0))
    nearer = compared(scene, [0, 1], np.ones(len(scene), bool), farthest=False)
    assert nearer[2:] == pytest.approx([-(0.8 + 1.0) / 2.0, -(1.8 + 2.0) / 2.0])
    farther = compared(scene, [0, 1], np.ones(len(scene), bool), farthest=True)
    assert farther == pytest.approx(-nearer)


ROW = cubes(*((x, 0.0, z) for x, z in ((-1, 0.1), (0, 0.1), (1, 0.1), (0, 1.1))))
ALL = np.ones(4, bool)


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
    scene = cubes((0, 0, 0.5), (0, 2, 0.5), (0, 1, 0.7))
    best = [
        int(np.argmax(rank_scores(scene, Rank(name), np.ones(3, bool), SOUTH)))
        for name in ("topmost", "bottommost", "highest")
    ]
    assert best == [1, 0, 2]


def test_the_middle_one_is_nearest_to_the_mean_of_its_group() -> None:
    among = np.array([True, True, True, False])
    scores = rank_scores(ROW, Rank("middle"), among, UNKNOWN)
    spread = np.std([-1.0, 0.0, 1.0]) + 0.1
    assert scores[:3] == pytest.approx([-1.0 / spread, 0.0, -1.0 / spread])
    assert order_scores(np.array([3.0, 2.0, 1.0, 9.0]), among, 3).tolist() == pytest.approx(
        [-2.4, -1.2, 0.0, -2.4]
    )
