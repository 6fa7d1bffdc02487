"""What chooses the frames that a vision model is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from scenemind.memory import KeyFrame, MemoryAccess
from scenemind.reasoning.method import Asking
from scenemind.reasoning.types import Query


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """
    Attributes:
        key_frames: best first.
        reasoning: why these, in the words of who chose; empty where nobody reasons.
        steps: what was done, a line each; also what had to be repaired.
        key_objects, cue_objects: ids of objects that help to answer, and of those near them.
    """

    key_frames: tuple[KeyFrame, ...]
    reasoning: str = ""
    steps: tuple[str, ...] = ()
    key_objects: tuple[int, ...] = ()
    cue_objects: tuple[int, ...] = ()


class FrameSelector(Protocol):
    """Chooses stored frames for a question; may be asked from several threads at once."""

    @property
    def name(self) -> str:
        """As `MemTreeConfig.selector` spells it; a simulated or oracle one says so here."""
        ...

    def select(self, query: Query, memory: MemoryAccess, count: int, asking: Asking) -> Selection:
        """Up to `count` stored frames.

        Raises:
            ReasoningError: the memory has no frame to choose.
            ModelError: a model failed, or the allowance is used up.
            PerceptionError: an encoder or detector cannot be had.
        """
        ...
