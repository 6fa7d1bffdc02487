"""Relation queries that programs call (LLM-TPC, table 1; SynergAI's tools ask the same).

    chairs_left = relate(chairs, table, "left", context)
    relate_agent(objects, "three o'clock", context)
    query_relation_agent(table, context=context)      # ["right", "back", "4 o'clock"]

Relations are named as in `relations.names`, or spelled as people and the papers do. About an
anchor, "front" is the viewer's side of it; about the agent it is where the agent looks.

Relations that the scene graph keeps are taken from it where it is given, because only there the
best carrier is chosen and people's corrections hold. All others are computed here, when they are
asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from scenemind.config import RelationConfig
from scenemind.errors import MemoryRequestError
from scenemind.geometry import Box3D, gaps_m
from scenemind.language.relation_names import RELATION_NAMES, RelationName
from scenemind.memory.graph.building import Building, Node
from scenemind.memory.graph.common_sense import sense_of
from scenemind.memory.graph.pair_facts import Facts, columns_of, pair_facts, shape_of
from scenemind.memory.graph.relations import box_relations, directions, distance
from scenemind.memory.graph.relations.box_relations import Bounds, Scores, between
from scenemind.memory.graph.relations.distance import Clouds
from scenemind.memory.graph.relations.names import canonical_relation, statements_of
from scenemind.memory.graph.relations.viewpoint import AGENT_WIDTH_M, Viewpoint
from scenemind.memory.types import MapObject, MemorySnapshot, Relation, StructurePlane

Anchor = MapObject | StructurePlane
Statement = tuple[int, str, int]
# The id of the one floor, wall or ceiling that is asked about.
_NODE = -1
# Narrower relations that a name includes: a picture that hangs on a wall is on it, a sink set into
# a counter is in it.
_ALSO: Mapping[str, tuple[str, ...]] = {
    "on": ("hanging on", "mounted on", "affixed on"),
    "supports": ("hung with", "mounted with", "affixed with"),
    "inside": ("embedded in",),
    "contains": ("embeds",),
}


@dataclass(frozen=True, slots=True, eq=False)
class KeptRelations:
    """The relations that a scene graph states, which queries take from it.

    Attributes:
        confidences: by (subject id, predicate, object id).
        levels: object id -> level; nothing is stated of objects that are more than 1 apart.
        denied: statements that people denied.
    """

    confidences: Mapping[Statement, float]
    levels: Mapping[int, int] = field(default_factory=dict)
    denied: Set[Statement] = frozenset()

    @classmethod
    def of(
        cls,
        relations: Iterable[Relation],
        levels: Mapping[int, int],
        denied: Iterable[Relation] = (),
    ) -> KeptRelations:
        """The relations and levels of a snapshot, and what was denied."""
        by_statement = {(r.subject_id, r.predicate, r.object_id): r.confidence for r in relations}
        return cls(by_statement, levels, {(r.subject_id, r.predicate, r.object_id) for r in denied})

    def confidence(self, subject_id: int, name: str, object_id: int) -> float:
        """The confidence of "subject name object"; 0 if the graph does not state it."""
        return self.confidences.get(statements_of(subject_id, name, object_id)[0], 0.0)

    def covers(self, a: int, name: str, b: int) -> bool:
        """True if the graph would state the relation of two objects if it held: it states those of
        objects on these levels, and what people said."""
        statement = statements_of(a, name, b)[0]
        is_said = statement in self.denied or statement in self.confidences
        return is_said or abs(self.levels.get(a, 0) - self.levels.get(b, 0)) <= 1


def is_kept(relation: RelationName) -> bool:
    """True if the graph keeps the relation or its inverse."""
    return relation.stored or (
        relation.inverse is not None and RELATION_NAMES[relation.inverse].one_way
    )


def kept_scores(
    things: Sequence[MapObject],
    anchor: Anchor,
    relation: RelationName,
    config: RelationConfig,
    kept: KeptRelations | None,
) -> Scores:
    """Scores (N,) of the things towards the anchor.

    Relations are taken from the graph if it is given. For pairs that it does not cover, and without
    a graph, they are computed from the two alone: then several things may carry one.
    """
    names = (relation.name, *_ALSO.get(relation.name, ()))
    if kept is None:
        return _computed(things, anchor, names, config)
    anchor_id = _id_of(anchor)
    scores = np.zeros(len(things))
    unknown = []
    for row, thing in enumerate(things):
        if kept.covers(thing.object_id, relation.name, anchor_id):
            of_names = (kept.confidence(thing.object_id, name, anchor_id) for name in names)
            scores[row] = max(of_names)
        elif not _is_carrying(relation):
            unknown.append(row)
    if unknown:
        scores[unknown] = _computed([things[row] for row in unknown], anchor, names, config)
    return scores


def _is_carrying(relation: RelationName) -> bool:
    return relation.one_way or not relation.stored


def _computed(
    things: Sequence[MapObject], anchor: Anchor, names: Sequence[str], config: RelationConfig
) -> Scores:
    of_things, of_anchor = _facts(things, anchor, config)
    return np.array(
        [
            max(_score(name, facts, inverse) for name in names)
            for facts, inverse in zip(of_things, of_anchor, strict=True)
        ],
        dtype=np.float64,
    )


def _score(name: str, of_thing: Facts, of_anchor: Facts) -> float:
    relation = RELATION_NAMES[name]
    if relation.stored or relation.inverse is None:
        return of_thing.get(name, 0.0)
    return of_anchor.get(relation.inverse, 0.0)


def _facts(
    things: Sequence[MapObject], anchor: Anchor, config: RelationConfig
) -> tuple[list[Facts], list[Facts]]:
    """Facts of each thing and the anchor, and of the anchor and each thing."""
    if isinstance(anchor, StructurePlane):
        return _facts_with_building(things, (anchor.kind, anchor.box), config)
    kind = sense_of(anchor.label).structure
    if kind is not None:
        return _facts_with_building(things, (kind, anchor.box), config)
    shapes = columns_of([shape_of(thing) for thing in (*things, anchor)])
    rows = np.arange(len(things))
    return pair_facts(shapes, rows, np.full(len(things), len(things)), config)


def _facts_with_building(
    things: Sequence[MapObject], node: Node, config: RelationConfig
) -> tuple[list[Facts], list[Facts]]:
    """Nothing carries the building: nothing that may be asked holds of it and a thing."""
    building = Building(config)
    building.set(_NODE, node)
    found = building.facts(things, [shape_of(thing) for thing in things])
    return [facts.get(_NODE, {}) for facts in found], [{} for _ in things]


def _id_of(anchor: Anchor) -> int:
    return anchor.plane_id if isinstance(anchor, StructurePlane) else anchor.object_id


_Measure = Callable[[Bounds, Bounds, RelationConfig], Scores]


@dataclass(frozen=True, slots=True, eq=False)
class RelationContext:
    """The context that the meaning of a relation depends on.

    Attributes:
        config: thresholds.
        viewpoint: for left, right and the like; None: such relations are errors.
        kept: relations of the scene graph; None: all are computed from the objects alone.
    """

    config: RelationConfig = field(default_factory=RelationConfig)
    viewpoint: Viewpoint | None = None
    kept: KeptRelations | None = None

    @classmethod
    def of_snapshot(
        cls,
        snapshot: MemorySnapshot,
        viewpoint: Viewpoint | None = None,
        config: RelationConfig | None = None,
    ) -> RelationContext:
        """A context with the graph of a snapshot, and a viewpoint or else that of its camera."""
        if viewpoint is None and snapshot.world_T_camera is not None:
            viewpoint = Viewpoint.of_camera(snapshot.world_T_camera)
        kept = KeptRelations.of(snapshot.relations, snapshot.levels, snapshot.denied)
        return cls(config or RelationConfig(), viewpoint, kept)


# Points of a thing that its box leaves out are nearer to it than this.
_OUTLIERS_M = 2.0


class RelationQuery:
    """N objects against one anchor, or against the viewer (`anchor` None)."""

    def __init__(
        self,
        things: Sequence[MapObject],
        anchor: Anchor | None,
        context: RelationContext,
        bounds: Bounds | None = None,
    ) -> None:
        """
        Args:
            bounds: (N, 6) of the things' boxes, where they are known.
        """
        self.things = tuple(things)
        self.anchor = anchor
        self.context = context
        if bounds is None:
            bounds = np.array([t.box.extent() for t in things]).reshape(-1, 6)
        self.bounds: Bounds = bounds

    def scores(self, relation: RelationName) -> Scores:
        """Scores (N,) in [0, 1], 0 where the relation does not hold.

        Raises:
            SceneMemoryError: it is none of one anchor, or of the viewer, or needs a viewpoint.
        """
        config = self.context.config
        if relation.name in directions.DIRECTIONS:
            viewer, is_self = self._viewpoint, self.anchor is None
            return directions.direction(
                self.bounds, self._footing, viewer, relation.name, config, is_self
            )
        if relation.name.endswith("o'clock"):
            hour = int(relation.name.split()[0])
            return directions.clock(self.bounds, self._footing, self._viewpoint, hour, config)
        if relation.name in _OF_CLOUDS:
            return self._of_clouds(relation)
        if self.anchor is not None and is_kept(relation):
            return kept_scores(self.things, self.anchor, relation, config, self.context.kept)
        if relation.name in _LEVEL:
            return _LEVEL[relation.name](self.bounds, self._beside, config)
        if relation.name in _VERTICAL:
            return _VERTICAL[relation.name](self.bounds, self._anchor_bounds, config)
        raise MemoryRequestError(_no_such_query(relation))

    def _of_clouds(self, relation: RelationName) -> Scores:
        """Scores (N,) by points; things that are clearly too far away are not looked at."""
        config, measure = self.context.config, _OF_CLOUDS[relation.name]
        reach_m = {"within reach": config.reach_m, "around": config.around_m}.get(relation.name)
        if reach_m is None:
            return measure(self._clouds, self._anchor_cloud, config)
        low, high = np.array(self._anchor_box.bounds())[:, :2]
        gaps = gaps_m(self.bounds[:, :2], self.bounds[:, 3:5], low, high)
        near = np.flatnonzero(gaps <= reach_m + _OUTLIERS_M)
        things = [self.things[row] for row in near.tolist()]
        those = RelationQuery(things, self.anchor, self.context, self.bounds[near])
        scores = np.zeros(len(self.things))
        scores[near] = measure(those._clouds, those._anchor_cloud, config)
        return scores

    def hours(self) -> list[str]:
        """The hour of the anchor's clock at which each lies, such as "3 o'clock"."""
        found = directions.hours(self.bounds, self._footing, self._viewpoint, self.context.config)
        return [f"{hour} o'clock" for hour in found.tolist()]

    def between_scores(self, other: Anchor) -> Scores:
        """Scores (N,) of lying between the anchor and another one; neither may be the viewer."""
        end = np.tile(np.array(other.box.extent()), (len(self.things), 1))
        return between(self.bounds, self._anchor_bounds, end)

    def distances_m(self) -> Scores:
        """Distances (N,) between nearest points; touching things are ordered by their centres."""
        return distance.distances_m(self._clouds, self._anchor_cloud)

    @property
    def _viewpoint(self) -> Viewpoint:
        if self.context.viewpoint is None:
            raise MemoryRequestError(
                "that depends on where the viewer stands: give the context a viewpoint (a pose, or"
                " a place in front of a thing)"
            )
        return self.context.viewpoint

    @property
    def _anchor_box(self) -> Box3D:
        return self._viewpoint.body if self.anchor is None else self.anchor.box

    @cached_property
    def _footing(self) -> Box3D:
        """The anchor's box as directions need it: turned as it stands."""
        if isinstance(self.anchor, MapObject):
            return self.anchor.yaw_box
        return self._anchor_box

    @cached_property
    def _anchor_bounds(self) -> Bounds:
        """(N, 6): the anchor's box in every line."""
        return np.tile(np.array(self._anchor_box.extent()), (len(self.things), 1))

    @cached_property
    def _beside(self) -> Bounds:
        """(N, 6): the anchor's box in every line; the viewer's has the heights of each thing,
        because the height of its camera has no influence on nearness."""
        bounds = self._anchor_bounds.copy()
        if self.anchor is None:
            bounds[:, (2, 5)] = self.bounds[:, (2, 5)]
        return bounds

    @cached_property
    def _clouds(self) -> Clouds:
        return Clouds.of([thing.points for thing in self.things], self.bounds)

    @cached_property
    def _anchor_cloud(self) -> Clouds:
        """One cloud; the viewer is an unbounded column, from which distances are horizontal."""
        if self.anchor is None:
            x, y, _ = self._viewpoint.position.tolist()
            r = AGENT_WIDTH_M / 2.0
            low = self._clouds.bounds[:, 2].min(initial=0.0)
            high = self._clouds.bounds[:, 5].max(initial=low)
            return Clouds.of([_NO_POINTS], np.array([[x - r, y - r, low, x + r, y + r, high]]))
        points = self.anchor.points if isinstance(self.anchor, MapObject) else _NO_POINTS
        return Clouds.of([points], np.array([self.anchor.box.extent()]))


def _no_such_query(relation: RelationName) -> str:
    if relation.name == "between":
        return "between needs two anchors"
    return f"nothing is {relation.name!r} the viewer: name an object as the anchor"


_NO_POINTS = np.zeros((0, 3), dtype=np.float32)
_OF_CLOUDS: Mapping[str, Callable[[Clouds, Clouds, RelationConfig], Scores]] = {
    "closest": distance.closest,
    "farthest": distance.farthest,
    "within reach": distance.within_reach,
    "around": distance.around,
}
_LEVEL: Mapping[str, _Measure] = {
    "far": distance.far,
    "near": box_relations.near,
    "next to": box_relations.next_to,
    "besides": box_relations.besides,
}
_VERTICAL: Mapping[str, _Measure] = {
    "higher than": box_relations.higher_than,
    "lower than": box_relations.lower_than,
    "above": box_relations.above,
    "below": box_relations.below,
}
DIRECTIONS = ("left", "right", "front", "back")
# Asks for the hour of the clock, whichever it is.
OCLOCK = "o'clock"
_COMPARING = ("closest", "farthest")
_NOWHERE = RelationContext()


@dataclass(frozen=True, slots=True, eq=False)
class Related:
    """An object that stands in a relation, and how well: in (0, 1]."""

    thing: MapObject
    score: float


def relate(
    objects: Sequence[MapObject],
    anchor: Anchor | tuple[Anchor, Anchor],
    relation: str,
    context: RelationContext = _NOWHERE,
) -> tuple[Related, ...]:
    """The objects that stand in a relation to an anchor, best first.

    Args:
        anchor: an object, or a floor, wall or ceiling; two for "between". It is never among the
            result.

    Raises:
        SceneMemoryError: no such relation, a wrong number of anchors, or the relation depends on
            the viewpoint and the context has none.
    """
    name = canonical_relation(relation)
    ends = anchor if isinstance(anchor, tuple) else (anchor,)
    if (name.name == "between") != (len(ends) == 2):
        needed = "two anchors" if name.name == "between" else "one anchor"
        raise MemoryRequestError(f"{name.name!r} needs {needed}, got {len(ends)}")
    query = RelationQuery(_without(objects, ends), ends[0], context)
    scores = query.between_scores(ends[1]) if len(ends) == 2 else query.scores(name)
    return _best_first(query.things, scores)


def relate_agent(
    objects: Sequence[MapObject], relation: str, context: RelationContext
) -> tuple[Related, ...]:
    """The objects that stand in a relation to the viewer, best first.

    Distances from the viewer are horizontal: the height of the camera does not put a mug out of
    reach.

    Raises:
        SceneMemoryError: no such relation, not one of a viewer ("inside me"), or no viewpoint.
    """
    query = RelationQuery(objects, None, context)
    return _best_first(query.things, query.scores(canonical_relation(relation)))


def query_relation(
    thing: MapObject,
    anchor: Anchor,
    candidates: Sequence[str] = DIRECTIONS,
    context: RelationContext = _NOWHERE,
) -> list[str]:
    """The candidates that hold of a thing and an anchor, in their spelling, best first.

    The candidate "o'clock" is answered with the nearest hour, such as "4 o'clock".

    Raises:
        SceneMemoryError: as `relate`; or a candidate compares several things, as "closest" does.
    """
    return _holding(RelationQuery((thing,), anchor, context), candidates)


def query_relation_agent(
    thing: MapObject,
    candidates: Sequence[str] = (*DIRECTIONS, OCLOCK),
    context: RelationContext = _NOWHERE,
) -> list[str]:
    """The candidates that hold of a thing and the viewer; as `query_relation`."""
    return _holding(RelationQuery((thing,), None, context), candidates)


def _without(objects: Sequence[MapObject], ends: Sequence[Anchor]) -> list[MapObject]:
    """Nothing is related to itself, also where it comes from another snapshot."""
    ids = {end.object_id for end in ends if isinstance(end, MapObject)}
    return [thing for thing in objects if thing.object_id not in ids]


def _best_first(things: Sequence[MapObject], scores: Scores) -> tuple[Related, ...]:
    order = np.argsort(-scores, kind="stable")
    return tuple(Related(things[row], float(scores[row])) for row in order if scores[row] > 0.0)


def _holding(query: RelationQuery, candidates: Sequence[str]) -> list[str]:
    found: list[tuple[float, str]] = []
    for candidate in candidates:
        if candidate == OCLOCK:
            found.append((0.0, query.hours()[0]))
            continue
        relation = canonical_relation(candidate)
        if relation.name in _COMPARING:
            raise MemoryRequestError(
                f"{candidate!r} compares several things: ask relate() for it, with all of them"
            )
        score = float(query.scores(relation)[0])
        if score > 0.0:
            found.append((-score, candidate))
    return [candidate for _, candidate in sorted(found, key=lambda entry: entry[0])]
