"""The journal of corrections: its entries, and perception with them laid over it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.graph.corrections import recurrence
from scenemind.memory.graph.corrections.anchors import anchored, renumbered
from scenemind.memory.graph.corrections.conflicts import Conflicts
from scenemind.memory.graph.corrections.edits import OF_RELATIONS
from scenemind.memory.graph.corrections.laying_over import LayingOver, Seen
from scenemind.memory.graph.corrections.sources import Sources
from scenemind.memory.graph.corrections.stated import BUILDING, with_said_levels, with_statements
from scenemind.memory.graph.corrections.writing import Writing
from scenemind.memory.types import Correction, Edit, MapObject, Relation, StructurePlane

_NOTHING: Mapping[int, MapObject] = {}
_NO_PLANES: Mapping[int, StructurePlane] = {}


class CorrectionsJournal:
    """Not thread-safe: its owner holds a lock.

    Attributes:
        sources: which of perception's objects stand behind those that people see.
        spoken_of: ids in entries that stand: perception must not forget these objects as ghosts.
    """

    sources: Sources
    spoken_of: frozenset[int]

    def __init__(self, take_id: Callable[[], int]) -> None:
        """Args: take_id: a new object's id, for a part that a person splits off."""
        self._take_id = take_id
        self._lay_over = LayingOver()
        self._compared: Mapping[int, MapObject] = _NOTHING
        self.restore(())

    def restore(
        self, entries: Iterable[Correction], perceived: Mapping[int, MapObject] = _NOTHING
    ) -> None:
        """Go on from a stored journal, oldest first.

        Args:
            perceived: gives entries of older versions, which did not note where their objects
                stood, the places where these stand now; `take_changes` has those entries.
        """
        self._unwritten: set[int] = set()
        self._set(entries)
        older = (anchored(entry, perceived) for entry in self._entries if not entry.anchors)
        self._rewrite({entry.correction_id: entry for entry in older if entry.anchors})

    def take_changes(self) -> tuple[Correction, ...]:
        """The entries that are new or changed since the last call, as they are now."""
        taken = tuple(e for e in self._entries if e.correction_id in self._unwritten)
        self._unwritten.clear()
        return taken

    def give_back(self, changes: Iterable[Correction]) -> None:
        """They could not be written: the next `take_changes` has them again."""
        self._unwritten.update(entry.correction_id for entry in changes)

    def take_back(self, was_undone: Mapping[int, int]) -> bool:
        """To the journal as it was: correction id -> when it was undone. Entries may have followed
        merged objects since. False: it is as it was."""
        before = [
            replace(entry, undone_ns=was_undone[entry.correction_id])
            for entry in self._entries
            if entry.correction_id in was_undone
        ]
        if before == self._entries:
            return False
        self._set(before)
        return True

    def entries(self) -> list[Correction]:
        """The whole journal, oldest first, undone entries included."""
        return list(self._entries)

    def standing(self) -> list[Correction]:
        """The entries that are not undone, oldest first."""
        return list(self._standing)

    @property
    def largest_id(self) -> int:
        """Of all objects that entries ever spoke of; 0: there are none."""
        edits = (entry.edit for entry in self._entries)
        return max((i for edit in edits for i in (*edit.object_ids, *edit.new_ids)), default=0)

    def apply(
        self,
        edits: Sequence[Edit],
        by: str,
        reason: str,
        perceived: Mapping[int, MapObject],
        stamp_ns: int,
        gone: Mapping[int, MapObject] = _NOTHING,
        structure: Mapping[int, StructurePlane] = _NO_PLANES,
    ) -> list[Correction]:
        """Write edits, all or none; each sees what those before it did.

        Args:
            perceived: the objects that perception has. gone: those that it found gone.
            stamp_ns: wall-clock time. structure: floor, walls and ceiling by id.

        Raises:
            SceneMemoryError: an edit names an unknown object, makes no sense, or contradicts
                another one; says what to do.
        """
        writing = self.writing(perceived, gone, structure)
        first_new = self._entries[-1].correction_id + 1 if self._entries else 1
        for edit in edits:
            writing.write(edit, by, reason, stamp_ns, first_new)
        self.append(writing.written)
        return writing.written

    def writing(
        self,
        perceived: Mapping[int, MapObject],
        gone: Mapping[int, MapObject],
        structure: Mapping[int, StructurePlane],
    ) -> Writing:
        """For edits that are to follow this journal, which must not change until `append`."""
        return Writing(self._entries, self._lay_over, self._take_id, perceived, gone, structure)

    def append(self, written: Sequence[Correction]) -> None:
        """Take in what `writing` has written."""
        self._set([*self._entries, *written])
        self.give_back(written)

    def undo(self, correction_id: int | None = None) -> Correction:
        """Take back one correction, the newest that stands when no id is given.

        Raises:
            SceneMemoryError: nothing is left to undo, no such correction, or it is undone already.
        """
        if correction_id is None:
            if not self._standing:
                raise SceneMemoryError("there is no correction to undo")
            correction_id = self._standing[-1].correction_id
        entry = self._get(correction_id)
        if entry.undone:
            raise SceneMemoryError(f"correction {correction_id} is undone already")
        return self._put(replace(entry, undone_ns=max(time.time_ns(), 1)))

    def redo(self, correction_id: int | None = None) -> Correction:
        """Let a correction stand again, the one that was undone last when no id is given.

        It stands where it stood: what was said later still wins over it.

        Raises:
            SceneMemoryError: nothing is undone, no such correction, it stands already, or another
                entry contradicts it.
        """
        if correction_id is None:
            undone = [entry for entry in self._entries if entry.undone]
            if not undone:
                raise SceneMemoryError("there is no correction to redo")
            last = max(undone, key=lambda entry: (entry.undone_ns, -entry.correction_id))
            correction_id = last.correction_id
        entry = self._get(correction_id)
        if not entry.undone:
            raise SceneMemoryError(f"correction {correction_id} stands: there is nothing to redo")
        seen = Seen(_NOTHING, _NOTHING)
        next_number = self._entries[-1].correction_id + 1
        Conflicts(self._standing, self.sources, seen, next_number).check_redo(entry)
        return self._put(replace(entry, undone_ns=0))

    def follow(self, merged: Mapping[int, int], returned: Collection[int] = ()) -> list[Correction]:
        """Go over to the objects that perception kept; the entries that changed.

        Args:
            merged: id that is gone -> id that is kept.
            returned: of the latter, those that were away until now.
        """
        if merged.keys().isdisjoint(self._ids):
            return []
        rewritten = {}
        for entry in self._entries:
            into = merged
            if entry.edit.kind == "delete_object":
                into = {old: new for old, new in merged.items() if new in returned}
            if not into.keys().isdisjoint(entry.edit.object_ids):
                rewritten[entry.correction_id] = renumbered(entry, into)
        return self._rewrite(rewritten)

    def find_again(
        self, perceived: Mapping[int, MapObject], gone: Mapping[int, MapObject]
    ) -> list[Correction]:
        """Go over to objects that are lost ones under new ids; the entries that changed. Cheap
        while no object of an entry is lost and nothing is deleted."""
        before, self._compared = self._compared, perceived
        deletions = [e for e in self._standing if e.edit.kind == "delete_object"]
        others = [e for e in self._standing if e.edit.kind != "delete_object"]
        lost = {
            anchor.object_id: anchor
            for entry in others
            for anchor in entry.anchors
            if anchor.object_id not in perceived
            and anchor.object_id not in gone
            and self._is_perceptions(anchor.object_id)
        }
        if not deletions and not lost:
            return []
        changed = [thing for i, thing in perceived.items() if before.get(i) is not thing]
        found = [recurrence.with_new_detections(entry, changed) for entry in deletions]
        if lost and changed:
            free = (thing for i, thing in perceived.items() if i not in self.spoken_of)
            into = recurrence.found_again(lost.values(), free)
            found += [
                renumbered(entry, into)
                for entry in others
                if not into.keys().isdisjoint(entry.edit.object_ids)
            ]
        return self._rewrite({entry.correction_id: entry for entry in found if entry is not None})

    def lay_over(
        self, perceived: Mapping[int, MapObject], gone: Mapping[int, MapObject] = _NOTHING
    ) -> Seen:
        """What people should see: the entries that stand, laid over perception."""
        if not self._standing:
            return Seen(perceived, gone)
        return self._lay_over(self._standing, perceived, gone)

    def relations(
        self,
        computed: Sequence[Relation],
        objects: Mapping[int, MapObject],
        structure: Collection[int] = (),
    ) -> tuple[Relation, ...]:
        """The relations of these objects with what people said of them.

        Args:
            objects: as `lay_over` returned them. structure: ids of floor, walls and ceiling.
        """
        edits = [e.edit for e in self._standing if e.edit.kind in OF_RELATIONS]
        there = objects.keys() | set(structure) if edits else objects.keys()
        return with_statements(computed, edits, there, self.sources.shown_as)

    def levels(
        self,
        computed: Mapping[int, int],
        relations: Sequence[Relation],
        objects: Mapping[int, MapObject],
    ) -> Mapping[int, int]:
        """The levels of objects by id, where people said what carries some of them; the same
        value where they did not.

        Args:
            relations, objects: as `relations` and `lay_over` returned them.
        """
        edits = [e.edit for e in self._standing if e.edit.kind in OF_RELATIONS]
        ids = {self.sources.shown_as.get(i, i) for edit in edits for i in edit.object_ids}
        return with_said_levels(computed, relations, ids, objects) if ids else computed

    def _set(self, entries: Iterable[Correction]) -> None:
        self._entries = list(entries)
        self._standing = [entry for entry in self._entries if not entry.undone]
        self.sources = Sources.from_entries(self._standing)
        self.spoken_of = frozenset(i for e in self._standing for i in e.edit.object_ids)
        self._ids = frozenset(i for entry in self._entries for i in entry.edit.object_ids)

    def _rewrite(self, rewritten: Mapping[int, Correction]) -> list[Correction]:
        if rewritten:
            self._unwritten.update(rewritten)
            self._set(rewritten.get(entry.correction_id, entry) for entry in self._entries)
        return list(rewritten.values())

    def _put(self, entry: Correction) -> Correction:
        self._rewrite({entry.correction_id: entry})
        return entry

    def _get(self, correction_id: int) -> Correction:
        for entry in self._entries:
            if entry.correction_id == correction_id:
                return entry
        standing = [entry.correction_id for entry in self._standing]
        raise SceneMemoryError(
            f"there is no correction {correction_id}; those that stand: {standing or 'none'}"
        )

    def _is_perceptions(self, object_id: int) -> bool:
        """And no part, which is there as long as what it is a part of, nor of the building."""
        return object_id > BUILDING and object_id in self.sources.of.get(object_id, (object_id,))
