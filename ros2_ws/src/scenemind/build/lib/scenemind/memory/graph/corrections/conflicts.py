"""Conflicts of an edit with the map or with earlier entries; the package has the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scenemind.errors import SceneMemoryError
from scenemind.memory.graph.corrections import overlay
from scenemind.memory.graph.corrections.edits import OF_RELATIONS
from scenemind.memory.graph.corrections.overlay import CorrectedObjects, Sources
from scenemind.memory.graph.corrections.stated_relations import (
    BUILDING,
    is_carried,
    stated_carriers,
)
from scenemind.memory.graph.relations import statements_of
from scenemind.memory.types import Correction, Edit, StructurePlane

_NAMED_IN_ERRORS = 5
_Path = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Conflicts:
    """The state that an edit is checked against.

    Attributes:
        standing: entries that are not undone, oldest first.
        seen: the objects with these entries applied.
        first_new: number of the first entry that is not written yet.
        structure: floor, walls and ceiling by their negative ids.
    """

    standing: Sequence[Correction]
    sources: Sources
    seen: CorrectedObjects
    first_new: int
    structure: Mapping[int, StructurePlane] = field(default_factory=dict)

    def check(self, edit: Edit) -> None:
        """Check that its objects are present and that it contradicts nothing.

        Raises:
            SceneMemoryError: names the conflict and what to do.
        """
        for object_id in edit.object_ids:
            if object_id <= BUILDING:
                self._check_plane(object_id, edit)
            elif object_id not in self.seen.objects:
                raise SceneMemoryError(self._why_not_there(object_id))
        self.check_entries(edit)
        if edit.kind == "split":
            self._check_places(edit)

    def check_entries(self, edit: Edit) -> None:
        """Check that it contradicts no other entry, even if its objects are missing.

        Raises:
            SceneMemoryError: names the entry and what to do.
        """
        if edit.kind == "merge":
            self._check_merge(edit)
        elif edit.kind == "split":
            self._check_split(edit)
        elif edit.kind == "add_relation":
            _check_carried(edit)
            self._check_cycle(edit)

    def check_redo(self, entry: Correction) -> None:
        """Check that an undone entry, at its old position, contradicts no other one.

        Raises:
            SceneMemoryError: names the entry and what to do.
        """
        self.check_entries(entry.edit)
        if entry.edit.kind != "merge":
            return
        for later in self.standing:
            object_id = later.edit.object_ids[0]
            is_since = later.correction_id > entry.correction_id
            if is_since and later.edit.kind == "split" and object_id in entry.edit.object_ids:
                raise SceneMemoryError(
                    f"object {object_id} was split by a person since: before merging it again"
                    f" {self._way_out(later)}"
                )

    def _check_plane(self, plane_id: int, edit: Edit) -> None:
        """Check that the edit is allowed for this floor, wall or ceiling."""
        if edit.kind not in OF_RELATIONS:
            raise SceneMemoryError(
                f"{plane_id} is structure (floor, wall or ceiling), which is found anew all the"
                " time: people can only say what it carries or is near to, by add_relation and"
                " delete_relation"
            )
        if plane_id not in self.structure:
            known = ", ".join(f"{i} ({p.kind})" for i, p in sorted(self.structure.items())[::-1])
            raise SceneMemoryError(
                f"there is no floor, wall or ceiling {plane_id}; "
                + (f"known are {known}" if known else "none has been found yet")
            )

    def _why_not_there(self, object_id: int) -> str:
        for entry in reversed(self.standing):
            way_out = self._way_out(entry)
            if entry.edit.kind == "delete_object" and object_id in entry.edit.object_ids:
                return f"object {object_id} is deleted; {way_out} first"
            if entry.edit.kind == "merge" and object_id in entry.edit.object_ids[1:]:
                whole = self.sources.shown_as.get(object_id, entry.edit.object_ids[0])
                return f"object {object_id} is part of object {whole}: speak of that, or {way_out}"
        if object_id in self.seen.gone:
            label = self.seen.gone[object_id].label
            return f"object {object_id} ({label}) is gone: only what is there can be corrected"
        objects = self.seen.objects
        nearest = sorted(objects, key=lambda i: (abs(i - object_id), i))[:_NAMED_IN_ERRORS]
        known = ", ".join(f"{i} ({objects[i].label})" for i in sorted(nearest))
        return f"there is no object {object_id}; " + (
            f"the nearest ids are {known}" if known else "the map has no objects yet"
        )

    def _way_out(self, entry: Correction) -> str:
        if entry.correction_id >= self.first_new:
            return "leave out that edit"
        return f"undo correction {entry.correction_id}"

    def _check_merge(self, edit: Edit) -> None:
        for entry in self.standing:
            apart = {entry.edit.object_ids[0], *entry.edit.new_ids} & set(edit.object_ids)
            if entry.edit.kind == "split" and len(apart) > 1:
                raise SceneMemoryError(
                    f"objects {sorted(apart)} were told apart by a person: instead of merging them"
                    f" {self._way_out(entry)}"
                )

    def _check_split(self, edit: Edit) -> None:
        (object_id,) = edit.object_ids
        for entry in self.standing:
            if entry.edit.kind == "merge" and object_id == entry.edit.object_ids[0]:
                raise SceneMemoryError(
                    f"object {object_id} was put together by a person: instead of splitting it"
                    f" {self._way_out(entry)}"
                )

    def _check_places(self, edit: Edit) -> None:
        thing = self.seen.objects[edit.object_ids[0]]
        if not len(thing.points):
            raise SceneMemoryError(
                f"object {thing.object_id} has no surface points: it cannot be split here"
            )
        near = thing.box.contains(np.array(edit.places), margin_m=overlay.NEAR_M)
        shares = np.bincount(
            overlay.nearest_place(thing.points, edit.places), minlength=len(edit.places)
        )
        for place, is_near, share in zip(edit.places, near, shares, strict=True):
            if not is_near or not share:
                where = "in it" if is_near else f"within {overlay.NEAR_M} m of it"
                raise SceneMemoryError(
                    f"nothing of object {thing.object_id} ({thing.label}) is nearest to {place}:"
                    f" split needs a place in each part, and this one is not {where}"
                )

    def _check_cycle(self, edit: Edit) -> None:
        subject, other = self._shown(edit)
        for low, predicate, high in statements_of(subject, edit.key, other):
            # Objects that were merged since have no relation with themselves.
            if low == high or not is_carried(predicate):
                continue
            ring = self._said_path(high, low)
            if ring:
                reason = self._what_says(high, low, ring)
                raise SceneMemoryError(
                    f"object {low} cannot be {predicate} object {high}, which it carries itself:"
                    f" {self._way_out(reason)} first"
                )

    def _what_says(self, thing: int, carrier: int, path: _Path) -> Correction:
        """The newest entry without which the carrier is not stated to carry the thing; if other
        entries state it too, the newest on this path."""
        on_path = [e for e in self.standing[::-1] if not path.isdisjoint(self._carried(e))]
        needed = (e for e in on_path if not self._said_path(thing, carrier, without=e))
        return next(needed, on_path[0])

    def _said_path(self, thing: int, carrier: int, without: Correction | None = None) -> _Path:
        """A path of stated (thing, its carrier) pairs from the thing to the carrier; empty without
        one."""
        carriers = stated_carriers(
            (e.edit for e in self.standing if e.edit.kind in OF_RELATIONS and e is not without),
            self.sources.shown_as,
        )
        passed = {thing}
        paths: list[tuple[int, _Path]] = [(thing, frozenset())]
        while paths:
            at, path = paths.pop()
            if at == carrier:
                return path
            for above in carriers.get(at, {}).values():
                if above not in passed:
                    passed.add(above)
                    paths.append((above, path | {(at, above)}))
        return frozenset()

    def _carried(self, entry: Correction) -> set[tuple[int, int]]:
        """The (thing, carrier) pairs that an entry states."""
        if entry.edit.kind != "add_relation":
            return set()
        subject, other = self._shown(entry.edit)
        stated = statements_of(subject, entry.edit.key, other)
        return {(low, high) for low, predicate, high in stated if is_carried(predicate)}

    def _shown(self, edit: Edit) -> tuple[int, ...]:
        return tuple(self.sources.shown_as.get(i, i) for i in edit.object_ids)


def _check_carried(edit: Edit) -> None:
    """Check that a relation names an object, and that no object is stated to carry the building."""
    subject, other = edit.object_ids
    if max(subject, other) <= BUILDING:
        raise SceneMemoryError(
            f"{subject} and {other} are both structure: say what an object has to do with it"
        )
    for low, predicate, high in statements_of(subject, edit.key, other):
        if is_carried(predicate) and low <= BUILDING:
            raise SceneMemoryError(
                f"{low} is structure, which nothing carries: it cannot be {predicate} object"
                f" {high}; say it the other way round"
            )
