"""Notes that somebody made about objects: kept, followed through merges, written to disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Generic, TypeVar

from scenemind.memory.types import Description, Embedding

Note = TypeVar("Note", Description, Embedding)


class ObjectNotes(Generic[Note]):
    """At most one note of a kind for each object. Not thread-safe: its owner holds a lock."""

    def __init__(self, kind_of: Callable[[Note], str]) -> None:
        """Args: kind_of: tells the notes of one object apart, such as by who made them."""
        self._kind_of: Callable[[Note], str] = kind_of
        self._notes: dict[int, dict[str, Note]] = {}
        self._changed: set[tuple[int, str]] = set()

    def __iter__(self) -> Iterator[Note]:
        return (note for of_object in self._notes.values() for note in of_object.values())

    def __len__(self) -> int:
        return sum(map(len, self._notes.values()))

    def find(self, object_id: int, kind: str) -> Note | None:
        return self._notes.get(object_id, {}).get(kind)

    def put(self, note: Note) -> None:
        """Keep it in place of an earlier one of its kind."""
        kind = self._kind_of(note)
        self._notes.setdefault(note.object_id, {})[kind] = note
        self._changed.add((note.object_id, kind))

    def follow(self, merged: Mapping[int, int], removed: Iterable[int]) -> None:
        """Objects that are gone: into another (gone -> kept), or for good.

        What was said of the one that is kept stays; else what was said of the other goes over.
        """
        for gone, kept in merged.items():
            for kind, note in self._notes.pop(gone, {}).items():
                if self.find(kept, kind) is None:
                    self.put(replace(note, object_id=kept))
        for object_id in removed:
            self._notes.pop(object_id, None)

    def restore(self, notes: Iterable[Note]) -> None:
        """Go on from stored notes."""
        for note in notes:
            self._notes.setdefault(note.object_id, {})[self._kind_of(note)] = note

    def take_changes(self) -> tuple[Note, ...]:
        """What is new since the last call."""
        found = (self.find(*key) for key in sorted(self._changed))
        changes = tuple(note for note in found if note is not None)
        self._changed.clear()
        return changes

    def give_back(self, notes: Iterable[Note]) -> None:
        """They could not be stored: the next `take_changes` has them again, as they are then."""
        self._changed.update((note.object_id, self._kind_of(note)) for note in notes)
