"""The worker processes of a sandbox: started once, replaced when they die, lent to one program at a
time, and stopped when its time is over.
"""

from __future__ import annotations

import logging
import math
import os
import shlex
import shutil
import signal
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from pydantic_monty import Monty, MontyCrashedError, MontyError, MontySession

from scenemind.errors import SandboxError

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
    """No worker became free within the program's time."""


class Workers:
    """The worker processes of a sandbox. Thread-safe."""

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
        """A worker for one program; it is killed when the time is over or the program is woken.

        Args:
            seconds: limit from now on; None: no limit.
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


# Has something called when nobody waits any more, as long as the context lasts.
Waking = Callable[[Callable[[], object]], AbstractContextManager[None]]


class RunningProgram:
    """A program in its worker, which another thread may stop. Thread-safe.

    The worker is killed, as its interpreter does not check a flag while it computes; the pool
    starts another one. A running host function is not interrupted, but no other one is called.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # of the two below
        self._worker_pid: int | None = None
        self._is_stopped = False

    @property
    def is_stopped(self) -> bool:
        return self._is_stopped

    def begin(self, worker_pid: int | None) -> None:
        with self._lock:
            self._worker_pid = worker_pid
            self._kill_where_stopped()

    def end(self) -> None:
        """The worker is released."""
        with self._lock:
            self._worker_pid = None

    def stop(self) -> None:
        """The second call does nothing."""
        with self._lock:
            self._is_stopped = True
            self._kill_where_stopped()

    def _kill_where_stopped(self) -> None:
        if self._is_stopped and self._worker_pid is not None:
            with suppress(ProcessLookupError):  # it has just died by itself
                os.kill(self._worker_pid, signal.SIGKILL)
            self._worker_pid = None


class Watchdog:
    """Stops programs whose time is over, with one thread for all. Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()  # of all below
        self._due: dict[RunningProgram, float] = {}
        self._wakes_at = math.inf
        self._thread: threading.Thread | None = None
        self._is_closed = False

    @contextmanager
    def watching(self, program: RunningProgram, seconds: float) -> Iterator[None]:
        """Stop a program if it is still running after so many seconds."""
        due = time.monotonic() + seconds
        with self._changed:
            self._due[program] = due
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="sandbox", daemon=True)
                self._thread.start()
            elif due < self._wakes_at:  # else it looks early enough: nobody is woken in vain
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._due.pop(program, None)

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while not self._is_closed:
                now = time.monotonic()
                for program in [p for p, due in self._due.items() if due <= now]:
                    del self._due[program]
                    program.stop()
                self._wakes_at = min(self._due.values(), default=math.inf)
                is_idle = self._wakes_at == math.inf
                self._changed.wait(None if is_idle else self._wakes_at - now)


# The interpreter's own memory is counted in it, and so is address space that it only reserves.
_ADDRESS_SPACE_KB = 1_000_000
# Values are copied on their way out.
_COPIES = 4
# Of one worker in all its life; the pool replaces one that has used them up.
_CPU_S = 3600
_OPEN_FILES = 16


class WorkerScript:
    """The executable file of the workers, which exists while this is open: the interpreter with an
    empty environment and limits of the operating system."""

    def __init__(self, memory_mb: int) -> None:
        """
        Args:
            memory_mb: of the values of a program, by the interpreter's own limit.

        Raises:
            SandboxError: the interpreter is not installed.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="scenemind-sandbox-")
        self.path = Path(self._folder.name) / "worker"
        self._text = _script(_interpreter(), max(_ADDRESS_SPACE_KB, _COPIES * 1024 * memory_mb))
        self.restore()

    def restore(self) -> None:
        """Write the file again if it was deleted: long-running systems clean folders such as
        /tmp."""
        if not self.path.exists():
            self.path.parent.mkdir(mode=0o700, exist_ok=True)
            self.path.write_text(self._text, encoding="utf-8")
            self.path.chmod(0o700)

    def close(self) -> None:
        self._folder.cleanup()

    def __enter__(self) -> WorkerScript:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _interpreter() -> str:
    here = sysconfig.get_path("scripts")
    found = shutil.which("monty", path=here) or shutil.which("monty")
    if found is None:
        raise SandboxError(
            f"the sandbox's interpreter `monty` is neither in {here} nor on the PATH: install"
            " pydantic-monty again"
        )
    return found


def _script(interpreter: str, address_space_kb: int) -> str:
    limits = {"c": 0, "f": 0, "n": _OPEN_FILES, "t": _CPU_S, "v": address_space_kb}
    lines = [f"ulimit -{name} {value} || exit 1" for name, value in limits.items()]
    return "\n".join(("#!/bin/sh", *lines, f'exec env -i {shlex.quote(interpreter)} "$@"', ""))
