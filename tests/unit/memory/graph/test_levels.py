"""Levels of towers of things, and that they follow changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scenemind.memory.graph.levels import Levels


def test_a_tower_is_counted_from_below() -> None:
    levels = Levels()
    assert levels.update([(3, 2), (2, 1), (1, None)], []) == {1, 2, 3}
    assert levels.by_id() == {1: 0, 2: 1, 3: 2}


def test_what_stands_on_a_moved_thing_moves_with_it() -> None:
    levels = Levels()
    levels.update([(1, None), (2, 1), (3, 2), (4, 3), (5, 1)], [])
    assert levels.update([(2, None)], []) == {2, 3, 4}
    assert levels.by_id() == {1: 0, 2: 0, 3: 1, 4: 2, 5: 1}


def test_where_nothing_changes_the_mapping_is_the_same() -> None:
    levels = Levels()
    levels.update([(1, None), (2, 1)], [])
    before = levels.by_id()
    assert levels.update([(2, 1)], []) == set()
    assert levels.by_id() is before


def test_what_is_gone_has_no_level() -> None:
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
def test_kept_up_to_date_they_are_what_counting_gives(history: list[list[tuple]]) -> None:
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
