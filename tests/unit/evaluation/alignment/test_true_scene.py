"""What stands on what, and what is called what, against a scene laid out by hand."""

from __future__ import annotations

import random

import pytest

from scenemind.config import RelationConfig
from scenemind.evaluation.alignment.true_scene import TrueScene
from scenemind.exchange import ObjectRow, scene_of_rows


def row(object_id: int, label: str, center: tuple[float, float, float], size: float) -> ObjectRow:
    return ObjectRow(id=object_id, label=label, center=center, size=(size, size, size))


@pytest.fixture
def scene() -> TrueScene:
    """A lamp on a desk, with a picture high above a second one, and two kinds of chair."""
    rows = [
        row(1, "desk", (0, 0, 0.5), 1.0),
        row(2, "lamp", (0, 0, 1.1), 0.2),
        row(3, "nightstand", (3, 0, 0.5), 1.0),
        row(4, "vase", (3, 0, 1.1), 0.2),
        row(5, "picture", (3, 0, 2.5), 0.4),
        row(6, "chair", (0, 3, 0.4), 0.8),
        row(7, "office chair", (3, 3, 0.4), 0.8),
        row(8, "armchair", (6, 3, 0.4), 0.8),
    ]
    return TrueScene("made", scene_of_rows(rows, RelationConfig()), random.Random(0))


def test_what_stands_clearly_on_what(scene: TrueScene) -> None:
    # The vase does so too, but "above the nightstand" might mean the picture.
    assert scene.carried == {2: 1}


def test_a_name_is_unique_where_nothing_else_could_be_meant(scene: TrueScene) -> None:
    names = {thing.label for thing in scene.unique}
    assert {"lamp", "vase", "picture"} <= names
    assert "chair" not in names


def test_what_might_be_called_so_makes_a_count_unclear(scene: TrueScene) -> None:
    assert scene.counted("chair") is None  # an armchair: is it one?
    assert [thing.object_id for thing in scene.counted("lamp") or ()] == [2]
