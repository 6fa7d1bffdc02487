"""The journal of corrections: its entries, how edits are written to it, and the corrected view of
perception.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SceneMemoryError
from scenemind.memory.frame_corrections import FrameCorrections, moved_box, pose_of
from scenemind.memory.graph.corrections import reidentification
from scenemind.memory.graph.corrections.conflicts import Conflicts
from scenemind.memory.graph.corrections.edits import (
    LONGEST_REASON,
    LONGEST_TEXT,
    OF_RELATIONS,
    normalized_edit,
    normalized_text,
)
from scenemind.memory.graph.corrections.overlay import (
    CorrectedObjects,
    CorrectionOverlay,
    PerceivedMap,
    Sources,
)
from scenemind.memory.graph.corrections.stated_relations import (
    BUILDING,
    denied_relations,
    with_stated_levels,
    with_statements,
)
from scenemind.memory.types import (
    Correction,
    Edit,
    MapObject,
    ObjectAnchor,
    Relation,
)


def _anchors_of(
    edit: Edit, perceived: PerceivedMap, seen: Mapping[int, MapObject]
) -> tuple[ObjectAnchor, ...]:
    """Anchors of the objects of an edit, as perceived; for a deletion also of newer neighbours."""
    structure = perceived.structure
    planes = [structure[i] for i in edit.object_ids if i in structure]
    things = [perceived.objects.get(i) or seen[i] for i in edit.object_ids if i not in structure]
    if edit.kind == "delete_object":
        things += reidentification.bystanders(things, seen)
    at_planes = (ObjectAnchor(plane.plane_id, plane.kind, plane.box) for plane in planes)
    return (*map(_anchor, things), *at_planes)


def _renumbered(entry: Correction, into: Mapping[int, int]) -> Correction:
    """The same entry with other object ids.

    Args:
        into: old id -> new id; ids that are missing stay.
    """
    ids = [into.get(i, i) for i in entry.edit.object_ids]
    if entry.edit.kind not in OF_RELATIONS:
        ids = list(dict.fromkeys(ids))
    anchors = tuple(replace(a, object_id=into.get(a.object_id, a.object_id)) for a in entry.anchors)
    return replace(entry, edit=replace(entry.edit, object_ids=tuple(ids)), anchors=anchors)


def _moved(
    entry: Correction,
    corrections: FrameCorrections,
    moves_of_objects: Mapping[int, NDArray[np.float64]],
) -> Correction:
    """The entry with its places where they are now."""
    near = corrections.at_places(np.array([anchor.box.center for anchor in entry.anchors]))
    moves = [
        moves_of_objects.get(anchor.object_id, move)
        for anchor, move in zip(entry.anchors, near, strict=True)
    ]
    anchors = tuple(
        replace(anchor, box=moved_box(anchor.box, move))
        for anchor, move in zip(entry.anchors, moves, strict=True)
    )
    edit = entry.edit
    if edit.places:
        places = pose_of(moves[0]).transform(np.array(edit.places)).tolist()
        edit = replace(edit, places=tuple((x, y, z) for x, y, z in places))
    return replace(entry, anchors=anchors, edit=edit)


def _anchor(thing: MapObject) -> ObjectAnchor:
    return ObjectAnchor(thing.object_id, thing.perceived_label, thing.box)


class JournalWriter:
    """Writes new entries that follow those of a journal; `CorrectionsJournal.append` adds them.

    The overlay of the whole journal is computed once, and each new entry is laid over the result:
    time is linear in the number of entries.

    Attributes:
        written: the new entries, oldest first.
    """

    def __init__(
        self,
        entries: Sequence[Correction],
        overlay: CorrectionOverlay,
        take_id: Callable[[], int],
        perceived: PerceivedMap,
    ) -> None:
        """Args: entries: the whole journal, oldest first. take_id: returns a new object's id."""
        self.written: list[Correction] = []
        self._standing = [entry for entry in entries if not entry.undone]
        self._sources = Sources.from_entries(self._standing)
        self._overlay = overlay
        self._seen = (
            overlay(self._standing, perceived.objects, perceived.gone)
            if self._standing
            else CorrectedObjects(perceived.objects, perceived.gone)
        )
        self._take_id = take_id
        self._perceived = perceived
        self._next_id = entries[-1].correction_id + 1 if entries else 1

    def write(
        self, edit: Edit, by: str, reason: str, stamp_ns: int, first_new: int | None = None
    ) -> Correction:
        """Check an edit against the journal and the entries before it, and write it.

        Args:
            first_new: number of the first entry of the same request, which the asker can still
                leave out; None: this entry alone.

        Raises:
            SceneMemoryError: see `CorrectionsJournal.apply`; nothing was written.
        """
        by = normalized_text(by, "a correction needs a name of who makes it", LONGEST_TEXT, 0)
        reason = normalized_text(reason, "a correction needs a reason", LONGEST_REASON, 0)
        edit = normalized_edit(edit)
        number = self._next_id
        structure = self._perceived.structure
        Conflicts(self._standing, self._sources, self._seen, first_new or number, structure).check(
            edit
        )
        anchors = _anchors_of(edit, self._perceived, self._seen.objects)
        if edit.kind == "split":
            edit = replace(edit, new_ids=tuple(self._take_id() for _ in edit.places[1:]))
        entry = Correction(number, edit, by, reason, stamp_ns, anchors=anchors)
        self._append(entry)
        return entry

    def _append(self, entry: Correction) -> None:
        self._seen = self._overlay.one_more(self._seen, entry)
        self._standing.append(entry)
        if entry.edit.kind in ("merge", "split"):
            self._sources = Sources.from_entries(self._standing)
        self._next_id += 1
        self.written.append(entry)


_NOTHING: Mapping[int, MapObject] = {}


class CorrectionsJournal:
    """The entries of the journal and the map with them applied. Not thread-safe: its owner holds a
    lock.

    Attributes:
        sources: the perceived objects behind corrected ones.
        edited_ids: ids in standing entries; perception must not forget these objects as ghosts.
    """

    sources: Sources
    edited_ids: frozenset[int]

    def __init__(self, take_id: Callable[[], int]) -> None:
        """Args: take_id: a new object's id, for a part that a person splits off."""
        self._take_id = take_id
        self._overlay = CorrectionOverlay()
        self._compared: Mapping[int, MapObject] = _NOTHING
        self.restore(())

    def restore(self, entries: Iterable[Correction]) -> None:
        """Continue a stored journal, oldest entry first."""
        self._unwritten: set[int] = set()
        self._set(entries)

    def take_changes(self) -> tuple[Correction, ...]:
        """The entries that are new or changed since the last call, as they are now."""
        taken = tuple(e for e in self._entries if e.correction_id in self._unwritten)
        self._unwritten.clear()
        return taken

    def give_back(self, changes: Iterable[Correction]) -> None:
        """Return entries that could not be written: the next `take_changes` includes them."""
        self._unwritten.update(entry.correction_id for entry in changes)

    def take_back(self, was_undone: Mapping[int, int]) -> bool:
        """Restore an earlier state, given as correction id -> `undone_ns`; entries that followed
        merged objects since keep their new ids. False if nothing differs."""
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
        """The largest id of all objects in any entry; 0 without one."""
        edits = (entry.edit for entry in self._entries)
        return max((i for edit in edits for i in (*edit.object_ids, *edit.new_ids)), default=0)

    def apply(
        self,
        edits: Sequence[Edit],
        by: str,
        reason: str,
        perceived: PerceivedMap,
        stamp_ns: int,
    ) -> list[Correction]:
        """Write edits, all or none; each applies to the result of those before it.

        Args:
            stamp_ns: wall-clock time.

        Raises:
            SceneMemoryError: an edit names an unknown object, is malformed, or contradicts another
                entry; the message says what to do.
        """
        writer = self.writer(perceived)
        first_new = self._entries[-1].correction_id + 1 if self._entries else 1
        for edit in edits:
            writer.write(edit, by, reason, stamp_ns, first_new)
        self.append(writer.written)
        return writer.written

    def writer(self, perceived: PerceivedMap) -> JournalWriter:
        """A writer of further entries; this journal must not change until `append`."""
        return JournalWriter(self._entries, self._overlay, self._take_id, perceived)

    def append(self, written: Sequence[Correction]) -> None:
        """Add the entries of a `writer`."""
        self._set([*self._entries, *written])
        self.give_back(written)

    def undo(self, *correction_ids: int) -> list[Correction]:
        """Undo corrections, all or none; without a number, all that the newest sentence wrote.

        Returns:
            The entries as they are now, oldest first.

        Raises:
            SceneMemoryError: nothing is left to undo, no such correction, or it is undone already.
        """
        if not correction_ids and not self._standing:
            raise SceneMemoryError("there is no correction to undo")
        entries = self._named(correction_ids) or [
            entry for entry in self._standing if entry.as_one == self._standing[-1].as_one
        ]
        for entry in entries:
            if entry.undone:
                raise SceneMemoryError(f"correction {entry.correction_id} is undone already")
        now_ns = max(time.time_ns(), 1)
        return self._rewrite({e.correction_id: replace(e, undone_ns=now_ns) for e in entries})

    def redo(self, *correction_ids: int) -> list[Correction]:
        """Redo undone corrections, all or none; without a number, the sentence that
        was undone last.

        They take their old positions: later entries still win over them.

        Returns:
            The entries as they are now, oldest first.

        Raises:
            SceneMemoryError: nothing is undone, no such correction, it stands already, or another
                entry contradicts it.
        """
        undone = [entry for entry in self._entries if entry.undone]
        if not correction_ids and not undone:
            raise SceneMemoryError("there is no correction to redo")
        entries = self._named(correction_ids)
        if not entries:
            last = max(undone, key=lambda entry: (entry.undone_ns, -entry.correction_id))
            entries = [entry for entry in undone if entry.as_one == last.as_one]
        seen = CorrectedObjects(_NOTHING, _NOTHING)
        next_number = self._entries[-1].correction_id + 1
        redone: dict[int, Correction] = {}
        for entry in entries:
            number = entry.correction_id
            if not entry.undone:
                raise SceneMemoryError(f"correction {number} stands: there is nothing to redo")
            standing = [e for e in self._entries if not e.undone or e.correction_id in redone]
            sources = Sources.from_entries(standing)
            Conflicts(standing, sources, seen, next_number).check_redo(entry)
            redone[number] = replace(entry, undone_ns=0)
        return self._rewrite(redone)

    def follow(self, merged: Mapping[int, int], returned: Collection[int] = ()) -> list[Correction]:
        """Move entries to the objects that perception kept in merges; the entries that changed.

        Args:
            merged: removed id -> kept id.
            returned: kept ids whose objects were gone until now.
        """
        if merged.keys().isdisjoint(self._ids):
            return []
        rewritten = {}
        for entry in self._entries:
            into = merged
            if entry.edit.kind == "delete_object":
                into = {old: new for old, new in merged.items() if new in returned}
            if not into.keys().isdisjoint(entry.edit.object_ids):
                rewritten[entry.correction_id] = _renumbered(entry, into)
        return self._rewrite(rewritten)

    def correct(
        self, corrections: FrameCorrections, moves: Mapping[int, NDArray[np.float64]]
    ) -> None:
        """Move the places in all entries, after poses were corrected: those of objects and of
        planes, and those at which a person divided an object.

        Args:
            moves: object id -> how that object moved (4, 4); others move as the camera near them.
        """
        moved = {e.correction_id: _moved(e, corrections, moves) for e in self._entries if e.anchors}
        self._rewrite(moved)

    def find_again(
        self, perceived: Mapping[int, MapObject], gone: Mapping[int, MapObject]
    ) -> list[Correction]:
        """Move entries to lost objects that were found again under new ids; the entries that
        changed. Cheap while no corrected object is lost and none is deleted."""
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
        found = [reidentification.with_new_detections(entry, changed) for entry in deletions]
        if lost and changed:
            free = (thing for i, thing in perceived.items() if i not in self.edited_ids)
            into = reidentification.found_again(lost.values(), free)
            found += [
                _renumbered(entry, into)
                for entry in others
                if not into.keys().isdisjoint(entry.edit.object_ids)
            ]
        return self._rewrite({entry.correction_id: entry for entry in found if entry is not None})

    def apply_to(
        self, perceived: Mapping[int, MapObject], gone: Mapping[int, MapObject] = _NOTHING
    ) -> CorrectedObjects:
        """The perceived objects with the standing entries applied."""
        if not self._standing:
            return CorrectedObjects(perceived, gone)
        return self._overlay(self._standing, perceived, gone)

    def relations(
        self,
        computed: Sequence[Relation],
        objects: Mapping[int, MapObject],
        structure: Collection[int] = (),
    ) -> tuple[Relation, ...]:
        """The relations of these objects, with stated and denied relations applied.

        Args:
            objects: as `apply_to` returned them. structure: ids of floor, walls and ceiling.
        """
        edits = self._of_relations()
        there = objects.keys() | set(structure) if edits else objects.keys()
        return with_statements(computed, edits, there, self.sources.shown_as)

    def denied(
        self, objects: Mapping[int, MapObject], structure: Collection[int] = ()
    ) -> tuple[Relation, ...]:
        """The denied relations of these objects; arguments as for `relations`."""
        there = objects.keys() | set(structure)
        return denied_relations(self._of_relations(), there, self.sources.shown_as)

    def levels(
        self,
        computed: Mapping[int, int],
        relations: Sequence[Relation],
        objects: Mapping[int, MapObject],
    ) -> Mapping[int, int]:
        """The levels of objects by id, updated for stated carriers; the same value without any.

        Args:
            relations, objects: as `relations` and `apply_to` returned them.
        """
        edits = self._of_relations()
        ids = {self.sources.shown_as.get(i, i) for edit in edits for i in edit.object_ids}
        return with_stated_levels(computed, relations, ids, objects) if ids else computed

    def _of_relations(self) -> list[Edit]:
        return [e.edit for e in self._standing if e.edit.kind in OF_RELATIONS]

    def _set(self, entries: Iterable[Correction]) -> None:
        self._entries = list(entries)
        self._standing = [entry for entry in self._entries if not entry.undone]
        self.sources = Sources.from_entries(self._standing)
        self.edited_ids = frozenset(i for e in self._standing for i in e.edit.object_ids)
        self._ids = frozenset(i for entry in self._entries for i in entry.edit.object_ids)

    def _rewrite(self, rewritten: Mapping[int, Correction]) -> list[Correction]:
        if rewritten:
            self._unwritten.update(rewritten)
            self._set(rewritten.get(entry.correction_id, entry) for entry in self._entries)
        return list(rewritten.values())

    def _named(self, correction_ids: Collection[int]) -> list[Correction]:
        """The entries with these numbers, oldest first."""
        for number in correction_ids:
            if all(entry.correction_id != number for entry in self._entries):
                standing = [entry.correction_id for entry in self._standing]
                raise SceneMemoryError(
                    f"there is no correction {number}; those that stand: {standing or 'none'}"
                )
        return [entry for entry in self._entries if entry.correction_id in correction_ids]

    def _is_perceptions(self, object_id: int) -> bool:
        """True for an id of perception: neither a split part nor structure."""
        return object_id > BUILDING and object_id in self.sources.of.get(object_id, (object_id,))
