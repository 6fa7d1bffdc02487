"""A journal as the commands use it, wherever it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import TypeAdapter

from scenemind.memory import Correction, Replay, SceneMemoryError, SimilarObject


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object for which a correction of another one may hold as well.

    Attributes:
        label: what it is called now.
    """

    similar: SimilarObject
    label: str


class Journal(Protocol):
    """All methods raise SceneMemoryError, or end the command, where the memory refuses."""

    def entries(self) -> Sequence[Correction]:
        """Oldest first, those that were taken back included."""
        ...

    def undo(self, number: int | None) -> Correction:
        """Take one back; None: the newest that stands."""
        ...

    def redo(self, number: int | None) -> Correction:
        """Let one stand again; None: the one that was taken back last."""
        ...

    def export(self) -> str:
        """As JSON, with where the objects stood."""
        ...

    def replay(self, text: str, by: str, *, preview: bool) -> Replay:
        """Apply what `export` gave, of this or another memory; `preview`: only say what would be
        applied."""
        ...

    def similar(self, number: int) -> Sequence[Candidate]:
        """Objects for which an entry may hold as well, best first."""
        ...

    def repeat(self, number: int, object_ids: Sequence[int], by: str) -> Sequence[Correction]:
        """Correct these objects as an entry says."""
        ...


def entry_of(entries: Sequence[Correction], number: int) -> Correction:
    """The entry of a number.

    Raises:
        SceneMemoryError: there is none.
    """
    for entry in entries:
        if entry.correction_id == number:
            return entry
    raise SceneMemoryError(f"there is no correction {number}: see `scenemind corrections list`")


def repeat_reason(number: int) -> str:
    """Why an object is corrected that is like the one of an entry."""
    return f"like correction {number}"


# How they travel from the process that speaks ROS.
CORRECTIONS: TypeAdapter[tuple[Correction, ...]] = TypeAdapter(tuple[Correction, ...])
REPLAY = TypeAdapter(Replay)
CANDIDATES: TypeAdapter[tuple[Candidate, ...]] = TypeAdapter(tuple[Candidate, ...])
