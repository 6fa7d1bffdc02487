"""Edits on their way into the journal: each is checked against what those before it made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from scenemind.memory.graph.corrections.anchors import anchors_of
from scenemind.memory.graph.corrections.conflicts import Conflicts
from scenemind.memory.graph.corrections.edits import (
    LONGEST_REASON,
    LONGEST_TEXT,
    cleaned,
    cleaned_text,
)
from scenemind.memory.graph.corrections.laying_over import LayingOver, Seen
from scenemind.memory.graph.corrections.sources import Sources
from scenemind.memory.types import Correction, Edit, MapObject, StructurePlane


class Writing:
    """Makes entries that follow those of a journal, which has none of them until it is given them.

    The journal is laid over perception once and each new entry over that, so that the time does
    not grow with the square of their number.

    Attributes:
        written: the new entries, oldest first.
    """

    def __init__(
        self,
        entries: Sequence[Correction],
        laying_over: LayingOver,
        take_id: Callable[[], int],
        perceived: Mapping[int, MapObject],
        gone: Mapping[int, MapObject],
        structure: Mapping[int, StructurePlane],
    ) -> None:
        """Args: entries: the whole journal, oldest first. take_id: a new object's id."""
        self.written: list[Correction] = []
        self._standing = [entry for entry in entries if not entry.undone]
        self._sources = Sources.from_entries(self._standing)
        self._laying_over = laying_over
        self._seen = (
            laying_over(self._standing, perceived, gone)
            if self._standing
            else Seen(perceived, gone)
        )
        self._take_id = take_id
        self._perceived, self._structure = perceived, structure
        self._next_id = entries[-1].correction_id + 1 if entries else 1

    def write(
        self, edit: Edit, by: str, reason: str, stamp_ns: int, first_new: int | None = None
    ) -> Correction:
        """
        Args:
            first_new: entries from this number on belong to the same request, and can be left out
                of it; None: this one alone.

        Raises:
            SceneMemoryError: see `CorrectionsJournal.apply`; nothing was written.
        """
        by = cleaned_text(by, "a correction needs a name of who makes it", LONGEST_TEXT, 0)
        reason = cleaned_text(reason, "a correction needs a reason", LONGEST_REASON, 0)
        edit = cleaned(edit)
        number = self._next_id
        Conflicts(
            self._standing, self._sources, self._seen, first_new or number, self._structure
        ).check(edit)
        anchors = anchors_of(edit, self._perceived, self._seen.objects, self._structure)
        if edit.kind == "split":
            edit = replace(edit, new_ids=tuple(self._take_id() for _ in edit.places[1:]))
        entry = Correction(number, edit, by, reason, stamp_ns, anchors=anchors)
        self._append(entry)
        return entry

    def _append(self, entry: Correction) -> None:
        self._seen = self._laying_over.one_more(self._seen, entry)
        self._standing.append(entry)
        if entry.edit.kind in ("merge", "split"):
            self._sources = Sources.from_entries(self._standing)
        self._next_id += 1
        self.written.append(entry)
