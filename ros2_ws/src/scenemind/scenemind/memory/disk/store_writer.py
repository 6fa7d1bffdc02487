"""One thread commits what has changed every so often, so that mapping never waits for SQLite."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from scenemind.memory.disk.changes import Changes
from scenemind.memory.disk.store import Store
from scenemind.memory.errors import SceneMemoryError

_log = logging.getLogger(__name__)


class StoreWriter:
    """Takes changes from the memory in order and commits them.

    Lock order: this one's `lock` first, the memory's inside `take` and `give_back`.
    """

    def __init__(
        self,
        store: Store,
        take: Callable[[], Changes],
        give_back: Callable[[Changes], None],
        delete_images: Callable[[Sequence[int]], None],
        every_s: float,
    ) -> None:
        """
        Args:
            delete_images: called with the images that no row names any more.
        """
        self._store = store
        self._take = take
        self._give_back = give_back
        self._delete_images = delete_images
        self._every_s = every_s
        self._failed_commits = 0
        self.lock = threading.RLock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="store writer", daemon=True)
        self._thread.start()

    @property
    def failed_commits(self) -> int:
        return self._failed_commits

    def commit(self) -> None:
        """Write now, in one transaction, everything that has changed.

        Raises:
            SceneMemoryError: the disk is full or failed, or a value cannot be stored; the changes
                are kept for the next try.
        """
        with self.lock:
            changes = self._take()
            if not changes:
                return
            try:
                self._write(changes)
            except BaseException as error:
                if self._failed_commits == 0:
                    _log.error("%s; mapping goes on in memory and tries again", error)
                self._failed_commits += 1
                self._give_back(changes)
                raise
            gone = [number for number, size in changes.images.items() if size == 0]
            if gone:
                self._delete_images(gone)

    def close(self) -> None:
        """Stop the thread. What has changed since its last commit is not written: see `commit`."""
        self._stop.set()
        self._thread.join()

    def _write(self, changes: Changes) -> None:
        try:
            self._store.write(changes)
        except SceneMemoryError:
            raise
        except Exception as error:
            # Whatever a value is that no row can hold, the other changes must not be lost with it.
            raise SceneMemoryError(f"storing failed: {type(error).__name__}: {error}") from error

    def _run(self) -> None:
        while not self._stop.wait(self._every_s):
            # Counted and logged by `commit`; the changes wait for the next one.
            with suppress(SceneMemoryError):
                self.commit()
