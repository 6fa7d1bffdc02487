"""What was made of a map is shared by all who ask about it, as long as it stays the same."""

from __future__ import annotations

from scenemind.config import RelationConfig
from scenemind.reasoning.symbolic import LastScene
from tests.unit.reasoning.scene import snapshot_of, thing


def test_the_same_snapshot_is_the_same_scene_and_another_one_is_not() -> None:
    scenes = LastScene(RelationConfig())
    first, second = (snapshot_of([thing(0, kind, (0, 0, 1), (1, 1, 1))]) for kind in ("cup", "mug"))
    assert scenes.of(first) is scenes.of(first)
    assert scenes.of(second) is not scenes.of(first)
    assert scenes.of(second).rows_of_label == {"mug": [0]}
