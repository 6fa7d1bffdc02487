"""What a program shows its author: what it printed, or what is wrong with it and how to go on."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from scenemind.reasoning.programs.scene_api import SceneApi
from scenemind.reasoning.sandbox import ProgramError, Sandbox

NOTHING_PRINTED = "The program ran and printed nothing: print() what you want to know."
# The checker takes longer than most programs run, so it looks only at those that crashed, to tell
# all at once that is wrong with them.
_MOST_PRINTED = 3000  # characters
# What the sandbox says in its own terms -> what to do.
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
    ("memory limit exceeded", "that takes too much memory: look for a list that grows without end"),
    ("does not yet support", "this small Python does not have that: write it in a simpler way"),
)
_CHECKED = ("TypeError", "AttributeError", "NameError")
# How the last expression is shown, and how that reads in a traceback.
_SHOW = "_show("
_SHOWN = re.compile(r"_show\((.*?)\)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Observation:
    """
    Attributes:
        text: for who wrote the program.
        error: None where it came to its end.
        object_ids: what it found relations of or asked about, the latest first.
    """

    text: str
    error: ProgramError | None
    object_ids: tuple[int, ...] = ()


def run_program(
    sandbox: Sandbox, api: SceneApi, program: str, seconds: float | None = None
) -> Observation:
    """Run it, and look closer at it where it crashed.

    Args:
        seconds: of computing, where that is less than the sandbox's limit.

    Raises:
        SandboxError: the sandbox runs nothing.
    """
    api.take_spoken_of()
    outcome = sandbox.run(_showing_its_value(program), api.of_sandbox, seconds)
    spoken_of = api.take_spoken_of()
    printed = _cut(outcome.printed.strip())
    if outcome.error is None:
        return Observation(printed or NOTHING_PRINTED, None, spoken_of)
    said = [f"It printed: {printed}"] if printed else []
    said.append(_SHOWN.sub(r"\1", outcome.error.text))
    said += [hint for words, hint in _HINTS if words in outcome.error.text]
    said += _all_mistakes(sandbox, api, program, outcome.error)
    return Observation("\n".join(said), outcome.error, spoken_of)


def _cut(printed: str) -> str:
    left_out = len(printed) - _MOST_PRINTED
    if left_out <= 0:
        return printed
    return f"{printed[:_MOST_PRINTED]}... ({left_out} more characters)"


def _all_mistakes(sandbox: Sandbox, api: SceneApi, program: str, error: ProgramError) -> list[str]:
    """What a checker finds, where the crash may have more of its kind after it."""
    name = error.text.rpartition("\n")[2].partition(":")[0]
    if error.kind != "crash" or name not in _CHECKED:
        return []
    found = sandbox.run(program, api.of_checker).error
    if found is None or found.kind != "type":
        return []
    is_more = "\n" in found.text
    return ["A checker finds in the whole program:", found.text] if is_more else []


def _showing_its_value(program: str) -> str:
    """The program; where it ends in a mere expression, that is shown, as notebooks do."""
    try:
        body = ast.parse(program).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return program
    last = body[-1] if body else None
    if not isinstance(last, ast.Expr) or last.col_offset:
        return program
    # Offsets of `ast` are in bytes.
    lines = program.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: last.lineno - 1]))
    end = sum(map(len, lines[: (last.end_lineno or 1) - 1])) + (last.end_col_offset or 0)
    text = program.encode()
    return (text[:start] + _SHOW.encode() + text[start:end] + b")" + text[end:]).decode()
