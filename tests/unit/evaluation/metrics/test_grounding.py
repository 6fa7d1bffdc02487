"""Groundings by id and by overlap."""

from __future__ import annotations

import pytest

from scenemind.config import RelationConfig
from scenemind.evaluation.metrics import grounding_scores
from scenemind.exchange import ObjectRow, scene_of_rows


@pytest.mark.parametrize(
    ("shift_m", "acc_25", "acc_50"),
    # Unit cubes that are shifted by s share 1 - s, of 1 + s together.
    [(0.3, 1, 1), (0.34, 1, 0), (0.59, 1, 0), (0.61, 0, 0)],
)
def test_overlap(shift_m: float, acc_25: int, acc_50: int) -> None:
    rows = [
        ObjectRow(id=1, label="box", center=(0, 0, 0), size=(1, 1, 1)),
        ObjectRow(id=2, label="box", center=(shift_m, 0, 0), size=(1, 1, 1)),
    ]
    objects = scene_of_rows(rows, RelationConfig()).objects
    assert grounding_scores(2, 1, objects) == {"accuracy": 0, "acc_25": acc_25, "acc_50": acc_50}


def test_the_target_itself_is_right_though_it_is_flat() -> None:
    flat = ObjectRow(id=1, label="picture", center=(0, 0, 1), size=(1, 0, 1))
    objects = scene_of_rows([flat], RelationConfig()).objects
    assert grounding_scores(1, 1, objects) == {"accuracy": 1, "acc_25": 1, "acc_50": 1}


def test_nothing_found_is_wrong() -> None:
    assert grounding_scores(None, 1, {}) == {"accuracy": 0, "acc_25": 0, "acc_50": 0}
