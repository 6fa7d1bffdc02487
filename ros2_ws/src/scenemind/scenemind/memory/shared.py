"""A stored memory beside other processes: locked only while it is read from disk or written."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from scenemind.config import SceneMindConfig
from scenemind.errors import SceneMemoryError
from scenemind.memory.disk.folder import DATABASE, MemoryFolder
from scenemind.memory.graph.corrections import SimilarObject
from scenemind.memory.history import SceneChanges, Visit
from scenemind.memory.memory import Memory, ReadOnlyMemory
from scenemind.memory.tree.tree_json import DEFAULT_TOKEN_BUDGET, TreeJson
from scenemind.memory.types import (
    Correction,
    DepthImage,
    Edit,
    FrameIndex,
    KeyFrame,
    MemorySnapshot,
)

Result = TypeVar("Result")
_Mark = tuple[tuple[int, int, int] | None, ...]


class SharedMemory:
    """A `MemoryAccess` of a folder that other processes read and write meanwhile. Thread-safe.

    Each call locks the folder for its own time: to read where it reads the disk, to write where it
    corrects. What others have written is read before the next call. While another process writes,
    the objects are those that were read last, and calls that need the disk raise SceneMemoryError.
    """

    def __init__(self, path: Path, config: SceneMindConfig, *, read_only: bool = False) -> None:
        """
        Args:
            path: folder of the memory.
            read_only: refuse corrections.

        Raises:
            SceneMemoryError: missing, damaged, of another version, or another process writes.
        """
        self._path = path
        self._config = config
        self._read_only = read_only
        self._lock = threading.RLock()
        self._mark: _Mark = ()
        self._served: MemorySnapshot | None = None
        self._revision_shift = 0
        self._reader = self._opened()

    @property
    def path(self) -> Path:
        """The folder of the memory."""
        return self._path

    def snapshot(self) -> MemorySnapshot:
        """The scene graph; the same value until something changes. Its `revision` also grows where
        another process replaced the memory."""
        with self._lock:
            if self._mark != _mark_of(self._path):
                # Another process is writing: its changes are read when it has ended.
                with suppress(SceneMemoryError), self._disk(patience_s=0.0):
                    pass
            return self._served or self._serve()

    def key_frames_of(self, object_ids: Sequence[int], count: int) -> list[KeyFrame]:
        """See `MemoryAccess`."""
        return self._read(lambda memory: memory.key_frames_of(object_ids, count))

    def tree_json(self, token_budget: int = DEFAULT_TOKEN_BUDGET) -> TreeJson:
        """See `MemoryAccess`."""
        return self._read(lambda memory: memory.tree_json(token_budget))

    def select_key_frames(
        self,
        key_objects: Sequence[int],
        cue_objects: Sequence[int] = (),
        count: int = 3,
        locations: Sequence[int] | None = None,
    ) -> list[KeyFrame]:
        """See `MemoryAccess`."""
        return self._read(
            lambda memory: memory.select_key_frames(key_objects, cue_objects, count, locations)
        )

    def stored_frames(self) -> Sequence[int]:
        """See `MemoryAccess`."""
        self.snapshot()
        with self._lock:
            return self._reader.stored_frames()

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        """See `MemoryAccess`."""
        return self._read(lambda memory: memory.key_frame(frame_number, object_ids))

    def frame_index(self) -> FrameIndex:
        """See `MemoryAccess`."""
        return self._read(lambda memory: memory.frame_index())

    def depth_image(self, frame_number: int) -> DepthImage:
        """See `MemoryAccess`."""
        return self._read(lambda memory: memory.depth_image(frame_number))

    def changes_since(self, stamp_ns: int | None = None) -> SceneChanges:
        """See `MemoryAccess`."""
        return self._read(lambda memory: memory.changes_since(stamp_ns))

    def visits(self) -> tuple[Visit, ...]:
        """See `MemoryAccess`."""
        return self._read(lambda memory: memory.visits())

    def corrections(self) -> list[Correction]:
        """See `MemoryAccess`."""
        self.snapshot()
        with self._lock:
            return self._reader.corrections()

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        """See `MemoryAccess`."""
        self.snapshot()
        with self._lock:
            return self._reader.find_similar(edit, count)

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        """See `MemoryAccess`."""
        return self._write(lambda memory: memory.apply(edits, by, reason))

    def undo(self, *correction_ids: int) -> list[Correction]:
        """See `MemoryAccess`."""
        return self._write(lambda memory: memory.undo(*correction_ids))

    def redo(self, *correction_ids: int) -> list[Correction]:
        """See `MemoryAccess`."""
        return self._write(lambda memory: memory.redo(*correction_ids))

    def close(self) -> None:
        """Forget the memory; a second call does nothing."""
        with self._lock:
            self._reader.close()

    def __enter__(self) -> SharedMemory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _opened(self) -> ReadOnlyMemory:
        """What is stored now, without a lock on it."""
        mark = _mark_of(self._path)
        reader = ReadOnlyMemory.open(self._path, self._config)
        reader.unlock()
        self._mark = mark
        return reader

    def _serve(self) -> MemorySnapshot:
        """Give the snapshot of the present reader a revision above that of the last one."""
        scene = self._reader.snapshot()
        if self._served is not None:
            self._revision_shift = max(
                self._revision_shift, self._served.revision + 1 - scene.revision
            )
        self._served = replace(scene, revision=scene.revision + self._revision_shift)
        return self._served

    @contextmanager
    def _disk(self, patience_s: float | None = None) -> Iterator[ReadOnlyMemory]:
        """The memory as it is stored now, locked to read while the context is open."""
        with (
            self._lock,
            closing(MemoryFolder.open(self._path, to_read=True, patience_s=patience_s)),
        ):
            if self._mark != _mark_of(self._path):
                old, self._reader = self._reader, self._opened()
                old.close()
                self._serve()
            yield self._reader

    def _read(self, step: Callable[[ReadOnlyMemory], Result]) -> Result:
        with self._disk() as memory:
            return step(memory)

    def _write(self, step: Callable[[Memory], Result]) -> Result:
        if self._read_only:
            raise SceneMemoryError(
                f"{self._path} is open to be read only, and cannot be changed: start again without"
                " read-only"
            )
        with self._lock, Memory.open(self._path, self._config) as memory:
            return step(memory)


def _mark_of(path: Path) -> _Mark:
    """Changes with the files of the database."""
    return tuple(map(_stat_of, (path / DATABASE, path / f"{DATABASE}-wal")))


def _stat_of(file: Path) -> tuple[int, int, int] | None:
    try:
        of = file.stat()
    except OSError:
        return None
    return of.st_ino, of.st_mtime_ns, of.st_size
