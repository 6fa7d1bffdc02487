"""The journal of a memory of this process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scenemind.cli.corrections.journal import Candidate, entry_of, repeat_reason
from scenemind.memory import Correction, Memory, Replay


class StoredJournal:
    """A `Journal`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def entries(self) -> Sequence[Correction]:
        return self._memory.corrections()

    def undo(self, number: int | None) -> Correction:
        return self._memory.undo(number)

    def redo(self, number: int | None) -> Correction:
        return self._memory.redo(number)

    def export(self) -> str:
        return self._memory.export_corrections()

    def replay(self, text: str, by: str, *, preview: bool) -> Replay:
        return self._memory.import_corrections(text, by, preview=preview)

    def similar(self, number: int) -> Sequence[Candidate]:
        found = self._memory.find_similar(entry_of(self.entries(), number).edit)
        objects = self._memory.snapshot().objects
        return [Candidate(one, objects[one.object_id].label) for one in found]

    def repeat(self, number: int, object_ids: Sequence[int], by: str) -> Sequence[Correction]:
        edit = replace(entry_of(self.entries(), number).edit, object_ids=tuple(object_ids))
        return self._memory.apply([edit], by, repeat_reason(number))
