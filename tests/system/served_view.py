"""`scenemind view` as a process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_COMMAND = (sys.executable, "-m", "scenemind.cli.main", "view", "--port", "0", "--no-browser")
# This number is drawn quickly without a graphics card.
_FEW_POINTS = ("--points", "20000")


@contextmanager
def served_view(*arguments: str, environment: Mapping[str, str] = os.environ) -> Iterator[str]:
    """The address that the command prints; it ends cleanly when it is interrupted."""
    command = [*_COMMAND, *_FEW_POINTS, *arguments]
    view = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(environment))
    assert view.stdout is not None
    try:
        line = view.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line
        yield found[0]
    finally:
        view.send_signal(signal.SIGINT)
        status = view.wait(30.0)
        view.stdout.close()
    assert status == 0
