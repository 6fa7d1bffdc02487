"""Programs for the sandbox: the API that they find, their outcome and errors, and static checks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True, eq=False)
class SandboxApi:
    """Code, values and functions that a program has when it starts.

    Only plain data crosses the border of the sandbox: numbers, strings, lists, tuples, dicts, sets,
    None. Objects with methods are made inside, by the prelude. A builtin that calls back, such as
    `sorted` with a key, cannot call a host function.

    Attributes:
        prelude: trusted source that runs first: classes, and functions on values and host
            functions.
        values: data for the prelude and the program, by name.
        functions: host functions by name; they raise `ApiError` for wrong calls.
        stubs: declarations for the type checker.
        waiting: names of functions that wait for others, such as a model. They end with the
            question's time, and their time is not the program's.
    """

    prelude: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    stubs: str = ""
    waiting: frozenset[str] = frozenset()


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
    """An error of a program.

    Attributes:
        text: for the author: the whole traceback of a crash, or a sentence.
    """

    kind: ProgramErrorKind
    text: str


class ApiError(Exception):
    """A wrong call of an API function; the program and its author see the message. Other errors of
    such functions are bugs, and are raised by `Sandbox.run`."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The result of a program.

    Attributes:
        value: of its last line, if that is an expression whose value can leave the sandbox; else
            None.
        printed: output, up to the end or the error.
        error: None where it ran to its end.
    """

    value: Any
    printed: str
    error: ProgramError | None
    seconds: float


_MOST_VALUES = 20_000
_DEEPEST = 50
_MOST_CHARACTERS = 1_000_000
_MOST_BITS = 1000  # as many as a float has room for


def is_small(value: Any) -> bool:
    """Whether a value is small enough to be traversed and shown.

    Shared parts count each time: a list that holds one list twice, which holds one twice, and so on
    sixty times, is small in the sandbox, but too large for any traversal here.
    """
    left, characters = _MOST_VALUES, _MOST_CHARACTERS
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        inner: list[Any] = []
        for one in level:
            if isinstance(one, int) and one.bit_length() > _MOST_BITS:
                return False
            if isinstance(one, (str, bytes)):
                characters -= len(one)
            parts = _parts(one)
            left -= 1 + len(parts)
            if left < 0 or characters < 0:
                return False
            inner += parts
        if not inner:
            return True
        level = inner
    return False


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(value)
    return []


def find_tree(program: str) -> ast.Module | None:
    """The syntax tree of a program; None where it does not parse. The sandbox may accept it all the
    same, as it is another Python."""
    try:
        return ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


ALLOWED = (
    "collections", "copy", "dataclasses", "functools", "itertools", "json", "math", "re", "typing",
)  # fmt: skip


def find_forbidden_import(program: str) -> ProgramError | None:
    """The first import that is not allowed; None for a program that does not parse, whose error the
    sandbox reports.

    This is advice for the author. Isolation does not rest on it: the sandbox's modules reach
    nothing.
    """
    if "import" not in program:  # as most programs; many times faster
        return None
    tree = find_tree(program)
    if tree is None:
        return None
    for node in ast.walk(tree):
        for module in _imported(node):
            if module.partition(".")[0] not in ALLOWED:
                return ProgramError(
                    "import",
                    f"line {node.lineno}: {module} cannot be imported; the modules that can are"  # type: ignore[attr-defined]
                    f" {', '.join(ALLOWED)}",
                )
    return None


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or "."]
    return []
