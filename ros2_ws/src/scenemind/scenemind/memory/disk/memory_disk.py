"""All that an open memory has on disk, opened and closed together."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from scenemind.config import StoreConfig
from scenemind.memory.disk import frame_files
from scenemind.memory.disk.changes import Changes
from scenemind.memory.disk.evidence import Evidence
from scenemind.memory.disk.folder import MemoryFolder
from scenemind.memory.disk.frame_store import FrameStore
from scenemind.memory.disk.store import Store, StoredMemory
from scenemind.memory.disk.store_writer import StoreWriter
from scenemind.memory.errors import SceneMemoryError

_log = logging.getLogger(__name__)


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
    def open(cls, path: Path, config: StoreConfig, *, to_read: bool = False) -> MemoryDisk:
        """
        Args:
            to_read: beside others that only read, with nothing to commit.

        Raises:
            SceneMemoryError: missing, damaged, of another version, or open in another process.
        """
        with ExitStack() as opened:
            folder = MemoryFolder.open(path, to_read=to_read)
            opened.callback(folder.close)
            store = Store(folder.database, to_read=to_read)
            opened.callback(store.close)
            return cls(folder, store, config, False, opened)

    @property
    def path(self) -> Path:
        return self._folder.path

    def load(self) -> StoredMemory:
        """What was committed last. What a killed process left half done is cleaned up: files that
        no row names go, and a row does not name a file that is not there.

        Raises:
            SceneMemoryError: the disk failed.
        """
        stored = self.store.load()
        there = frame_files.remove_others(self._folder.frames, stored.image_bytes)
        lost = stored.image_bytes.keys() - there.keys()
        if lost:
            _log.warning("%d images of %s are missing: they are no evidence", len(lost), self.path)
            self.store.write_images(dict.fromkeys(lost, 0))
        return replace(stored, image_bytes=there)

    def load_to_read(self) -> StoredMemory:
        """What was committed last; nothing is cleaned up.

        Raises:
            SceneMemoryError: the disk failed.
        """
        stored = self.store.load()
        there = frame_files.present(self._folder.frames, stored.image_bytes)
        return replace(stored, image_bytes=there)

    def start(self, take: Callable[[], Changes], give_back: Callable[[Changes], None]) -> None:
        """Begin to commit what `take` gives."""
        self.writer = StoreWriter(
            self.store, take, give_back, self.images.remove, self._config.commit_s
        )
        self._opened.callback(self.writer.close)
        self.evidence = Evidence(self.store, self.images, self.writer.commit)

    def flush(self) -> None:
        """Return when everything so far is on disk.

        Raises:
            SceneMemoryError: the disk failed; it is tried again later.
        """
        self.images.flush()
        self.writer.commit()
        self.images.flush()

    def save_as(self, name: str) -> Path:
        """See `Memory.save_as`."""
        if self._is_temporary:
            raise SceneMemoryError("this memory is a temporary one: create it with a path to save")
        with self.writer.lock:
            # Until the lock is free no image is deleted.
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
