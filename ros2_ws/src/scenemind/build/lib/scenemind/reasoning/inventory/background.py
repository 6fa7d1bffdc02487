"""An inventory that goes on while a place is mapped: one call at a time, on a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scenemind.config import InventoryConfig
from scenemind.memory import Memory, SceneMemoryError
from scenemind.models import Allowance, ModelError, Usage
from scenemind.reasoning.inventory.coverage import Coverage
from scenemind.reasoning.inventory.inventory import Inventory, InventoryBudget, InventoryReport
from scenemind.reasoning.method import Asking
from scenemind.reasoning.query import ReasoningError

_log = logging.getLogger(__name__)
_IDLE_S = 5.0  # until it looks whether there is more to see
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 4.0, 300.0  # after failures, doubled each time
_STEP_S = 300.0  # of one call and the work around it


@dataclass(frozen=True, slots=True)
class InventoryCounts:
    """What a background inventory has done since its start.

    Attributes:
        named: new objects. settled: labels of objects that were there.
        left_calls: of its budget.
        failed: cause -> count.
    """

    pictures: int
    named: int
    settled: int
    usage: Usage
    left_calls: int
    failed: Mapping[str, int]


class BackgroundInventory:
    """A thread that takes an inventory bit by bit, running from construction until `close`.

    Mapping notices no more of it than of a question: it reads snapshots and stored frames, and what
    it finds is written like a correction, a few objects at a time. When its budget is used up it
    ends; a new start has a new one.
    """

    def __init__(
        self,
        memory: Memory,
        inventory: Inventory,
        config: InventoryConfig,
        new_allowance: Callable[[float], Allowance] = Allowance,
    ) -> None:
        """
        Args:
            new_allowance: the limits of one call, of that many seconds.
        """
        self._memory = memory
        self._inventory = inventory
        self._config = config
        self._new_allowance = new_allowance
        self._coverage = Coverage()
        self._reviewed: set[int] = set()
        self._lock = threading.Lock()  # guards what follows
        self._pictures = self._named = self._settled = 0
        self._usage = Usage()
        self._failed: Counter[str] = Counter()
        self._running: Allowance | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="inventory", daemon=True)
        self._thread.start()

    @property
    def counts(self) -> InventoryCounts:
        with self._lock:
            left = max(0, self._config.calls - self._usage.calls)
            return InventoryCounts(
                self._pictures, self._named, self._settled, self._usage, left, dict(self._failed)
            )

    @property
    def is_over(self) -> bool:
        """Whether the budget is used up, or it was closed."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Cancel a running call and end the thread; the second call does nothing."""
        self._stop.set()
        with self._lock:
            running = self._running
        if running is not None:
            running.cancel()
        self._thread.join()

    def __enter__(self) -> BackgroundInventory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        pause_s = 0.0
        while not self._stop.is_set() and self._has_budget():
            try:
                report = self._step()
            except ReasoningError:  # no frame is stored yet
                self._stop.wait(_IDLE_S)
                continue
            except ModelError as error:
                if self._stop.is_set():
                    return
                self._note_failure(error.kind, error)
                report = None
            except SceneMemoryError as error:
                self._note_failure("disk_failed", error)
                report = None
            except Exception as error:  # noqa: BLE001 - a bug, which must not end mapping
                self._note_failure("failed", error)
                report = None
            if report is None:
                pause_s = min(2.0 * pause_s or _FIRST_PAUSE_S, _LONGEST_PAUSE_S)
                self._stop.wait(pause_s)
            else:
                pause_s = 0.0
                calls = report.usage.calls
                if not self._has_budget():
                    return
                self._stop.wait(60.0 * calls / self._config.per_minute if calls else _IDLE_S)

    def _has_budget(self) -> bool:
        config, used = self._config, self.counts.usage
        return used.calls < config.calls and not (config.tokens and used.tokens >= config.tokens)

    def _step(self) -> InventoryReport:
        """One call, and what it finds written; without a call where there is nothing to see."""
        allowance = self._new_allowance(_STEP_S)
        with self._lock:
            self._running = allowance
        if self._stop.is_set():
            allowance.cancel()
        budget = InventoryBudget(calls=1, reviews=1)
        try:
            report = self._inventory.propose(
                self._memory, budget, Asking(allowance), self._coverage, self._reviewed
            )
            with allowance.committing():
                report = self._inventory.keep(report, self._memory)
        finally:
            with self._lock:
                self._running = None
                self._usage += allowance.used
        self._reviewed.update(report.reviewed)
        with self._lock:
            self._pictures += len(report.pictures)
            self._named += len(report.things)
            self._settled += len(report.renamed) + len(report.confirmed)
        return report

    def _note_failure(self, kind: str, error: Exception) -> None:
        with self._lock:
            is_first = not self._failed[kind]
            self._failed[kind] += 1
        if is_first:
            _log.warning("inventory: %s; others of this kind are only counted", error)
