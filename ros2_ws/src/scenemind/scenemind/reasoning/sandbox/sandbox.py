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

from pydantic_monty import (
    MontyError,
    MontyRuntimeError,
    MontySession,
    MontySyntaxError,
    MontyTypingError,
    ResourceLimits,
)

from scenemind.config.sandbox import SandboxConfig
from scenemind.reasoning.sandbox.api import SandboxApi
from scenemind.reasoning.sandbox.errors import ProgramError, SandboxError
from scenemind.reasoning.sandbox.host_functions import HostFunctions
from scenemind.reasoning.sandbox.imports import find_forbidden_import
from scenemind.reasoning.sandbox.outcome import Outcome
from scenemind.reasoning.sandbox.printed import Printed
from scenemind.reasoning.sandbox.running import RunningProgram, Waking
from scenemind.reasoning.sandbox.tracebacks import error_of
from scenemind.reasoning.sandbox.values import is_small
from scenemind.reasoning.sandbox.workers import NoTimeLeftError, Workers

_log = logging.getLogger(__name__)

# A defect of Monty 1.4: a comprehension outside functions whose variable has the name of a builtin
# (`[id for id in ids]`) finds the builtin. It does not when the name is a global.
_OWN_NAMES = (
    "abs", "all", "any", "bin", "bool", "chr", "dict", "divmod", "enumerate", "filter", "float",
    "format", "getattr", "hash", "hex", "id", "int", "iter", "len", "list", "map", "max", "min",
    "next", "object", "oct", "open", "ord", "pow", "print", "range", "repr", "reversed", "round",
    "set", "sorted", "str", "sum", "tuple", "zip",
)  # fmt: skip
_FIRST_LINES = "".join(f"{name} = {name}\n" for name in _OWN_NAMES)
# Of a program whose time is over before it begins.
_LEAST_SECONDS = 0.001
# Known to nobody: the checker complains of it, so that nothing is run.
_UNKNOWN = "_end_of_the_checked_program"


class Sandbox:
    """Workers that are started once and serve one program after the other; thread-safe."""

    def __init__(self, config: SandboxConfig | None = None) -> None:
        """
        Raises:
            SandboxError: the interpreter is not installed, or does not start.
        """
        self._config = config or SandboxConfig()
        self._workers = Workers(self._config.workers, self._config.memory_mb)

    def run(
        self,
        program: str,
        api: SandboxApi,
        seconds: float | None = None,
        waking: Waking | None = None,
    ) -> Outcome:
        """What the program does; never raises for what a program can do.

        Args:
            seconds: until it has to be over, waiting for a worker and for host functions included;
                it computes no longer than the configured limit either way. One call of a host
                function is not broken off.
            waking: has the program ended early, such as `Allowance.waking`.

        Raises:
            SandboxError: no worker is free, the API itself does not run, or it is closed.
            Exception: what a host function raised that is no `ApiError`.
        """
        self._workers.check_open()
        start = time.perf_counter()
        printed = Printed(self._config.printed_characters)
        value, error = None, self._refusal(program)
        if error is None:
            try:
                value, error = self._run(program, api, printed, seconds, waking)
            except NoTimeLeftError as failure:
                error = ProgramError("time", f"TimeoutError: {failure}")
        return Outcome(value, printed.text, error, time.perf_counter() - start)

    def check(
        self, program: str, api: SandboxApi, seconds: float | None = None
    ) -> ProgramError | None:
        """What a type checker says of a program by the API's stubs, all of it at once; nothing is
        run.

        Raises:
            SandboxError: no worker is free, or it is closed.
        """
        settings = {
            **self._settings(seconds),
            "type_check": True,
            "type_check_stubs": api.stubs or None,
            "type_check_format": "concise",
        }
        try:
            with self._workers.session(seconds, None, settings) as (session, _):
                session.feed_run(f"{program}\n{_UNKNOWN}")
        except MontyTypingError as failure:
            lines = failure.display().strip().splitlines()
            text = "\n".join(line for line in lines if _UNKNOWN not in line)
            return ProgramError("type", text) if text else None
        except (MontyError, NoTimeLeftError) as failure:
            _log.info("a program was not checked: %s", failure)
        return None

    def close(self) -> None:
        """End the workers, and the programs that run; the second call does nothing."""
        self._workers.close()

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
        self,
        program: str,
        api: SandboxApi,
        printed: Printed,
        seconds: float | None,
        waking: Waking | None,
    ) -> tuple[Any, ProgramError | None]:
        value, error = None, None
        with self._workers.session(seconds, waking, self._settings(seconds)) as (session, running):
            functions = HostFunctions(
                api.functions, self._config.host_seconds, lambda: running.is_stopped
            )
            try:
                _prepare(session, api, functions)
                value = _value_of(session, program, functions, printed)
            except MontyError as failure:
                error = self._error_of(failure, printed, running)
        functions.raise_bug()
        if not is_small(value):
            return None, ProgramError("output", "the value of the program's last line is too large")
        return value, error

    def _error_of(
        self, failure: MontyError, printed: Printed, running: RunningProgram
    ) -> ProgramError:
        if running.is_stopped:
            self._workers.check_open()
            return ProgramError("time", "TimeoutError: the time for the program is over")
        return error_of(failure, printed, self._config)

    def _settings(self, seconds: float | None) -> dict[str, Any]:
        config = self._config
        limits: ResourceLimits = {
            "max_feed_duration_secs": (
                config.seconds
                if seconds is None
                else min(max(seconds, _LEAST_SECONDS), config.seconds)
            ),
            "max_memory": config.memory_mb * 2**20,
            "max_recursion_depth": config.recursion,
            "max_suspensions": config.host_calls,
        }
        return {"script_name": "program", "limits": limits, "os_policy": {"sleep": "zero"}}


def _prepare(session: MontySession, api: SandboxApi, functions: HostFunctions) -> None:
    """
    Raises:
        MontyError: the time is over, or the worker dies.
        SandboxError: the prelude or a value of the API is no good, which no program can help.
    """
    try:
        session.feed_run(
            _FIRST_LINES + api.prelude,
            inputs=dict(api.values),
            external_lookup=functions.by_name,
        )
    except (MontyRuntimeError, MontySyntaxError) as failure:
        if isinstance(failure.exception(), TimeoutError):
            raise
        raise SandboxError(f"the API of the sandbox does not run: {failure}") from failure


def _value_of(
    session: MontySession, program: str, functions: HostFunctions, printed: Printed
) -> Any:
    """Runs it."""
    try:
        return session.feed_run(program, external_lookup=functions.by_name, print_callback=printed)
    except TypeError:
        # Of Monty 1.4, for a set of instances: it makes proxies that cannot be in one.
        _log.debug("the value of a program cannot leave the sandbox")
        return None
