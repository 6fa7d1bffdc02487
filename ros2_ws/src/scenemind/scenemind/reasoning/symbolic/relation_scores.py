"""The one scorer of relations: to the letter, and graded.

To the letter a relation holds as the scene graph states it or its thresholds say, else it scores 0;
graded, it fits more or less, so that candidates can be compared. What people stated or denied
decides in both: their statements are among the graph's, and what they denied scores 0, whatever the
boxes say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SceneMemoryError
from scenemind.geometry import Box3D
from scenemind.memory import MapObject
from scenemind.memory.graph.relation_query import RelationContext, RelationQuery, is_kept
from scenemind.memory.graph.relations import CARRYING, RELATION_NAMES
from scenemind.memory.graph.relations.box_relations import between as lies_between
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import graded_relations as graded
from scenemind.reasoning.symbolic.graded_relations import SIDES, Onlooker, Pairs

if TYPE_CHECKING:
    from scenemind.reasoning.symbolic.scene import Scene, StoredRelation

Scores = NDArray[np.float64]
Mask = NDArray[np.bool_]
Weighted = Sequence[tuple[int, float]]
"""Rows of things that may be meant, with how well each fits, the best 1."""

# Asked relation -> kept relations that count as well: (name, subject and object swapped, weight).
_ALSO: dict[str, tuple[tuple[str, bool, float], ...]] = {
    "on": (
        ("hanging on", False, 1.0), ("mounted on", False, 1.0), ("affixed on", False, 1.0),
        ("inside", False, 0.7),
    ),
    "supports": (
        ("hanging on", True, 1.0), ("mounted on", True, 1.0), ("affixed on", True, 1.0),
        ("inside", True, 0.7),
    ),
    "inside": (("embedded in", False, 1.0), ("on", False, 0.7)),
    "contains": (("embedded in", True, 1.0), ("on", True, 0.7)),
    "near": (("next to", False, 1.0), ("next to", True, 1.0)),
    "below": (("on", True, 1.0),),
    "with": tuple((name, True, 1.0) for name in CARRYING),
}  # fmt: skip
# Asked relation -> near matches where none holds: ways to be attached, ways to be beside.
ATTACHED = ("hanging on", "mounted on", "affixed on")
ALIKE = {
    **{name: tuple(other for other in ATTACHED if other != name) for name in ATTACHED},
    "embedded in": ("inside", "on"),
    "besides": ("next to",),
    "above": ("on",),
}
BESIDE = ("near", "next to", "besides", "within reach", "around")
# Distance over which scores of directions halve.
_FADE_M = 4.0
# Largest distance of a near match for "near", and its score.
_NEAREST_M, _NEAREST = 3.0, 0.5
# Distance to a corner of the room, and share of the way to its edge, in which scores fall to 1/e.
_CORNER_M, _MIDDLE = 0.8, 0.5
# Most anchors of a computed relation, and most pairs of ends; the surest ones count.
_MAX_ANCHORS, _MOST_PAIRS = 8, 60
# Most kept scores of graded relations: 8 bytes each.
_MOST_CACHED = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """Anchor of a relation: an object, a part of the building, or the viewer (row None)."""

    box: Box3D
    row: int | None
    score: float
    thing: MapObject | None = None

    @classmethod
    def of_row(cls, scene: Scene, row: int, score: float = 1.0) -> Anchor:
        """The object in a row of the scene."""
        thing = scene.objects[row]
        return cls(thing.box, row, score, thing)


class GradedRelations:
    """Scores of the relations between the objects of one scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        said = [r for r in scene.snapshot.relations if r.source == "user"]
        self._is_corrected = bool(said or scene.snapshot.denied)
        rows = scene.row_of_id
        self._carriers: dict[int, set[int]] = {}
        for r in said:
            if r.predicate in CARRYING and r.subject_id in rows:
                self._carriers.setdefault(rows[r.subject_id], set()).add(r.object_id)
        self._graded: dict[tuple[str, int], Scores] = {}

    def to_the_letter(
        self,
        predicate: str,
        anchors: Sequence[Anchor],
        among: Scores,
        viewpoint: Viewpoint | None,
    ) -> Scores:
        """Scores (N,) of the candidates towards the best of the anchors; 0 where it does not hold.

        Args:
            among: (N,) above 0 for candidates; scores of others are meaningless.
            viewpoint: needed for relations that depend on it, and for the viewer as an anchor.

        Raises:
            ReasoningError: `invalid_request`: impossible for a viewer ("inside me").
        """
        predicate = _intended_predicate(predicate, anchors)
        scores = self._kept_scores(predicate, anchors)
        candidates = np.flatnonzero((among > 0.0) & self._scene.is_object)
        context = RelationContext(self._scene.config, viewpoint)
        fades = is_view_dependent(predicate)
        for anchor in sorted(anchors, key=lambda a: -a.score)[:_MAX_ANCHORS]:
            rows = candidates[self._computed_mask(predicate, anchor, candidates)]
            if not len(rows):
                continue
            found = np.zeros(len(scores))
            found[rows] = self._computed(predicate, rows, anchor, context)
            if fades:
                found *= 0.5 ** (gaps_to(self._scene, anchor) / _FADE_M)
                found[self._kept_scores("on", [anchor]) > 0.0] = 0.0
            np.maximum(scores, found * anchor.score, out=scores)
        return scores

    def denied(self, predicate: str, rows: Sequence[int | None]) -> Mask:
        """Mask (N,) of things that are in a relation to none of these, as people say."""
        none = np.zeros(len(self._scene), bool)
        each = [none if row is None else self._refuted(predicate, row) for row in rows]
        return np.asarray(np.all(each, axis=0))

    def closest(self, predicate: str, anchors: Sequence[Anchor], among: Scores) -> Scores:
        """Scores (N,) for being beside where nothing is: the closest candidate, within 3 m."""
        gaps = np.min([gaps_to(self._scene, anchor) for anchor in anchors], axis=0)
        gaps[among <= 0.0] = np.inf
        for row in (anchor.row for anchor in anchors if anchor.row is not None):
            gaps[self._refuted(predicate, row)] = np.inf
            gaps[row] = np.inf
        scores = np.zeros(len(gaps))
        closest = int(np.argmin(gaps))
        if gaps[closest] <= _NEAREST_M:
            scores[closest] = _NEAREST
        return scores

    def lies_between(self, first: Anchor, second: Anchor) -> Scores:
        """Scores (N,) of lying between two anchors, which themselves do not, to the letter."""
        bounds = self._scene.bounds
        ends = [np.tile(np.array(end.box.extent()), (len(bounds), 1)) for end in (first, second)]
        scores = lies_between(bounds, ends[0], ends[1])
        for anchor in (first, second):
            if anchor.row is not None:
                scores[anchor.row] = 0.0
        return scores * first.score * second.score

    def graded(self, predicate: str, row: int, onlooker: Onlooker) -> Scores:
        """Graded scores (N,) for a relation to one thing, which itself gets 0."""
        if predicate in SIDES:
            middle = self._scene.center[row, :2]
            fit = onlooker.beside(self._towards(row), middle, SIDES[predicate])
            return self._corrected(fit, predicate, row)
        key = predicate, row
        if key not in self._graded:
            if len(self._graded) * len(self._scene) > _MOST_CACHED:
                self._graded.clear()
            self._graded[key] = self._corrected(self._of_boxes(predicate, row), predicate, row)
        return self._graded[key]

    def in_room(self, predicate: str) -> Scores:
        """Graded scores (N,) for being in a corner of the room, or in its middle."""
        scene, (low, high) = self._scene, self._scene.room
        if predicate != "in the middle of":
            nearest = np.minimum(scene.low[:, :2] - low, high - scene.high[:, :2])
            return np.exp(-np.linalg.norm(nearest, axis=1) / _CORNER_M)
        off = np.abs(scene.center[:, :2] - (low + high) / 2.0)
        half = np.maximum((high - low) / 2.0, 1e-9)
        return np.exp(-np.linalg.norm(off / half, axis=1) / _MIDDLE)

    def graded_between(self, first: Weighted, second: Weighted) -> Scores:
        """Graded scores (N,) of lying between two things, each of which may be one of several."""
        pairs = [(a, b, of_a * of_b) for a, of_a in first for b, of_b in second if a != b]
        middles = self._scene.center[:, :2]
        if not pairs:
            return np.ones(len(middles))
        found = np.zeros(len(middles))
        for a, b, weight in pairs[:_MOST_PAIRS]:
            fit = weight * graded.between(middles, middles[a], middles[b])
            fit[[a, b]] = 0.0
            np.maximum(found, fit, out=found)
        return found

    def _of_boxes(self, predicate: str, row: int) -> Scores:
        if predicate in graded.TURNED:
            low, high = self._scene.low, self._scene.high
            return graded.TURNED[predicate](Pairs(low[row], high[row], low, high))
        return graded.CURVES.get(predicate, graded.near)(self._towards(row))

    def _towards(self, row: int) -> Pairs:
        low, high = self._scene.low, self._scene.high
        return Pairs(low, high, low[row], high[row])

    def _corrected(self, fit: Scores, predicate: str, row: int) -> Scores:
        """Graded scores with what people said, and 0 for the thing itself."""
        if self._is_corrected:
            for name, swapped, _ in _kept_under(predicate):
                if predicate not in BESIDE:  # what is not next to a thing may be near it
                    fit[_of(self._scene.denied(name), swapped, row)] = 0.0
            fit[self._refuted(predicate, row)] = 0.0
            for name, swapped, weight in _kept_under(predicate):
                said = _of(self._scene.stored(name), swapped, row, only_said=True)
                fit[said] = np.maximum(fit[said], weight)
        fit[row] = 0.0
        return fit

    def _refuted(self, predicate: str, row: int) -> Mask:
        """Mask (N,) of things that are not in a relation to one because people say so.

        They deny it, say the opposite, or say that another thing carries it.
        """
        found, opposite = np.zeros(len(self._scene), bool), _opposite(predicate)
        if not self._is_corrected:
            return found
        found[_of(self._scene.denied(predicate), False, row)] = True
        if opposite:
            found[_of(self._scene.denied(opposite), True, row)] = True
        if opposite not in ("", predicate):
            found[_of(self._scene.stored(opposite), False, row, only_said=True)] = True
            found[_of(self._scene.stored(predicate), True, row, only_said=True)] = True
        ids = self._scene.ids
        if predicate in CARRYING:
            found[[thing for thing, of in self._carriers.items() if ids[row] not in of]] = True
        elif opposite in CARRYING and row in self._carriers:
            found[~np.isin(ids, list(self._carriers[row]))] = True
        return found

    def _kept_scores(self, predicate: str, anchors: Sequence[Anchor]) -> Scores:
        scores = np.zeros(len(self._scene))
        of_anchor = np.zeros(len(self._scene))
        for anchor in anchors:
            if anchor.row is not None:
                of_anchor[anchor.row] = anchor.score
        for name, swapped, weight in _kept_under(predicate):
            kept = self._scene.stored(name)
            if kept is not None:
                to, of = kept.ends(swapped)
                confidence = weight * kept.confidence
                for row in np.flatnonzero(of_anchor).tolist() if self._is_corrected else ():
                    confidence[(of == row) & self._refuted(predicate, row)[to]] = 0.0
                np.maximum.at(scores, to, confidence * of_anchor[of])
        return scores

    def _computed_mask(self, predicate: str, anchor: Anchor, rows: NDArray[np.intp]) -> Mask:
        """Mask over the rows: whether the memory would not state the relation if it held."""
        relation, scene = RELATION_NAMES[predicate], self._scene
        if anchor.row is None:
            return np.ones(len(rows), bool)
        allowed = (rows != anchor.row) & ~self._refuted(predicate, anchor.row)[rows]
        if not is_kept(relation) or not scene.snapshot.relations:
            return allowed
        if predicate in CARRYING or not relation.stored:
            return np.zeros(len(rows), bool)
        return allowed & (np.abs(scene.levels[rows] - scene.levels[anchor.row]) > 1)

    def _computed(
        self, predicate: str, rows: NDArray[np.intp], anchor: Anchor, context: RelationContext
    ) -> Scores:
        query = RelationQuery([self._scene.objects[row] for row in rows], anchor.thing, context)
        try:
            return query.scores(RELATION_NAMES[predicate])
        except SceneMemoryError as error:
            raise ReasoningError("invalid_request", f"{str(error).capitalize()}.") from error


def is_view_dependent(predicate: str) -> bool:
    """Whether a relation needs a viewpoint, whatever its anchor."""
    return RELATION_NAMES[predicate].category == "allocentric"


def gaps_to(scene: Scene, anchor: Anchor) -> Scores:
    """Distances (N,) in metres between surfaces (the axis-aligned hulls)."""
    if anchor.row is not None:
        return scene.gaps_to_m(anchor.row)
    center = np.asarray(anchor.box.center)
    return scene.gaps_m(center, center)


def _intended_predicate(predicate: str, anchors: Sequence[Anchor]) -> str:
    """The predicate; "on" for "below the ceiling", since everything is below it."""
    labels = {anchor.thing.label for anchor in anchors if anchor.thing is not None}
    return "on" if predicate == "below" and labels == {"ceiling"} else predicate


def _kept_under(predicate: str) -> Iterator[tuple[str, bool, float]]:
    yield predicate, False, 1.0
    relation = RELATION_NAMES.get(predicate)
    if relation is not None and relation.inverse is not None:
        yield relation.inverse, True, 1.0
    yield from _ALSO.get(predicate, ())


def _opposite(predicate: str) -> str:
    relation = RELATION_NAMES.get(predicate)
    return (relation.inverse or "") if relation is not None else ""


def _of(
    found: StoredRelation | None, swapped: bool, row: int, *, only_said: bool = False
) -> NDArray[np.intp]:
    """Rows of the things that are in a relation to one."""
    if found is None:
        return np.zeros(0, np.intp)
    to, of = found.ends(swapped)
    return to[(of == row) & (found.is_said | (not only_said))]
