"""A snapshot as columns, so that a question costs a few array operations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import gaps_m
from scenemind.memory import MapObject, MemorySnapshot, Relation
from scenemind.reasoning.symbolic import lexicon

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class StoredRelation:
    """All relations of one predicate: rows of subjects and objects, and confidences."""

    subjects: NDArray[np.intp]
    objects: NDArray[np.intp]
    confidence: Scores


class Scene:
    """Objects in rows (ascending id) with the geometry that questions need.

    Attributes:
        objects: N map objects.
        ids: (N,) int64.
        confidence: (N,) float64.
        center, size: (N, 3) float64, world, metres.
        bounds: (N, 6) float64: the axis-aligned hulls, lowest then highest corner.
        low, high: (N, 3) float64: the two corners.
        labels: N labels; rows_of_label: label -> its rows.
    """

    def __init__(self, snapshot: MemorySnapshot) -> None:
        self.snapshot = snapshot
        self.objects: tuple[MapObject, ...] = tuple(
            snapshot.objects[object_id] for object_id in sorted(snapshot.objects)
        )
        n = len(self.objects)
        self.ids = np.array([o.object_id for o in self.objects], dtype=np.int64)
        self.confidence = np.array([o.confidence for o in self.objects], dtype=np.float64)
        self.center = np.array([o.box.center for o in self.objects], np.float64).reshape(n, 3)
        self.size = np.array([o.box.size for o in self.objects], np.float64).reshape(n, 3)
        self.bounds = np.array([o.box.extent() for o in self.objects], np.float64).reshape(n, 6)
        self.low, self.high = self.bounds[:, :3], self.bounds[:, 3:]
        self.labels = tuple(o.label for o in self.objects)
        self.rows_of_label: dict[str, list[int]] = {}
        for row, label in enumerate(self.labels):
            self.rows_of_label.setdefault(label, []).append(row)
        self.row_of_id = {int(object_id): row for row, object_id in enumerate(self.ids)}

    def __len__(self) -> int:
        return len(self.objects)

    @property
    def floor_z(self) -> float:
        """Height of the floor: the top of an object of that name, else the lowest underside."""
        floors = self.rows_of_label.get("floor", [])
        return float(self.high[floors, 2].max() if floors else self.low[:, 2].min())

    def gaps_m(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> Scores:
        """Shortest distances (N,) from every hull to one box, by its corners (3,)."""
        return gaps_m(self.low, self.high, low, high)

    def stored(self, predicate: str) -> StoredRelation | None:
        """The relations of a canonical predicate (`lexicon.PREDICATES`)."""
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
            columns.setdefault(canonical(name), []).append(rows)
        return {name: self._stored(np.vstack(parts)) for name, parts in columns.items()}

    def _stored(self, rows: NDArray[np.float64]) -> StoredRelation:
        wanted = rows[:, :2].astype(np.int64)
        at = np.minimum(np.searchsorted(self.ids, wanted), len(self) - 1)
        known = (self.ids[at] == wanted).all(axis=1)
        return StoredRelation(at[known, 0], at[known, 1], rows[known, 2])


@lru_cache(maxsize=256)
def canonical(predicate: str) -> str:
    """The questions' name of a stored predicate; unknown ones keep theirs."""
    words = predicate.lower().replace("_", " ").split()
    return lexicon.STORED.get(tuple(words), " ".join(words))
