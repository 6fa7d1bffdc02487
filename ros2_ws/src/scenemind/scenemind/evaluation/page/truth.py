"""What a page needs of the true scenes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from scenemind.memory import MapObject


class Truth(Protocol):
    """`Scenes` is one."""

    def get_objects(self, scene_id: str) -> Mapping[int, MapObject]:
        """By id.

        Raises:
            EvaluationError: there is no such scene.
        """
        ...
