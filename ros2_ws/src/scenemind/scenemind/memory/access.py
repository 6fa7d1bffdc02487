"""The interface of a memory for reasoning.

`Memory` implements it in the same process; the ROS side implements it over services for a
reasoning node in another process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from scenemind.memory.graph.corrections import SimilarObject
from scenemind.memory.history import SceneChanges, Visit
from scenemind.memory.tree.tree_json import DEFAULT_TOKEN_BUDGET, TreeJson
from scenemind.memory.types import (
    Correction,
    DepthImage,
    Edit,
    FrameIndex,
    KeyFrame,
    MemorySnapshot,
)


class MemoryAccess(Protocol):
    """Read the scene, see evidence, write corrections."""

    def snapshot(self) -> MemorySnapshot:
        """The scene graph now; cheap, and constant afterwards."""
        ...

    def key_frames_of(self, object_ids: Sequence[int], count: int) -> list[KeyFrame]:
        """Up to `count` stored frames that show the objects best, best first."""
        ...

    def tree_json(self, token_budget: int = DEFAULT_TOKEN_BUDGET) -> TreeJson:
        """MemTree3D as text for a language model; cheap to call repeatedly.

        Raises:
            SceneMemoryError: a budget below 1.
        """
        ...

    def select_key_frames(
        self,
        key_objects: Sequence[int],
        cue_objects: Sequence[int] = (),
        count: int = 3,
        locations: Sequence[int] | None = None,
    ) -> list[KeyFrame]:
        """One stored frame a location, best first, by MemTree3D's score.

        Args:
            locations: ids to choose from, including locations without any of the objects; None:
                all.
        """
        ...

    def stored_frames(self) -> Sequence[int]:
        """Numbers of the frames that are stored, oldest first."""
        ...

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        """A stored frame with the boxes of the given objects; of all objects when none is given.

        Raises:
            SceneMemoryError: no image of this frame is stored.
        """
        ...

    def frame_index(self) -> FrameIndex:
        """All stored frames with their detections, without images; cheap to call repeatedly.

        Raises:
            SceneMemoryError: the disk failed.
        """
        ...

    def depth_image(self, frame_number: int) -> DepthImage:
        """The depth of a stored frame.

        Raises:
            SceneMemoryError: no image of this frame is stored, or none of its depth.
        """
        ...

    def changes_since(self, stamp_ns: int | None = None) -> SceneChanges:
        """Changes since a moment, or since the end of the previous visit; see
        `MemoryHistory.changes_since`.

        Raises:
            SceneMemoryError: no frame was mapped yet, or the moment is outside the mapped time.
        """
        ...

    def visits(self) -> Sequence[Visit]:
        """The visits of the camera, oldest first; none before the first frame.

        Raises:
            SceneMemoryError: no visits are known of this memory, or the disk failed.
        """
        ...

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        """Write edits to the journal, all or none.

        Raises:
            SceneMemoryError: an edit names an unknown object, is malformed, or contradicts another
                entry.
        """
        ...

    def undo(self, *correction_ids: int) -> list[Correction]:
        """Undo corrections, all or none; without a number, all that the newest sentence wrote.
        The entries as they are now, oldest first.

        Raises:
            SceneMemoryError: there is nothing (left) to undo, or no such correction.
        """
        ...

    def redo(self, *correction_ids: int) -> list[Correction]:
        """Redo undone corrections, all or none; without a number, the sentence that
        was undone last. The entries as they are now, oldest first.

        Raises:
            SceneMemoryError: there is nothing to redo, no such correction, or another one
                contradicts it.
        """
        ...

    def corrections(self) -> list[Correction]:
        """The whole journal, oldest first, undone entries included."""
        ...

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        """Objects to which an edit may apply as well, best first; nothing is changed.

        Raises:
            SceneMemoryError: the edit is not about single objects, or its object is missing.
        """
        ...
