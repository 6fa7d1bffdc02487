"""Services of the mapping node on its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import Pose
from rclpy.node import Node

from scenemind.geometry import Box3D
from scenemind.memory import (
    DepthImage,
    KeyFrame,
    MapObject,
    Memory,
    MemorySnapshot,
    SceneMemoryError,
)
from scenemind.memory.finding.reference import (
    find_object_in_view,
    find_object_on_ray,
    objects_named,
)
from scenemind.memory.graph.relation_query import (
    DIRECTIONS,
    OCLOCK,
    Anchor,
    RelationContext,
    query_relation,
    query_relation_agent,
    relate,
    relate_agent,
)
from scenemind.memory.graph.relations.names import canonical_relation, statements_of
from scenemind.memory.graph.relations.viewpoint import Viewpoint
from scenemind.memory.history import TimeSpan, Visit
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_interfaces.msg import KeyFrame as KeyFrameMsg
from scenemind_ros.conversions import (
    KEY_FRAMES,
    box_from_msg,
    check_frame_count,
    correction_to_msg,
    edit_from_msg,
    fill_frame_index,
    fill_tree_json,
    header_to_msg,
    key_frame_to_msg,
    location_to_msg,
    object_to_msg,
    point_to_msg,
    pose_from_msg,
    snapshot_to_msg,
    stamp_ns,
    tree_to_msg,
)
from scenemind_ros.conversions.floor import approach_wish, fill_approach
from scenemind_ros.conversions.memory import change_to_msg, fill_place, visit_to_msg
from scenemind_ros.errors import RosError, error_of
from scenemind_ros.mapping.session import MappingSession
from scenemind_ros.parameters import MappingParameters
from scenemind_ros.qos import REQUESTS


class Service(NamedTuple):
    """A handler with request and response; its exceptions become the response's error."""

    name: str
    kind: type
    handle: Callable[[Any, Any], None]


_SUBJECT, _OBJECT = 1, 2


@dataclass(frozen=True, slots=True)
class ObjectQuery:
    """Conditions on an object; those that are None or empty do not apply.

    Attributes:
        label: the exact category name.
        text: words that all occur in the label or the values of attributes.
        region: holds the centre of the object's box.
        predicate: the object is the subject of such a relation ...
        related_object_id: ... to this object; None for any.
    """

    label: str = ""
    text: str = ""
    region: Box3D | None = None
    predicate: str = ""
    related_object_id: int | None = None


def select_objects(snapshot: MemorySnapshot, query: ObjectQuery) -> list[MapObject]:
    """The objects that meet all conditions, by ascending id."""
    wanted_words = query.text.lower().split()
    related = _related(snapshot, query.predicate, query.related_object_id)
    return [
        thing
        for thing in snapshot.objects.values()
        if query.label in ("", thing.label)
        and _has_words(thing, wanted_words)
        and (query.region is None or _is_inside(thing, query.region))
        and (not query.predicate or thing.object_id in related)
    ]


def _related(snapshot: MemorySnapshot, predicate: str, to_object_id: int | None) -> set[int]:
    """Ids of objects in a relation to an object; the graph's inverse relations count too."""
    subject, kept, _ = statements_of(_SUBJECT, predicate, _OBJECT)[0]
    stated = (
        (relation.subject_id, relation.object_id)
        if subject == _SUBJECT
        else (relation.object_id, relation.subject_id)
        for relation in snapshot.relations
        if relation.predicate == kept
    )
    return {one for one, other in stated if to_object_id in (None, other)}


def _has_words(thing: MapObject, wanted: list[str]) -> bool:
    words = " ".join((thing.label, *thing.attributes.values())).lower().split()
    return all(word in words for word in wanted)


def _is_inside(thing: MapObject, region: Box3D) -> bool:
    return bool(region.contains(np.array([thing.box.center]))[0])


def _check_predicate(snapshot: MemorySnapshot, predicate: str) -> None:
    """Raise an error for a predicate that neither is a relation nor was stated by anybody."""
    if predicate in ("True", "False"):
        raise RosError(f"the predicate is {predicate!r}: YAML reads on and off so; say 'on' quoted")
    if predicate and all(relation.predicate != predicate for relation in snapshot.relations):
        canonical_relation(predicate)


_FOUND = 10  # number of objects for words, if the request sets none


class ReadingServices:
    def __init__(self, session: MappingSession, parameters: MappingParameters) -> None:
        self._session = session
        self._parameters = parameters

    def services(self) -> Iterator[Service]:
        yield Service("get_scene_graph", srv.GetSceneGraph, self._get_scene_graph)
        yield Service("get_mem_tree", srv.GetMemTree, self._get_mem_tree)
        yield Service("query_objects", srv.QueryObjects, self._query_objects)
        yield Service("find_objects", srv.FindObjects, self._find_objects)
        yield Service("mark_object", srv.MarkObject, self._mark_object)
        yield Service("select_key_frames", srv.SelectKeyFrames, self._select_key_frames)
        yield Service("get_key_frames", srv.GetKeyFrames, self._get_key_frames)
        yield Service("get_frame_index", srv.GetFrameIndex, self._get_frame_index)

    def _get_scene_graph(
        self, _: srv.GetSceneGraph.Request, response: srv.GetSceneGraph.Response
    ) -> None:
        snapshot = self._session.memory.snapshot()
        response.scene_graph = snapshot_to_msg(snapshot, self._session.world_frame)

    def _get_mem_tree(
        self, request: srv.GetMemTree.Request, response: srv.GetMemTree.Response
    ) -> None:
        memory = self._session.memory
        if not request.only_json:
            response.mem_tree = tree_to_msg(
                map(location_to_msg, memory.tree(request.newest or None)),
                memory.location_count,
                memory.snapshot(),
                self._session.world_frame,
            )
        if request.token_budget:
            fill_tree_json(memory.tree_json(request.token_budget), response)

    def _query_objects(
        self, request: srv.QueryObjects.Request, response: srv.QueryObjects.Response
    ) -> None:
        snapshot = self._session.memory.snapshot()
        _check_predicate(snapshot, request.predicate)
        query = ObjectQuery(
            label=request.label,
            text=request.text,
            region=box_from_msg(request.region) if request.has_region else None,
            predicate=request.predicate,
            related_object_id=request.related_object_id or None,
        )
        response.objects = [object_to_msg(thing) for thing in select_objects(snapshot, query)]
        response.revision = snapshot.revision

    def _find_objects(
        self, request: srv.FindObjects.Request, response: srv.FindObjects.Response
    ) -> None:
        memory = self._session.memory
        found = memory.find_objects(request.words, request.count or _FOUND)
        snapshot = memory.snapshot()
        known = [one for one in found if one.object_id in snapshot.objects]
        response.objects = [object_to_msg(snapshot.objects[one.object_id]) for one in known]
        response.scores = [float(one.score) for one in known]
        response.reasons = ["; ".join(one.reasons) for one in known]
        response.revision = snapshot.revision

    def _mark_object(
        self, request: srv.MarkObject.Request, response: srv.MarkObject.Response
    ) -> None:
        objects = self._session.memory.snapshot().objects
        if request.by == request.BY_PIXEL:
            key_frame = self._session.memory.key_frame(request.frame_id, list(objects))
            camera = key_frame.world_T_camera
            origin = camera.translation
            direction = camera.rotation @ key_frame.camera.ray(request.u, request.v)
            pointed = find_object_in_view(key_frame, request.u, request.v)
        else:
            start, way = request.origin, request.direction
            origin = np.array((start.x, start.y, start.z))
            direction = np.array((way.x, way.y, way.z))
            pointed = None
        if not np.linalg.norm(direction) > 0.0:
            raise RosError("the direction of the ray is zero or NaN")
        wanted = list(objects.values()) if pointed is None else [objects[pointed]]
        hit = find_object_on_ray(wanted, origin, direction)
        if hit is None:
            raise RosError(
                f"none of the {len(objects)} objects of the memory is hit",
                Error.NOT_FOUND,
            )
        response.object = object_to_msg(hit[0])
        response.hit = point_to_msg(hit[1])

    def _select_key_frames(
        self, request: srv.SelectKeyFrames.Request, response: srv.SelectKeyFrames.Response
    ) -> None:
        k = request.k or KEY_FRAMES
        check_frame_count(k)
        memory = self._session.memory
        cues, locations = list(request.cue_object_ids), list(request.location_ids)
        object_ids = list(request.object_ids) or objects_named(memory.snapshot(), request.question)
        if not (object_ids or cues or locations):
            raise RosError(
                f"the question {request.question!r} names no object of the memory; give object_ids",
                Error.NOT_FOUND,
            )
        if request.one_a_location or cues or locations:
            found = memory.select_key_frames(object_ids, cues, k, locations or None)
        else:
            found = memory.key_frames_of(object_ids, k)
        response.key_frames = self._shown(found)

    def _get_key_frames(
        self, request: srv.GetKeyFrames.Request, response: srv.GetKeyFrames.Response
    ) -> None:
        memory = self._session.memory
        if not request.frame_ids:
            response.stored_frame_ids = memory.stored_frames()
            return
        check_frame_count(len(request.frame_ids))
        object_ids = list(request.object_ids)
        camera_frame = self._parameters.publish.camera_frame
        response.key_frames = [
            key_frame_to_msg(
                memory.key_frame(number, object_ids),
                camera_frame,
                _find_depth(memory, number) if request.with_depth else None,
            )
            for number in request.frame_ids
        ]

    def _get_frame_index(
        self, _: srv.GetFrameIndex.Request, response: srv.GetFrameIndex.Response
    ) -> None:
        index = self._session.memory.frame_index()
        fill_frame_index(index, response, self._parameters.publish.camera_frame)

    def _shown(self, key_frames: Iterable[KeyFrame]) -> list[KeyFrameMsg]:
        camera_frame = self._parameters.publish.camera_frame
        return [key_frame_to_msg(key_frame, camera_frame) for key_frame in key_frames]


def _find_depth(memory: Memory, number: int) -> DepthImage | None:
    """The depth image of a frame; None if none is stored, or it is damaged (see the log)."""
    try:
        return memory.depth_image(number)
    except SceneMemoryError:
        return None


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


class HistoryServices:
    def __init__(self, session: MappingSession) -> None:
        self._session = session

    def services(self) -> Iterator[Service]:
        yield Service("get_changes", srv.GetChanges, self._get_changes)
        yield Service("where_was", srv.WhereWas, self._where_was)

    def _get_changes(
        self, request: srv.GetChanges.Request, response: srv.GetChanges.Response
    ) -> None:
        history = self._session.memory.history
        visits = history.visits()
        response.visits = [visit_to_msg(visit) for visit in visits]
        if request.visits_only:
            return
        if request.before_visit or request.after_visit:
            found = history.changes(*_spans(visits, request.before_visit, request.after_visit))
        else:
            found = history.changes_since(stamp_ns(request.since) or None)
        response.changes = [change_to_msg(change) for change in found.changes]
        response.unchanged = found.unchanged
        response.unseen_ids = list(found.unseen)
        response.note = found.note

    def _where_was(self, request: srv.WhereWas.Request, response: srv.WhereWas.Response) -> None:
        place = self._session.memory.history.place_of(request.object_id, stamp_ns(request.stamp))
        if place is None:
            raise RosError(
                f"object {request.object_id} had not been seen yet at {stamp_ns(request.stamp)} ns",
                Error.NOT_FOUND,
            )
        fill_place(place, response)


def _spans(visits: Sequence[Visit], before: int, after: int) -> tuple[TimeSpan, TimeSpan]:
    """The visit of that number; raises RosError if there is none, or none before it."""
    after = after or len(visits)
    before = before or after - 1
    for number in (before, after):
        if not 1 <= number <= len(visits):
            raise RosError(
                f"there is no visit {number}; this memory has {len(visits)} (a new one begins after"
                " some minutes without frames)",
                Error.NOT_FOUND,
            )
    return visits[before - 1].span, visits[after - 1].span


class FloorServices:
    def __init__(self, session: MappingSession) -> None:
        self._session = session

    def services(self) -> Iterator[Service]:
        yield Service("get_approach_pose", srv.GetApproachPose, self._get_approach_pose)

    def _get_approach_pose(
        self, request: srv.GetApproachPose.Request, response: srv.GetApproachPose.Response
    ) -> None:
        if request.phrase:
            raise RosError(
                "the mapping node reads no phrases: ask the reasoning node's service of this name,"
                " or give object_id"
            )
        memory = self._session.memory
        snapshot = memory.snapshot()
        thing = _get_object(snapshot, request.object_id)
        wish = approach_wish(request, snapshot.world_T_camera)
        poses = memory.approach_poses(thing.object_id, *wish)
        header = header_to_msg(snapshot.stamp_ns, self._session.world_frame)
        fill_approach(thing, poses, header, response)


_MOST_SIMILAR = 20  # if the request sets none


class CorrectingServices:
    def __init__(self, session: MappingSession) -> None:
        self._session = session

    def services(self) -> Iterator[Service]:
        yield Service("apply_corrections", srv.ApplyCorrections, self._apply_corrections)
        yield Service("undo_correction", srv.UndoCorrection, self._undo_correction)
        yield Service("redo_correction", srv.RedoCorrection, self._redo_correction)
        yield Service("list_corrections", srv.ListCorrections, self._list_corrections)
        yield Service("find_similar", srv.FindSimilar, self._find_similar)
        yield Service("export_corrections", srv.ExportCorrections, self._export_corrections)
        yield Service("import_corrections", srv.ImportCorrections, self._import_corrections)

    def _apply_corrections(
        self, request: srv.ApplyCorrections.Request, response: srv.ApplyCorrections.Response
    ) -> None:
        if not request.corrections:
            raise RosError("no corrections are given")
        edits = [edit_from_msg(correction) for correction in request.corrections]
        first = request.corrections[0]
        applied = self._session.memory.apply(edits, first.by, first.reason)
        response.applied = [correction_to_msg(correction) for correction in applied]
        response.revision = self._session.memory.snapshot().revision

    def _undo_correction(
        self, request: srv.UndoCorrection.Request, response: srv.UndoCorrection.Response
    ) -> None:
        entries = self._session.memory.undo(*request.correction_ids)
        response.corrections = [correction_to_msg(entry) for entry in entries]
        response.revision = self._session.memory.snapshot().revision

    def _redo_correction(
        self, request: srv.RedoCorrection.Request, response: srv.RedoCorrection.Response
    ) -> None:
        entries = self._session.memory.redo(*request.correction_ids)
        response.corrections = [correction_to_msg(entry) for entry in entries]
        response.revision = self._session.memory.snapshot().revision

    def _list_corrections(
        self, request: srv.ListCorrections.Request, response: srv.ListCorrections.Response
    ) -> None:
        response.corrections = [
            correction_to_msg(correction)
            for correction in self._session.memory.corrections()
            if request.include_undone or not correction.undone
        ]

    def _find_similar(
        self, request: srv.FindSimilar.Request, response: srv.FindSimilar.Response
    ) -> None:
        memory = self._session.memory
        edit = edit_from_msg(request.correction)
        found = memory.find_similar(edit, request.count or _MOST_SIMILAR)
        objects = memory.snapshot().objects
        known = [similar for similar in found if similar.object_id in objects]
        response.objects = [object_to_msg(objects[similar.object_id]) for similar in known]
        response.scores = [float(similar.score) for similar in known]
        response.reasons = ["; ".join(similar.reasons) for similar in known]

    def _export_corrections(
        self, _: srv.ExportCorrections.Request, response: srv.ExportCorrections.Response
    ) -> None:
        response.json = self._session.memory.export_corrections()

    def _import_corrections(
        self, request: srv.ImportCorrections.Request, response: srv.ImportCorrections.Response
    ) -> None:
        memory = self._session.memory
        replay = memory.import_corrections(request.json, request.by, preview=request.preview)
        response.applied = [correction_to_msg(correction) for correction in replay.applied]
        response.left_out_ids = [left.correction.correction_id for left in replay.left_out]
        response.left_out = [left.reason for left in replay.left_out]
        response.revision = memory.snapshot().revision


class KeepingServices:
    def __init__(self, session: MappingSession) -> None:
        self._session = session

    def services(self) -> Iterator[Service]:
        yield Service("save_memory", srv.SaveMemory, self._save_memory)
        yield Service("load_memory", srv.LoadMemory, self._load_memory)
        yield Service("merge_memory", srv.MergeMemory, self._merge_memory)
        yield Service("reset_memory", srv.ResetMemory, self._reset_memory)

    def _save_memory(
        self, request: srv.SaveMemory.Request, response: srv.SaveMemory.Response
    ) -> None:
        self._session.memory.save_as(request.name)
        response.revision = self._session.memory.snapshot().revision

    def _load_memory(
        self, request: srv.LoadMemory.Request, response: srv.LoadMemory.Response
    ) -> None:
        self._session.load(request.name, relocate=request.relocate)
        snapshot = self._session.memory.snapshot()
        response.revision = snapshot.revision
        response.object_count = len(snapshot.objects)

    def _merge_memory(
        self, request: srv.MergeMemory.Request, response: srv.MergeMemory.Response
    ) -> None:
        merge = self._session.merge(request.name)
        response.revision = self._session.memory.snapshot().revision
        response.frame_count = merge.frames
        response.object_ids = list(merge.object_ids)
        response.new_ids = list(merge.object_ids.values())
        response.known_ids = [merge.object_ids[i] for i in sorted(merge.same)]

    def _reset_memory(self, _: srv.ResetMemory.Request, response: srv.ResetMemory.Response) -> None:
        self._session.reset()
        response.revision = self._session.memory.snapshot().revision


class MappingServices:
    """Services on the session's current memory."""

    def __init__(self, node: Node, session: MappingSession, parameters: MappingParameters) -> None:
        self._node = node
        groups = (
            ReadingServices(session, parameters),
            RelatingServices(session, parameters),
            HistoryServices(session),
            FloorServices(session),
            CorrectingServices(session),
            KeepingServices(session),
        )
        self._services = [
            node.create_service(
                service.kind, f"~/{service.name}", self._guarded(service), qos_profile=REQUESTS
            )
            for group in groups
            for service in group.services()
        ]

    def close(self) -> None:
        for service in self._services:
            self._node.destroy_service(service)

    def _guarded(self, service: Service) -> Callable[[Any, Any], Any]:
        """A handler whose exceptions become error codes: a request never ends the node."""

        def answer(request: Any, response: Any) -> Any:
            try:
                service.handle(request, response)
                response.success = True
            except Exception as failure:  # noqa: BLE001 - the edge of the node: answered, bugs logged
                response.error = error_of(failure, self._node.get_logger())
            return response

        return answer
