"""A journal replayed onto another map of the same place, whose objects have other ids.

Each object is found again by where it stood and what perception called it. What is not found, or
might be one of several, is left out and reported, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.graph.corrections.journal import CorrectionsJournal
from scenemind.memory.graph.corrections.places import Place, find_place, find_plane
from scenemind.memory.graph.corrections.stated import BUILDING
from scenemind.memory.types import Correction, Edit, MapObject, ObjectAnchor, StructurePlane


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An entry of the replayed journal that was not applied, and why not, for people."""

    correction: Correction
    reason: str


@dataclass(frozen=True, slots=True)
class Replay:
    """What became of a replayed journal: the new entries, and what was left out."""

    applied: tuple[Correction, ...]
    left_out: tuple[LeftOut, ...]


def replay(
    journal: CorrectionsJournal,
    entries: Iterable[Correction],
    perceived: Mapping[int, MapObject],
    gone: Mapping[int, MapObject],
    structure: Mapping[int, StructurePlane],
    by: str = "",
) -> Replay:
    """Write the entries that stand to a journal, with who said them, when and why.

    Args:
        entries: of another journal, oldest first.
        perceived, gone, structure: of the map that the journal is laid over.
        by: who replays it, which is added to the reasons; empty: not said.
    """
    note = f"replayed by {by}" if by else ""
    standing = [entry for entry in entries if not entry.undone]
    translation = _Translation(standing, perceived, structure)
    writing = journal.writing(perceived, gone, structure)
    said = {replace(e.edit, new_ids=()): e.correction_id for e in journal.standing()[::-1]}
    left_out: list[LeftOut] = []
    for entry in standing:
        try:
            edit = translation.translate(entry)
            if edit in said:
                raise SceneMemoryError(f"correction {said[edit]} says so already")
            written = writing.write(edit, entry.by, _noted(entry.reason, note), entry.stamp_ns)
        except SceneMemoryError as error:
            left_out.append(LeftOut(entry, str(error)))
        else:
            translation.note_parts(entry.edit, written.edit)
            said.setdefault(replace(written.edit, new_ids=()), written.correction_id)
    journal.append(writing.written)
    return Replay(tuple(writing.written), tuple(left_out))


def preview(
    known: Sequence[Correction],
    entries: Iterable[Correction],
    perceived: Mapping[int, MapObject],
    gone: Mapping[int, MapObject],
    structure: Mapping[int, StructurePlane],
) -> Replay:
    """What `replay` would do to a journal of these entries; parts would get other ids."""
    spoken_of = (i for e in known for i in (*e.edit.object_ids, *e.edit.new_ids))
    largest = max((*perceived, *gone, *spoken_of), default=0)
    trial = CorrectionsJournal(count(largest + 1).__next__)
    trial.restore(known)
    return replay(trial, entries, perceived, gone, structure)


class _Translation:
    """From the ids of the replayed journal to those of the map."""

    def __init__(
        self,
        entries: Sequence[Correction],
        objects: Mapping[int, MapObject],
        structure: Mapping[int, StructurePlane],
    ) -> None:
        self._objects, self._structure = objects, structure
        # Where an object was spoken of last it stood last.
        self._anchors = {anchor.object_id: anchor for e in entries for anchor in e.anchors}
        self._places: dict[int, Place | None] = {}
        self._parts: dict[int, int] = {}

    def translate(self, entry: Correction) -> Edit:
        """
        Raises:
            SceneMemoryError: an object is not there, might be another one, or two of them are one.
        """
        ids = tuple(self._get(object_id) for object_id in entry.edit.object_ids)
        if len(set(ids)) < len(ids):
            raise SceneMemoryError(f"objects {list(entry.edit.object_ids)} are one object here")
        return replace(entry.edit, object_ids=ids, new_ids=())

    def note_parts(self, edit: Edit, written: Edit) -> None:
        """Parts have no place of their own: they are what the same split makes here."""
        self._parts.update(zip(edit.new_ids, written.new_ids, strict=True))

    def _get(self, object_id: int) -> int:
        if object_id in self._parts:
            return self._parts[object_id]
        anchor = self._anchors.get(object_id)
        if anchor is None:
            raise SceneMemoryError(f"nothing says where object {object_id} stood")
        place = self._find(anchor)
        if place is None:
            raise SceneMemoryError(
                f"nothing like {_told(anchor)} stands where it stood: map that place, or correct it"
                " by hand"
            )
        if place.rivals:
            ids = ", ".join(map(str, (place.object_id, *place.rivals)))
            raise SceneMemoryError(f"{_told(anchor)} may be any of {ids} here: correct it by hand")
        return place.object_id

    def _find(self, anchor: ObjectAnchor) -> Place | None:
        if anchor.object_id not in self._places:
            self._places[anchor.object_id] = (
                find_plane(anchor, self._structure.values())
                if anchor.object_id <= BUILDING
                else find_place(anchor, self._objects.values())
            )
        return self._places[anchor.object_id]


def _noted(reason: str, note: str) -> str:
    return "; ".join(filter(None, (reason, note)))


def _told(anchor: ObjectAnchor) -> str:
    x, y, z = anchor.box.center
    return f"object {anchor.object_id} ({anchor.label} at {x:.2f} {y:.2f} {z:.2f})"
