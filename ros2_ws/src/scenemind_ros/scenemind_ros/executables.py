"""Entry points of the executables.

A node's imports take a second. An interrupt meanwhile ends the process like one that comes later:
with status 0, and without a traceback. Launch files start them behind `UNINTERRUPTED`, so that one
that comes before Python is up waits until then.
"""

from __future__ import annotations

import signal
from importlib import import_module

UNINTERRUPTED = "env --block-signal=INT"
"""What a process is started by, in which an interrupt waits until `_run`."""


def mapping_node() -> int:
    return _run("mapping_node")


def reasoning_node() -> int:
    return _run("reasoning_node")


def scenemind_node() -> int:
    return _run("scenemind_node")


def sequence_player() -> int:
    return _run("sequence_player")


def evaluate_benchmark() -> int:
    return _run("evaluation")


def _run(module: str) -> int:
    try:
        # A shell starts what runs in the background with interrupts ignored, also one that waits.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
        return int(import_module(f"scenemind_ros.{module}").main())
    except KeyboardInterrupt:
        return 0
    finally:  # Ctrl-C comes twice, from the terminal and from launch
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
