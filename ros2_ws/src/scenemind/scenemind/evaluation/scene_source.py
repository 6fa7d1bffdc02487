"""What a method may know of a benchmark's scenes; named wherever its results appear."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from scenemind.memory import MemoryAccess


class SceneSource(Protocol):
    """
    Attributes:
        name: such as "ground-truth objects".
        has_true_ids: object ids are those of the benchmark, so that `accuracy` is defined.
    """

    name: str
    has_true_ids: bool

    def opened(self, scene_id: str) -> AbstractContextManager[MemoryAccess]:
        """The scene's memory for as long as it is asked; world is the scene's axis-aligned frame.

        Raises:
            EvaluationError: there is none for this scene; says what to do.
        """
        ...
