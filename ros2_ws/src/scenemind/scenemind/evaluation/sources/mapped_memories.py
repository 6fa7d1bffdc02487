"""Memories that were mapped from a benchmark's recordings, one a scene."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scenemind.config import SceneMindConfig
from scenemind.evaluation.errors import EvaluationError
from scenemind.memory import ReadOnlyMemory, SceneMemoryError
from scenemind.memory.disk.folder import DATABASE


class MappedMemories:
    """A `SceneSource` of memory folders, as `scenemind map` makes them: DIR/<scene>/, where a scene
    may have folders in its name (OpenEQA's hm3d-v0/000-hm3d-BFRyYbPCCPE). Only one is open at a
    time, to be read."""

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
        # Names of scenes come from files of others: none may lead out of the folder.
        if not folder.resolve().is_relative_to(self._root.resolve()):
            raise EvaluationError(
                f"{scene_id!r} is no name of a scene: it leads out of {self._root}"
            )
        if not (folder / DATABASE).is_file():
            raise EvaluationError(
                f"there is no memory of {scene_id} in {self._root}: map its recording with"
                f" `scenemind map RECORDING --memory-root {folder.parent} --memory {folder.name}`,"
                " or leave out rows without one with --skip-missing"
            )
        return folder
