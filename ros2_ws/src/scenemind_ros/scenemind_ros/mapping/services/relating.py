"""Services that relate objects to each other and to an agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from geometry_msgs.msg import Pose

from scenemind.memory import MapObject, MemorySnapshot
from scenemind.memory.graph.kept_relations import Anchor
from scenemind.memory.graph.relate import (
    DIRECTIONS,
    OCLOCK,
    query_relation,
    query_relation_agent,
    relate,
    relate_agent,
)
from scenemind.memory.graph.relation_query import RelationContext
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_ros.conversions import object_to_msg, pose_from_msg
from scenemind_ros.errors import RosError
from scenemind_ros.mapping.services.service import Service
from scenemind_ros.mapping.session import MappingSession
from scenemind_ros.parameters import MappingParameters


class RelatingServices:
    def __init__(self, session: MappingSession, parameters: MappingParameters) -> None:
        self._session = session
        self._config = parameters.relations

    def services(self) -> Iterator[Service]:
        yield Service("relate", srv.Relate, self._relate)
        yield Service("query_relations", srv.QueryRelations, self._query_relations)

    def _relate(self, request: srv.Relate.Request, response: srv.Relate.Response) -> None:
        snapshot = self._session.memory.snapshot()
        context = self._context(snapshot, request.viewpoint, request.has_viewpoint)
        ids = list(request.target_ids) or list(snapshot.objects)
        targets = [_get_object(snapshot, object_id) for object_id in ids]
        anchors = [_get_anchor(snapshot, anchor_id) for anchor_id in request.anchor_ids]
        if not anchors:
            found = relate_agent(targets, request.relation, context)
        elif len(anchors) == 1:
            found = relate(targets, anchors[0], request.relation, context)
        else:
            found = relate(targets, _pair(anchors), request.relation, context)
        response.objects = [object_to_msg(related.thing) for related in found]
        response.scores = [related.score for related in found]

    def _query_relations(
        self, request: srv.QueryRelations.Request, response: srv.QueryRelations.Response
    ) -> None:
        snapshot = self._session.memory.snapshot()
        context = self._context(snapshot, request.viewpoint, request.has_viewpoint)
        thing = _get_object(snapshot, request.object_id)
        asked = list(request.candidates)
        if not request.anchor_ids:
            candidates = asked or [*DIRECTIONS, OCLOCK]
            response.relations = query_relation_agent(thing, candidates, context)
        elif len(request.anchor_ids) == 1:
            anchor = _get_anchor(snapshot, request.anchor_ids[0])
            response.relations = query_relation(thing, anchor, asked or DIRECTIONS, context)
        else:
            raise RosError(f"one anchor at most, not {list(request.anchor_ids)}")

    def _context(
        self, snapshot: MemorySnapshot, pose: Pose, has_viewpoint: bool
    ) -> RelationContext:
        viewpoint = Viewpoint.of_body(pose_from_msg(pose)) if has_viewpoint else None
        return RelationContext.of_snapshot(snapshot, viewpoint, self._config)


def _get_object(snapshot: MemorySnapshot, object_id: int) -> MapObject:
    if object_id not in snapshot.objects:
        raise RosError(f"there is no object {object_id} in the map", Error.NOT_FOUND)
    return snapshot.objects[object_id]


def _get_anchor(snapshot: MemorySnapshot, anchor_id: int) -> Anchor:
    if anchor_id in snapshot.structure:
        return snapshot.structure[anchor_id]
    return _get_object(snapshot, anchor_id)


def _pair(anchors: Sequence[Anchor]) -> tuple[Anchor, Anchor]:
    if len(anchors) != 2:
        raise RosError(f"one anchor, or two for 'between', not {len(anchors)}")
    return anchors[0], anchors[1]
