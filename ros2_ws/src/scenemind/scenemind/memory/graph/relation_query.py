"""How well each of several objects stands in a relation to an anchor, by the relation's name.

What the scene graph keeps is believed as it stands where it is given, for there only the best
carrier counts and people's corrections hold; everything else is computed here, when it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from scenemind.config import RelationConfig
from scenemind.geometry import Box3D
from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.graph.kept_relations import Anchor, KeptRelations, is_kept, kept_scores
from scenemind.memory.graph.relations import allocentric, distance, heights, nearness, vertical
from scenemind.memory.graph.relations.between import between
from scenemind.memory.graph.relations.clouds import Clouds
from scenemind.memory.graph.relations.columns import Bounds, Scores
from scenemind.memory.graph.relations.names import RelationName
from scenemind.memory.graph.relations.viewpoint import AGENT_WIDTH_M, Viewpoint
from scenemind.memory.types import MapObject, MemorySnapshot

_Measure = Callable[[Bounds, Bounds, RelationConfig], Scores]


@dataclass(frozen=True, slots=True, eq=False)
class RelationContext:
    """What the meaning of a relation may depend on.

    Attributes:
        config: thresholds; `relation_profile` has those of the papers.
        viewpoint: where left and right are seen from; None: such relations are errors.
        kept: what the scene graph states; None: everything is computed from the objects alone.
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
        """With the graph of a snapshot, seen from a viewpoint or else from its camera."""
        if viewpoint is None and snapshot.world_T_camera is not None:
            viewpoint = Viewpoint.of_camera(snapshot.world_T_camera)
        kept = KeptRelations.of(snapshot.relations, snapshot.levels)
        return cls(config or RelationConfig(), viewpoint, kept)


class RelationQuery:
    """N objects against one anchor, or against the viewer (`anchor` None)."""

    def __init__(
        self, things: Sequence[MapObject], anchor: Anchor | None, context: RelationContext
    ) -> None:
        self.things = tuple(things)
        self.anchor = anchor
        self.context = context
        self.bounds: Bounds = np.array([t.box.extent() for t in things]).reshape(-1, 6)

    def scores(self, relation: RelationName) -> Scores:
        """Scores (N,) in [0, 1], 0 where the relation does not hold.

        Raises:
            SceneMemoryError: it is none of one anchor, or of the viewer, or needs a viewpoint.
        """
        config = self.context.config
        if relation.name in allocentric.DIRECTIONS:
            viewer, is_self = self._viewpoint, self.anchor is None
            return allocentric.direction(
                self.bounds, self._footing, viewer, relation.name, config, is_self
            )
        if relation.name.endswith("o'clock"):
            hour = int(relation.name.split()[0])
            return allocentric.clock(self.bounds, self._footing, self._viewpoint, hour, config)
        if relation.name in _OF_CLOUDS:
            return _OF_CLOUDS[relation.name](self._clouds, self._anchor_cloud, config)
        if self.anchor is not None and is_kept(relation):
            return kept_scores(self.things, self.anchor, relation, config, self.context.kept)
        if relation.name in _LEVEL:
            return _LEVEL[relation.name](self.bounds, self._beside, config)
        if relation.name in _VERTICAL:
            return _VERTICAL[relation.name](self.bounds, self._anchor_bounds, config)
        raise SceneMemoryError(_no_such_query(relation))

    def hours(self) -> list[str]:
        """The hour of the anchor's clock at which each lies, such as "3 o'clock"."""
        found = allocentric.hours(self.bounds, self._footing, self._viewpoint, self.context.config)
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
            raise SceneMemoryError(
                "that depends on where one stands: give the context a viewpoint (a pose, or one in"
                " front of a thing)"
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
        """The same; the viewer is as high as each thing: where its camera is mounted says nothing
        of what is near to it."""
        bounds = self._anchor_bounds.copy()
        if self.anchor is None:
            bounds[:, (2, 5)] = self.bounds[:, (2, 5)]
        return bounds

    @cached_property
    def _clouds(self) -> Clouds:
        return Clouds.of([thing.points for thing in self.things], self.bounds)

    @cached_property
    def _anchor_cloud(self) -> Clouds:
        """One cloud; the viewer is a column without end, from which distances are level."""
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
    "near": nearness.near,
    "next to": nearness.next_to,
    "besides": nearness.besides,
}
_VERTICAL: Mapping[str, _Measure] = {
    "higher than": heights.higher_than,
    "lower than": heights.lower_than,
    "above": vertical.above,
    "below": vertical.below,
}
