"""What walls and ceilings carry, by gaps and sides that are plain to see; a wall's own frame."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations import attached
from scenemind.memory.graph.relations.attached import CEILING, WALL

CONFIG = RelationConfig()
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
    assert score(attached.attached, before_wall(0.03, gap)) == pytest.approx(expected)


def test_a_thing_may_be_on_either_side_of_a_wall() -> None:
    behind = (-0.3, 0.1, 1.2, 0.3, 0.13, 1.7)
    assert score(attached.attached, behind) == 1.0


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
    assert (score(attached.attached, thing) > 0.0) == holds


@pytest.mark.parametrize(
    ("thing", "relation"),
    [
        pytest.param(before_wall(0.03), attached.hanging_on, id="a picture"),
        pytest.param(before_wall(0.4), attached.mounted_on, id="a cabinet"),
        pytest.param(
            before_wall(0.02, width=0.1, height=0.1), attached.affixed_on, id="a light switch"
        ),
    ],
)
def test_of_a_wall_the_shape_decides(
    thing: tuple[float, ...], relation: Callable[..., np.ndarray]
) -> None:
    ways = (attached.hanging_on, attached.mounted_on, attached.affixed_on)
    assert [way for way in ways if score(way, thing) > 0.0] == [relation]


@pytest.mark.parametrize(
    ("thing", "relation"),
    [
        pytest.param(under_ceiling(0.6), attached.hanging_on, id="a lamp"),
        pytest.param(under_ceiling(0.05), attached.affixed_on, id="a smoke detector"),
    ],
)
def test_of_a_ceiling_the_shape_decides(
    thing: tuple[float, ...], relation: Callable[..., np.ndarray]
) -> None:
    ways = (attached.hanging_on, attached.mounted_on, attached.affixed_on)
    assert [way for way in ways if score(way, thing, CEILING) > 0.0] == [relation]


def test_a_window_is_set_into_the_wall_that_it_goes_through() -> None:
    assert score(attached.set_into, (-0.5, -0.05, 1.0, 0.5, 0.15, 2.0)) == 1.0
    assert score(attached.set_into, before_wall(0.03)) == 0.0
