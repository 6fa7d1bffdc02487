"""Carriers, levels and consistency of statements."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory import Relation
from scenemind.memory.graph.common_sense import Sense, sense_of
from scenemind.memory.graph.pair_facts import Facts
from scenemind.memory.graph.statements import (
    Bearer,
    Carrier,
    Levels,
    best_carrier,
    contradictions,
    cut_circles,
    find_cycle,
)


def test_a_tower_is_counted_from_below() -> None:
    levels = Levels()
    assert levels.update([(3, 2), (2, 1), (1, None)], []) == {1, 2, 3}
    assert levels.by_id() == {1: 0, 2: 1, 3: 2}


def test_levels_follow_a_supporter_that_changes() -> None:
    levels = Levels()
    levels.update([(1, None), (2, 1), (3, 2), (4, 3), (5, 1)], [])
    assert levels.update([(2, None)], []) == {2, 3, 4}
    assert levels.by_id() == {1: 0, 2: 0, 3: 1, 4: 2, 5: 1}


def test_mapping_is_the_same_value_when_nothing_changes() -> None:
    levels = Levels()
    levels.update([(1, None), (2, 1)], [])
    before = levels.by_id()
    assert levels.update([(2, 1)], []) == set()
    assert levels.by_id() is before


def test_missing_object_has_no_level() -> None:
    levels = Levels()
    levels.update([(1, None), (2, 1)], [])
    levels.update([(2, None)], [1])
    assert levels.by_id() == {2: 0}


# Things are only carried by things of a smaller number, so that there are no circles.
carriers = st.lists(
    st.integers(1, 12).flatmap(
        lambda thing: st.tuples(st.just(thing), st.none() | st.integers(0, thing - 1))
    ),
    max_size=30,
)


@given(st.lists(carriers, max_size=5))
def test_statements_kept_up_to_date_equal_a_new_count(history: list[list[tuple]]) -> None:
    levels, carrier_of = Levels(), {0: None}
    levels.update([(0, None)], [])
    for changes in history:
        # A carrier must be there.
        changes = [(t, c) for t, c in changes if c is None or c in carrier_of]
        carrier_of.update(dict(changes))
        levels.update(dict(changes).items(), [])
    for thing, level in levels.by_id().items():
        count, at = 0, carrier_of[thing]
        while at is not None:
            count, at = count + 1, carrier_of[at]
        assert level == count


WALL, FLOOR, TABLE, BOWL, SHELF = -2, -1, 1, 2, 3
NAMES = ("wall", "floor", "table", "bowl", "shelf")
BEARERS = {
    WALL: Bearer(math.inf, Sense(), is_building=True),
    FLOOR: Bearer(math.inf, Sense(), is_building=True),
    TABLE: Bearer(1.0, sense_of("table"), is_building=False),
    BOWL: Bearer(0.01, sense_of("bowl"), is_building=False),
    SHELF: Bearer(0.5, sense_of("shelf"), is_building=False),
}


def carried(label: str, **facts: Facts) -> tuple[int, str] | None:
    nodes = {name: node for node, name in zip(BEARERS, NAMES, strict=True)}
    carrier = best_carrier(
        {nodes[name]: found for name, found in facts.items()}, sense_of(label), BEARERS.__getitem__
    )
    return None if carrier is None else (carrier.node, carrier.predicate)


def test_thing_without_candidates_has_no_supporter() -> None:
    assert carried("cup") is None
    assert carried("cup", table={"near": 1.0, "above": 0.4}) is None


def test_supporter_is_the_best_candidate() -> None:
    assert carried("cup", table={"on": 0.9}, shelf={"on": 0.5}) == (TABLE, "on")


def test_an_apple_in_a_bowl_on_a_table_is_in_the_bowl() -> None:
    assert carried("apple", table={"on": 0.9}, bowl={"inside": 1.0}) == (BOWL, "inside")


@pytest.mark.parametrize(("score", "carrier"), [(0.9, (BOWL, "on")), (0.4, (SHELF, "inside"))])
def test_thing_in_a_shelf_is_on_the_board_that_it_surely_touches(
    score: float, carrier: tuple[int, str]
) -> None:
    assert carried("book", bowl={"on": score}, shelf={"inside": 1.0}) == carrier


def test_wall_carries_a_thing_that_may_hang_and_has_no_other_supporter() -> None:
    assert carried("box on a hook", wall={"mounted on": 1.0}) == (WALL, "mounted on")
    assert carried("tv", wall={"mounted on": 1.0}, table={"on": 0.8}) == (TABLE, "on")
    assert carried("chair", wall={"mounted on": 1.0}) is None


def test_a_mirror_is_on_the_wall_and_not_on_the_basin_below() -> None:
    assert carried("mirror", wall={"affixed on": 1.0}, table={"on": 0.8}) == (WALL, "affixed on")


def test_a_door_belongs_to_its_wall_although_it_touches_the_floor() -> None:
    assert carried("door", wall={"embedded in": 0.6}, floor={"on": 1.0}) == (WALL, "embedded in")


def test_a_sink_is_embedded_in_the_table_that_would_carry_it() -> None:
    assert carried("sink", table={"on": 0.4}) == (TABLE, "embedded in")
    assert carried("cup", table={"on": 0.4}) == (TABLE, "on")


def circle(*scores: float) -> dict[int, Carrier]:
    """Things 0, 1, ... each carried by the next, the last by the first."""
    return {i: Carrier((i + 1) % len(scores), "on", s) for i, s in enumerate(scores)}


def test_a_circle_is_cut_where_it_is_least_sure() -> None:
    best = circle(0.9, 0.3, 0.8) | {7: Carrier(0, "on", 0.1)}
    assert cut_circles(best, [7]) == {1}
    assert cut_circles(best, [0, 1, 2, 7]) == {1}


def test_a_chain_is_not_cut() -> None:
    best = {1: Carrier(2, "on", 0.2), 2: Carrier(3, "inside", 0.5)}
    assert cut_circles(best, best) == set()


@given(
    st.dictionaries(
        st.integers(0, 15), st.tuples(st.integers(0, 15), st.integers(1, 3)), max_size=16
    )
)
def test_without_the_cuts_no_circle_is_left(graph: dict[int, tuple[int, int]]) -> None:
    best = {i: Carrier(node, "on", s / 3) for i, (node, s) in graph.items() if node != i}
    cut = cut_circles(best, best)
    left = {i: carrier.node for i, carrier in best.items() if i not in cut}
    assert all(find_cycle(left.get, start) == [] for start in left)


def relations(*statements: tuple[int, str, int]) -> list[Relation]:
    return [Relation(*statement) for statement in statements]


def test_consistent_room_has_no_contradiction() -> None:
    assert (
        contradictions(
            relations(
                *((2, "on", 1), (3, "inside", 2), (3, "tied to", 9)),
                *((1, "above", 4), (4, "below", 1), (1, "near", 4), (4, "near", 1)),
            )
        )
        == []
    )


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        ([(1, "on", 2), (2, "on", 1)], "round in a circle"),
        ([(1, "on", 2), (2, "inside", 3), (3, "hanging on", 1)], "round in a circle"),
        ([(1, "on", 1)], "round in a circle"),
        ([(1, "near", 2)], "1 is near 2, but 2 is not near 1"),
        ([(1, "above", 2)], "1 is above 2, but 2 is not below 1"),
    ],
)
def test_contradictions_are_reported(statements: list[tuple[int, str, int]], message: str) -> None:
    (found,) = contradictions(relations(*statements))
    assert message in found


def test_nothing_is_above_and_below_the_same() -> None:
    both = relations((1, "above", 2), (2, "below", 1), (1, "below", 2), (2, "above", 1))
    assert contradictions(both) == ["1 is both above and below 2", "2 is both above and below 1"]


def test_the_circle_that_a_chain_runs_into() -> None:
    carrier_of = {1: 2, 2: 3, 3: 4, 4: 2, 8: 9}
    assert find_cycle(carrier_of.get, 1) == [2, 3, 4]
    assert find_cycle(carrier_of.get, 8) == []
