"""Observations: the output of a program, or its error with advice, for the program's author."""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass

from scenemind.reasoning.programs.scene_api import SceneApi
from scenemind.reasoning.sandbox import ProgramError, Sandbox, Waking
from scenemind.reasoning.sandbox.program import find_tree

NOTHING_PRINTED = "The program ran and printed nothing: print() what you want to know."
_MOST_PRINTED = 3000  # characters
# The checker rejects some programs that run, and takes longer than they do; so it looks only at
# those that crashed, to tell all at once that is wrong with them.
_CHECKED = ("TypeError", "AttributeError", "NameError")
_LINE = re.compile(r"^  line (\d+)", re.MULTILINE)
_SURE = re.compile(
    r"error\[(unknown-argument|missing-argument|too-many-positional-arguments|unresolved-\w+|not-subscriptable)\]"
)
_UNKNOWN_NAME = re.compile(r"Name `(?P<name>\w+)` used when not defined")
# How the last expression is shown, and how that reads in a traceback.
_SHOW = "_show("
_SHOWN = re.compile(r"_show\((.*?)\)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of a program for its author.

    Attributes:
        text: output, or error with advice.
        error: None where the program ran to its end.
        object_ids: ids of objects in its relations and queries, the latest first.
        notes: what the author should know beside the output (`SceneApi.take_notes`).
    """

    text: str
    error: ProgramError | None
    object_ids: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


def run_program(
    sandbox: Sandbox,
    api: SceneApi,
    program: str,
    seconds: float | None = None,
    waking: Waking | None = None,
) -> Observation:
    """Run a program; after a crash, also type-check it.

    Args:
        seconds, waking: see `Sandbox.run`.

    Raises:
        SandboxError: the sandbox runs nothing.
    """
    api.take_spoken_of()
    outcome = sandbox.run(_showing_its_value(program), api.for_program(program), seconds, waking)
    spoken_of = api.take_spoken_of()
    printed = _cut(outcome.printed.strip())
    notes = tuple(api.take_notes(program))
    if outcome.error is None:
        return Observation(printed or NOTHING_PRINTED, None, spoken_of, notes)
    said = [f"It printed: {printed}"] if printed else []
    said.append(_SHOWN.sub(r"\1", outcome.error.text))
    said += hints_for(outcome.error)
    said += _all_mistakes(sandbox, api, program, outcome.error, seconds)
    return Observation("\n".join(said), outcome.error, spoken_of)


def _cut(printed: str) -> str:
    left_out = len(printed) - _MOST_PRINTED
    if left_out <= 0:
        return printed
    return f"{printed[:_MOST_PRINTED]}... ({left_out} more characters)"


def _all_mistakes(
    sandbox: Sandbox, api: SceneApi, program: str, error: ProgramError, seconds: float | None
) -> list[str]:
    """The type checker's list of mistakes, where a crash may hide further ones."""
    name = error.text.rpartition("\n")[2].partition(":")[0]
    lines = [int(number) for number in _LINE.findall(error.text)]
    if error.kind != "crash" or name not in _CHECKED or (lines and _is_last(lines[-1], program)):
        return []
    found = sandbox.check(program, api.for_program(program), seconds)
    mistakes = [line for line in found.text.splitlines() if _is_sure(line, api)] if found else []
    if not mistakes or (lines and len(mistakes) < 2):
        return []
    return ["A checker finds in the whole program:", *mistakes]


def _is_last(line: int, program: str) -> bool:
    """Whether no statement begins after a line."""
    tree = find_tree(program)
    if tree is None:
        return line >= program.count("\n") + 1
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
    return all(statement.lineno <= line for statement in statements)


def _is_sure(complaint: str, api: SceneApi) -> bool:
    """Whether a complaint of the checker is reliable: it rejects lists as sets and variables that
    begin as None, and does not know some builtins and learned methods."""
    if not _SURE.search(complaint) or " in union " in complaint:
        return False
    unknown = _UNKNOWN_NAME.search(complaint)
    if unknown is None:
        return True
    name = unknown["name"]
    return not hasattr(builtins, name) and f"def {name}(" not in api.declared


def _showing_its_value(program: str) -> str:
    """The program, with its last expression printed, as in notebooks."""
    tree = find_tree(program)
    last = tree.body[-1] if tree is not None and tree.body else None
    if not isinstance(last, ast.Expr) or last.col_offset:
        return program
    # Offsets of `ast` are in bytes.
    lines = program.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: last.lineno - 1]))
    end = sum(map(len, lines[: (last.end_lineno or 1) - 1])) + (last.end_col_offset or 0)
    text = program.encode()
    return (text[:start] + _SHOW.encode() + text[start:end] + b")" + text[end:]).decode()


_OF_OBJECTS = (
    "an ObjectAttribute has id, category and xyz; query_attribute() and query_state() tell the rest"
)
_OF_SETS = "that is a set of objects: go through it with for, or take one of them with pop()"
_HINTS = (
    (
        "cannot suspend in this synchronous context",
        "list.sort() can only ask for xyz, and for the attributes lwh, distance and color without"
        " candidates: use sorted(), or work its keys out before",
    ),
    (
        "suspension limit",
        "that are too many calls of the API: give relate() all objects at once, and ask for what"
        " stays the same before a loop",
    ),
    ("feed time limit", "that takes too long to compute: look for a loop that does not end"),
    ("memory limit", "that takes too much memory: look for a list that grows without end"),
    ("'ObjectAttribute' object has no attribute", _OF_OBJECTS),
    ("'ObjectAttribute' object is not subscriptable", _OF_OBJECTS),
    ("'set' object has no attribute", _OF_SETS),
    ("'set' object is not subscriptable", _OF_SETS),
    ("does not yet support", "this small Python does not have that: write it in a simpler way"),
)
_OF_METHODS = (
    "methods of a str, list, dict or set can be called here, but not handed on: write lambda x:"
    " counts.get(x) in place of counts.get"
)
_HAS_NO = re.compile(r"'(?P<type>\w+)'(?: object)? has no attribute '(?P<name>\w+)'")
_TYPES = {kind.__name__: kind for kind in (str, list, dict, set, frozenset, tuple)}


def hints_for(error: ProgramError) -> list[str]:
    """Advice for the author on an error; may be empty."""
    hints = [hint for words, hint in _HINTS if words in error.text]
    found = _HAS_NO.search(error.text)
    kind = _TYPES.get(found["type"]) if found else None
    if found and kind is not None and hasattr(kind, found["name"]):
        return [_OF_METHODS]
    return hints
