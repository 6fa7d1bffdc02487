"""The sandbox's exceptions as errors that their program's author understands."""

from __future__ import annotations

from pydantic_monty import (
    MontyCrashedError,
    MontyError,
    MontyRuntimeError,
    MontySyntaxError,
    MontyTypingError,
)

from scenemind.config.sandbox import SandboxConfig
from scenemind.reasoning.sandbox.errors import ProgramError, ProgramErrorKind
from scenemind.reasoning.sandbox.printed import Printed

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
    """What is wrong, with the program's own lines and none of the API's."""
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
