"""Objects alone as a memory: what a benchmark gives in place of a drive with a camera."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from scenemind.memory import (
    Correction,
    DepthImage,
    Edit,
    FrameIndex,
    KeyFrame,
    MemorySnapshot,
    SceneMemoryError,
    SimilarObject,
    TreeJson,
    tree_json,
)
from scenemind.memory.history import SceneChanges
from scenemind.memory.tree.tree_json import DEFAULT_TOKEN_BUDGET

SOURCE = "ground-truth objects"


class ObjectsMemory:
    """A `MemoryAccess` without frames, tree or past, which takes no corrections."""

    def __init__(self, snapshot: MemorySnapshot, source: str = SOURCE) -> None:
        """
        Args:
            source: what the objects are, for messages.
        """
        self._snapshot = snapshot
        self._source = source

    def snapshot(self) -> MemorySnapshot:
        """Always the same."""
        return self._snapshot

    def key_frames_of(self, object_ids: Sequence[int], count: int) -> list[KeyFrame]:
        """None."""
        del object_ids, count
        return []

    def tree_json(self, token_budget: int = DEFAULT_TOKEN_BUDGET) -> TreeJson:
        """Of no locations.

        Raises:
            SceneMemoryError: a budget below 1.
        """
        return tree_json((), self._snapshot.objects, token_budget)

    def select_key_frames(
        self,
        key_objects: Sequence[int],
        cue_objects: Sequence[int] = (),
        count: int = 3,
        locations: Sequence[int] | None = None,
    ) -> list[KeyFrame]:
        """None."""
        del key_objects, cue_objects, count, locations
        return []

    def stored_frames(self) -> Sequence[int]:
        """None."""
        return ()

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        """
        Raises:
            SceneMemoryError: always.
        """
        del object_ids
        raise self._not_stored(frame_number)

    def frame_index(self) -> FrameIndex:
        """Of no frames."""
        return FrameIndex.empty()

    def depth_image(self, frame_number: int) -> DepthImage:
        """
        Raises:
            SceneMemoryError: always.
        """
        raise self._not_stored(frame_number)

    def changes_since(self, stamp_ns: int | None = None) -> SceneChanges:
        """
        Raises:
            SceneMemoryError: always.
        """
        del stamp_ns
        raise SceneMemoryError(f"nothing is known of earlier: these are {self._source} only")

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        """
        Raises:
            SceneMemoryError: always.
        """
        del edits, by, reason
        self._refuse()

    def undo(self, correction_id: int | None = None) -> Correction:
        """
        Raises:
            SceneMemoryError: always.
        """
        del correction_id
        self._refuse()

    def redo(self, correction_id: int | None = None) -> Correction:
        """
        Raises:
            SceneMemoryError: always.
        """
        del correction_id
        self._refuse()

    def corrections(self) -> list[Correction]:
        """None."""
        return []

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        """None."""
        del edit, count
        return []

    def _not_stored(self, frame_number: int) -> SceneMemoryError:
        return SceneMemoryError(
            f"frame {frame_number} is not stored: these are {self._source} only"
        )

    def _refuse(self) -> NoReturn:
        raise SceneMemoryError(f"{self._source} take no corrections")
