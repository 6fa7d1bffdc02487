"""The memory of a mapping node in the same process."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.memory import (
    Correction,
    DepthImage,
    Edit,
    FrameIndex,
    KeyFrame,
    MemoryAccess,
    MemorySnapshot,
)
from scenemind.memory.graph.corrections import SimilarObject
from scenemind.memory.history import SceneChanges
from scenemind.memory.tree.tree_json import DEFAULT_TOKEN_BUDGET, TreeJson
from scenemind_interfaces.msg import Error
from scenemind_ros.errors import RosError
from scenemind_ros.mapping_node import MappingNode


class SharedMemory:
    """A `MemoryAccess` that forwards to the memory which the mapping node has at the moment.

    Loading another memory exchanges it, and an unconfigured node has none: then everything here
    raises RosError (NODE_UNAVAILABLE).
    """

    def __init__(self, node: MappingNode) -> None:
        self._node = node

    def snapshot(self) -> MemorySnapshot:
        return self._memory().snapshot()

    def key_frames_of(self, object_ids: Sequence[int], count: int) -> list[KeyFrame]:
        return self._memory().key_frames_of(object_ids, count)

    def tree_json(self, token_budget: int = DEFAULT_TOKEN_BUDGET) -> TreeJson:
        return self._memory().tree_json(token_budget)

    def select_key_frames(
        self,
        key_objects: Sequence[int],
        cue_objects: Sequence[int] = (),
        count: int = 3,
        locations: Sequence[int] | None = None,
    ) -> list[KeyFrame]:
        return self._memory().select_key_frames(key_objects, cue_objects, count, locations)

    def stored_frames(self) -> Sequence[int]:
        return self._memory().stored_frames()

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        return self._memory().key_frame(frame_number, object_ids)

    def frame_index(self) -> FrameIndex:
        return self._memory().frame_index()

    def depth_image(self, frame_number: int) -> DepthImage:
        return self._memory().depth_image(frame_number)

    def changes_since(self, stamp_ns: int | None = None) -> SceneChanges:
        return self._memory().changes_since(stamp_ns)

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        return self._memory().apply(edits, by, reason)

    def undo(self, correction_id: int | None = None) -> Correction:
        return self._memory().undo(correction_id)

    def redo(self, correction_id: int | None = None) -> Correction:
        return self._memory().redo(correction_id)

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        return self._memory().find_similar(edit, count)

    def corrections(self) -> list[Correction]:
        return self._memory().corrections()

    def _memory(self) -> MemoryAccess:
        session = self._node.session
        if session is None:
            raise RosError(
                f"{self._node.get_name()} is not configured, so there is no memory: its log says"
                " why, or configure it",
                Error.NODE_UNAVAILABLE,
            )
        return session.memory
