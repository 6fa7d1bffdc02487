"""What methods without pictures need of a memory."""

from __future__ import annotations

from scenemind.memory import MemoryAccess, MemorySnapshot
from scenemind.reasoning.errors import ReasoningError


def snapshot_with_objects(memory: MemoryAccess) -> MemorySnapshot:
    """The scene graph now.

    Raises:
        ReasoningError: it has no objects.
    """
    snapshot = memory.snapshot()
    if not snapshot.objects:
        raise ReasoningError(
            "empty_memory",
            "The memory holds no objects yet: start mapping, or load a saved memory.",
        )
    return snapshot
