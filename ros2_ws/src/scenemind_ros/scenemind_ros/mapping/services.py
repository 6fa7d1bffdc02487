"""The services of the mapping node: read the memory, point at things, correct, save."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.node import Node

from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_ros.conversions import (
    box_from_msg,
    correction_to_msg,
    edit_from_msg,
    key_frame_to_msg,
    location_to_msg,
    object_to_msg,
    point_to_msg,
    snapshot_to_msg,
    tree_to_msg,
)
from scenemind_ros.errors import RosError, error_of
from scenemind_ros.mapping.object_query import ObjectQuery, objects_named, select_objects
from scenemind_ros.mapping.pointing import find_object_in_view, find_object_on_ray
from scenemind_ros.mapping.session import MappingSession
from scenemind_ros.parameters import MappingParameters

Handler = Callable[[Any, Any], None]


class MappingServices:
    """Answers from the session's memory, whichever that is at the moment."""

    def __init__(self, node: Node, session: MappingSession, parameters: MappingParameters) -> None:
        self._node = node
        self._session = session
        self._parameters = parameters
        self._services = [
            node.create_service(kind, f"~/{name}", self._guarded(handler))
            for name, kind, handler in (
                ("get_scene_graph", srv.GetSceneGraph, self._get_scene_graph),
                ("get_mem_tree", srv.GetMemTree, self._get_mem_tree),
                ("query_objects", srv.QueryObjects, self._query_objects),
                ("mark_object", srv.MarkObject, self._mark_object),
                ("select_key_frames", srv.SelectKeyFrames, self._select_key_frames),
                ("apply_corrections", srv.ApplyCorrections, self._apply_corrections),
                ("undo_correction", srv.UndoCorrection, self._undo_correction),
                ("list_corrections", srv.ListCorrections, self._list_corrections),
                ("save_memory", srv.SaveMemory, self._save_memory),
                ("load_memory", srv.LoadMemory, self._load_memory),
                ("reset_memory", srv.ResetMemory, self._reset_memory),
            )
        ]

    def close(self) -> None:
        for service in self._services:
            self._node.destroy_service(service)

    def _guarded(self, handler: Handler) -> Callable[[Any, Any], Any]:
        """A handler whose errors become error codes: a request never ends the node."""

        def answer(request: Any, response: Any) -> Any:
            try:
                handler(request, response)
                response.success = True
            except Exception as failure:  # noqa: BLE001 - the edge of the node: answered, bugs logged
                response.error = error_of(failure, self._node.get_logger())
            return response

        return answer

    def _get_scene_graph(self, _: Any, response: srv.GetSceneGraph.Response) -> None:
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
            text = memory.tree_json(request.token_budget)
            response.json, response.json_reading = text.text, text.reading
            response.json_tokens = text.tokens
            response.locations_left_out = text.locations_left_out
            response.objects_left_out = text.objects_left_out
            response.clutter_level = text.clutter_level

    def _query_objects(
        self, request: srv.QueryObjects.Request, response: srv.QueryObjects.Response
    ) -> None:
        snapshot = self._session.memory.snapshot()
        related = request.related_object_id
        query = ObjectQuery(
            label=request.label,
            text=request.text,
            region=box_from_msg(request.region) if request.has_region else None,
            predicate=request.predicate,
            related_object_id=None if related < 0 else related,
        )
        response.objects = [object_to_msg(thing) for thing in select_objects(snapshot, query)]
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
        if not request.k:
            raise RosError("k is 0: ask for at least one key frame")
        memory = self._session.memory
        cues, locations = list(request.cue_object_ids), list(request.location_ids)
        object_ids = list(request.object_ids) or objects_named(memory.snapshot(), request.question)
        if not (object_ids or cues or locations):
            raise RosError(
                f"the question {request.question!r} names no object of the memory; give object_ids",
                Error.NOT_FOUND,
            )
        if cues or locations:
            found = memory.select_key_frames(object_ids, cues, request.k, locations or None)
        else:
            found = memory.key_frames_of(object_ids, request.k)
        response.key_frames = [
            key_frame_to_msg(key_frame, self._parameters.publish.camera_frame)
            for key_frame in found
        ]

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
        wanted = None if request.correction_id < 0 else request.correction_id
        response.correction = correction_to_msg(self._session.memory.undo(wanted))
        response.revision = self._session.memory.snapshot().revision

    def _list_corrections(
        self, request: srv.ListCorrections.Request, response: srv.ListCorrections.Response
    ) -> None:
        response.corrections = [
            correction_to_msg(correction)
            for correction in self._session.memory.corrections()
            if request.include_undone or not correction.undone
        ]

    def _save_memory(
        self, request: srv.SaveMemory.Request, response: srv.SaveMemory.Response
    ) -> None:
        self._session.memory.save_as(request.name)
        response.revision = self._session.memory.snapshot().revision

    def _load_memory(
        self, request: srv.LoadMemory.Request, response: srv.LoadMemory.Response
    ) -> None:
        self._session.load(request.name)
        snapshot = self._session.memory.snapshot()
        response.revision = snapshot.revision
        response.object_count = len(snapshot.objects)

    def _reset_memory(self, _: Any, response: srv.ResetMemory.Response) -> None:
        self._session.memory.reset()
        response.revision = self._session.memory.snapshot().revision
