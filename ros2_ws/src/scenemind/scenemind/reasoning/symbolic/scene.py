"""Scene: a snapshot as columns, with floors, walls and ceilings as rows of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D, gaps_m, turned_gaps_m, turned_pair_gaps_m
from scenemind.language.english import normal
from scenemind.language.vocabulary import Vocabulary, WordMatch
from scenemind.memory import MapObject, MemorySnapshot, Relation, StructurePlane
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.graph.relations import CARRYING, find_relation
from scenemind.memory.graph.relations.box_relations import Bounds
from scenemind.memory.types import LIKELY, NOTE, StructureKind

Scores = NDArray[np.float64]
# Spacing of points on a face, to which distances are measured, and their largest number an axis.
_STEP_M, _MOST_STEPS = 0.25, 40
# Things that are turned for distances, and kept distances.
_MOST_TURNED, _MOST_GAPS = 200, 1_000_000


@dataclass(frozen=True, eq=False)
class Links:
    """All relations of one predicate: rows of subjects and objects, confidences, and whether a
    person says so."""

    subjects: NDArray[np.intp]
    objects: NDArray[np.intp]
    confidence: Scores
    is_said: NDArray[np.bool_]

    @cached_property
    def of_subjects(self) -> dict[int, list[int]]:
        """Numbers of the relations of each subject's row, ascending."""
        found: dict[int, list[int]] = {}
        for number, row in enumerate(self.subjects.tolist()):
            found.setdefault(row, []).append(number)
        return found

    @property
    def swapped(self) -> Links:
        """Those of the objects to the subjects."""
        return Links(self.objects, self.subjects, self.confidence, self.is_said)

    def subjects_of(self, row: int, *, only_said: bool = False) -> NDArray[np.intp]:
        """Rows of what is related to one thing."""
        return self.subjects[(self.objects == row) & (self.is_said | (not only_said))]


def _lowest(values: Scores, count: int) -> NDArray[np.intp]:
    """Places of the lowest values, not in order."""
    return np.argpartition(values, min(count, len(values)) - 1)[:count]


_NO_ROWS = np.zeros(0, np.intp)
_NO_LINKS = Links(_NO_ROWS, _NO_ROWS, np.zeros(0), np.zeros(0, bool))


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Objects that a reference means, best first.

    Attributes:
        rows: (M,) of the scene. scores: (M,) in [0, 1]: how well each fits.
    """

    scene: Scene
    rows: NDArray[np.intp]
    scores: Scores

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def objects(self) -> tuple[MapObject, ...]:
        """The objects themselves."""
        return self.scene.objects_at(self.rows)

    @property
    def confidences(self) -> Scores:
        """(M,) in [0, 1]: existence times fit of each."""
        return np.asarray(np.clip(self.scene.confidence[self.rows] * self.scores, 0.0, 1.0))

    @property
    def confidence(self) -> float:
        """Confidence of a reply that rests on all of them."""
        return float(self.confidences.mean())

    def where(self, mask: NDArray[np.bool_]) -> Found:
        """Those of a mask (M,)."""
        return Found(self.scene, self.rows[mask], self.scores[mask])

    @property
    def is_likely(self) -> NDArray[np.bool_]:
        """Mask (M,) of the objects that are likelier there than not; where none is, of the surest.

        The others are probably mistakes of perception: no answer names them beside better ones.
        """
        sure = self.scene.confidence[self.rows]
        likely = sure >= LIKELY
        return likely if likely.any() or not len(sure) else sure == sure.max()


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
        may_be: label that no object bears -> rows of those that may be one, with the probability.
        row_of_id: id -> row.
        made: what is made of it once, by its type.
    """

    def __init__(self, snapshot: MemorySnapshot, config: RelationConfig | None = None) -> None:
        """
        Args:
            config: thresholds of the relations; None: the defaults.
        """
        self.snapshot = snapshot
        self.config = config or RelationConfig()
        planes = sorted(snapshot.structure.values(), key=lambda plane: plane.plane_id)
        self.objects: tuple[MapObject, ...] = (
            *map(_as_object, planes),
            *(snapshot.objects[object_id] for object_id in sorted(snapshot.objects)),
        )
        n = len(self.objects)
        self.ids = np.array([o.object_id for o in self.objects], dtype=np.int64)
        self.is_object = self.ids >= 0
        levels = (snapshot.levels.get(o.object_id, 0) for o in self.objects)
        self.levels = np.where(self.is_object, np.fromiter(levels, np.int64, n), -1)
        self.confidence = np.array([o.confidence for o in self.objects], dtype=np.float64)
        boxes = [o.box for o in self.objects]
        self.center = np.array([box.center for box in boxes], np.float64).reshape(n, 3)
        self.size = np.array([box.size for box in boxes], np.float64).reshape(n, 3)
        self.bounds: Bounds = np.array([b.extent() for b in boxes], np.float64).reshape(n, 6)
        self.low, self.high = self.bounds[:, :3], self.bounds[:, 3:]
        self.rows_of_label: dict[str, list[int]] = {}
        for row in np.flatnonzero(self.is_object).tolist():
            self.rows_of_label.setdefault(self.objects[row].label, []).append(row)
        self.may_be: dict[str, dict[int, float]] = {}
        for row in np.flatnonzero(self.is_object).tolist():
            for label, probability in self.objects[row].alternatives.items():
                if label not in self.rows_of_label:
                    self.may_be.setdefault(label, {})[row] = probability
        self.made: dict[type, Any] = {}
        self._gaps_m: dict[int, Scores] = {}
        self.row_of_id = {int(object_id): row for row, object_id in enumerate(self.ids)}

    def __len__(self) -> int:
        return len(self.objects)

    def objects_at(self, rows: Iterable[int]) -> tuple[MapObject, ...]:
        """The objects of rows."""
        return tuple(self.objects[row] for row in rows)

    def matches(self, noun: str) -> list[WordMatch]:
        """Labels of objects that a noun may mean; see `Vocabulary.match`. Where no object surely is
        of the kind, those which may be one stand in (`may_be`)."""
        found = Vocabulary.load().match(noun, self.rows_of_label)
        if not self.may_be or any(match.sure for match in found):
            return found
        maybe = Vocabulary.load().match(noun, self.may_be)
        return [match.as_stand_in("may be one") for match in maybe if match.sure] or found

    def rows_called(self, labels: Iterable[str]) -> list[int]:
        """Rows of the objects that bear one of the labels; of a label that none bears, those that
        may be one."""
        of = self.rows_of_label
        return [row for label in labels for row in of.get(label) or self.may_be[label]]

    def rows_surely(self, noun: str) -> list[int]:
        """Rows of the objects that surely are what a noun says."""
        return self.rows_called(match.label for match in self.matches(noun) if match.sure)

    @cached_property
    def room(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest corner (2,) of what is known, seen from above."""
        return self.low[:, :2].min(axis=0), self.high[:, :2].max(axis=0)

    @cached_property
    def colours(self) -> tuple[list[str], NDArray[np.intp]]:
        """Names of the colours, each once, and the place of each object's among them (N,)."""
        seen = [thing.attributes.get("color", "") for thing in self.objects]
        names = sorted(set(seen))
        places = {name: place for place, name in enumerate(names)}
        return names, np.array([places[name] for name in seen], np.intp)

    @cached_property
    def noted(self) -> dict[int, MapObject]:
        """Objects by id that people have told something of in free words."""
        objects = self.snapshot.objects
        return {i: thing for i, thing in objects.items() if thing.attributes.get(NOTE)}

    @cached_property
    def is_landmark(self) -> NDArray[np.bool_]:
        """(N,): things that a place can be told by; a wall says little of one."""
        no_wall = [sense_of(thing.label).structure is None for thing in self.objects]
        return np.array(no_wall, bool) & self.is_object

    @property
    def middle(self) -> NDArray[np.float64]:
        """(2,): that of the room."""
        return np.asarray((self.room[0] + self.room[1]) / 2.0)

    @cached_property
    def floor_z(self) -> float:
        """Height of the floor: the top of one that is known, else the lowest underside."""
        floors = [r for r, o in enumerate(self.objects) if o.label == "floor"]
        return float(self.high[floors, 2].max() if floors else self.low[:, 2].min())

    def gaps_m(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> Scores:
        """Shortest distances (N,) from every hull to one box, by its corners (3,)."""
        return gaps_m(self.low, self.high, low, high)

    def gaps_to_m(self, row: int) -> Scores:
        """Distances (N,) in metres between surfaces: of the turned boxes, but for things that are
        far down in a large map, of the axis-aligned hulls."""
        gaps = self._gaps_m.get(row)  # another thread may clear them meanwhile
        if gaps is None:
            if len(self._gaps_m) * len(self) > _MOST_GAPS:
                self._gaps_m.clear()
            gaps = self.gaps_m(self.low[row], self.high[row])
            near = _lowest(gaps, _MOST_TURNED)
            others = [self.objects[other].yaw_box for other in near.tolist()]
            gaps[near] = turned_gaps_m(self.objects[row].yaw_box, others)
            self._gaps_m[row] = gaps
        return gaps.copy()

    def nearest_gaps_m(
        self, rows: NDArray[np.intp], anchors: NDArray[np.intp], *, is_far_measured: bool = True
    ) -> tuple[Scores, Scores]:
        """Distances (M,) in metres of each of some rows to the nearest of many anchors: between
        surfaces as in `gaps_to_m`, and between centres.

        Only anchors that may be nearest are measured: those whose centre is no farther than that
        of the nearest centre and the two halves allow.

        Args:
            is_far_measured: False: of rows that cannot be among the nearest, the distance between
                surfaces is at least the given one.
        """
        tree = scipy.spatial.cKDTree(self.center[anchors])
        centers_m, _ = tree.query(self.center[rows])
        halves = np.linalg.norm(self.high - self.low, axis=1) / 2.0
        half = halves[rows] + halves[anchors].max()
        gaps = np.maximum(centers_m - half, 0.0)
        among = np.arange(len(rows))
        if not is_far_measured:
            among = np.flatnonzero(gaps <= centers_m[_lowest(centers_m, _MOST_TURNED)].max())
        reach = (centers_m + half)[among]
        near = tree.query_ball_point(self.center[rows[among]], reach, return_sorted=True)
        counts = np.array([len(each) for each in near])
        first, second = rows[among].repeat(counts), anchors[np.concatenate(near).astype(np.intp)]
        hulls = gaps_m(self.low[first], self.high[first], self.low[second], self.high[second])
        gaps[among] = np.minimum.reduceat(hulls, np.cumsum(counts) - counts)
        nearest = among[_lowest(gaps[among], _MOST_TURNED)]
        at = among.repeat(counts)
        pairs = np.flatnonzero(np.isin(at, nearest))
        gaps[nearest] = np.inf
        np.minimum.at(gaps, at[pairs], self._turned_m(first[pairs], second[pairs]))
        return gaps, centers_m

    def _turned_m(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> Scores:
        """Distances (N,) in metres between the turned boxes of pairs of rows."""
        each, number = np.unique(np.concatenate((first, second)), return_inverse=True)
        boxes = [self.objects[row].yaw_box for row in each.tolist()]
        return turned_pair_gaps_m(boxes, number[: len(first)], number[len(first) :])

    def stored(self, predicate: str) -> Links:
        """Relations of a canonical predicate (`language.relation_names`)."""
        return self._stored.get(predicate, _NO_LINKS)

    def denied(self, predicate: str) -> Links:
        """Relations of a canonical predicate that people denied."""
        return self._denied.get(predicate, _NO_LINKS)

    def relations_of(self, row: int, predicate: str) -> Iterator[tuple[int, float]]:
        """Rows of the objects of `row`'s relations, with confidences."""
        links = self.stored(predicate)
        for at in links.of_subjects.get(row, ()):
            yield int(links.objects[at]), float(links.confidence[at])

    def carriers_of(self, row: int) -> list[int]:
        """Rows of what carries, contains or embeds a thing."""
        return [other for by in CARRYING for other, _ in self.relations_of(row, by)]

    @cached_property
    def _stored(self) -> dict[str, Links]:
        """Relations by canonical predicate, made at the first use."""
        return self._links(self.snapshot.relations)

    @cached_property
    def _denied(self) -> dict[str, Links]:
        return self._links(self.snapshot.denied)

    def _links(self, relations: Iterable[Relation]) -> dict[str, Links]:
        by_name: dict[str, list[Relation]] = {}
        for relation in relations:
            by_name.setdefault(_canonical(relation.predicate), []).append(relation)
        found = {}
        for name, each in by_name.items():
            n = len(each)
            wanted = np.empty((n, 2), np.int64)
            wanted[:, 0] = np.fromiter((r.subject_id for r in each), np.int64, n)
            wanted[:, 1] = np.fromiter((r.object_id for r in each), np.int64, n)
            confidence = np.fromiter((r.confidence for r in each), np.float64, n)
            is_said = np.fromiter((r.source == "user" for r in each), bool, n)
            at = np.minimum(np.searchsorted(self.ids, wanted), len(self) - 1)
            known = (self.ids[at] == wanted).all(axis=1)
            found[name] = Links(at[known, 0], at[known, 1], confidence[known], is_said[known])
        return found


class LastScene:
    """The scene of the snapshot that was asked about last: the next question about it finds the
    columns, gaps and relations that the one before has made. Thread-safe."""

    def __init__(self, config: RelationConfig) -> None:
        self._config = config
        self._scene: Scene | None = None

    def of(self, snapshot: MemorySnapshot) -> Scene:
        """The scene of a snapshot."""
        scene = self._scene
        if scene is None or scene.snapshot is not snapshot:
            scene = self._scene = Scene(snapshot, self._config)
        return scene


@lru_cache(maxsize=256)
def _canonical(predicate: str) -> str:
    known = find_relation(predicate)
    return known.name if known else predicate


def find_kind(noun: str) -> StructureKind | None:
    """Part of the building that a noun names ("walls", "ground"); None for other nouns."""
    return sense_of(normal(noun)).structure if noun else None


def _as_object(plane: StructurePlane) -> MapObject:
    """A plane as a map object with its id, and with points on its face."""
    name, box = (plane.plane_id, plane.kind, plane.kind), plane.box
    return MapObject(*name, {}, 1.0, box, _points_on(box), 0, 0, 0, (), known_yaw_box=box)


def _points_on(box: Box3D) -> NDArray[np.float32]:
    """Points (M, 3) on a grid over the box: one layer across its thin side."""
    axes = [_ticks(side, thin=side == min(box.size)) for side in box.size]
    local = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    c, s = np.cos(box.yaw), np.sin(box.yaw)
    turned = local @ np.array([(c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0)])
    points = (turned + np.asarray(box.center)).astype(np.float32)
    points.flags.writeable = False
    return points


def _ticks(side_m: float, *, thin: bool) -> NDArray[np.float64]:
    if thin:
        return np.zeros(1)
    count = min(int(np.ceil(side_m / _STEP_M)) + 1, _MOST_STEPS)
    return np.linspace(-side_m / 2.0, side_m / 2.0, count)
