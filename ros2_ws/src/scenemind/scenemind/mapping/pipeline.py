"""Maps on threads of its own, so that receiving never waits for a model.

One thread detects, the other tracks, lifts and remembers: a network runs on one frame while the
frame before goes into memory.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

from scenemind.config import MapperConfig
from scenemind.frames import RGBDFrame
from scenemind.mapping.governor import Governor
from scenemind.mapping.latest import LatestSlot
from scenemind.mapping.mapper import DetectedFrame, Mapper, MapperReport
from scenemind.memory.garbage import settle_garbage

_log = logging.getLogger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")


class MappingPipeline:
    """Takes frames from a slot until it is stopped.

    An unexpected error ends it: it is a bug, and is kept in `failure` for diagnostics and raised
    by `stop`.

    Attributes:
        governor: says what is put off when frames take too long.
        failure: what ended the pipeline, if something did.
    """

    def __init__(
        self,
        mapper: Mapper,
        slot: LatestSlot[RGBDFrame],
        governor: Governor,
        on_report: Callable[[MapperReport], None] = lambda _report: None,
    ) -> None:
        """Args: on_report: called after each frame, on the mapping thread."""
        self._mapper = mapper
        self._slot = slot
        self._on_report = on_report
        # One frame waits at most: a detection that is not used soon was made in vain.
        self._detected: queue.Queue[DetectedFrame | None] = queue.Queue(maxsize=1)
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
            Exception: what ended the pipeline before, if something did.
        """
        self._slot.close()
        for thread in self._threads:
            thread.join()
        if self.failure is not None:
            raise self.failure

    def _detect_all(self) -> None:
        while (frame := self._slot.take()) is not None:
            detected = self._guarded(self._mapper.detect, frame)
            if detected is not None:
                self._detected.put(detected)
        self._detected.put(None)

    def _map_all(self) -> None:
        while (detected := self._detected.get()) is not None:
            self._guarded(self._map, detected)

    def _map(self, detected: DetectedFrame) -> None:
        report = self._mapper.integrate(detected, self.governor.plan)
        self.governor.note(report.mapping_ms)
        self._on_report(report)

    def _guarded(self, work: Callable[[Item], Result], item: Item) -> Result | None:
        """The work's result; None from the first failure on, of either thread."""
        if self.failure is not None:
            return None
        try:
            return work(item)
        except Exception as error:  # noqa: BLE001 - handed to the owner, see `failure`
            _log.exception("mapping has stopped")
            self.failure = error
            self._slot.close()
            return None


def map_all(
    mapper: Mapper,
    frames: Iterable[RGBDFrame],
    on_report: Callable[[MapperReport], None] = lambda _report: None,
) -> None:
    """Map a recording: every frame, nothing put off, detection and mapping overlapped.

    Args:
        on_report: called after each frame, on the mapping thread.

    Raises:
        Exception: what ended the pipeline, or what the frames' iterator raised.
    """
    slot: LatestSlot[RGBDFrame] = LatestSlot()
    pipeline = MappingPipeline(mapper, slot, Governor(MapperConfig(deadline_ms=0.0)), on_report)
    pipeline.start()
    try:
        for frame in frames:
            slot.put_patiently(frame)
            if pipeline.failure is not None:
                break
    finally:
        pipeline.stop()
