"""Next to, besides and near, at distances that are plain to see."""

from __future__ import annotations

import pytest

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations import nearness
from tests.unit.memory.graph.relations.columns import put, row

CONFIG = RelationConfig()
TABLE = (-0.8, -0.4, 0.0, 0.8, 0.4, 0.75)


@pytest.mark.parametrize(
    ("gap", "bottom", "holds"),
    [(0.0, 0.0, True), (0.5, 0.0, True), (0.7, 0.0, False), (0.2, 0.7, False)],
)
def test_next_to_is_beside_on_one_level(gap: float, bottom: float, holds: bool) -> None:
    chair = row(put(0.8 + gap + 0.25, 0, bottom, 0.5, 0.9))
    score = nearness.next_to(chair, row(TABLE), CONFIG)[0]
    assert (score > 0.0) == holds


def test_small_things_are_neighbours_only_when_close() -> None:
    cup = row(put(0, 0, 0.75))
    assert nearness.next_to(cup, row(put(0.35, 0, 0.75)), CONFIG)[0] > 0.0
    assert nearness.next_to(cup, row(put(0.55, 0, 0.75)), CONFIG)[0] == 0.0


def test_near_is_the_gap_between_boxes() -> None:
    cube = (0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    corner = (1.3, 1.4, 0.0, 2.0, 2.0, 1.0)  # 0.3 and 0.4 m away: a gap of 0.5 m
    assert nearness.near(row(cube), row(corner), CONFIG)[0] == pytest.approx(0.75)
    assert nearness.near(row(cube), row((1.5, 0, 0, 2, 1, 1)), CONFIG)[0] == pytest.approx(0.75)
    assert nearness.near(row(cube), row((2.1, 0, 0, 3, 1, 1)), CONFIG)[0] == 0.0


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
    beside = nearness.besides(chair, row(TABLE), CONFIG)[0]
    assert (beside > 0.0) == holds
    assert nearness.next_to(chair, row(TABLE), CONFIG)[0] > 0.0


def test_what_is_besides_is_as_much_next_to() -> None:
    chair = row(put(1.2, 0.1, 0.0, 0.5, 0.9))
    assert nearness.besides(chair, row(TABLE), CONFIG) == nearness.next_to(
        chair, row(TABLE), CONFIG
    )
