"""What people should see: perception with the entries that stand laid over it, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from scenemind.memory.attributes.computed import FormAnew
from scenemind.memory.attributes.laid_over import LaidOver
from scenemind.memory.graph.corrections import parts
from scenemind.memory.graph.corrections.edits import OF_RELATIONS
from scenemind.memory.types import Correction, MapObject

Things = dict[int, MapObject]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Objects by id, ascending: those that are there, and those that are gone."""

    objects: Mapping[int, MapObject]
    gone: Mapping[int, MapObject]


class LayingOver:
    """Makes the same value again for an object of which nothing has changed, so that whoever
    compares by identity (relations, drawings) need not look at it anew."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, tuple[int, ...]], _Made] = {}

    def __call__(
        self,
        entries: Iterable[Correction],
        perceived: Mapping[int, MapObject],
        gone: Mapping[int, MapObject],
    ) -> Seen:
        """Args: entries: those that stand, oldest first."""
        seen, seen_gone = dict(perceived), dict(gone)
        before, self._made = self._made, {}
        for entry in entries:
            self._lay(entry, seen, seen_gone, before)
        return Seen(_ascending(seen), _ascending(seen_gone))

    def one_more(self, seen: Seen, entry: Correction) -> Seen:
        """With the newest entry laid over what the ones before it made."""
        if entry.edit.kind in OF_RELATIONS:
            return seen
        objects, gone = dict(seen.objects), dict(seen.gone)
        self._lay(entry, objects, gone, {})
        return Seen(_ascending(objects), _ascending(gone))

    def _lay(
        self,
        entry: Correction,
        seen: Things,
        seen_gone: Things,
        before: Mapping[tuple[int, tuple[int, ...]], _Made],
    ) -> None:
        kind = entry.edit.kind
        if kind == "merge":
            there = seen if any(i in seen for i in entry.edit.object_ids) else seen_gone
            self._replace(entry, entry.edit.object_ids, there, before)
            if there is seen:
                for object_id in entry.edit.object_ids:
                    seen_gone.pop(object_id, None)
        elif kind not in OF_RELATIONS:
            for object_id in entry.edit.object_ids:
                for things in (seen, seen_gone):
                    self._replace(entry, (object_id,), things, before)

    def _replace(
        self,
        entry: Correction,
        object_ids: tuple[int, ...],
        things: Things,
        before: Mapping[tuple[int, tuple[int, ...]], _Made],
    ) -> None:
        """Put what the entry makes of these things in their place."""
        taken = tuple(things[i] for i in object_ids if i in things)
        if not taken:
            return
        made = before.get((entry.correction_id, object_ids))
        if made is None or not made.is_of(entry, taken):
            made = _Made(entry, taken, _MAKING[entry.edit.kind](entry, taken))
        self._made[entry.correction_id, object_ids] = made
        if made.things.keys() == {thing.object_id for thing in taken}:
            things.update(made.things)  # in its place, so that the order stays
            return
        for thing in taken:
            del things[thing.object_id]
        things.update(made.things)


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    entry: Correction
    taken: tuple[MapObject, ...]
    things: Things

    def is_of(self, entry: Correction, taken: tuple[MapObject, ...]) -> bool:
        same = len(self.taken) == len(taken) and self.entry is entry
        return same and all(a is b for a, b in zip(self.taken, taken, strict=True))


def _rename(entry: Correction, things: tuple[MapObject, ...]) -> Things:
    # Confidence is about the label, and a person who names a thing is sure.
    named = replace(things[0], label=entry.edit.value, confidence=1.0, corrected=True)
    return {named.object_id: replace(named, attributes=FormAnew(named))}


def _confirm(_: Correction, things: tuple[MapObject, ...]) -> Things:
    return {things[0].object_id: replace(things[0], confidence=1.0, corrected=True)}


def _set_attribute(entry: Correction, things: tuple[MapObject, ...]) -> Things:
    (thing,) = things
    key, value = entry.edit.key, entry.edit.value
    changed = replace(
        thing,
        attributes=LaidOver(thing.attributes, {key: value or None}),
        # Also of one that was taken away: it is not computed anew.
        attribute_sources={**thing.attribute_sources, key: "user"},
        corrected=True,
    )
    return {thing.object_id: changed}


def _delete(_: Correction, __: tuple[MapObject, ...]) -> Things:
    return {}


def _merge(entry: Correction, things: tuple[MapObject, ...]) -> Things:
    object_id = entry.edit.object_ids[0]
    return {object_id: parts.merged(object_id, things)}


def _split(entry: Correction, things: tuple[MapObject, ...]) -> Things:
    (thing,) = things
    if not parts.can_split(thing, entry.edit.places):
        return {thing.object_id: thing}
    return parts.split(thing, entry.edit.places, (thing.object_id, *entry.edit.new_ids))


_MAKING: dict[str, Callable[[Correction, tuple[MapObject, ...]], Things]] = {
    "rename": _rename,
    "confirm": _confirm,
    "set_attribute": _set_attribute,
    "delete_object": _delete,
    "merge": _merge,
    "split": _split,
}


def _ascending(things: Things) -> Things:
    is_sorted = all(low < high for low, high in pairwise(things))
    return things if is_sorted else dict(sorted(things.items()))
