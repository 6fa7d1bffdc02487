"""True scenes, in closed form from their boxes."""

from __future__ import annotations

import random

import pytest

from scenemind.config import RelationConfig
from scenemind.evaluation.alignment.planting import Confusions, TrueScene
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


def test_unambiguous_supporters(scene: TrueScene) -> None:
    # The vase stands on one, too, but "above the nightstand" might mean the picture.
    assert scene.carried == {2: 1}


def test_a_name_is_unique_where_nothing_else_could_be_meant(scene: TrueScene) -> None:
    names = {thing.label for thing in scene.unique}
    assert {"lamp", "vase", "picture"} <= names
    assert "chair" not in names


def test_count_with_a_doubtful_label_is_ambiguous(scene: TrueScene) -> None:
    assert scene.counted("chair") is None  # an armchair may count as a chair
    assert [thing.object_id for thing in scene.counted("lamp") or ()] == [2]


def test_things_of_like_size_are_confused() -> None:
    sizes = {"mug": 0.10, "bottle": 0.12, "wardrobe": 1.0, "fridge": 1.1}
    rows = [row(k, label, (2.0 * k, 0, 1), size) for k, (label, size) in enumerate(sizes.items())]
    objects = scene_of_rows(rows, RelationConfig()).objects
    confusions = Confusions(objects.values())
    for seed in range(20):
        for object_id, wrong in ((0, "bottle"), (1, "mug"), (2, "fridge"), (3, "wardrobe")):
            thing = objects[object_id]
            assert confusions.draw(thing, [thing], random.Random(seed)) == wrong
