"""Workers of the sandbox: only a program past its deadline is stopped."""

from __future__ import annotations

import threading

from scenemind.reasoning.sandbox.workers import RunningProgram, Watchdog
from tests.waiting import wait_until


def test_each_is_stopped_in_its_time() -> None:
    watchdog = Watchdog()
    late, early, ended = RunningProgram(), RunningProgram(), RunningProgram()
    with watchdog.watching(late, 600.0), watchdog.watching(early, 0.01):
        wait_until(lambda: early.is_stopped)
        assert not late.is_stopped
    with watchdog.watching(ended, 600.0), watchdog.watching(late, 0.0):
        wait_until(lambda: late.is_stopped)
    watchdog.close()
    assert not ended.is_stopped


def test_its_thread_ends_with_it() -> None:
    watchdog = Watchdog()
    others = set(threading.enumerate())
    with watchdog.watching(RunningProgram(), 600.0):
        (thread,) = set(threading.enumerate()) - others
        watchdog.close()
        thread.join(60.0)
    assert not thread.is_alive()
