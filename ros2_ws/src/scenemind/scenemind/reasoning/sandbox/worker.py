"""The executable that a worker process runs: the interpreter with an empty environment and with the
operating system's own limits, a second layer under the interpreter's."""

from __future__ import annotations

import shlex
import shutil
import sysconfig
import tempfile
from pathlib import Path
from types import TracebackType

from scenemind.reasoning.sandbox.errors import SandboxError

# The interpreter's own memory is counted in it, and so is address space that it only reserves.
_ADDRESS_SPACE_KB = 1_000_000
# Values are copied on their way out.
_COPIES = 4
# Of one worker in all its life; the pool replaces one that has used them up.
_CPU_S = 3600
_OPEN_FILES = 16


class WorkerScript:
    """A file to execute, there while this is open."""

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
        """Write it again where it is gone: systems that run for weeks tidy folders such as /tmp."""
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
