"""Higher and lower than: differences of heights, wherever the map has its origin."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations.heights import higher_than, lower_than
from tests.unit.memory.graph.relations.columns import column

CONFIG = RelationConfig()
PICTURE = ((3.0, 0.0, 1.6), (0.6, 0.05, 0.4))
CHAIR = ((0.0, 0.0, 0.45), (0.5, 0.5, 0.9))
WARDROBE = ((0.0, 2.0, 1.0), (1.0, 0.6, 2.0))


@pytest.mark.parametrize("floor_z", [-30.0, -0.3, 0.0, 0.7, 12.0])
def test_heights_are_differences(floor_z: float) -> None:
    """A peer measures from the middle of the scene, where other things hold in a raised map."""
    up = np.array((0.0, 0.0, floor_z, 0.0, 0.0, floor_z))
    picture, chair = column(PICTURE) + up, column(CHAIR) + up
    assert higher_than(picture, chair, CONFIG)[0] == pytest.approx(1.0)
    assert lower_than(chair, picture, CONFIG)[0] == pytest.approx(1.0)
    assert higher_than(chair, picture, CONFIG)[0] == 0.0


def test_what_reaches_from_floor_to_ceiling_is_neither() -> None:
    assert higher_than(column(PICTURE), column(WARDROBE), CONFIG)[0] == 0.0
    assert lower_than(column(PICTURE), column(WARDROBE), CONFIG)[0] == 0.0


def test_the_least_difference_is_barely_true() -> None:
    one, ten_cm_higher = ((0.0, 0.0, 1.0), (0.2,) * 3), ((2.0, 0.0, 1.1 + 1e-9), (0.2,) * 3)
    assert higher_than(column(ten_cm_higher), column(one), CONFIG)[0] == pytest.approx(0.5)
    assert higher_than(column(one), column(one), CONFIG)[0] == 0.0
