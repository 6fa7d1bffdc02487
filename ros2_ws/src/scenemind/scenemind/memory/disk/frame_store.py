"""Key frames go to disk on one thread of their own, so that mapping never waits for the disk."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import StoreConfig
from scenemind.frames import FrameError
from scenemind.memory.disk import frame_files

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FrameStoreCounts:
    """Since the store was opened: `dropped` found the queue full, `failed` met a disk error."""

    written: int = 0
    dropped: int = 0
    failed: int = 0
    bytes_written: int = 0


@dataclass(frozen=True, slots=True)
class ImageResults:
    """What became of images that were put: frame -> bytes of what is on disk, and what failed."""

    written: dict[int, int] = field(default_factory=dict)
    failed: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True, eq=False)
class _Image:
    number: int
    color: NDArray[np.uint8]
    depth_m: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Removal:
    numbers: tuple[int, ...]


class FrameStore:
    """A folder of images by frame number, with one writer thread and a bounded queue."""

    def __init__(self, folder: Path, config: StoreConfig) -> None:
        self._folder = folder
        self._config = config
        self._queue: queue.Queue[_Image | _Removal | threading.Event | None] = queue.Queue(
            config.queue_size
        )
        self._counts = FrameStoreCounts()
        self._results = ImageResults()
        self._lock = threading.Lock()
        folder.mkdir(exist_ok=True)
        self._thread = threading.Thread(target=self._run, name="frame store", daemon=True)
        self._thread.start()

    @property
    def folder(self) -> Path:
        return self._folder

    @property
    def counts(self) -> FrameStoreCounts:
        with self._lock:
            return self._counts

    def put(self, number: int, color: NDArray[np.uint8], depth_m: NDArray[np.float32]) -> bool:
        """Take a frame for writing; the arrays must not change afterwards.

        Returns:
            False when the disk is so far behind that the frame was dropped.
        """
        try:
            self._queue.put_nowait(_Image(number, color, depth_m))
        except queue.Full:
            self._count(dropped=1)
            return False
        return True

    def remove(self, numbers: Sequence[int]) -> None:
        """Delete images, after those that were put before; may wait for room in the queue."""
        self._queue.put(_Removal(tuple(numbers)))

    def take_results(self) -> ImageResults:
        """What became of the images since the last call."""
        with self._lock:
            results, self._results = self._results, ImageResults()
        return results

    def flush(self) -> None:
        """Return when everything that was put so far has been written, or has failed."""
        reached = threading.Event()
        self._queue.put(reached)
        reached.wait()

    def close(self) -> None:
        self._queue.put(None)
        self._thread.join()

    def clear(self) -> None:
        """Remove all images."""
        self.flush()
        self.take_results()
        frame_files.remove_others(self._folder, {})

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            if isinstance(job, threading.Event):
                job.set()
            elif isinstance(job, _Removal):
                self._remove(job.numbers)
            else:
                self._write(job)

    def _write(self, image: _Image) -> None:
        try:
            written = frame_files.write_frame(
                self._folder, image.number, image.color, image.depth_m, self._config
            )
        except (OSError, FrameError, cv2.error) as error:
            if self.counts.failed == 0:
                _log.error(
                    "key frame %d was not stored (%s); mapping goes on without its image:"
                    " free space at %s",
                    image.number,
                    error,
                    self._folder,
                )
            self._count(failed=1)
            with self._lock:
                self._results.failed.add(image.number)
        else:
            self._count(written=1, bytes_written=written)
            with self._lock:
                self._results.written[image.number] = written

    def _remove(self, numbers: Sequence[int]) -> None:
        try:
            for number in numbers:
                frame_files.remove_frame(self._folder, number)
        except OSError as error:
            # Nothing names them any more: they go when the memory is opened next.
            _log.warning("images that are no longer needed stay for now: %s", error)

    def _count(self, **more: int) -> None:
        with self._lock:
            now = self._counts
            self._counts = replace(now, **{key: getattr(now, key) + n for key, n in more.items()})
