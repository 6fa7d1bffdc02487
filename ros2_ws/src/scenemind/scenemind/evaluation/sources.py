"""Sources of scenes: objects of a file as a memory, and memories mapped from recordings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from scenemind.config import RelationConfig, SceneMindConfig
from scenemind.errors import EvaluationError
from scenemind.evaluation.scenes import Scenes
from scenemind.memory import (
    Correction,
    DepthImage,
    Edit,
    FrameIndex,
    KeyFrame,
    MemorySnapshot,
    ReadOnlyMemory,
    SceneMemoryError,
    SimilarObject,
    TreeJson,
    tree_json,
)
from scenemind.memory.disk.folder import DATABASE
from scenemind.memory.history import SceneChanges, Visit
from scenemind.memory.tree.tree_json import DEFAULT_TOKEN_BUDGET

SOURCE = "ground-truth objects"
PREDICTED = "predicted instances"


class ObjectsMemory:
    """A read-only `MemoryAccess` of objects alone, without frames, tree or history."""

    def __init__(self, snapshot: MemorySnapshot, source: str = SOURCE) -> None:
        """
        Args:
            source: origin of the objects, for messages.
        """
        self._snapshot = snapshot
        self._source = source

    def snapshot(self) -> MemorySnapshot:
        """The snapshot, which never changes."""
        return self._snapshot

    def key_frames_of(self, object_ids: Sequence[int], count: int) -> list[KeyFrame]:
        """None."""
        del object_ids, count
        return []

    def tree_json(self, token_budget: int = DEFAULT_TOKEN_BUDGET) -> TreeJson:
        """A tree without locations.

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
        """An index without frames."""
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
        raise SceneMemoryError(f"there is no history: these are {self._source} only")

    def visits(self) -> tuple[Visit, ...]:
        """
        Raises:
            SceneMemoryError: always.
        """
        raise SceneMemoryError(f"there is no history: these are {self._source} only")

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        """
        Raises:
            SceneMemoryError: always.
        """
        del edits, by, reason
        self._refuse()

    def undo(self, *correction_ids: int) -> list[Correction]:
        """
        Raises:
            SceneMemoryError: always.
        """
        del correction_ids
        self._refuse()

    def redo(self, *correction_ids: int) -> list[Correction]:
        """
        Raises:
            SceneMemoryError: always.
        """
        del correction_ids
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


class MappedMemories:
    """A `SceneSource` of memory folders, as `scenemind map` makes them: ROOT/<scene>/, where the
    scene's name may contain folders (OpenEQA's hm3d-v0/000-hm3d-BFRyYbPCCPE)."""

    name = "mapped memories"
    has_true_ids = False

    def __init__(self, root: Path, config: SceneMindConfig | None = None) -> None:
        """
        Raises:
            EvaluationError: there is no such folder.
        """
        if not root.is_dir():
            raise EvaluationError(f"there is no folder {root} of mapped memories")
        self._root = root
        self._config = config or SceneMindConfig()

    def check(self, scene_id: str) -> None:
        """See `SceneSource`."""
        self._folder(scene_id)

    @contextmanager
    def opened(self, scene_id: str) -> Iterator[ReadOnlyMemory]:
        """See `SceneSource`."""
        folder = self._folder(scene_id)
        try:
            memory = ReadOnlyMemory.open(folder, self._config)
        except SceneMemoryError as error:
            raise EvaluationError(f"the memory of {scene_id} cannot be read: {error}") from error
        with memory:
            yield memory

    def _folder(self, scene_id: str) -> Path:
        folder = self._root / scene_id
        # Names of scenes come from downloaded files, and must not lead out of the folder.
        if not folder.resolve().is_relative_to(self._root.resolve()):
            raise EvaluationError(
                f"{scene_id!r} is no valid name of a scene: it leads out of {self._root}"
            )
        if not (folder / DATABASE).is_file():
            raise EvaluationError(
                f"there is no memory of {scene_id} in {self._root}: map its recording with"
                f" `scenemind map RECORDING --memory-root {folder.parent} --memory {folder.name}`"
            )
        return folder


class ObjectsSource:
    """A `SceneSource` of labels and boxes, without images."""

    def __init__(self, scenes: Scenes, name: str = SOURCE, has_true_ids: bool = True) -> None:
        self.name = name
        self.has_true_ids = has_true_ids
        self._scenes = scenes

    def check(self, scene_id: str) -> None:
        """See `SceneSource`."""
        self._scenes.get_objects(scene_id)

    @contextmanager
    def opened(self, scene_id: str) -> Iterator[ObjectsMemory]:
        """See `SceneSource`."""
        yield ObjectsMemory(self._scenes.get_snapshot(scene_id), self.name)


def predicted_instances(path: Path, config: RelationConfig | None = None) -> ObjectsSource:
    """A source of detected objects: an objects file with ids of its own and an optional `score`.

    Raises:
        EvaluationError: the file cannot be read, or holds no scenes.
    """
    return ObjectsSource(Scenes(path, config), PREDICTED, has_true_ids=False)
