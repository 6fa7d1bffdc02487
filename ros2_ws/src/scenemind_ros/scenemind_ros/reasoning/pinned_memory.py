"""One request's view of a memory."""

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


class PinnedMemory:
    """A `MemoryAccess` whose snapshot and index of frames stay the same, while the map goes on
    changing.

    What an answer says and the stamp that it carries then speak of one moment, and a memory on
    another machine is asked for its objects, and for its index, only once.
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

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        return self._memory.apply(edits, by, reason)

    def undo(self, correction_id: int | None = None) -> Correction:
        return self._memory.undo(correction_id)

    def redo(self, correction_id: int | None = None) -> Correction:
        return self._memory.redo(correction_id)

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        return self._memory.find_similar(edit, count)

    def corrections(self) -> list[Correction]:
        return self._memory.corrections()
