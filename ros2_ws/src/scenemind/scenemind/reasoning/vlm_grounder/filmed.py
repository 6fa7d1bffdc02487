"""What one query is asked of, and what is noted of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from scenemind.memory import FrameIndex, KeyFrame, MemoryAccess, MemorySnapshot
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.types import Picture


@dataclass(frozen=True, slots=True, eq=False)
class Filmed:
    """A memory at one moment.

    Attributes:
        index: of all stored frames; at least one.
    """

    memory: MemoryAccess
    index: FrameIndex
    snapshot: MemorySnapshot

    @classmethod
    def by(cls, memory: MemoryAccess) -> Filmed:
        """
        Raises:
            ReasoningError: no frame is stored.
        """
        index = memory.frame_index()
        if not len(index):
            raise ReasoningError(
                "empty_memory", "no frame is stored yet: let the camera look around"
            )
        return cls(memory, index, memory.snapshot())


@dataclass(frozen=True, slots=True)
class Notes:
    """
    Attributes:
        steps: what was done, in words.
        looked_at: key frames that the model named, the latest first.
        pictures: what it saw, and what was measured.
    """

    steps: list[str] = field(default_factory=list)
    looked_at: list[KeyFrame] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
