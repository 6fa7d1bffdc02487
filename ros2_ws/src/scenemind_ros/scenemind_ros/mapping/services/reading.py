"""Services that read the memory: graph, tree, objects, key frames, pointing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from scenemind.memory import DepthImage, KeyFrame, Memory, SceneMemoryError
from scenemind.memory.finding.named import objects_named
from scenemind.memory.finding.pointing import find_object_in_view, find_object_on_ray
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_interfaces.msg import KeyFrame as KeyFrameMsg
from scenemind_ros.conversions import (
    box_from_msg,
    check_frame_count,
    fill_frame_index,
    fill_tree_json,
    key_frame_to_msg,
    location_to_msg,
    object_to_msg,
    point_to_msg,
    snapshot_to_msg,
    tree_to_msg,
)
from scenemind_ros.errors import RosError
from scenemind_ros.mapping.object_query import ObjectQuery, select_objects
from scenemind_ros.mapping.services.service import Service
from scenemind_ros.mapping.session import MappingSession
from scenemind_ros.parameters import MappingParameters

_FOUND = 10  # objects for words, where the request does not say how many


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
        response.scene_graph = snapshot_to_msg(snapshot, self._parameters.map_frame)

    def _get_mem_tree(
        self, request: srv.GetMemTree.Request, response: srv.GetMemTree.Response
    ) -> None:
        memory = self._session.memory
        if not request.only_json:
            response.mem_tree = tree_to_msg(
                map(location_to_msg, memory.tree(request.newest or None)),
                memory.location_count,
                memory.snapshot(),
                self._parameters.map_frame,
            )
        if request.token_budget:
            fill_tree_json(memory.tree_json(request.token_budget), response)

    def _query_objects(
        self, request: srv.QueryObjects.Request, response: srv.QueryObjects.Response
    ) -> None:
        snapshot = self._session.memory.snapshot()
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
        check_frame_count(request.k)
        memory = self._session.memory
        cues, locations = list(request.cue_object_ids), list(request.location_ids)
        object_ids = list(request.object_ids) or objects_named(memory.snapshot(), request.question)
        if not (object_ids or cues or locations):
            raise RosError(
                f"the question {request.question!r} names no object of the memory; give object_ids",
                Error.NOT_FOUND,
            )
        if request.one_a_location or cues or locations:
            found = memory.select_key_frames(object_ids, cues, request.k, locations or None)
        else:
            found = memory.key_frames_of(object_ids, request.k)
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
    """None where none is stored, or it is damaged, which the memory's log says."""
    try:
        return memory.depth_image(number)
    except SceneMemoryError:
        return None
