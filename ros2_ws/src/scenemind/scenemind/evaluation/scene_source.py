"""What a method may know of a benchmark's scenes; named wherever its results appear."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from scenemind.memory import MemoryAccess


class NamedSource(Protocol):
    """
    Attributes:
        name: such as "ground-truth objects".
        has_true_ids: object ids are those of the benchmark, so that `accuracy` is defined.
    """

    @property
    def name(self) -> str: ...

    @property
    def has_true_ids(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Named:
    """A `NamedSource` that is no memory."""

    name: str
    has_true_ids: bool = False


NO_SCENE = Named("no scene")
"""The question alone: what somebody says who sees nothing."""
PHOTOGRAPHS = Named("photographs")


class SceneSource(NamedSource, Protocol):
    """Scenes as memories, one after another."""

    def check(self, scene_id: str) -> None:
        """Cheap, for before hours of work.

        Raises:
            EvaluationError: there is none for this scene; says what to do.
        """
        ...

    def opened(self, scene_id: str) -> AbstractContextManager[MemoryAccess]:
        """The scene's memory for as long as it is asked; world is the scene's axis-aligned frame.

        Raises:
            EvaluationError: as `check`.
        """
        ...
