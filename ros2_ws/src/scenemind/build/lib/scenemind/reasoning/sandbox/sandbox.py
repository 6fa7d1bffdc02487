"""Runs Python that a model wrote, in worker processes that reach nothing.

Model-written programs are data until here. They run in Monty, an interpreter of a part of Python
that has no files, no network and no processes, one program a session, in a worker process with an
empty environment and with limits of the operating system beneath the interpreter's own (`workers`).
A worker that dies is replaced; this process is never at risk.
"""

from __future__ import annotations

import inspect
import logging
import time
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any

from pydantic_monty import (
    MontyCrashedError,
    MontyError,
    MontyRuntimeError,
    MontySession,
    MontySyntaxError,
    MontyTypingError,
    ResourceLimits,
)

from scenemind.config.reasoning import SandboxConfig
from scenemind.errors import SandboxError
from scenemind.reasoning.sandbox.program import (
    ApiError,
    Outcome,
    ProgramError,
    ProgramErrorKind,
    SandboxApi,
    find_forbidden_import,
    is_small,
)
from scenemind.reasoning.sandbox.workers import NoTimeLeftError, RunningProgram, Waking, Workers

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
    """Workers that are started once and run one program after the other; thread-safe.

    Attributes:
        limits: of each program.
    """

    def __init__(self, config: SandboxConfig | None = None) -> None:
        """
        Raises:
            SandboxError: the interpreter is not installed, or does not start.
        """
        self.limits = config or SandboxConfig()
        self._workers = Workers(self.limits.workers, self.limits.memory_mb)

    def run(
        self,
        program: str,
        api: SandboxApi,
        seconds: float | None = None,
        waking: Waking | None = None,
    ) -> Outcome:
        """Run a program; errors of the program are part of the outcome.

        Args:
            seconds: limit for all, waiting for a worker and host functions included; computation
                has the configured limit too. A running host function is not interrupted.
            waking: ends the program early, such as `Allowance.waking`.

        Raises:
            SandboxError: no worker is free, the API itself does not run, or it is closed.
            Exception: what a host function raised that is no `ApiError`.
        """
        self._workers.check_open()
        start = time.perf_counter()
        printed = Printed(self.limits.printed_characters)
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
        """Type-check a program by the API's stubs, without running it; all errors at once.

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
        """Reason for refusing a program; None if it may run."""
        longest = self.limits.program_characters
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
            functions = HostFunctions(api, self.limits.host_seconds, lambda: running.is_stopped)
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
        return error_of(failure, printed, self.limits)

    def _settings(self, seconds: float | None) -> dict[str, Any]:
        config = self.limits
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


class HostFunctions:
    """The host functions for one program, with a time limit, and with bugs hidden from the program.

    Attributes:
        by_name: functions for the sandbox.
    """

    def __init__(
        self,
        api: SandboxApi,
        seconds: float,
        is_over: Callable[[], bool],
    ) -> None:
        """Args:
        seconds: limit for all calls together, without those that wait for others.
        is_over: whether the program was stopped; no function is called then.
        """
        self.by_name = {
            name: partial(self._call, function, name not in api.waiting)
            for name, function in api.functions.items()
        }
        self._limit_s = seconds
        self._is_over = is_over
        self._used_s = 0.0
        self._bug: Exception | None = None

    def raise_bug(self) -> None:
        """Raise the first error of a function that is no `ApiError`. After it no function is
        called."""
        if self._bug is not None:
            raise self._bug

    def _call(self, function: Callable[..., Any], is_timed: bool, *args: Any, **kwargs: Any) -> Any:
        if self._is_over() or self._used_s >= self._limit_s:
            raise TimeoutError(f"the {self._limit_s:g} s for calls of the API are over")
        if self._bug is not None:  # the run has failed, whatever the program makes of it
            raise RuntimeError("no function of the API is called any more")
        if not is_small((args, kwargs)):
            raise ValueError("what is given to a function of the API is too large")
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        except ApiError as error:
            raise ValueError(str(error)) from error
        except Exception as error:
            if isinstance(error, TypeError) and not _takes(function, args, kwargs):
                raise
            self._bug = error
            raise RuntimeError("the function failed by itself") from error
        finally:
            if is_timed:
                self._used_s += time.perf_counter() - start


def _takes(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call fits a function's parameters."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


class TooMuchPrintedError(Exception):
    """Ends a program that prints beyond the limit."""


class Printed:
    """A print callback that keeps the beginning of the output."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        return "".join(self._parts)[: self._limit]

    @property
    def is_full(self) -> bool:
        return self._length > self._limit

    def __call__(self, _: str, text: str) -> None:
        """
        Raises:
            TooMuchPrintedError: with this text it is more than the limit.
        """
        if not self.is_full:
            self._parts.append(text)
            self._length += len(text)
        if self.is_full:
            raise TooMuchPrintedError(f"more than {self._limit} characters were printed")


# The prelude is the session's first feed, the program its second.
_PROGRAM = "<python-input-1>"
# Of a deep recursion the first and last lines say all.
_SHOWN_FRAMES = 12
_SHOWN_CHARACTERS = 2000
# Also of a single operation within which the interpreter does not look at its clock.
_TOO_LONG = "TimeoutError: feed time limit exceeded"
_LIMITS: tuple[tuple[type[BaseException], str, ProgramErrorKind], ...] = (
    (TimeoutError, "feed time limit", "time"),
    (MemoryError, "memory limit", "memory"),
    (RecursionError, "maximum recursion depth", "recursion"),
    (RuntimeError, "suspension limit", "host_calls"),
)


def error_of(failure: MontyError, printed: Printed, config: SandboxConfig) -> ProgramError:
    """The error of a failed program, with the lines of the program but not of the API."""
    if isinstance(failure, MontyTypingError):
        return ProgramError("type", failure.display().strip())
    if printed.is_full:
        return ProgramError(
            "output", f"the program printed more than {config.printed_characters} characters"
        )
    if isinstance(failure, MontyCrashedError) and failure.timed_out:
        return ProgramError("time", _TOO_LONG)
    if isinstance(failure, MontyCrashedError):
        return ProgramError("worker", f"the program brought its interpreter down: {failure}")
    if isinstance(failure, MontySyntaxError):
        return ProgramError("syntax", _with_lines(failure, "SyntaxError"))
    if not isinstance(failure, MontyRuntimeError):
        return ProgramError("crash", str(failure))
    cause = failure.exception()
    kind: ProgramErrorKind = "syntax" if isinstance(cause, NotImplementedError) else "crash"
    for error, beginning, name in _LIMITS:
        if isinstance(cause, error) and beginning in str(cause):
            kind = name
    return ProgramError(kind, _with_lines(failure, type(cause).__name__))


def _with_lines(failure: MontyRuntimeError | MontySyntaxError, name: str) -> str:
    frames = [frame for frame in failure.traceback() if frame.filename == _PROGRAM]
    lines = [
        f"  line {frame.line}{f', in {frame.function_name}' if frame.function_name else ''}:"
        f" {(frame.source_line or '').strip()}"
        for frame in frames
    ]
    if len(lines) > _SHOWN_FRAMES:
        half = _SHOWN_FRAMES // 2
        left_out = f"  ... {len(lines) - _SHOWN_FRAMES} lines ..."
        lines = [*lines[:half], left_out, *lines[-half:]]
    message = failure.display("msg")[:_SHOWN_CHARACTERS]
    return "\n".join(["Traceback (most recent call last):", *lines, f"{name}: {message}"])
