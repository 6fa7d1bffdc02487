"""A memory on disk that is only read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from scenemind.config import SceneMindConfig
from scenemind.memory.disk.changes import NO_CHANGES, Changes
from scenemind.memory.disk.memory_disk import MemoryDisk
from scenemind.memory.errors import SceneMemoryError
from scenemind.memory.garbage import no_garbage_collection
from scenemind.memory.reader import MemoryReader
from scenemind.memory.scene import Scene
from scenemind.memory.types import Correction, Edit


class ReadOnlyMemory(MemoryReader):
    """Any number of processes may read it so at once, while none writes. Is a `MemoryAccess` that
    takes no corrections."""

    def __init__(self, disk: MemoryDisk, config: SceneMindConfig) -> None:
        """See `open`."""
        super().__init__(disk, Scene(config))
        with no_garbage_collection():
            self._scene.restore(disk.load_to_read())
        disk.start(lambda: NO_CHANGES, _keep_nothing)

    @classmethod
    def open(cls, path: Path, config: SceneMindConfig) -> ReadOnlyMemory:
        """
        Raises:
            SceneMemoryError: missing, damaged, of another version, or another process has it open
                to write to it.
        """
        disk = MemoryDisk.open(path, config.store, to_read=True)
        try:
            return cls(disk, config)
        except BaseException:
            disk.close()
            raise

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:  # noqa: ARG002
        """
        Raises:
            SceneMemoryError: always.
        """
        raise self._refusal()

    def undo(self, correction_id: int | None = None) -> Correction:  # noqa: ARG002
        """
        Raises:
            SceneMemoryError: always.
        """
        raise self._refusal()

    def redo(self, correction_id: int | None = None) -> Correction:  # noqa: ARG002
        """
        Raises:
            SceneMemoryError: always.
        """
        raise self._refusal()

    def close(self) -> None:
        """Free the folder; twice is once."""
        self._disk.close()

    def __enter__(self) -> ReadOnlyMemory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _refusal(self) -> SceneMemoryError:
        return SceneMemoryError(f"{self.path} is open to be read only: open it with Memory.open")


def _keep_nothing(changes: Changes) -> None:
    assert not changes, "nothing is taken of a memory that is only read"
