"""The relations of the map, kept up to date by comparing only what changed.

Which pairs of boxes can be related is a question to the box table; what holds of a pair depends on
that pair alone, except that of several things that could carry an object only the best one does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.geometry import Extent
from scenemind.memory.graph.relations import nearness, vertical
from scenemind.memory.graph.relations.columns import Bounds
from scenemind.memory.graph.relations.level_surface import level_surface_z
from scenemind.memory.objects.association import BoxTable
from scenemind.memory.types import MapObject, Relation, StructurePlane

PREDICATES = ("on", "inside", "above", "below", "next to", "near")
# Boxes of these are mostly air: what stands within one stands below its top, not inside it.
OPEN_FRAMES = frozenset(
    {
        *("table", "dining table", "coffee table", "desk", "bed", "couch", "sofa", "bench"),
        *("chair", "armchair", "office chair", "stool", "ladder", "lamp", "person"),
        *("tree", "plant", "potted plant"),
    }
)
# What may hold of one subject and one other object: predicate -> score, in PREDICATES' order.
_Facts = dict[str, float]


@dataclass(frozen=True, slots=True)
class _Shape:
    """All of an object that its relations depend on."""

    bounds: Extent
    is_open_frame: bool
    surface_z: float | None


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One side of P pairs, as columns: bounds (P, 6), the rest (P,); NaN for no surface."""

    bounds: Bounds
    is_open_frame: NDArray[np.bool_]
    surface_z: NDArray[np.float64]


class SceneGraph:
    """Not thread-safe: its owner holds a lock."""

    def __init__(self, config: RelationConfig) -> None:
        self._config = config
        self._boxes = BoxTable()
        self._shapes: dict[int, _Shape] = {}
        self._facts: dict[int, dict[int, _Facts]] = {}
        self._supporters: dict[int, int] = {}
        self._stated: dict[int, tuple[Relation, ...]] = {}
        self._dirty: set[int] = set()
        self._all: tuple[Relation, ...] = ()

    def refresh(
        self,
        objects: Mapping[int, MapObject],
        changed: Iterable[int],
        structure: Iterable[StructurePlane] = (),
    ) -> None:
        """Bring the relations of changed, new and vanished objects up to date.

        Args:
            objects: all objects by id, as they are now.
            changed: at least the ids that are new, differ from the last call or are gone since.
            structure: all floors, walls and ceilings, as they are now.
        """
        moved = []
        for object_id in sorted(set(changed)):
            shape = _shape(objects[object_id]) if object_id in objects else None
            if shape == self._shapes.get(object_id):
                continue
            self._forget(object_id)
            if shape is not None:
                self._shapes[object_id] = shape
                self._boxes.set(object_id, np.array(shape.bounds))
                self._facts[object_id] = {}
                moved.append(object_id)
        if moved:
            self._relate(moved)

    def relations(self) -> tuple[Relation, ...]:
        """All relations, ordered by subject, then object."""
        if self._dirty:
            self._choose_supporters()
            same_subjects = True
            for subject in self._dirty:
                same_subjects &= (subject in self._stated) == (subject in self._facts)
                if subject in self._facts:
                    self._stated[subject] = self._state(subject)
                else:
                    self._stated.pop(subject, None)
            if not same_subjects:
                self._stated = dict(sorted(self._stated.items()))
            self._all = tuple(chain.from_iterable(self._stated.values()))
            self._dirty = set()
        return self._all

    def levels(self) -> dict[int, int]:
        """Object id -> its level; see `MemorySnapshot.levels`."""
        self.relations()
        levels: dict[int, int] = {}
        for object_id in self._facts:
            level, carrier = 0, self._supporters.get(object_id)
            while carrier is not None:
                level, carrier = level + 1, self._supporters.get(carrier)
            levels[object_id] = level
        return levels

    def _forget(self, object_id: int) -> None:
        if self._shapes.pop(object_id, None) is None:
            return
        self._boxes.remove(object_id)
        others = self._facts.pop(object_id)
        for other in others:
            del self._facts[other][object_id]
        self._dirty |= {object_id, *others}

    def _relate(self, moved: list[int]) -> None:
        self._dirty.update(moved)
        bounds = self._boxes.bounds_of(moved)
        reach_m = max(self._config.near_m, self._config.next_to_m, self._config.support_gap_m)
        rows, ids, others = self._boxes.pairs(bounds, reach_m, any_height=True)
        asked = np.array(moved)[rows]
        # A pair of two moved objects comes twice, and each object comes with itself.
        once = (asked < ids) | ((asked > ids) & ~np.isin(ids, moved))
        a_ids, b_ids = asked[once].tolist(), ids[once].tolist()
        a, b = self._side(a_ids, bounds[rows[once]]), self._side(b_ids, others[once])
        forward = _scores(a, b, self._config).T.tolist()
        backward = _scores(b, a, self._config).T.tolist()
        for a_id, b_id, of_a, of_b in zip(a_ids, b_ids, forward, backward, strict=True):
            facts_of_a, facts_of_b = _facts(of_a), _facts(of_b)
            if facts_of_a or facts_of_b:
                self._facts[a_id][b_id] = facts_of_a
                self._facts[b_id][a_id] = facts_of_b
                self._dirty.add(b_id)

    def _side(self, object_ids: list[int], bounds: Bounds) -> _Side:
        shapes = [self._shapes[object_id] for object_id in object_ids]
        return _Side(
            bounds,
            np.array([shape.is_open_frame for shape in shapes], dtype=bool),
            np.array([shape.surface_z for shape in shapes], dtype=np.float64),
        )

    def _choose_supporters(self) -> None:
        """The best of the candidates; both the old and the new one have other things to state."""
        for subject in list(self._dirty):
            candidates = [
                (-facts["on"], other)
                for other, facts in self._facts.get(subject, {}).items()
                if "on" in facts
            ]
            old = self._supporters.pop(subject, None)
            new = min(candidates)[1] if candidates else None
            if new is not None:
                self._supporters[subject] = new
            if old != new:
                self._dirty |= {other for other in (old, new) if other is not None}

    def _state(self, subject: int) -> tuple[Relation, ...]:
        stated = []
        for other, facts in sorted(self._facts[subject].items()):
            for predicate, score in facts.items():
                if self._is_said(subject, predicate, other):
                    stated.append(Relation(subject, predicate, other, score))
        return tuple(stated)

    def _is_said(self, subject: int, predicate: str, other: int) -> bool:
        """Where one carries the other, that says all; an `on` that is not the best is not said."""
        if self._supporters.get(subject) == other:
            return predicate == "on"
        return predicate != "on" and self._supporters.get(other) != subject


def _scores(a: _Side, b: _Side, config: RelationConfig) -> NDArray[np.float64]:
    """(6, P) in PREDICATES' order: what may hold of a as the subject and b as the object."""
    on_ab = vertical.on(a.bounds, b.bounds, config, b.surface_z)
    on_ba = vertical.on(b.bounds, a.bounds, config, a.surface_z)
    carried = (on_ab > 0.0) | (on_ba > 0.0)
    inside = np.where(b.is_open_frame | carried, 0.0, vertical.inside(a.bounds, b.bounds, config))
    contains = np.where(a.is_open_frame | carried, 0.0, vertical.inside(b.bounds, a.bounds, config))
    over = np.where(
        carried, 0.0, vertical.within_frame(b.bounds, a.bounds, a.is_open_frame, config)
    )
    under = np.where(
        carried, 0.0, vertical.within_frame(a.bounds, b.bounds, b.is_open_frame, config)
    )
    apart = (inside == 0.0) & (contains == 0.0)
    beside = apart & (over == 0.0) & (under == 0.0)
    return np.stack(
        (
            on_ab,
            inside,
            np.maximum(vertical.above(a.bounds, b.bounds, config), over),
            np.maximum(vertical.above(b.bounds, a.bounds, config), under),
            np.where(beside, nearness.next_to(a.bounds, b.bounds, config), 0.0),
            np.where(apart, nearness.near(a.bounds, b.bounds, config), 0.0),
        )
    )


def _facts(scores: list[float]) -> _Facts:
    return {p: s for p, s in zip(PREDICATES, scores, strict=True) if s > 0.0}


def _shape(thing: MapObject) -> _Shape:
    is_open_frame = thing.perceived_label in OPEN_FRAMES
    return _Shape(thing.box.extent(), is_open_frame, level_surface_z(thing.points))
