"""Python modules as child processes of a test, each with its log."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .graph import TIMEOUT_S, wait_for


class Process:
    """`python -m module arguments` or `python file arguments`."""

    def __init__(self, folder: Path, target: str | Path, *arguments: str) -> None:
        """Start the process; its output goes to a file in the folder."""
        self.log_path = folder / f"{Path(target).name}.log"
        run = [str(target)] if isinstance(target, Path) else ["-m", target]
        with self.log_path.open("ab") as log:
            self.popen = subprocess.Popen(
                [sys.executable, *run, *arguments], stdout=log, stderr=subprocess.STDOUT
            )

    @property
    def log(self) -> str:
        return self.log_path.read_text(encoding="utf-8")

    def wait_for_line(self, words: str) -> str:
        """The first line with these words."""

        def find() -> str | None:
            assert self.popen.poll() is None, f"it ended: {self.log}"
            return next((line for line in self.log.splitlines() if words in line), None)

        return str(wait_for(find, f"{words!r} in {self.log_path.name}"))

    def end(self, number: int = signal.SIGINT) -> int:
        """Its exit status after a signal."""
        self.popen.send_signal(number)
        return self.popen.wait(TIMEOUT_S)

    def close(self) -> None:
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()


def ros_arguments(parameters: Mapping[str, Any]) -> list[str]:
    """Command line arguments that set a node's parameters; texts may be empty."""
    arguments = ["--ros-args"]
    for name, value in parameters.items():
        text = f"'{value}'" if isinstance(value, str) else str(value).lower()
        arguments += ["-p", f"{name}:={text}"]
    return arguments
