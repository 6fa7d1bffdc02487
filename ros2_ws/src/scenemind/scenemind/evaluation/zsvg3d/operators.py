"""ZSVG3D's operators as grades of candidates, by the relations of the memory.

What depends on the view is seen from the middle of the room, facing the anchor, as the paper does
(Yuan et al., section 3.2, view-dependent modules).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scenemind.config import RelationConfig
from scenemind.evaluation.zsvg3d.candidates import Candidates
from scenemind.memory import MapObject
from scenemind.memory.graph.relation_query import RelationContext, RelationQuery
from scenemind.memory.graph.relations.names import canonical_relation
from scenemind.memory.graph.relations.superlatives import Superlative, superlative_values
from scenemind.memory.graph.relations.viewpoint import Viewpoint

Grades = NDArray[np.float64]

# Things this much farther than the closest one have half its grade.
_HALF_M = 0.5
# How much it counts that a thing is near to what it is left of, above, ...
_NEARNESS = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """
    Attributes:
        center: (3,) middle of all boxes, world.
    """

    center: NDArray[np.float64]
    config: RelationConfig

    def facing(self, place: NDArray[np.float64]) -> Viewpoint:
        """Seen from the middle towards a place (3,)."""
        ahead = place[:2] - self.center[:2]
        length = float(np.linalg.norm(ahead))
        unit = ahead / length if length > 1e-6 else np.array((1.0, 0.0))
        return Viewpoint(self.center, unit, "the middle of the room")


Anchored = Callable[[Candidates, MapObject, Room], Grades]
Alone = Callable[[Candidates, Room], Grades]


def related(relation: str) -> Anchored:
    """Grades by one relation, and a little by how near the anchor is."""
    name = canonical_relation(relation)

    def grades(targets: Candidates, anchor: MapObject, room: Room) -> Grades:
        viewpoint = room.facing(np.asarray(anchor.box.center))
        query = RelationQuery(targets.things, anchor, RelationContext(room.config, viewpoint))
        holds = query.scores(name)
        return holds * (1.0 - _NEARNESS + _NEARNESS * nearness(query.distances_m()))

    return grades


def nearness(distances_m: Grades) -> Grades:
    """1 for the nearest, falling with the distance beyond its."""
    beyond = distances_m - distances_m.min(initial=np.inf)
    return np.asarray(_HALF_M / (_HALF_M + beyond))


def closest(targets: Candidates, anchor: MapObject, room: Room) -> Grades:
    query = RelationQuery(targets.things, anchor, RelationContext(room.config))
    return nearness(query.distances_m())


def farthest(targets: Candidates, anchor: MapObject, room: Room) -> Grades:
    query = RelationQuery(targets.things, anchor, RelationContext(room.config))
    distances = query.distances_m()
    return nearness(distances.max(initial=0.0) - distances)


def opposite(targets: Candidates, anchor: MapObject, room: Room) -> Grades:
    """On the other side of the room's middle."""
    to_anchor = np.asarray(anchor.box.center)[:2] - room.center[:2]
    to_targets = (targets.bounds[:, :2] + targets.bounds[:, 3:5]) / 2.0 - room.center[:2]
    lengths = np.linalg.norm(to_targets, axis=1) * np.linalg.norm(to_anchor)
    return np.asarray((1.0 - (to_targets @ to_anchor) / np.maximum(lengths, 1e-9)) / 2.0)


def extreme(name: Superlative) -> Alone:
    """Grades by place in the order of a superlative."""

    def grades(targets: Candidates, room: Room) -> Grades:
        middle = (targets.bounds[:, :3] + targets.bounds[:, 3:]).mean(axis=0) / 2.0
        values = superlative_values(targets.bounds, name, room.facing(middle))
        return 1.0 / (1.0 + places(values))

    return grades


def places(values: Grades) -> Grades:
    """0 for the smallest, 1 for the next, ...; the same for equal ones."""
    return np.asarray(np.searchsorted(np.unique(values), values), dtype=np.float64)


def between(targets: Candidates, anchors: Sequence[Candidates], room: Room) -> Grades:
    """Between two anchors, or two of the things of a single one ("between the beds")."""
    if len(anchors) >= 2:
        pairs = [(a, b) for a in anchors[0].best for b in anchors[1].best]
    else:
        pairs = list(combinations(anchors[0].best, 2))
    best = np.zeros(len(targets.things))
    for one, other in pairs:
        query = RelationQuery(targets.things, one, RelationContext(room.config))
        is_end = np.array([thing in (one, other) for thing in targets.things], dtype=bool)
        best = np.maximum(best, np.where(is_end, 0.0, query.between_scores(other)))
    return best


def best_of_anchors(grade: Anchored, targets: Candidates, anchor: Candidates, room: Room) -> Grades:
    """The best grade by any of the things that an anchor may be; nothing is its own anchor."""
    best = np.zeros(len(targets.things))
    for thing in anchor.best:
        is_self = np.array([other is thing for other in targets.things], dtype=bool)
        best = np.maximum(best, np.where(is_self, 0.0, grade(targets, thing, room)))
    return best


def _forms(grade: Anchored, *names: str) -> Mapping[str, Anchored]:
    return dict.fromkeys(names, grade)


ANCHORED: Mapping[str, Anchored] = {
    **_forms(closest, "CLOSEST", "CLOSER", "NEAR", "BY", "BESIDE", "ADJACENT", "TOUCHING", "AT"),
    **_forms(closest, "AGAINST", "ALONGSIDE", "LEANING", "ATTACHED", "WITH", "CONTAINS", "TO"),
    **_forms(farthest, "FARTHEST", "FARTHER", "FAR", "AWAY", "WITHOUT", "NOT"),
    **_forms(opposite, "OPPOSITE", "ACROSS", "FACING"),
    **_forms(related("left of"), "LEFT", "LEFTMOST"),
    **_forms(related("right of"), "RIGHT", "RIGHTMOST"),
    **_forms(related("in front of"), "FRONT", "IN_FRONT_OF", "FRONT_OF"),
    **_forms(related("behind"), "BEHIND", "BACK", "BEYOND"),
    **_forms(related("higher than"), "HIGHER", "HIGHEST", "UP", "OVER", "ABOVE", "TOP"),
    **_forms(related("lower than"), "LOWER", "LOWEST", "DOWN", "UNDER", "BELOW", "BENEATH"),
    **_forms(related("lower than"), "UNDERNEATH", "BOTTOM"),
    **_forms(related("on"), "ON", "ON_TOP", "LYING_ON", "RESTING_ON"),
    **_forms(related("inside"), "IN", "INTO"),
}
ALONE: Mapping[str, Alone] = {
    "LEFT": extreme("leftmost"),
    "LEFTMOST": extreme("leftmost"),
    "RIGHT": extreme("rightmost"),
    "RIGHTMOST": extreme("rightmost"),
    "FRONT": extreme("frontmost"),
    "BEHIND": extreme("rearmost"),
    "BACK": extreme("rearmost"),
    "HIGHER": extreme("highest"),
    "HIGHEST": extreme("highest"),
    "TOP": extreme("highest"),
    "UP": extreme("highest"),
    "ABOVE": extreme("highest"),
    "LOWER": extreme("lowest"),
    "LOWEST": extreme("lowest"),
    "BOTTOM": extreme("lowest"),
    "DOWN": extreme("lowest"),
    "UNDER": extreme("lowest"),
    "MID": extreme("middle"),
    "CENTER": extreme("middle"),
    "MAX": extreme("largest"),
    "BIGGER": extreme("largest"),
    "LONG": extreme("longest"),
    "LONGEST": extreme("longest"),
    "MIN": extreme("smallest"),
    "SMALLEST": extreme("smallest"),
    "SMALLER": extreme("smallest"),
    "SHORTER": extreme("shortest"),
}
