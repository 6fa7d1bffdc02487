"""Nodes as child processes that end with their parent."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import IO

_SHUTDOWN_S = 20.0  # the memory is written to disk meanwhile
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux' prctl
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class ChildProcesses:
    """Python modules that run until `stop`.

    They end on SIGTERM: a node treats it as SIGINT, and Python before it is a node dies of it
    without a traceback.
    """

    def __init__(self) -> None:
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, module: str, arguments: Sequence[str], log: IO[bytes] | None = None) -> None:
        """Run `python -m module`; what it prints goes to `log`, or where this process prints."""
        self._running[module] = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT if log else None,
            # The terminal's Ctrl-C reaches only the parent, which then ends them in order.
            start_new_session=True,
            preexec_fn=_prepare_child,
        )

    def find_ended(self) -> tuple[str, int] | None:
        """Module and exit status of one that is not running any more."""
        for module, process in self._running.items():
            if process.poll() is not None:
                return module, process.returncode
        return None

    def stop(self) -> list[str]:
        """End them all; the modules of those that had to be killed."""
        for process in self._running.values():
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + _SHUTDOWN_S
        killed = []
        for module, process in self._running.items():
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                killed.append(module)
        self._running.clear()
        return killed


def _prepare_child() -> None:
    """In the child: it ends when its parent is killed."""
    if _libc is not None:
        _libc.prctl(_DIE_WITH_PARENT, signal.SIGTERM)
