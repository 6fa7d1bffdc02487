"""Suggestions in place of a sentence that was not understood: one key on a terminal, or `--yes`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Protocol, TypeVar

import typer

from scenemind.reasoning import ReasoningFailure
from scenemind.report.replies import exit_status
from scenemind.report.terminal import printable

Yes = Annotated[
    bool,
    typer.Option(
        "--yes",
        "-y",
        help="Where a sentence is not understood, take the nearest one that is, without asking.",
    ),
]


class _Result(Protocol):
    @property
    def failure(self) -> ReasoningFailure | None: ...


Result = TypeVar("Result", bound=_Result)


def asked(ask: Callable[[str], Result], text: str, *, yes: bool, as_json: bool) -> Result:
    """The result for a sentence, or for the suggestion in its place, where the person takes it.

    Raises:
        Exit: the person takes it not.
    """
    result = ask(text)
    if result.failure is None or not result.failure.suggestion or not can_take(yes, as_json):
        return result
    return ask(taken(result.failure, yes=yes, as_json=as_json))


def can_take(yes: bool, as_json: bool) -> bool:
    """Whether a suggestion may be taken: without a terminal nobody is asked."""
    return yes or (not as_json and sys.stdin.isatty() and sys.stdout.isatty())


def taken(failure: ReasoningFailure, *, yes: bool, as_json: bool) -> str:
    """The suggestion of a failure, after a yes.

    Raises:
        Exit: after a no.
    """
    if not yes:
        if not typer.confirm(printable(failure.text), default=True, prompt_suffix=" "):
            raise typer.Exit(exit_status(failure))
    elif not as_json:
        print(printable(failure.text))
    return failure.suggestion
