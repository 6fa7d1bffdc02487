"""The one scorer of relations: to the letter, and graded.

To the letter a relation holds as the scene graph states it or its thresholds say, else it scores 0;
graded, it fits more or less, so that candidates can be compared. What people stated or denied
decides in both: their statements are among the graph's, and what they denied scores 0, whatever the
boxes say.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SceneMemoryError
from scenemind.geometry import Box3D
from scenemind.language.english import normal
from scenemind.language.lexicon import AWAY, OF_BOXES
from scenemind.language.measures import CLOSER, compared_by, distance_m, is_measured, same_key
from scenemind.language.trees import Marked, NounPhrase, Reference, Related
from scenemind.memory import MapObject
from scenemind.memory.graph.relation_query import RelationContext, RelationQuery, is_kept
from scenemind.memory.graph.relations import CARRYING, RELATION_NAMES
from scenemind.memory.graph.relations.box_relations import HEIGHT_NOISE_M
from scenemind.memory.graph.relations.box_relations import between as lies_between
from scenemind.memory.graph.relations.superlatives import superlative_values
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.reasoning.query import ReasoningError
from scenemind.reasoning.symbolic import graded_relations as graded
from scenemind.reasoning.symbolic.attribute_scores import alike, darkness
from scenemind.reasoning.symbolic.graded_relations import SIDES, Onlooker, Pairs
from scenemind.reasoning.symbolic.measures import AS_LONG_M, LESS, MEASURED_BY, extent_m
from scenemind.reasoning.symbolic.scene import Links, Scene, Scores
from scenemind.reasoning.symbolic.usual import room_weights

Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]
Weighted = Sequence[tuple[int, float]]
"""Rows of things that may be meant, with how well each fits, the best 1."""

ATTACHED = ("hanging on", "mounted on", "affixed on")
# Asked relation -> kept relations that count as well: (name, subject and object swapped, weight).
_ALSO: dict[str, tuple[tuple[str, bool, float], ...]] = {
    "on": (*((name, False, 1.0) for name in ATTACHED), ("inside", False, 0.7)),
    "supports": (
        *((name, True, 1.0) for name in ATTACHED),
        *((name, True, 0.7) for name in ("inside", "embedded in")),
    ),
    "inside": (("embedded in", False, 1.0), ("on", False, 0.7)),
    "contains": (("embedded in", True, 1.0), ("on", True, 0.7)),
    "near": (("next to", False, 1.0), ("next to", True, 1.0)),
    "below": (("on", True, 1.0),),
    "with": tuple((name, True, 1.0) for name in CARRYING),
}
# Asked relation -> near matches where none holds: ways to be attached, ways to be beside.
ALIKE = {
    **{name: tuple(other for other in ATTACHED if other != name) for name in ATTACHED},
    "embedded in": ("inside", "on"),
    "inside": ("on",),
    "besides": ("next to",),
    "above": ("on",),
}
BESIDE = ("near", "next to", "besides", "within reach", "around")
# Relations that the graph does not know, and how well they have to fit to hold.
_FITTING = {"at the end of": 0.4, "opposite": 0.5, "in the corner of": 0.3, "in the middle of": 0.5}
_OF_ROOM = {"between": "in the middle of", "in the corner of": "in the corner of"}
# Distance over which scores of directions halve.
_FADE_M = 4.0
# Distance to a corner of the room, and share of the way to its edge, in which scores fall to 1/e.
_CORNER_M, _MIDDLE = 0.8, 0.5
# Weight of corners that walls make, which may be those of a niche, and how thick walls are at most,
# as a share of their length: boxes tell nothing of walls across the axes.
_OF_WALLS, _THIN = 0.5, 0.5
_ROOM_M = 3.0  # distance up to which things are in the room of others
# Most anchors of a computed relation, and most pairs of ends; the surest ones count.
_MAX_ANCHORS, _MOST_PAIRS = 8, 60


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
        labels = {anchor.thing.label for anchor in anchors if anchor.thing is not None}
        if predicate == "below" and labels == {"ceiling"}:
            predicate = "on"  # everything is below it
        if is_measured(predicate):
            return self._compared(predicate, anchors)
        if predicate in OF_BOXES:
            return _holding(predicate, self._fitting(predicate, anchors))
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

    def _compared(self, predicate: str, anchors: Sequence[Anchor]) -> Scores:
        """Scores (N,): 1 for what compares so with one of the anchors, or, of what is more than
        they are, with each; 0 for the anchors themselves."""
        within_m, rows = distance_m(predicate), [a.row for a in anchors if a.row is not None]
        each: list[Any] = [_compared_to(self._scene, predicate, row) for row in rows]
        if within_m is not None:
            each += [1.0 * (gaps_to(self._scene, a) <= within_m) for a in anchors if a.row is None]
        elif len(rows) < len(anchors):
            text = f"Nothing is known to be {predicate} the one who asks."
            raise ReasoningError("invalid_request", text)
        found = np.min(each, axis=0) if compared_by(predicate) else np.max(each, axis=0)
        found[rows] = 0.0
        return np.asarray(found * self._scene.is_object)

    def closer(self, first: Sequence[Anchor], second: Sequence[Anchor]) -> Scores:
        """Scores (N,): 1 for what is nearer to one of some anchors than to all of others."""
        near, far = (
            np.min([gaps_to(self._scene, anchor) for anchor in ends], axis=0)
            for ends in (first, second)
        )
        found = near < far
        found[[end.row for end in (*first, *second) if end.row is not None]] = False
        return np.asarray(found * 1.0 * self._scene.is_object)

    def on_side(self, predicate: str, of: Weighted, to: Weighted, among: Rows) -> Scores:
        """Graded scores (M,) of being on the side of one thing where another one is, or away from
        it; 0 for both. Each may be one of several."""
        scene, fit = self._scene, np.zeros(len(among))
        for (a, of_a), (b, of_b) in itertools.product(of[:_MAX_ANCHORS], to[:_MAX_ANCHORS]):
            ends = scene.low[a], scene.high[a]
            pairs = Pairs(scene.low[among], scene.high[among], *ends)
            way = Pairs(scene.low[b], scene.high[b], *ends)
            side = of_a * of_b * graded.on_side(pairs, way, away=predicate == AWAY)
            side[(among == a) | (among == b)] = 0.0
            np.maximum(fit, side, out=fit)
        return fit

    def _fitting(self, predicate: str, anchors: Sequence[Anchor]) -> Scores:
        """Scores (N,) of a relation that the graph does not know."""
        if any(anchor.row is None for anchor in anchors):
            raise ReasoningError("invalid_request", f"Nothing is {predicate} the one who asks.")
        somebody = Onlooker(self._scene.center[:, :2].mean(axis=0))
        rows = [(a.row, a.score) for a in anchors if a.row is not None]
        each = self.graded(
            predicate, [row for row, _ in rows], somebody, np.arange(len(self._scene))
        )
        return np.asarray(np.max(each * np.array([[score] for _, score in rows]), axis=0))

    def holds_in_room(self, predicate: str) -> Scores:
        """Scores (N,) of being in a corner or the middle of the room; 0 where it does not hold."""
        return _holding(predicate, self.in_room(predicate))

    def denied(self, predicate: str, rows: Sequence[int | None]) -> Mask:
        """Mask (N,) of things that are in a relation to none of these, as people say."""
        none = np.zeros(len(self._scene), bool)
        if rows and not self._is_corrected:
            return none
        each = [none if row is None else self._refuted(predicate, row) for row in rows]
        return np.asarray(np.all(each, axis=0))

    def lies_between(self, pairs: Sequence[tuple[Anchor, Anchor]], among: Rows) -> Scores:
        """Scores (N,) of lying between the anchors of a pair, to the letter; 0 for others than
        these rows (M,), for the anchors, and for what they carry or what carries them."""
        pairs = pairs[:_MOST_PAIRS]
        each = [np.array([end.box.extent() for end in ends]) for ends in zip(*pairs, strict=True)]
        ends = [np.repeat(extents, len(among), axis=0) for extents in each]
        targets = np.tile(self._scene.bounds[among], (len(pairs), 1))
        fit = lies_between(targets, *ends).reshape(len(pairs), -1)
        fit *= np.array([[a.score * b.score] for a, b in pairs])
        found = np.zeros(len(self._scene))
        for scores, (a, b) in zip(fit, pairs, strict=True):
            scores[(among == a.row) | (among == b.row)] = 0.0
            for at in np.flatnonzero(scores):
                if self._is_carried(int(among[at]), (a.row, b.row)):
                    scores[at] = 0.0
        found[among] = fit.max(axis=0)
        return found

    def _is_carried(self, row: int, others: Sequence[int | None]) -> bool:
        """Whether a thing is on or in one of others, or one of them on or in it."""
        ends = [other for other in others if other is not None]
        pairs = [*itertools.product([row], ends), *itertools.product(ends, [row])]
        return any(end in self._scene.carriers_of(row) for row, end in pairs)

    def graded(
        self, predicate: str, rows: Sequence[int], onlooker: Onlooker, among: Rows
    ) -> Scores:
        """Graded scores (A, M) of things for a relation to each of some, which itself gets 0.

        Args:
            rows: (A,) of what they relate to.
            among: (M,) of the things.
        """
        scene, to = self._scene, np.array(rows, np.intp)[:, None]
        of_things, of_others = ((scene.low[at], scene.high[at]) for at in (among, to))
        if predicate in SIDES:
            fit = onlooker.beside(Pairs(*of_things, *of_others), SIDES[predicate])
        elif is_measured(predicate) and predicate != CLOSER:
            each: list[Any] = [_compared_to(scene, predicate, row) for row in rows]
            fit = np.array(each)[:, among]
        elif predicate in graded.TURNED:
            fit = graded.TURNED[predicate](Pairs(*of_others, *of_things))
        else:
            fit = graded.CURVES.get(predicate, graded.near)(Pairs(*of_things, *of_others))
        if self._is_corrected:
            for scores, row in zip(fit, rows, strict=True):
                scores[:] = self._corrected(scores, predicate, row, among)
        fit[among == to] = 0.0
        return fit

    def in_room(self, predicate: str) -> Scores:
        """Graded scores (N,) for being in a corner of the room, or in its middle."""
        scene, (low, high) = self._scene, self._scene.room
        if predicate != "in the middle of":
            nearest = np.minimum(scene.low[:, :2] - low, high - scene.high[:, :2])
            fit = np.exp(-np.linalg.norm(nearest, axis=1) / _CORNER_M)
            return np.maximum(fit, _OF_WALLS * self._where_walls_meet())
        off = np.abs(scene.center[:, :2] - scene.middle)
        half = np.maximum((high - low) / 2.0, 1e-9)
        return np.exp(-np.linalg.norm(off / half, axis=1) / _MIDDLE)

    def _where_walls_meet(self) -> Scores:
        """Graded scores (N,) for being near a wall along x and one along y; all 0 without them."""
        scene, gaps_m = self._scene, []
        walls = np.array(scene.rows_of_label.get("wall", ()), np.intp)
        for axis in (0, 1):
            is_along = scene.size[walls, 1 - axis] < _THIN * scene.size[walls, axis]
            ends = walls[is_along][:, None]
            if not len(ends):
                return np.zeros(len(scene))
            pairs = Pairs(scene.low, scene.high, scene.low[ends], scene.high[ends])
            gaps_m.append(pairs.level_gap_m.min(axis=0))
        return np.asarray(np.exp(-np.hypot(*gaps_m) / _CORNER_M))

    def in_kind_of_room(self, kind: str) -> Scores:
        """Graded scores (N,) for lying in a kind of room: near what such rooms have; all 1 without
        it."""
        scene = self._scene
        rows = {row for name in room_weights(kind) for row in scene.rows_surely(name)}
        gaps = [scene.gaps_to_m(row) for row in rows]
        return 1.0 * (np.min(gaps, axis=0) <= _ROOM_M) if gaps else np.ones(len(scene))

    def graded_between(self, first: Weighted, second: Weighted, among: Rows) -> Scores:
        """Graded scores (M,) of things of lying between two others, each of which may be one of
        several."""
        pairs = [(a, b, of_a * of_b) for a, of_a in first for b, of_b in second if a != b]
        if not pairs:
            return np.ones(len(among))
        middles = self._scene.center[:, :2]
        a, b, weight = (np.array(of)[:, None] for of in zip(*pairs[:_MOST_PAIRS], strict=True))
        fit = weight * graded.between(middles[among], middles[a[:, 0]], middles[b[:, 0]])
        fit[(among == a) | (among == b)] = 0.0
        return np.asarray(fit.max(axis=0))

    def _corrected(self, scores: Scores, predicate: str, row: int, among: Rows) -> Scores:
        """Graded scores (M,) with what people said."""
        fit = np.zeros(len(self._scene))
        fit[among] = scores
        if predicate not in BESIDE:  # what is not next to a thing may be near it
            for links, _ in _kept_under(predicate, self._scene.denied):
                fit[links.subjects_of(row)] = 0.0
        fit[self._refuted(predicate, row)] = 0.0
        for links, weight in _kept_under(predicate, self._scene.stored):
            said = links.subjects_of(row, only_said=True)
            fit[said] = np.maximum(fit[said], weight)
        return fit[among]

    def _refuted(self, predicate: str, row: int) -> Mask:
        """Mask (N,) of things that are not in a relation to one because people say so.

        They deny it, say the opposite, or say that another thing carries it.
        """
        found, opposite = np.zeros(len(self._scene), bool), _opposite(predicate)
        if not self._is_corrected:
            return found
        denied, stored = self._scene.denied, self._scene.stored
        found[denied(predicate).subjects_of(row)] = True
        found[denied(opposite).swapped.subjects_of(row)] = True
        if opposite not in ("", predicate):
            found[stored(opposite).subjects_of(row, only_said=True)] = True
            found[stored(predicate).swapped.subjects_of(row, only_said=True)] = True
        ids = self._scene.ids
        if predicate in CARRYING:
            found[[thing for thing, of in self._carriers.items() if ids[row] not in of]] = True
        elif opposite in CARRYING and row in self._carriers:
            found[~np.isin(ids, list(self._carriers[row]))] = True
        return found

    def _kept_scores(self, predicate: str, anchors: Sequence[Anchor]) -> Scores:
        scores, of_anchor = np.zeros(len(self._scene)), np.zeros(len(self._scene))
        for anchor in anchors:
            if anchor.row is not None:
                of_anchor[anchor.row] = anchor.score
        for links, weight in _kept_under(predicate, self._scene.stored):
            confidence = weight * links.confidence
            if predicate == "inside":  # what is in the shelf is on it, but not at the top
                confidence *= self._is_within(links)
            elif predicate == "contains":
                confidence *= self._is_within(links.swapped)
            for row in np.flatnonzero(of_anchor).tolist() if self._is_corrected else ():
                is_refuted = self._refuted(predicate, row)[links.subjects]
                confidence[(links.objects == row) & is_refuted] = 0.0
            np.maximum.at(scores, links.subjects, confidence * of_anchor[links.objects])
        return scores

    def _is_within(self, links: Links) -> Mask:
        """Mask of relations whose subject is lower than the top of the object, or said to be so."""
        top_z = self._scene.high[links.objects, 2] - HEIGHT_NOISE_M
        return np.asarray((self._scene.low[links.subjects, 2] < top_z) | links.is_said)

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
        things, bounds = self._scene.objects_at(rows.tolist()), self._scene.bounds[rows]
        query = RelationQuery(things, anchor.thing, context, bounds)
        try:
            return query.scores(RELATION_NAMES[predicate])
        except SceneMemoryError as error:
            raise ReasoningError("invalid_request", f"{str(error).capitalize()}.") from error


def is_view_dependent(predicate: str) -> bool:
    """Whether a relation needs a viewpoint, whatever its anchor."""
    known = RELATION_NAMES.get(predicate)
    return known is not None and known.category == "allocentric"


def relations_of(scene: Scene) -> GradedRelations:
    """The scorer of the relations of a scene, made once."""
    if GradedRelations not in scene.made:
        scene.made[GradedRelations] = GradedRelations(scene)
    found: GradedRelations = scene.made[GradedRelations]
    return found


def is_room(reference: Reference) -> bool:
    """Whether a reference is about rooms, which no memory separates."""
    is_named = isinstance(reference, NounPhrase | Marked)
    return is_named and normal(reference.noun) in ("room", "same room")


def place_in_room(condition: Related, scene: Scene) -> str:
    """The place in the room that a relation is about: "in its middle", "by the corner"; empty for
    others, and where the map has corners of its own."""
    place = condition.anchors[0]
    if not isinstance(place, NounPhrase) or place.conditions or place.ranks:
        return ""
    if normal(place.noun) == "corner" and "corner" not in scene.rows_of_label:
        return "in the corner of"
    return _OF_ROOM.get(condition.predicate, "") if is_room(place) else ""


def gaps_to(scene: Scene, anchor: Anchor) -> Scores:
    """Distances (N,) in metres between surfaces (the axis-aligned hulls)."""
    if anchor.row is not None:
        return scene.gaps_to_m(anchor.row)
    center = np.asarray(anchor.box.center)
    return scene.gaps_m(center, center)


def _compared_to(scene: Scene, predicate: str, row: int) -> Scores | None:
    """Scores (N,): 1 for what compares so with one thing, which itself gets 0; None for other
    relations."""
    within_m, by, key = distance_m(predicate), compared_by(predicate), same_key(predicate)
    if within_m is not None:
        found = scene.gaps_to_m(row) <= within_m
    elif key == "kind":
        found = np.array([thing.label == scene.objects[row].label for thing in scene.objects])
    elif key and key in ("height", "width", "length", "thickness", "depth"):
        each = np.array([extent_m(thing, key) for thing in scene.objects])
        found = np.abs(each - each[row]) <= AS_LONG_M
    elif key:
        values = [thing.attributes.get(key, "") for thing in scene.objects]
        found = np.array([bool(value) and alike(key, values[row], value) for value in values])
    elif by is not None:
        keys = _keys(scene, by)
        found = keys < keys[row]
    else:
        return None
    found &= scene.is_object
    found[row] = False
    return found.astype(np.float64)


def _keys(scene: Scene, by: str) -> Scores:
    """Sort keys (N,), the lowest of what is most so."""
    if by in ("darkest", "lightest"):
        return darkness(scene.objects) * (-1.0 if by == "darkest" else 1.0)
    if by in ("largest", "smallest", "highest", "lowest"):
        return superlative_values(scene.bounds, by)  # type: ignore[arg-type]
    each = np.array([extent_m(thing, MEASURED_BY[by]) for thing in scene.objects])
    return each if by in LESS else -each


def _holding(predicate: str, fit: Scores) -> Scores:
    """Graded scores of a relation that the graph does not know; 0 where it does not hold."""
    return np.where(fit >= _FITTING[predicate], fit, 0.0)


def _kept_under(predicate: str, links_of: Callable[[str], Links]) -> Iterator[tuple[Links, float]]:
    """Kept relations that count as one that is asked, each with its weight."""
    yield links_of(predicate), 1.0
    yield links_of(_opposite(predicate)).swapped, 1.0
    for name, swapped, weight in _ALSO.get(predicate, ()):
        yield links_of(name).swapped if swapped else links_of(name), weight


def _opposite(predicate: str) -> str:
    """What is true the other way round; empty where nothing is."""
    relation = RELATION_NAMES.get(predicate)
    return (relation.inverse or "") if relation is not None else ""
