"""The corrected view of the objects: standing entries laid over perception in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.attributes.lazy_attributes import AttributeOverlay, RecomputedAttributes
from scenemind.memory.graph.corrections.edits import OF_RELATIONS
from scenemind.memory.types import NOTE, AttributeSource, Correction, MapObject, StructurePlane


@dataclass(frozen=True, slots=True)
class Sources:
    """Ids that are in neither mapping stand for themselves.

    Attributes:
        shown_as: id of an object that was merged -> id of what it is part of now.
        of: id of a merged thing or of a part -> ids of the objects that perception has there.
    """

    shown_as: Mapping[int, int] = field(default_factory=dict)
    of: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def wholes_of(self, object_id: int) -> tuple[int, ...]:
        """Ids of the perceived objects that lie wholly in an object; none for a split part."""
        behind = self.of.get(object_id, (object_id,))
        return tuple(i for i in behind if self.shown_as.get(i, i) == object_id)

    @classmethod
    def from_entries(cls, entries: Iterable[Correction]) -> Sources:
        """Args: entries: those that stand, oldest first."""
        shown_as: dict[int, int] = {}
        of: dict[int, tuple[int, ...]] = {}
        for entry in entries:
            first, *others = entry.edit.object_ids
            if entry.edit.kind == "merge":
                joined = [source for i in entry.edit.object_ids for source in of.get(i, (i,))]
                of[first] = tuple(dict.fromkeys(joined))
                for gone in others:
                    of.pop(gone, None)
                    shown_as |= {i: first for i, to in shown_as.items() if to == gone}
                    shown_as[gone] = first
            elif entry.edit.kind == "split":
                of |= dict.fromkeys(entry.edit.new_ids, of.get(first, (first,)))
        return cls(shown_as, of)


# Largest distance from an object's box of a place that names one of its parts.
NEAR_M = 0.25
_BETWEEN_NOTES = "; "


def merged(object_id: int, things: Sequence[MapObject]) -> MapObject:
    """One object made of several. Corrections of the first apply to the whole, and corrections that
    only others have; of descriptions, that of the object with most observations."""
    first = things[0]
    low, high = np.array([thing.box.extent() for thing in things]).reshape(-1, 2, 3).swapaxes(0, 1)
    points = [thing.points for thing in things if len(thing.points)]
    by_model, by_people = _described(things), _said_by_people(things)
    other_words = dict.fromkeys(_names_from(first, "model"))
    whole = replace(
        first,
        object_id=object_id,
        attributes=AttributeOverlay(first.attributes, {**other_words, **by_model, **by_people}),
        attribute_sources={
            **dict.fromkeys(by_model, "model"),
            **dict.fromkeys(by_people, "user"),
        },
        confidence=max(thing.confidence for thing in things),
        points=_read_only(np.concatenate(points)) if points else first.points,
        first_seen_ns=min(thing.first_seen_ns for thing in things),
        last_seen_ns=max(thing.last_seen_ns for thing in things),
        observation_count=sum(thing.observation_count for thing in things),
        track_ids=tuple(dict.fromkeys(track for thing in things for track in thing.track_ids)),
        corrected=True,
        known_yaw_box=None if len(things) > 1 else first.known_yaw_box,
    )
    return _with_form(whole, Box3D.from_bounds(low.min(axis=0), high.max(axis=0)))


def split(
    thing: MapObject, places: Sequence[tuple[float, float, float]], ids: Sequence[int]
) -> dict[int, MapObject]:
    """The parts of an object by id: each surface point belongs to the nearest place. Parts without
    points are missing. The part that keeps the id keeps the description of the whole.
    """
    part_of = nearest_place(thing.points, places)
    parts = {}
    for number, object_id in enumerate(ids):
        points = thing.points[part_of == number]
        if len(points):
            part = replace(
                thing if object_id == thing.object_id else _undescribed(thing),
                object_id=object_id,
                points=_read_only(points),
                corrected=True,
                known_yaw_box=None,
            )
            box = Box3D.from_bounds(points.min(axis=0), points.max(axis=0))
            parts[object_id] = _with_form(part, box)
    return parts


def can_split(thing: MapObject, places: Sequence[tuple[float, float, float]]) -> bool:
    """True if its surface is known and it is still at these places."""
    return len(thing.points) > 0 and bool(
        thing.box.contains(np.array(places), margin_m=NEAR_M).any()
    )


def nearest_place(
    points: NDArray[np.float32], places: Sequence[tuple[float, float, float]]
) -> NDArray[np.intp]:
    """Index (N,) of the place nearest to each point (N, 3); the first of equal ones."""
    distances = [((points - np.array(place)) ** 2).sum(axis=1) for place in places]
    return np.asarray(np.argmin(distances, axis=0))


def _said_by_people(things: Sequence[MapObject]) -> dict[str, str | None]:
    """Attributes that people set; None for those that they took away from the first object."""
    said = {
        name: thing.attributes.get(name)
        for thing in things[::-1]
        for name in _names_from(thing, "user")
        if thing is things[0] or name in thing.attributes
    }
    if said.get(NOTE):
        said[NOTE] = joined_notes(thing.attributes.get(NOTE) for thing in things)
    return said


def joined_notes(notes: Iterable[str | None]) -> str:
    """Notes as one text, each once: "bought in Rome (Ada said so); ..."."""
    each = (one for note in notes if note for one in note.split(_BETWEEN_NOTES))
    return _BETWEEN_NOTES.join(dict.fromkeys(each))


def _described(things: Sequence[MapObject]) -> dict[str, str]:
    """Described attributes of the object with most observations that were not measured."""
    first = things[0]
    described = [thing for thing in things if _names_from(thing, "model")]
    if not described:
        return {}
    best = max(described, key=lambda thing: thing.observation_count)
    return {
        name: best.attributes[name]
        for name in _names_from(best, "model")
        if name in first.attribute_sources or name not in first.attributes
    }


def _undescribed(thing: MapObject) -> MapObject:
    """The object without described attributes."""
    said = _names_from(thing, "model")
    if not said:
        return thing
    sources = {n: source for n, source in thing.attribute_sources.items() if source != "model"}
    attributes = AttributeOverlay(thing.attributes, dict.fromkeys(said))
    return replace(thing, attributes=attributes, attribute_sources=sources)


def _names_from(thing: MapObject, source: AttributeSource) -> list[str]:
    return [name for name, said_by in thing.attribute_sources.items() if said_by == source]


def _with_form(thing: MapObject, box: Box3D) -> MapObject:
    boxed = replace(thing, box=box)
    return replace(boxed, attributes=RecomputedAttributes(boxed))


def _read_only(points: NDArray[np.float32]) -> NDArray[np.float32]:
    points.flags.writeable = False
    return points


Things = dict[int, MapObject]


@dataclass(frozen=True, slots=True, eq=False)
class PerceivedMap:
    """The map as perception alone has it, before corrections.

    Attributes:
        objects, gone: present and gone objects by id. structure: floor, walls and ceiling by their
            negative ids.
    """

    objects: Mapping[int, MapObject]
    gone: Mapping[int, MapObject] = field(default_factory=dict)
    structure: Mapping[int, StructurePlane] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class CorrectedObjects:
    """Objects after corrections, by ascending id: present ones and gone ones."""

    objects: Mapping[int, MapObject]
    gone: Mapping[int, MapObject]


class CorrectionOverlay:
    """Applies entries to objects. An unchanged object gets the identical value again, which lets
    users that compare by identity (relations, drawings) skip it."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, tuple[int, ...]], _Made] = {}

    def __call__(
        self,
        entries: Iterable[Correction],
        perceived: Mapping[int, MapObject],
        gone: Mapping[int, MapObject],
    ) -> CorrectedObjects:
        """The objects with standing entries, oldest first, applied."""
        seen, seen_gone = dict(perceived), dict(gone)
        before, self._made = self._made, {}
        for entry in entries:
            self._lay(entry, seen, seen_gone, before)
        return CorrectedObjects(_ascending(seen), _ascending(seen_gone))

    def one_more(self, seen: CorrectedObjects, entry: Correction) -> CorrectedObjects:
        """The objects with one more entry applied to the result of the earlier ones."""
        if entry.edit.kind in OF_RELATIONS:
            return seen
        objects, gone = dict(seen.objects), dict(seen.gone)
        self._lay(entry, objects, gone, {})
        return CorrectedObjects(_ascending(objects), _ascending(gone))

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
    return {named.object_id: replace(named, attributes=RecomputedAttributes(named))}


def _confirm(_: Correction, things: tuple[MapObject, ...]) -> Things:
    return {things[0].object_id: replace(things[0], confidence=1.0, corrected=True)}


def _set_attribute(entry: Correction, things: tuple[MapObject, ...]) -> Things:
    (thing,) = things
    key, value = entry.edit.key, entry.edit.value
    if key == NOTE and value:
        value = joined_notes((thing.attributes.get(NOTE), f"{value} ({entry.by} said so)"))
    changed = replace(
        thing,
        attributes=AttributeOverlay(thing.attributes, {key: value or None}),
        # Also of one that was taken away: it is not computed anew.
        attribute_sources={**thing.attribute_sources, key: "user"},
        corrected=True,
    )
    return {thing.object_id: changed}


def _delete(_: Correction, __: tuple[MapObject, ...]) -> Things:
    return {}


def _merge(entry: Correction, things: tuple[MapObject, ...]) -> Things:
    object_id = entry.edit.object_ids[0]
    return {object_id: merged(object_id, things)}


def _split(entry: Correction, things: tuple[MapObject, ...]) -> Things:
    (thing,) = things
    if not can_split(thing, entry.edit.places):
        return {thing.object_id: thing}
    return split(thing, entry.edit.places, (thing.object_id, *entry.edit.new_ids))


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
