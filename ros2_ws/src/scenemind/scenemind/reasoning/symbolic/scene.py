"""A snapshot as columns, so that a question costs a few array operations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import gaps_m
from scenemind.memory import MapObject, MemorySnapshot, Relation
from scenemind.memory.graph.relations import find_relation
from scenemind.memory.graph.relations.columns import Bounds
from scenemind.reasoning.symbolic.building import as_thing, gaps_to_turned_m

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class StoredRelation:
    """All relations of one predicate: rows of subjects and objects, and confidences."""

    subjects: NDArray[np.intp]
    objects: NDArray[np.intp]
    confidence: Scores


class Scene:
    """Objects in rows (ascending id) with the geometry that questions need.

    Floors, walls and ceilings come first, with their negative ids: questions can refer to them, and
    they are in no answer as objects.

    Attributes:
        objects: N map objects, those that stand for the building included.
        ids: (N,) int64. is_object: (N,) bool: no part of the building.
        levels: (N,) int64: see `MemorySnapshot.levels`; -1 of the building.
        confidence: (N,) float64.
        center, size: (N, 3) float64, world, metres.
        bounds: (N, 6) float64: the axis-aligned hulls, lowest then highest corner.
        low, high: (N, 3) float64: the two corners.
        rows_of_label: label -> its rows, of objects only.
        row_of_id: id -> row.
    """

    def __init__(self, snapshot: MemorySnapshot) -> None:
        self.snapshot = snapshot
        planes = sorted(snapshot.structure.values(), key=lambda plane: plane.plane_id)
        self.objects: tuple[MapObject, ...] = (
            *map(as_thing, planes),
            *(snapshot.objects[object_id] for object_id in sorted(snapshot.objects)),
        )
        n = len(self.objects)
        self.ids = np.array([o.object_id for o in self.objects], dtype=np.int64)
        self.is_object = self.ids >= 0
        levels = (snapshot.levels.get(o.object_id, 0) for o in self.objects)
        self.levels = np.where(self.is_object, np.fromiter(levels, np.int64, n), -1)
        self.confidence = np.array([o.confidence for o in self.objects], dtype=np.float64)
        self.center = np.array([o.box.center for o in self.objects], np.float64).reshape(n, 3)
        self.size = np.array([o.box.size for o in self.objects], np.float64).reshape(n, 3)
        self.bounds: Bounds = np.array([o.box.extent() for o in self.objects], np.float64).reshape(
            n, 6
        )
        self.low, self.high = self.bounds[:, :3], self.bounds[:, 3:]
        self.rows_of_label: dict[str, list[int]] = {}
        for row in np.flatnonzero(self.is_object).tolist():
            self.rows_of_label.setdefault(self.objects[row].label, []).append(row)
        self.row_of_id = {int(object_id): row for row, object_id in enumerate(self.ids)}

    def __len__(self) -> int:
        return len(self.objects)

    @property
    def floor_z(self) -> float:
        """Height of the floor: the top of one that is known, else the lowest underside."""
        floors = [r for r, o in enumerate(self.objects) if o.label == "floor"]
        return float(self.high[floors, 2].max() if floors else self.low[:, 2].min())

    def gaps_m(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> Scores:
        """Shortest distances (N,) from every hull to one box, by its corners (3,)."""
        return gaps_m(self.low, self.high, low, high)

    def gaps_to_m(self, row: int) -> Scores:
        """Distances (N,) in metres between surfaces (the axis-aligned hulls)."""
        if not self.is_object[row]:
            return gaps_to_turned_m(self.bounds, self.objects[row].box)
        gaps = self.gaps_m(self.low[row], self.high[row])
        for other in np.flatnonzero(~self.is_object).tolist():
            gaps[other] = gaps_to_turned_m(self.bounds[[row]], self.objects[other].box)[0]
        return gaps

    def stored(self, predicate: str) -> StoredRelation | None:
        """The relations of a canonical predicate (`relations.names`)."""
        return self._relations.get(predicate)

    def relations_of(self, row: int, predicate: str) -> Iterator[tuple[int, float]]:
        """Rows that `row` stands in the relation to, with confidences."""
        stored = self._relations.get(predicate)
        if stored is not None:
            for at in np.flatnonzero(stored.subjects == row):
                yield int(stored.objects[at]), float(stored.confidence[at])

    @cached_property
    def _relations(self) -> dict[str, StoredRelation]:
        """By canonical predicate; made when the first question asks for one."""
        by_name: dict[str, list[Relation]] = {}
        for relation in self.snapshot.relations:
            by_name.setdefault(relation.predicate, []).append(relation)
        columns: dict[str, list[NDArray[np.float64]]] = {}
        for name, found in by_name.items():
            n = len(found)
            rows = np.empty((n, 3))
            rows[:, 0] = np.fromiter((r.subject_id for r in found), np.float64, n)
            rows[:, 1] = np.fromiter((r.object_id for r in found), np.float64, n)
            rows[:, 2] = np.fromiter((r.confidence for r in found), np.float64, n)
            known = find_relation(name)
            columns.setdefault(known.name if known else name, []).append(rows)
        return {name: self._stored(np.vstack(parts)) for name, parts in columns.items()}

    def _stored(self, rows: NDArray[np.float64]) -> StoredRelation:
        wanted = rows[:, :2].astype(np.int64)
        at = np.minimum(np.searchsorted(self.ids, wanted), len(self) - 1)
        known = (self.ids[at] == wanted).all(axis=1)
        return StoredRelation(at[known, 0], at[known, 1], rows[known, 2])
