"""Sets of relations that agree, and that do not."""

from __future__ import annotations

import pytest

from scenemind.memory import Relation
from scenemind.memory.graph.verification.consistency import contradictions, find_cycle


def relations(*statements: tuple[int, str, int]) -> list[Relation]:
    return [Relation(*statement) for statement in statements]


def test_a_room_that_agrees() -> None:
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
def test_what_does_not_agree_is_told(statements: list[tuple[int, str, int]], message: str) -> None:
    (found,) = contradictions(relations(*statements))
    assert message in found


def test_nothing_is_above_and_below_the_same() -> None:
    both = relations((1, "above", 2), (2, "below", 1), (1, "below", 2), (2, "above", 1))
    assert contradictions(both) == ["1 is both above and below 2", "2 is both above and below 1"]


def test_the_circle_that_a_chain_runs_into() -> None:
    carrier_of = {1: 2, 2: 3, 3: 4, 4: 2, 8: 9}
    assert find_cycle(carrier_of.get, 1) == [2, 3, 4]
    assert find_cycle(carrier_of.get, 8) == []
