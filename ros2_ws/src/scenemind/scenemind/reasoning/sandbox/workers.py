"""The worker processes of a sandbox: started once, replaced when they die, lent to one program at a
time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from pydantic_monty import Monty, MontyCrashedError, MontyError, MontySession

from scenemind.reasoning.sandbox.errors import SandboxError
from scenemind.reasoning.sandbox.running import RunningProgram, Waking
from scenemind.reasoning.sandbox.watchdog import Watchdog
from scenemind.reasoning.sandbox.worker import WorkerScript

_log = logging.getLogger(__name__)

# Of the worker, on top of what the program may take: it is killed then, as its interpreter does not
# look at the clock within one operation.
_GRACE_S = 0.5
# Of a program, likewise, when the time of who asked is over.
_LATE_S = 0.2
# Who waits for a worker looks so often whether anybody still waits for the program.
_LOOK_UP_S = 0.1
# For a worker to become free; there are as many as programs that may run at a time.
_PATIENCE_S = 60.0
_CLOSED = "the sandbox is closed, and runs no programs any more"


class NoTimeLeftError(Exception):
    """No worker became free as long as anybody waited for the program."""


class Workers:
    """Thread-safe."""

    def __init__(self, count: int, memory_mb: int) -> None:
        """
        Args:
            memory_mb: of the values of a program.

        Raises:
            SandboxError: the interpreter is not installed, or does not start.
        """
        self._count = count
        self._free = threading.BoundedSemaphore(count)
        self._lock = threading.Lock()  # of the two below
        self._running: set[RunningProgram] = set()
        self._is_closed = False
        self._watchdog = Watchdog()
        self._script = WorkerScript(memory_mb)
        self._pool = Monty(
            binary_path=str(self._script.path),
            max_processes=count,
            checkout_timeout=_PATIENCE_S,
            feed_duration_limit_grace=_GRACE_S,
        )
        try:
            self._pool.__enter__()
        except Exception as error:
            self._script.close()
            raise SandboxError(f"the sandbox's workers do not start: {error}") from error

    def check_open(self) -> None:
        """
        Raises:
            SandboxError: it is closed.
        """
        if self._is_closed:
            raise SandboxError(_CLOSED)

    def close(self) -> None:
        """End the workers, and the programs that run; the second call does nothing."""
        with self._lock:
            self._is_closed = True
            running = list(self._running)
        for program in running:
            program.stop()
        self._watchdog.close()
        self._pool.__exit__(None, None, None)
        self._script.close()

    @contextmanager
    def session(
        self, seconds: float | None, waking: Waking | None, settings: dict[str, Any]
    ) -> Iterator[tuple[MontySession, RunningProgram]]:
        """A worker for one program, which is killed when the seconds are over or it is woken.

        Args:
            seconds: from now on; None: no limit of its own.
            settings: of `Monty.checkout`.

        Raises:
            NoTimeLeftError: none became free in that time, or before it was woken.
            SandboxError: none became free at all or starts, or it is closed.
        """
        start = time.monotonic()
        with ExitStack() as stack:
            running = RunningProgram()
            if waking is not None:
                stack.enter_context(waking(running.stop))
            self._wait_for_one(seconds, running)
            stack.callback(self._free.release)
            with self._lock:
                self.check_open()
                self._running.add(running)
            stack.callback(self._forget, running)
            if seconds is not None:
                left_s = max(0.0, seconds - (time.monotonic() - start)) + _LATE_S
                stack.enter_context(self._watchdog.watching(running, left_s))
            session = self._started(stack, settings)
            running.begin(session.worker_pid)
            stack.callback(running.end)
            yield session, running

    def _wait_for_one(self, seconds: float | None, running: RunningProgram) -> None:
        patience_s = _PATIENCE_S if seconds is None else min(max(seconds, 0.0), _PATIENCE_S)
        due, left_s = time.monotonic() + patience_s, patience_s
        while not self._free.acquire(timeout=min(left_s, _LOOK_UP_S)):
            if running.is_stopped:
                raise NoTimeLeftError("nobody waits for the program any more")
            left_s = due - time.monotonic()
            if left_s <= 0.0:
                raise self._too_busy(patience_s)

    def _too_busy(self, patience_s: float) -> SandboxError | NoTimeLeftError:
        busy = f"none of the sandbox's {self._count} workers became free in {patience_s:g} s"
        advice = "raise sandbox.workers, or ask less at a time"
        if patience_s == _PATIENCE_S:
            return SandboxError(f"{busy}: {advice}")
        _log.warning("%s: %s", busy, advice)
        return NoTimeLeftError(busy)

    def _started(self, stack: ExitStack, settings: dict[str, Any]) -> MontySession:
        with self._lock:
            self._script.restore()
        for dead in range(self._count + 1):
            try:
                return stack.enter_context(self._pool.checkout(**settings))
            except (MontyError, RuntimeError, TimeoutError) as failure:
                self.check_open()
                # One that was idle, and that somebody else has killed, such as the kernel.
                if isinstance(failure, MontyCrashedError) and dead < self._count:
                    continue
                raise SandboxError(f"no worker of the sandbox starts: {failure}") from failure
        raise AssertionError("the last of them is raised")

    def _forget(self, running: RunningProgram) -> None:
        with self._lock:
            self._running.discard(running)
