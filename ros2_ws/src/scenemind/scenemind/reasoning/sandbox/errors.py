"""Errors of programs, which models are told, and of the sandbox itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scenemind.errors import SceneMindError

ProgramErrorKind = Literal[
    "syntax",  # it does not parse, or uses what the sandbox does not have
    "import",  # of a module that is not allowed
    "type",  # the type checker found calls that cannot work; nothing was run
    "crash",  # it raised
    "time",
    "memory",
    "recursion",
    "host_calls",
    "output",  # it printed too much
    "length",  # of the program itself
    "worker",  # its process died
]


@dataclass(frozen=True, slots=True)
class ProgramError:
    """What is wrong with a program.

    Attributes:
        text: for who wrote it: the whole traceback of a crash, or a sentence.
    """

    kind: ProgramErrorKind
    text: str


class ApiError(Exception):
    """Raised by a function of an API that a program called wrongly; the program, and who wrote it,
    sees the message. Any other error of such a function is a bug of ours and goes to the caller of
    `Sandbox.run`."""


class SandboxError(SceneMindError, RuntimeError):
    """The sandbox cannot run anything; says what to do."""
