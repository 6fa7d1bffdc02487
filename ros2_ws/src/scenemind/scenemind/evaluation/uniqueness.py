"""Whether a target is the only one of its class: ScanRefer's `unique` and `multiple`."""

from __future__ import annotations

from collections import Counter
from functools import cache

from scenemind.evaluation.datasets.label_table import (
    LABEL_TABLE,
    OTHERS,
    find_label_table,
    read_label_table,
)
from scenemind.evaluation.scenes import Scenes


class Uniqueness:
    """By the labels of all true objects of a scene: as ScanRefer's 18 classes where ScanNet's label
    table stands beside the objects file, else word by word.

    Attributes:
        note: which of the two.
    """

    def __init__(self, truth: Scenes) -> None:
        """
        Raises:
            EvaluationError: there is a table, and it cannot be read.
        """
        table = find_label_table(truth.path)
        self._truth = truth
        self._classes = None if table is None else read_label_table(table)
        self._counts = cache(self._counted)
        self.note = (
            f"unique and multiple go by the labels themselves: {LABEL_TABLE} beside the objects"
            " file would make them ScanRefer's 18 classes"
            if table is None
            else "unique and multiple go by ScanRefer's 18 classes of all objects in the scene"
        )

    def is_unique(self, scene_id: str, target_id: int) -> bool:
        """
        Raises:
            EvaluationError: the truth has no such object.
        """
        label = self._truth.get_target(scene_id, target_id).label
        return self._counts(scene_id)[self._class_of(label)] == 1

    def _counted(self, scene_id: str) -> Counter[str]:
        objects = self._truth.get_objects(scene_id).values()
        return Counter(self._class_of(thing.label) for thing in objects)

    def _class_of(self, label: str) -> str:
        return label if self._classes is None else self._classes.get(label, OTHERS)
