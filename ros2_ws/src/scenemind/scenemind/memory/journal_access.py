"""The journal of corrections for commands, of a memory in this process or in another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from pydantic import TypeAdapter

from scenemind.errors import SceneMemoryError
from scenemind.memory.graph.corrections.replay import Replay
from scenemind.memory.graph.corrections.similar import SimilarObject
from scenemind.memory.memory import Memory
from scenemind.memory.types import Correction


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object to which a correction of another one may apply as well, with its label."""

    similar: SimilarObject
    label: str


class Journal(Protocol):
    """A journal of corrections. All methods raise SceneMemoryError, or end the command, if the
    memory refuses."""

    def entries(self) -> Sequence[Correction]:
        """All entries, oldest first, undone ones included."""
        ...

    def undo(self, *numbers: int) -> Sequence[Correction]:
        """Undo entries; without a number, all that the newest sentence wrote."""
        ...

    def redo(self, *numbers: int) -> Sequence[Correction]:
        """Redo undone entries; without a number, the sentence that
        was undone last."""
        ...

    def export(self) -> str:
        """The journal as JSON, with the places of its objects."""
        ...

    def replay(self, text: str, by: str, *, preview: bool) -> Replay:
        """Apply an exported journal of this or another memory; `preview`: only report the
        result."""
        ...

    def similar(self, number: int) -> Sequence[Candidate]:
        """Objects to which an entry may apply as well, best first."""
        ...

    def repeat(self, number: int, object_ids: Sequence[int], by: str) -> Sequence[Correction]:
        """Apply the edit of an entry to these objects."""
        ...


def entry_of(entries: Sequence[Correction], number: int) -> Correction:
    """The entry with a number.

    Raises:
        SceneMemoryError: there is none.
    """
    for entry in entries:
        if entry.correction_id == number:
            return entry
    raise SceneMemoryError(f"there is no correction {number}: see `scenemind corrections list`")


def repeat_reason(number: int) -> str:
    """The reason of a repeated correction."""
    return f"like correction {number}"


# Serialization between processes.
CORRECTIONS: TypeAdapter[tuple[Correction, ...]] = TypeAdapter(tuple[Correction, ...])
REPLAY = TypeAdapter(Replay)
CANDIDATES: TypeAdapter[tuple[Candidate, ...]] = TypeAdapter(tuple[Candidate, ...])


class StoredJournal:
    """The journal of a memory in this process."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def entries(self) -> Sequence[Correction]:
        return self._memory.corrections()

    def undo(self, *numbers: int) -> Sequence[Correction]:
        return self._memory.undo(*numbers)

    def redo(self, *numbers: int) -> Sequence[Correction]:
        return self._memory.redo(*numbers)

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
