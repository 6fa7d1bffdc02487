"""How well things stand in the relations that loose phrases name.

Where what the memory keeps or computes gives no answer, what boxes allow counts: annotated and
detected boxes seldom touch as their things do.
"""

from __future__ import annotations

import numpy as np

from scenemind.config import RelationConfig
from scenemind.memory.graph.relations import find_relation
from scenemind.memory.graph.verification.common_sense import sense_of
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.symbolic.relation_scores import Anchor, between, relation_scores
from scenemind.reasoning.symbolic.scene import Scene, Scores
from scenemind.reasoning.symbolic.situated.surroundings import Surroundings
from scenemind.reasoning.symbolic.situated.tree import Place

# At this gap "near" is half as true.
_NEAR_M = 0.5
# What lies on a thing begins above this share of its height (a seat is below a chair's back), at
# most so far above its top, and has its middle at most so far beside it.
_SEAT_SHARE, _RESTING_M, _BESIDE_M = 0.15, 0.3, 0.2
_HOVERING, _LARGER = 0.2, 0.3
# Higher things do not stand on the floor; lower ones are spoken of as lying there.
_RAISED_M, _LOW_M = 0.35, 1.0
_LESS_LIKELY, _UNLIKELY = 0.4, 0.1
_TOWARD_RAD = 0.35
# What is mounted on or built into a wall is less often spoken of as being on it.
_HANGING = ("hanging on", "affixed on")


class Links:
    """Relations to single things of one scene, (N,) scores of all others."""

    def __init__(self, around: Surroundings, config: RelationConfig) -> None:
        self._around = around
        self._scene: Scene = around.scene
        self._config = config

    def to(self, relation: str, row: int, among: Scores) -> Scores:
        """How well each candidate (above 0 in `among`) stands in a relation to a thing."""
        near = 1.0 / (1.0 + (self._scene.gaps_to_m(row) / _NEAR_M) ** 2)
        match relation:
            case "near":
                scores = near
            case "around":
                scores = np.sqrt(near)
            case "toward":
                scores = self._toward(row)
            case "below":
                scores = self._within(row) * (self._scene.center[:, 2] < self._scene.center[row, 2])
            case "on" | "inside":
                carried = np.maximum(self._carried(row), self._known(relation, row, among))
                carried[row] = 0.0
                # "Chairs on the table" stand at it.
                scores = carried if (carried * among).any() else near
            case _:
                scores = self._known(relation, row, among) * near
        scores[row] = 0.0
        return np.asarray(scores)

    def between(self, first: int, second: int) -> Scores:
        """How well each lies between two things."""
        return between(self._scene, self._anchor(first), self._anchor(second))

    def to_building(self, part: str) -> Scores:
        """How likely each thing hangs on a wall, or stands on the floor, by its name and height."""
        if part == "corner":
            return np.ones(len(self._scene))
        senses = [sense_of(thing.label) for thing in self._scene.objects]
        hangs = np.array([s.is_on_walls or s.attached in _HANGING for s in senses], bool)
        of_wall = np.array([s.is_part_of_wall for s in senses], bool)
        raised = self._scene.low[:, 2] > self._scene.floor_z + _RAISED_M
        if part in ("wall", "walls", "ceiling"):
            return np.select([hangs, of_wall | raised], [1.0, _LESS_LIKELY], _UNLIKELY)
        small = self._scene.high[:, 2] < self._scene.floor_z + _LOW_M
        stands = ~raised & ~hangs & ~of_wall
        return np.select([stands & small, stands], [1.0, _LESS_LIKELY], _UNLIKELY)

    def _known(self, relation: str, row: int, among: Scores) -> Scores:
        """As the memory keeps or computes it."""
        found = find_relation(relation)
        if found is None:
            return np.zeros(len(self._scene))
        viewpoint = self._around.viewpoint
        try:
            return relation_scores(
                self._scene, found.name, [self._anchor(row)], among, viewpoint, self._config
            )
        except ReasoningError:
            return np.zeros(len(self._scene))

    def _anchor(self, row: int) -> Anchor:
        thing = self._scene.objects[row]
        return Anchor(thing.box, row, 1.0, thing)

    def _carried(self, row: int) -> Scores:
        """Over or within the thing's box, and not standing beside it on the floor."""
        bottom, low, high = self._scene.low[:, 2], *self._scene.bounds[row, [2, 5]]
        lifted = bottom > low + _SEAT_SHARE * (high - low)
        resting = np.where(bottom < high + _RESTING_M, 1.0, _HOVERING)
        return np.asarray(self._within(row) * lifted * resting)

    def _within(self, row: int) -> Scores:
        """How well middles lie in the thing's box seen from above; those of larger things hardly
        do."""
        scene = self._scene
        middles, areas = scene.center[:, :2], scene.size[:, :2].prod(axis=1)
        off_m = np.maximum(scene.low[row, :2] - middles, middles - scene.high[row, :2]).max(axis=1)
        inside = np.clip(1.0 - np.maximum(off_m, 0.0) / _BESIDE_M, 0.0, 1.0)
        return np.asarray(inside * np.where(areas > areas[row], _LARGER, 1.0))

    def _toward(self, row: int) -> Scores:
        """Between the viewer and the thing."""
        place = Place(float(self._around.bearing_rad[row]), _TOWARD_RAD)
        nearer = self._around.gap_m < self._around.gap_m[row]
        return np.asarray(self._around.scores(place) * nearer)
