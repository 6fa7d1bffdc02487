"""Which of several candidates carries a thing, and that nothing is carried in a circle."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory.graph.carriers import Bearer, Carrier, best_carrier, cut_circles
from scenemind.memory.graph.pair_facts import Facts
from scenemind.memory.graph.verification.common_sense import Sense, sense_of
from scenemind.memory.graph.verification.consistency import find_cycle

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


def test_nothing_carries_what_has_no_candidate() -> None:
    assert carried("cup") is None
    assert carried("cup", table={"near": 1.0, "above": 0.4}) is None


def test_the_best_of_what_it_may_stand_on() -> None:
    assert carried("cup", table={"on": 0.9}, shelf={"on": 0.5}) == (TABLE, "on")


def test_an_apple_in_a_bowl_on_a_table_is_in_the_bowl() -> None:
    assert carried("apple", table={"on": 0.9}, bowl={"inside": 1.0}) == (BOWL, "inside")


@pytest.mark.parametrize(("score", "carrier"), [(0.9, (BOWL, "on")), (0.4, (SHELF, "inside"))])
def test_in_a_shelf_a_thing_is_on_what_it_surely_touches(
    score: float, carrier: tuple[int, str]
) -> None:
    assert carried("book", bowl={"on": score}, shelf={"inside": 1.0}) == carrier


def test_a_wall_carries_what_nothing_else_does_and_may_hang() -> None:
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
