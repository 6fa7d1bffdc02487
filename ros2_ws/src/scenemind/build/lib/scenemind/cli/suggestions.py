"""What a person is asked at the command line, on a terminal or by `--yes`: whether a suggestion
is meant in place of a sentence, and what the robot asks back about a correction."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Protocol, TypeVar

import typer

from scenemind.reasoning import Alignment, ReasoningFailure
from scenemind.report.replies import exit_status
from scenemind.untrusted import printable, say

Yes = Annotated[
    bool,
    typer.Option(
        "--yes",
        "-y",
        help="Where a sentence is not understood, take the nearest one that is; a yes to what is"
        " proposed.",
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
        say(failure.text)
    return failure.suggestion


def talked(align: Callable[[str], Alignment], text: str, *, yes: bool, as_json: bool) -> Alignment:
    """The correction that a sentence leads to: what the robot asks back is answered in any words,
    or by `--yes` with one yes.

    Raises:
        Exit: the person does not take a suggestion.
    """
    done = asked(align, text, yes=yes, as_json=as_json)
    while done.asks_back and can_take(yes, as_json):
        done = align(answer_to(done.response, yes=yes, as_json=as_json))
        if yes:
            break
    return done


def answer_to(question: str, *, yes: bool, as_json: bool) -> str:
    """The person's answer to a question back."""
    if not yes:
        return str(typer.prompt(printable(question), prompt_suffix=" "))
    if not as_json:
        say(question)
    return "yes"
