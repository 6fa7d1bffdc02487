"""Objects of a file as scenes: the benchmark's own, or those that another program found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scenemind.config import RelationConfig
from scenemind.evaluation.objects_memory import SOURCE, ObjectsMemory
from scenemind.evaluation.scenes import Scenes

PREDICTED = "predicted instances"


class ObjectsSource:
    """A `SceneSource` of labels and boxes, without images."""

    def __init__(self, scenes: Scenes, name: str = SOURCE, has_true_ids: bool = True) -> None:
        self.name = name
        self.has_true_ids = has_true_ids
        self._scenes = scenes

    def check(self, scene_id: str) -> None:
        """See `SceneSource`."""
        self._scenes.get_objects(scene_id)

    @contextmanager
    def opened(self, scene_id: str) -> Iterator[ObjectsMemory]:
        """See `SceneSource`."""
        yield ObjectsMemory(self._scenes.get_snapshot(scene_id), self.name)


def predicted_instances(path: Path, config: RelationConfig | None = None) -> ObjectsSource:
    """What a detector found in each scene: an objects file whose ids are its own, and whose rows
    may have a `score`.

    Raises:
        EvaluationError: the file cannot be read, or holds no scenes.
    """
    return ObjectsSource(Scenes(path, config), PREDICTED, has_true_ids=False)
