"""Runs Python that a model wrote, in worker processes that reach nothing.

Model-written programs are data until here. They run in Monty, an interpreter of a part of Python
that has no files, no network and no processes, one program a session, in a worker process with an
empty environment and with limits of the operating system beneath the interpreter's own (`worker`).
A worker that dies is replaced; this process is never at risk.
"""

from __future__ import annotations

import logging
import time
from types import TracebackType
from typing import Any

from pydantic_monty import Monty, MontyError, MontySession, ResourceLimits

from scenemind.config.sandbox import SandboxConfig
from scenemind.reasoning.sandbox.api import SandboxApi
from scenemind.reasoning.sandbox.errors import ProgramError, SandboxError
from scenemind.reasoning.sandbox.host_functions import HostFunctions
from scenemind.reasoning.sandbox.imports import find_forbidden_import
from scenemind.reasoning.sandbox.outcome import Outcome
from scenemind.reasoning.sandbox.printed import Printed
from scenemind.reasoning.sandbox.tracebacks import error_of
from scenemind.reasoning.sandbox.worker import WorkerScript

_log = logging.getLogger(__name__)

# Of the worker, on top of what the program may take: it is killed then, as its interpreter does not
# look at the clock within one operation.
_GRACE_S = 0.5
# A defect of Monty 1.4: a comprehension outside functions whose variable has the name of a builtin
# (`[id for id in ids]`) finds the builtin. It does not when the name is a global.
_OWN_NAMES = (
    "abs", "all", "any", "bin", "bool", "chr", "dict", "divmod", "enumerate", "filter", "float",
    "format", "getattr", "hash", "hex", "id", "int", "iter", "len", "list", "map", "max", "min",
    "next", "object", "oct", "open", "ord", "pow", "print", "range", "repr", "reversed", "round",
    "set", "sorted", "str", "sum", "tuple", "zip",
)  # fmt: skip
_FIRST_LINES = "".join(f"{name} = {name}\n" for name in _OWN_NAMES)
# For a worker to become free; there are as many as programs that may run at a time.
_PATIENCE_S = 60.0


class Sandbox:
    """Workers that are started once and serve one program after the other; thread-safe."""

    def __init__(self, config: SandboxConfig | None = None) -> None:
        """
        Raises:
            SandboxError: the interpreter is not installed, or does not start.
        """
        self._config = config or SandboxConfig()
        self._is_closed = False
        self._script = WorkerScript()
        self._pool = Monty(
            binary_path=str(self._script.path),
            max_processes=self._config.workers,
            checkout_timeout=_PATIENCE_S,
            feed_duration_limit_grace=_GRACE_S,
        )
        try:
            self._pool.__enter__()
        except Exception as error:
            self._script.close()
            raise SandboxError(f"the sandbox's workers do not start: {error}") from error

    def run(self, program: str, api: SandboxApi, seconds: float | None = None) -> Outcome:
        """What the program does; never raises for what a program can do.

        Where the API has stubs, the program is checked by them first, and does not run with a call
        that cannot work: what is wrong is then told all at once.

        Args:
            seconds: of computing, where that is less than the configured limit.

        Raises:
            SandboxError: no worker is free, the API itself does not run, or it is closed.
            Exception: what a host function raised that is no `ApiError`.
        """
        if self._is_closed:
            raise SandboxError("the sandbox is closed, and runs no programs any more")
        start = time.perf_counter()
        printed = Printed(self._config.printed_characters)
        value, error = None, self._refusal(program)
        if error is None:
            value, error = self._run(program, api, printed, seconds)
        return Outcome(value, printed.text, error, time.perf_counter() - start)

    def close(self) -> None:
        """End the workers; the second call does nothing."""
        self._is_closed = True
        self._pool.__exit__(None, None, None)
        self._script.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _refusal(self, program: str) -> ProgramError | None:
        """Why a program is not run at all."""
        longest = self._config.program_characters
        if len(program) > longest:
            return ProgramError(
                "length", f"the program has {len(program)} characters, the limit is {longest}"
            )
        return find_forbidden_import(program)

    def _run(
        self, program: str, api: SandboxApi, printed: Printed, seconds: float | None
    ) -> tuple[Any, ProgramError | None]:
        config = self._config
        functions = HostFunctions(api.functions, config.host_seconds)
        checkout = self._pool.checkout(
            script_name="program",
            limits=self._limits(
                config.seconds if seconds is None else min(seconds, config.seconds)
            ),
            type_check=bool(api.stubs),
            type_check_stubs=api.stubs or None,
            type_check_format="concise",
            os_policy={"sleep": "zero"},
        )
        value, error = None, None
        try:
            with checkout as session:
                _prepare(session, api, functions)
                try:
                    value = session.feed_run(
                        program, external_lookup=functions.by_name, print_callback=printed
                    )
                except MontyError as failure:
                    error = error_of(failure, printed, config)
                except TypeError:
                    # Of Monty 1.4, for a set of instances: it makes proxies that cannot be in one.
                    _log.debug("the value of a program cannot leave the sandbox")
        except TimeoutError as failure:
            raise SandboxError(
                f"none of the sandbox's {config.workers} workers became free in {_PATIENCE_S:g} s:"
                " raise sandbox.workers, or ask less at a time"
            ) from failure
        functions.raise_bug()
        return value, error

    def _limits(self, seconds: float) -> ResourceLimits:
        config = self._config
        return {
            "max_feed_duration_secs": seconds,
            "max_memory": config.memory_mb * 2**20,
            "max_recursion_depth": config.recursion,
            "max_suspensions": config.host_calls,
        }


def _prepare(session: MontySession, api: SandboxApi, functions: HostFunctions) -> None:
    """
    Raises:
        SandboxError: the prelude or a value of the API is no good, which no program can help.
    """
    try:
        session.feed_run(
            _FIRST_LINES + api.prelude,
            inputs=dict(api.values),
            external_lookup=functions.by_name,
            skip_type_check=True,
        )
    except MontyError as failure:
        raise SandboxError(f"the API of the sandbox does not run: {failure}") from failure
