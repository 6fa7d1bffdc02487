"""The end of child processes, also under a parent that ignores signals."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenemind_ros.commands.up import ChildProcesses
from scenemind_ros.executables import UNINTERRUPTED

from .graph import TIMEOUT_S, wait_for

# A module that runs until it is told to end.
MODULE = "http.server"
PORTS = ("--bind", "127.0.0.1", "0")


@pytest.fixture
def _in_background() -> Iterator[None]:
    """Ignore SIGINT, as in a process that a shell started with `&`; children inherit that."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_in_background")
def test_child_gets_its_first_signal(tmp_path: Path) -> None:
    children = ChildProcesses()
    with (tmp_path / "log").open("wb") as log:
        children.start(MODULE, PORTS, log)
        assert children.stop() == [], "it had to be killed"


def test_a_child_that_ends_is_found(tmp_path: Path) -> None:
    children = ChildProcesses()
    with (tmp_path / "log").open("wb") as log:
        children.start(MODULE, ("--no-such-option",), log)
        assert wait_for(children.find_ended, "its end") == (MODULE, 2)
    assert children.stop() == []
    assert "no-such-option" in (tmp_path / "log").read_text()


def test_an_interrupt_before_python_is_up_ends_a_node_cleanly() -> None:
    code = "from scenemind_ros.executables import mapping_node; raise SystemExit(mapping_node())"
    started = subprocess.Popen(
        [*UNINTERRUPTED.split(), sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    state = Path(f"/proc/{started.pid}/status")

    def waits() -> bool:
        blocked = next(x for x in state.read_text().splitlines() if x.startswith("SigBlk:"))
        return bool(int(blocked.split()[1], 16) >> (signal.SIGINT - 1) & 1)

    wait_for(waits, "the moment from which an interrupt waits")
    started.send_signal(signal.SIGINT)
    said, _ = started.communicate(timeout=TIMEOUT_S)
    assert (started.returncode, said) == (0, "")
