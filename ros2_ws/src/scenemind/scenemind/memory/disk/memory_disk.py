"""All that an open memory has on disk, opened and closed together."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from scenemind.config import StoreConfig
from scenemind.memory.disk import frame_files
from scenemind.memory.disk.changes import Changes
from scenemind.memory.disk.evidence import Evidence
from scenemind.memory.disk.folder import MemoryFolder
from scenemind.memory.disk.frame_store import FrameStore
from scenemind.memory.disk.store import Store
from scenemind.memory.disk.store_writer import StoreWriter
from scenemind.memory.errors import SceneMemoryError


class MemoryDisk:
    """The folder with its lock, the database, the images and the two threads that write them.

    Attributes:
        store: the database.
        images: the key frames' files.
        writer: commits to the store; there after `start`.
        evidence: reads key frames back; there after `start`.
    """

    writer: StoreWriter
    evidence: Evidence

    def __init__(
        self,
        folder: MemoryFolder,
        store: Store,
        config: StoreConfig,
        is_temporary: bool,
        opened: ExitStack,
    ) -> None:
        """See `create` and `open`. Takes over what `opened` would close."""
        self._folder = folder
        self._config = config
        self._is_temporary = is_temporary
        self.store = store
        self.images = FrameStore(folder.frames, config)
        self._opened = opened.pop_all()
        self._opened.callback(self.images.close)

    @classmethod
    def create(cls, path: Path | None, config: StoreConfig) -> MemoryDisk:
        """An empty memory in a folder; None: in a temporary one that `close` removes.

        Raises:
            SceneMemoryError: there is a memory already, or the folder cannot be written.
        """
        with ExitStack() as opened:
            is_temporary = path is None
            if path is None:
                temporary = tempfile.TemporaryDirectory(prefix="scenemind-")
                path = Path(opened.enter_context(temporary))
            folder = MemoryFolder.create(path)
            opened.callback(folder.close)
            store = Store.create(folder.database)
            opened.callback(store.close)
            return cls(folder, store, config, is_temporary, opened)

    @classmethod
    def open(cls, path: Path, config: StoreConfig) -> MemoryDisk:
        """
        Raises:
            SceneMemoryError: missing, damaged, of another version, or open in another process.
        """
        with ExitStack() as opened:
            folder = MemoryFolder.open(path)
            opened.callback(folder.close)
            store = Store(folder.database)
            opened.callback(store.close)
            return cls(folder, store, config, False, opened)

    @property
    def path(self) -> Path:
        return self._folder.path

    def start(
        self,
        take: Callable[[], Changes],
        give_back: Callable[[Changes], None],
        next_frame: int,
    ) -> None:
        """Begin to commit what `take` gives; images from `next_frame` on are a killed process's."""
        frame_files.clean_up(self._folder.frames, keep_below=next_frame)
        self.writer = StoreWriter(self.store, take, give_back, self._config.commit_s)
        self._opened.callback(self.writer.close)
        self.evidence = Evidence(self.store, self.images, self.writer.commit)

    def flush(self) -> None:
        """Return when everything so far is on disk.

        Raises:
            SceneMemoryError: the disk failed; it is tried again later.
        """
        self.writer.commit()
        self.images.flush()

    def save_as(self, name: str) -> Path:
        """See `Memory.save_as`."""
        if self._is_temporary:
            raise SceneMemoryError("this memory is a temporary one: create it with a path to save")
        with self.writer.lock:
            self.flush()
            return self._folder.copy_to_sibling(name, self.store)

    def clear(self) -> None:
        """Forget everything.

        Raises:
            SceneMemoryError: the disk failed.
        """
        self.store.clear()
        self.images.clear()

    def close(self) -> None:
        """Stop the threads and free the folder, without a last commit; twice is once."""
        self._opened.close()
