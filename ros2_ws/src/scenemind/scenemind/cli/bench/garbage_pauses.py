"""How long Python's garbage collector holds up what is measured."""

from __future__ import annotations

import gc
import time
from types import TracebackType
from typing import Literal


class GarbagePauses:
    """Counts while it is entered.

    Attributes:
        longest_ms, total_ms: of the collections, in CPU time of the thread that ran into them.
    """

    def __init__(self) -> None:
        self.longest_ms = 0.0
        self.total_ms = 0.0
        self._since = 0.0

    def __enter__(self) -> GarbagePauses:
        gc.callbacks.append(self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        gc.callbacks.remove(self._note)

    def _note(self, phase: Literal["start", "stop"], _info: dict[str, int]) -> None:
        if phase == "start":
            self._since = time.thread_time()
            return
        pause_ms = (time.thread_time() - self._since) * 1e3
        self.longest_ms = max(self.longest_ms, pause_ms)
        self.total_ms += pause_ms
