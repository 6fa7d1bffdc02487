"""Mapping on two threads: one detects while the other maps the frame before.

Receiving frames never waits for a model: of frames that arrive meanwhile the newest wins.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from scenemind.config import MapperConfig
from scenemind.frames import RGBDFrame
from scenemind.garbage import settle_garbage
from scenemind.mapping.governor import Governor
from scenemind.mapping.mapper import DetectedFrame, Mapper, MapperReport

_log = logging.getLogger(__name__)

Item = TypeVar("Item")
Work = TypeVar("Work")
Result = TypeVar("Result")


class MappingPipeline(Generic[Item]):
    """Two threads that map the frames of a slot: one detects, the other tracks, lifts and fuses.

    The slot may hold frames that are not decoded yet: those that a newer one replaces never are.

    An unexpected error is a bug and ends both; it is kept in `failure` and raised by `stop`.

    Attributes:
        governor: decides which work is deferred when frames take too long.
        failure: the error that ended the pipeline; None while it runs well.
    """

    def __init__(
        self,
        mapper: Mapper,
        slot: LatestSlot[Item],
        governor: Governor,
        read: Callable[[Item], RGBDFrame | None],
        on_report: Callable[[MapperReport], None] = lambda _report: None,
    ) -> None:
        """
        Args:
            read: the frame of what the slot holds; None: it cannot be read, and is passed over.
            on_report: called after each frame, on the mapping thread.
        """
        self._mapper = mapper
        self._slot = slot
        self._read = read
        self._on_report = on_report
        # At most one frame is being detected, or waits for the mapper: the slot keeps newer ones.
        self._detected: queue.Queue[DetectedFrame | None] = queue.Queue()
        self._room = threading.Semaphore(1)
        self._threads = [
            threading.Thread(target=self._detect_all, name="detector", daemon=True),
            threading.Thread(target=self._map_all, name="mapper", daemon=True),
        ]
        self.governor = governor
        self.failure: Exception | None = None

    def start(self) -> None:
        settle_garbage()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Close the slot, map what is still in it, and end.

        Raises:
            Exception: the error that ended the pipeline before, if any.
        """
        self._slot.close()
        for thread in self._threads:
            thread.join()
        if self.failure is not None:
            raise self.failure

    def _detect_all(self) -> None:
        while True:
            self._room.acquire()
            if (item := self._slot.take()) is None:
                self._detected.put(None)
                return
            detected = self._guarded(self._detect, item)
            if detected is None:
                self._room.release()
            else:
                self._detected.put(detected)

    def _detect(self, item: Item) -> DetectedFrame | None:
        frame = self._read(item)
        return None if frame is None else self._mapper.detect(frame)

    def _map_all(self) -> None:
        while (detected := self._detected.get()) is not None:
            self._room.release()
            self._guarded(self._map, detected)

    def _map(self, detected: DetectedFrame) -> None:
        report = self._mapper.integrate(detected, self.governor.plan)
        self.governor.note(report.mapping_ms)
        self._on_report(report)

    def _guarded(self, work: Callable[[Work], Result], item: Work) -> Result | None:
        """The result of the work; None once either thread has failed."""
        if self.failure is not None:
            return None
        try:
            return work(item)
        except Exception as error:  # noqa: BLE001 - handed to the owner, see `failure`
            _log.exception("mapping has stopped")
            self.failure = error
            self._slot.close()
            return None


def as_it_is(frame: RGBDFrame) -> RGBDFrame:
    """The frame: what `MappingPipeline` reads from a slot of frames."""
    return frame


def map_all(
    mapper: Mapper,
    frames: Iterable[RGBDFrame],
    on_report: Callable[[MapperReport], None] = lambda _report: None,
) -> None:
    """Map a recording: every frame, nothing deferred, detection and mapping overlapped.

    Args:
        on_report: called after each frame, on the mapping thread.

    Raises:
        Exception: the error that ended the pipeline, or that the iterator of frames raised.
    """
    slot: LatestSlot[RGBDFrame] = LatestSlot()
    governor = Governor(MapperConfig(deadline_ms=0.0))
    pipeline = MappingPipeline(mapper, slot, governor, as_it_is, on_report)
    pipeline.start()
    try:
        for frame in frames:
            slot.put_patiently(frame)
            if pipeline.failure is not None:
                break
    finally:
        pipeline.stop()


class LatestSlot(Generic[Item]):
    """A short queue that drops its oldest item when a new one arrives and it is full.

    A capacity of one keeps latency lowest; a few items bridge a slow frame without a loss.
    """

    def __init__(self, capacity: int = 1) -> None:
        """
        Raises:
            ValueError: a capacity below 1.
        """
        if capacity < 1:
            raise ValueError(f"a slot holds at least 1 item, not {capacity}")
        self._items: deque[Item] = deque()
        self._capacity = capacity
        self._dropped = 0
        self._is_closed = False
        self._changed = threading.Condition()

    @property
    def dropped(self) -> int:
        """Items that newer ones have replaced."""
        with self._changed:
            return self._dropped

    def put(self, item: Item) -> None:
        """Add an item without waiting; ignored after `close`."""
        with self._changed:
            if self._is_closed:
                return
            if len(self._items) == self._capacity:
                self._items.popleft()
                self._dropped += 1
            self._items.append(item)
            self._changed.notify_all()

    def put_patiently(self, item: Item) -> None:
        """Add an item as soon as there is room; ignored after `close`."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._items) < self._capacity or self._is_closed)
            self.put(item)

    def take(self) -> Item | None:
        """Remove and return the oldest item, waiting for one; None once closed and empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._is_closed)
            self._changed.notify_all()
            return self._items.popleft() if self._items else None

    def close(self) -> None:
        """Accept no more items; those that are there can still be taken."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
