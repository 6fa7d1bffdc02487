"""What people said about the map: a journal laid over perception, never mixed into it.

Rules where entries meet:
- a later entry wins over an earlier one about the same thing;
- an entry stays when perception sees the object again, and waits while its object is not there;
- when perception merges two objects, entries about the one that is gone go over to the one that
  is kept; but a deletion does not: two things that a person told apart by deleting one leave the
  other one standing;
- undone entries stay in the journal for the record.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.graph.relations import INVERSE
from scenemind.memory.types import Correction, Edit, MapObject, Relation

_OF_RELATIONS = ("add_relation", "delete_relation")
LONGEST_TEXT = 120
_NAMED_IN_ERRORS = 5


class CorrectionsJournal:
    """Not thread-safe: its owner holds a lock."""

    def __init__(self) -> None:
        self._entries: list[Correction] = []

    def restore(self, entries: Iterable[Correction]) -> None:
        """Go on from a stored journal, oldest first."""
        self._entries = list(entries)

    def entries(self) -> list[Correction]:
        """The whole journal, oldest first, undone entries included."""
        return list(self._entries)

    def apply(
        self,
        edits: Sequence[Edit],
        by: str,
        reason: str,
        objects: Mapping[int, MapObject],
        stamp_ns: int,
    ) -> list[Correction]:
        """Write edits, all or none.

        Args:
            objects: the objects that perception knows.
            stamp_ns: wall-clock time.

        Raises:
            SceneMemoryError: an edit names an unknown object or makes no sense.
        """
        cleaned = [_cleaned(edit) for edit in edits]
        deleted = self._deleted()
        for edit in cleaned:
            _check_objects(edit, objects, deleted)
            if edit.kind == "delete_object":
                deleted |= dict.fromkeys(edit.object_ids, 0)
        start = self._entries[-1].correction_id + 1 if self._entries else 1
        written = [
            Correction(number, edit, by, reason, stamp_ns)
            for number, edit in enumerate(cleaned, start)
        ]
        self._entries += written
        return written

    def undo(self, correction_id: int | None = None) -> Correction:
        """Take back one correction, the newest that stands when no id is given.

        Raises:
            SceneMemoryError: nothing is left to undo, no such correction, or it is undone already.
        """
        index = self._find_newest() if correction_id is None else self._find(correction_id)
        self._entries[index] = replace(self._entries[index], undone_ns=time.time_ns())
        return self._entries[index]

    def follow(self, merged: Mapping[int, int]) -> list[Correction]:
        """Go over to the objects that perception kept; the entries that changed, to be stored.

        Args:
            merged: id that is gone -> id that is kept.
        """
        rewritten = []
        for index, entry in enumerate(self._entries):
            edit = entry.edit
            if edit.kind == "delete_object" or not merged.keys() & set(edit.object_ids):
                continue
            ids = tuple(merged.get(i, i) for i in edit.object_ids)
            if edit.kind in ("rename", "set_attribute"):
                ids = tuple(dict.fromkeys(ids))
            self._entries[index] = replace(entry, edit=replace(edit, object_ids=ids))
            rewritten.append(self._entries[index])
        return rewritten

    def objects(self, perceived: Mapping[int, MapObject]) -> dict[int, MapObject]:
        """What people should see: perception with the entries that stand laid over it."""
        seen = dict(perceived)
        for edit in self._standing():
            if edit.kind not in _OF_RELATIONS:
                for object_id in edit.object_ids:
                    _edit_object(seen, object_id, edit)
        return seen

    def relations(
        self, computed: Sequence[Relation], objects: Mapping[int, MapObject]
    ) -> tuple[Relation, ...]:
        """The relations of these objects with what people said of them.

        Args:
            objects: as `objects` returned them.
        """
        edits = [edit for edit in self._standing() if edit.kind in _OF_RELATIONS]
        if not edits:
            return tuple(computed)
        stated = {(r.subject_id, r.predicate, r.object_id): r for r in computed}
        for edit in edits:
            if all(object_id in objects for object_id in edit.object_ids):
                _edit_relation(stated, edit)
        return tuple(stated.values())

    def _standing(self) -> list[Edit]:
        return [entry.edit for entry in self._entries if not entry.undone]

    def _deleted(self) -> dict[int, int]:
        """Deleted object -> the correction that deleted it."""
        return {
            object_id: entry.correction_id
            for entry in self._entries
            if entry.edit.kind == "delete_object" and not entry.undone
            for object_id in entry.edit.object_ids
        }

    def _find_newest(self) -> int:
        for index in range(len(self._entries) - 1, -1, -1):
            if not self._entries[index].undone:
                return index
        raise SceneMemoryError("there is no correction to undo")

    def _find(self, correction_id: int) -> int:
        for index, entry in enumerate(self._entries):
            if entry.correction_id == correction_id:
                if entry.undone:
                    raise SceneMemoryError(f"correction {correction_id} is undone already")
                return index
        standing = [e.correction_id for e in self._entries if not e.undone]
        raise SceneMemoryError(
            f"there is no correction {correction_id}; those that stand: {standing or 'none'}"
        )


def _cleaned(edit: Edit) -> Edit:
    """The edit with its texts in one line and lower-case predicates."""
    if edit.kind in ("add_relation", "delete_relation"):
        if len(set(edit.object_ids)) != 2 or len(edit.object_ids) != 2:
            raise SceneMemoryError(
                f"{edit.kind} needs two different objects, subject and object: {edit.object_ids}"
            )
        return replace(edit, key=_text(edit.key, edit.kind, "predicate").lower(), value="")
    if not edit.object_ids:
        raise SceneMemoryError(f"{edit.kind} needs at least one object")
    if edit.kind == "rename":
        return replace(edit, key="", value=_text(edit.value, edit.kind, "new name"))
    if edit.kind == "set_attribute":
        key = _text(edit.key, edit.kind, "attribute name").lower()
        return replace(edit, key=key, value=_text(edit.value, edit.kind, f"value for {key!r}"))
    if edit.kind == "delete_object":
        return replace(edit, key="", value="")
    raise SceneMemoryError(
        f"unknown edit {edit.kind!r}: rename, set_attribute, delete_object, add_relation"
        " or delete_relation"
    )


def _text(text: str, kind: str, what: str) -> str:
    line = " ".join(text.split())
    if not line or len(line) > LONGEST_TEXT:
        raise SceneMemoryError(
            f"{kind} needs a {what} of 1 to {LONGEST_TEXT} characters, not {len(line)}"
        )
    return line


def _check_objects(
    edit: Edit, objects: Mapping[int, MapObject], deleted: Mapping[int, int]
) -> None:
    for object_id in edit.object_ids:
        if object_id in deleted:
            number = deleted[object_id]
            way_out = f"undo correction {number} first" if number else "leave out that edit"
            raise SceneMemoryError(f"object {object_id} is deleted; {way_out}")
        if object_id not in objects:
            nearest = sorted(objects, key=lambda i: (abs(i - object_id), i))[:_NAMED_IN_ERRORS]
            known = ", ".join(f"{i} ({objects[i].label})" for i in sorted(nearest))
            raise SceneMemoryError(
                f"there is no object {object_id}; "
                + (f"the nearest ids are {known}" if known else "the map has no objects yet")
            )


def _edit_object(seen: dict[int, MapObject], object_id: int, edit: Edit) -> None:
    thing = seen.get(object_id)
    if thing is None:
        return
    if edit.kind == "delete_object":
        del seen[object_id]
    elif edit.kind == "rename":
        # Confidence is about the label, and a person who names a thing is sure.
        seen[object_id] = replace(thing, label=edit.value, confidence=1.0, corrected=True)
    else:
        attributes = {**thing.attributes, edit.key: edit.value}
        seen[object_id] = replace(thing, attributes=attributes, corrected=True)


def _edit_relation(stated: dict[tuple[int, str, int], Relation], edit: Edit) -> None:
    """Add or take out a statement and, where it has one, what it says the other way round."""
    subject, other = edit.object_ids
    statements = [(subject, edit.key, other)]
    if edit.key in INVERSE:
        statements.append((other, INVERSE[edit.key], subject))
    for statement in statements:
        if edit.kind == "add_relation" and subject != other:
            stated[statement] = Relation(*statement, confidence=1.0, source="user")
        else:
            stated.pop(statement, None)
