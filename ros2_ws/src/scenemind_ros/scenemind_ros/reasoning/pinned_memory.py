"""One request's view of a memory."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.memory import Correction, Edit, KeyFrame, MemoryAccess, MemorySnapshot
from scenemind.memory.graph.corrections import SimilarObject
from scenemind.memory.history import SceneChanges


class PinnedMemory:
    """A `MemoryAccess` whose snapshot stays the same, while the map goes on changing.

    What an answer says and the stamp that it carries then speak of one moment, and a memory on
    another machine is asked for its objects only once.
    """

    def __init__(self, memory: MemoryAccess) -> None:
        self._memory = memory
        self._snapshot: MemorySnapshot | None = None

    def snapshot(self) -> MemorySnapshot:
        if self._snapshot is None:
            self._snapshot = self._memory.snapshot()
        return self._snapshot

    def key_frames_of(self, object_ids: Sequence[int], count: int) -> list[KeyFrame]:
        return self._memory.key_frames_of(object_ids, count)

    def changes_since(self, stamp_ns: int | None = None) -> SceneChanges:
        return self._memory.changes_since(stamp_ns)

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        return self._memory.apply(edits, by, reason)

    def undo(self, correction_id: int | None = None) -> Correction:
        return self._memory.undo(correction_id)

    def redo(self, correction_id: int | None = None) -> Correction:
        return self._memory.redo(correction_id)

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        return self._memory.find_similar(edit, count)

    def corrections(self) -> list[Correction]:
        return self._memory.corrections()
