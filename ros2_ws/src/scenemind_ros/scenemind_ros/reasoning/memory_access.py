"""The memory as the reasoning node reads it: over DDS, with one snapshot per request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from geometry_msgs.msg import Point
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from scenemind.errors import MemoryRequestError
from scenemind.memory import (
    Correction,
    DepthImage,
    Edit,
    FrameIndex,
    KeyFrame,
    MemoryAccess,
    MemorySnapshot,
    SceneMemoryError,
)
from scenemind.memory.graph.corrections import SimilarObject
from scenemind.memory.history import SceneChanges, Visit
from scenemind.memory.occupancy.approach import ROBOT, ApproachPose, Purpose, Robot
from scenemind.memory.tree.tree_json import DEFAULT_TOKEN_BUDGET, TreeJson
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_ros.calls import call_service
from scenemind_ros.conversions import (
    correction_from_msg,
    depth_image_from_msg,
    edit_to_msg,
    frame_index_from_msg,
    key_frame_from_msg,
    snapshot_from_msg,
    time_to_msg,
    tree_json_from_msg,
)
from scenemind_ros.conversions.floor import approach_from_response
from scenemind_ros.conversions.memory import change_from_msg, visit_from_msg
from scenemind_ros.errors import RosError
from scenemind_ros.qos import REQUESTS


class RobotMemory(MemoryAccess, Protocol):
    """A `MemoryAccess` that also knows the floor."""

    def approach_poses(
        self,
        object_id: int,
        purpose: Purpose = "look",
        stand_off_m: float | None = None,
        robot: Robot = ROBOT,
        count: int = 5,
    ) -> list[ApproachPose]:
        """Where a robot may stand to look at an object or to reach it; see `Memory`."""
        ...


_WRITING = frozenset((srv.ApplyCorrections, srv.UndoCorrection, srv.RedoCorrection))
_MAYBE_WRITTEN = "it may be done all the same, or yet be done: see ListCorrections"


class RemoteMemory:
    """A `MemoryAccess` over the mapping node's services.

    The snapshot is requested each time, and not taken from the topic: the topic comes a few times
    a second; a question right after a correction would still see the old state.

    Every method blocks until the response or its deadline: call them from worker threads, while
    the node's executor has a thread left for the response. Unless stated otherwise they raise
    RosError (NODE_UNAVAILABLE, TIMEOUT) if the mapping node is missing or does not answer.
    """

    def __init__(self, node: Node, mapping_node: str, timeout_s: float) -> None:
        """`mapping_node` is its name, full or in the node's namespace."""
        mapping_node = node.resolve_service_name(mapping_node)
        group = ReentrantCallbackGroup()
        self._node = node
        self._timeout_s = timeout_s
        self._clients = {
            kind: node.create_client(
                kind, f"{mapping_node}/{name}", qos_profile=REQUESTS, callback_group=group
            )
            for name, kind in {
                "get_scene_graph": srv.GetSceneGraph,
                "get_mem_tree": srv.GetMemTree,
                "select_key_frames": srv.SelectKeyFrames,
                "get_key_frames": srv.GetKeyFrames,
                "get_frame_index": srv.GetFrameIndex,
                "apply_corrections": srv.ApplyCorrections,
                "undo_correction": srv.UndoCorrection,
                "redo_correction": srv.RedoCorrection,
                "list_corrections": srv.ListCorrections,
                "find_similar": srv.FindSimilar,
                "get_changes": srv.GetChanges,
                "get_approach_pose": srv.GetApproachPose,
            }.items()
        }
        # Revision and newest stamp of the last snapshot: together they also distinguish two
        # memories, one loaded in place of the other.
        self._known = (0, 0)
        self._world_frame = ""
        self._tree_text: dict[tuple[int, int, int], TreeJson] = {}
        self._frame_index: dict[tuple[int, int], FrameIndex] = {}

    def close(self) -> None:
        """Destroy its clients, once no call is under way."""
        for client in self._clients.values():
            self._node.destroy_client(client)

    def world_frame(self) -> str:
        """The frame that the newest snapshot's positions are in."""
        return self._world_frame

    def snapshot(self) -> MemorySnapshot:
        """Snapshot of the map. Objects have no surface points, which are not sent."""
        graph = self._call(srv.GetSceneGraph).scene_graph
        self._world_frame = graph.header.frame_id
        snapshot = snapshot_from_msg(graph)
        self._known = snapshot.revision, snapshot.stamp_ns
        return snapshot

    def key_frames_of(self, object_ids: Sequence[int], count: int) -> list[KeyFrame]:
        """Up to `count` stored frames that show the objects best, best first.

        Raises:
            SceneMemoryError: for every failure: answers are valid without their evidence.
        """
        if not object_ids or count < 1:
            return []
        ids = _numbers(object_ids)
        try:
            response = self._call(srv.SelectKeyFrames, object_ids=ids, k=int(count))
        except RosError as error:
            raise SceneMemoryError(str(error)) from error
        return [key_frame_from_msg(key_frame) for key_frame in response.key_frames]

    def tree_json(self, token_budget: int = DEFAULT_TOKEN_BUDGET) -> TreeJson:
        """MemTree3D as text for a language model, at least as new as the newest snapshot; fetched
        again only after a newer one.

        Raises:
            SceneMemoryError: a budget below 1.
        """
        if token_budget < 1:  # for the service this value means no text at all
            raise SceneMemoryError(f"a token budget is at least 1, got {token_budget}")
        wanted = (*self._known, token_budget)
        text = self._tree_text.get(wanted)
        if text is None:
            response = self._call(srv.GetMemTree, token_budget=token_budget, only_json=True)
            text = tree_json_from_msg(response)
            self._tree_text = {wanted: text}
        return text

    def select_key_frames(
        self,
        key_objects: Sequence[int],
        cue_objects: Sequence[int] = (),
        count: int = 3,
        locations: Sequence[int] | None = None,
    ) -> list[KeyFrame]:
        """Stored frames, one per location, best first; see `MemoryAccess`."""
        is_anything_asked = key_objects or cue_objects if locations is None else locations
        if not is_anything_asked or count < 1:
            return []
        response = self._call(
            srv.SelectKeyFrames,
            object_ids=_numbers(key_objects),
            cue_object_ids=_numbers(cue_objects),
            location_ids=_numbers(locations or ()),
            one_a_location=True,
            k=int(count),
        )
        return [key_frame_from_msg(key_frame) for key_frame in response.key_frames]

    def stored_frames(self) -> Sequence[int]:
        """Numbers of the stored frames, oldest first."""
        return list(self._call(srv.GetKeyFrames).stored_frame_ids)

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        """A stored frame; raises SceneMemoryError if its image is not (or no longer) stored."""
        response = self._call(
            srv.GetKeyFrames, frame_ids=[int(frame_number)], object_ids=_numbers(object_ids)
        )
        return key_frame_from_msg(response.key_frames[0])

    def frame_index(self) -> FrameIndex:
        """All stored frames with their detections, at least as new as the newest snapshot; fetched
        again only after a newer one."""
        wanted = self._known
        index = self._frame_index.get(wanted)
        if index is None:
            index = frame_index_from_msg(self._call(srv.GetFrameIndex))
            self._frame_index = {wanted: index}
        return index

    def depth_image(self, frame_number: int) -> DepthImage:
        """The depth of a stored frame; raises SceneMemoryError if the frame or its depth is not (or
        no longer) stored."""
        response = self._call(srv.GetKeyFrames, frame_ids=[int(frame_number)], with_depth=True)
        depth = depth_image_from_msg(response.key_frames[0])
        if depth is None:
            raise SceneMemoryError(
                f"frame {frame_number} has no depth: the mapping node's store.depth_every_px was 0,"
                " or its log says that the depth is damaged"
            )
        return depth

    def changes_since(self, stamp_ns: int | None = None) -> SceneChanges:
        """Changes up to now; raises SceneMemoryError as `Memory` does."""
        response = self._call(srv.GetChanges, since=time_to_msg(stamp_ns or 0))
        return SceneChanges(
            tuple(change_from_msg(change) for change in response.changes),
            int(response.unchanged),
            tuple(int(object_id) for object_id in response.unseen_ids),
            response.note,
        )

    def visits(self) -> tuple[Visit, ...]:
        """The visits of the camera, oldest first."""
        response = self._call(srv.GetChanges, visits_only=True)
        return tuple(map(visit_from_msg, response.visits))

    def approach_poses(
        self,
        object_id: int,
        purpose: Purpose = "look",
        stand_off_m: float | None = None,
        robot: Robot = ROBOT,
        count: int = 5,
    ) -> list[ApproachPose]:
        """Where a robot may stand; raises RosError (NOT_FOUND) where that is not known."""
        x, y = robot.place or (0.0, 0.0)
        response = self._call(
            srv.GetApproachPose,
            object_id=int(object_id),
            purpose=purpose,
            stand_off_m=stand_off_m or 0.0,
            robot_radius_m=robot.radius_m,
            robot=Point(x=x, y=y),
            has_robot=robot.place is not None,
            anywhere=robot.place is None,
            k=count,
        )
        return approach_from_response(response)

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        """Apply corrections, all or none; raises SceneMemoryError if the mapping node refuses."""
        corrections = [edit_to_msg(edit, by, reason) for edit in edits]
        response = self._call(srv.ApplyCorrections, corrections=corrections)
        return [correction_from_msg(correction) for correction in response.applied]

    def undo(self, *correction_ids: int) -> list[Correction]:
        """Undo corrections; raises SceneMemoryError if there is none (left), or not that one."""
        response = self._call(srv.UndoCorrection, correction_ids=correction_ids)
        return [correction_from_msg(correction) for correction in response.corrections]

    def redo(self, *correction_ids: int) -> list[Correction]:
        """Redo corrections; raises SceneMemoryError if there is none, or one is no longer valid."""
        response = self._call(srv.RedoCorrection, correction_ids=correction_ids)
        return [correction_from_msg(correction) for correction in response.corrections]

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        """Objects for which an edit may also hold; raises SceneMemoryError as `Memory` does."""
        response = self._call(srv.FindSimilar, correction=edit_to_msg(edit, "", ""), count=count)
        return [
            SimilarObject(int(thing.id), float(score), tuple(reasons.split("; ")))
            for thing, score, reasons in zip(
                response.objects, response.scores, response.reasons, strict=True
            )
        ]

    def corrections(self) -> list[Correction]:
        """The whole journal, oldest first, undone entries included."""
        response = self._call(srv.ListCorrections, include_undone=True)
        return [correction_from_msg(correction) for correction in response.corrections]

    def _call(self, kind: Any, **fields: Any) -> Any:
        try:
            response = call_service(self._clients[kind], kind.Request(**fields), self._timeout_s)
        except RosError as error:
            if kind not in _WRITING or error.code != Error.TIMEOUT:
                raise
            raise RosError(f"{error}; {_MAYBE_WRITTEN}", error.code) from error
        if not response.success:
            if response.error.code == Error.MEMORY_REFUSED:
                raise SceneMemoryError(response.error.message)
            if response.error.code == Error.INVALID_REQUEST:
                raise MemoryRequestError(response.error.message)
            raise RosError(response.error.message, response.error.code)
        return response


def _numbers(ids: Sequence[int]) -> list[int]:
    return [int(number) for number in ids]


class PinnedMemory:
    """A `MemoryAccess` with a fixed snapshot and frame index, while the map keeps changing.

    The answer's content and its stamp then refer to one moment, and a memory on another machine is
    asked for its objects and its index only once.
    """

    def __init__(self, memory: MemoryAccess) -> None:
        self._memory = memory
        self._snapshot: MemorySnapshot | None = None
        self._frame_index: FrameIndex | None = None

    def snapshot(self) -> MemorySnapshot:
        if self._snapshot is None:
            self._snapshot = self._memory.snapshot()
        return self._snapshot

    def key_frames_of(self, object_ids: Sequence[int], count: int) -> list[KeyFrame]:
        return self._memory.key_frames_of(object_ids, count)

    def tree_json(self, token_budget: int = DEFAULT_TOKEN_BUDGET) -> TreeJson:
        return self._memory.tree_json(token_budget)

    def select_key_frames(
        self,
        key_objects: Sequence[int],
        cue_objects: Sequence[int] = (),
        count: int = 3,
        locations: Sequence[int] | None = None,
    ) -> list[KeyFrame]:
        return self._memory.select_key_frames(key_objects, cue_objects, count, locations)

    def stored_frames(self) -> Sequence[int]:
        return self._memory.stored_frames()

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        return self._memory.key_frame(frame_number, object_ids)

    def frame_index(self) -> FrameIndex:
        if self._frame_index is None:
            self._frame_index = self._memory.frame_index()
        return self._frame_index

    def depth_image(self, frame_number: int) -> DepthImage:
        return self._memory.depth_image(frame_number)

    def changes_since(self, stamp_ns: int | None = None) -> SceneChanges:
        return self._memory.changes_since(stamp_ns)

    def visits(self) -> Sequence[Visit]:
        return self._memory.visits()

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        return self._memory.apply(edits, by, reason)

    def undo(self, *correction_ids: int) -> list[Correction]:
        return self._memory.undo(*correction_ids)

    def redo(self, *correction_ids: int) -> list[Correction]:
        return self._memory.redo(*correction_ids)

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        return self._memory.find_similar(edit, count)

    def corrections(self) -> list[Correction]:
        return self._memory.corrections()
