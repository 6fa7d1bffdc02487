"""Which edits contradict what is there or what was said before; see the package for the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.graph.corrections import parts
from scenemind.memory.graph.corrections.edits import OF_RELATIONS
from scenemind.memory.graph.corrections.laying_over import Seen
from scenemind.memory.graph.corrections.sources import Sources
from scenemind.memory.graph.corrections.stated import BUILDING, is_carried, said_carriers
from scenemind.memory.graph.relations import statements_of
from scenemind.memory.types import Correction, Edit, StructurePlane

_NAMED_IN_ERRORS = 5
_Path = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Conflicts:
    """What an edit may contradict.

    Attributes:
        standing: the entries that stand, oldest first.
        seen: what people see with them.
        first_new: entries from this number on were not written yet.
        structure: floor, walls and ceiling by their negative ids.
    """

    standing: Sequence[Correction]
    sources: Sources
    seen: Seen
    first_new: int
    structure: Mapping[int, StructurePlane] = field(default_factory=dict)

    def check(self, edit: Edit) -> None:
        """That its objects are there and that it contradicts nothing.

        Raises:
            SceneMemoryError: says what it contradicts and what to do.
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
        """That it contradicts no other entry, whether or not its objects are there.

        Raises:
            SceneMemoryError: says which entry, and what to do.
        """
        if edit.kind == "merge":
            self._check_merge(edit)
        elif edit.kind == "split":
            self._check_split(edit)
        elif edit.kind == "add_relation":
            _check_carried(edit)
            self._check_cycle(edit)

    def check_redo(self, entry: Correction) -> None:
        """That an undone entry, which would stand where it stood, contradicts no other one.

        Raises:
            SceneMemoryError: says which entry, and what to do.
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
        """That people may say so of this floor, wall or ceiling."""
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
        near = thing.box.contains(np.array(edit.places), margin_m=parts.NEAR_M)
        shares = np.bincount(
            parts.nearest_place(thing.points, edit.places), minlength=len(edit.places)
        )
        for place, is_near, share in zip(edit.places, near, shares, strict=True):
            if not is_near or not share:
                where = "in it" if is_near else f"within {parts.NEAR_M} m of it"
                raise SceneMemoryError(
                    f"nothing of object {thing.object_id} ({thing.label}) is nearest to {place}:"
                    f" split needs a place in each part, and this one is not {where}"
                )

    def _check_cycle(self, edit: Edit) -> None:
        subject, other = self._shown(edit)
        for low, predicate, high in statements_of(subject, edit.key, other):
            # What became one thing since says nothing of itself any more.
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
        """The newest entry without which people do not say that the carrier carries the thing;
        where they say so in several ways, the newest on this path."""
        on_path = [e for e in self.standing[::-1] if not path.isdisjoint(self._carried(e))]
        needed = (e for e in on_path if not self._said_path(thing, carrier, without=e))
        return next(needed, on_path[0])

    def _said_path(self, thing: int, carrier: int, without: Correction | None = None) -> _Path:
        """What people say, (thing, its carrier) one after the other, to the effect that the
        carrier carries another thing; empty: they do not."""
        carriers = said_carriers(
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
        """(thing, carrier) as an entry says."""
        if entry.edit.kind != "add_relation":
            return set()
        subject, other = self._shown(entry.edit)
        stated = statements_of(subject, entry.edit.key, other)
        return {(low, high) for low, predicate, high in stated if is_carried(predicate)}

    def _shown(self, edit: Edit) -> tuple[int, ...]:
        return tuple(self.sources.shown_as.get(i, i) for i in edit.object_ids)


def _check_carried(edit: Edit) -> None:
    """That it speaks of an object at all, and that nothing is to carry the building."""
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
