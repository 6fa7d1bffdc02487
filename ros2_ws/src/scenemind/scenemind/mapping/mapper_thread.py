"""Maps on a thread of its own, so that receiving never waits for a model."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from scenemind.frames import RGBDFrame
from scenemind.mapping.latest import LatestSlot
from scenemind.mapping.mapper import Mapper, MapperReport

_log = logging.getLogger(__name__)


class MapperThread:
    """Takes frames from a slot until it is stopped.

    An unexpected error ends the thread: it is a bug, and is kept in `failure` for diagnostics and
    raised by `stop`.
    """

    def __init__(
        self,
        mapper: Mapper,
        slot: LatestSlot[RGBDFrame],
        on_report: Callable[[MapperReport], None] = lambda _report: None,
    ) -> None:
        """Args: on_report: called after each frame, on the mapping thread."""
        self._mapper = mapper
        self._slot = slot
        self._on_report = on_report
        self._thread = threading.Thread(target=self._run, name="mapper", daemon=True)
        self.failure: Exception | None = None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Close the slot, map what is still in it, and end.

        Raises:
            Exception: what ended the thread before, if something did.
        """
        self._slot.close()
        self._thread.join()
        if self.failure is not None:
            raise self.failure

    def _run(self) -> None:
        try:
            while (frame := self._slot.take()) is not None:
                self._on_report(self._mapper.process(frame))
        except Exception as error:  # noqa: BLE001 - handed to the owner, see `failure`
            _log.exception("mapping has stopped")
            self.failure = error
