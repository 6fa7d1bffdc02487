"""What may be asked or told in one sentence, and by whom."""

from __future__ import annotations

from scenemind.memory.graph.corrections import LONGEST_TEXT
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.types import Query

MOST_CHARACTERS = 500
_MOST_SITUATION_CHARACTERS = 1000
_SHOWN_CHARACTERS = 40


def check_sentence(query: Query, what: str = "question") -> None:
    """
    Args:
        what: the sentence, in the error's words.

    Raises:
        ReasoningError: nothing was said, or too much.
    """
    if not query.text.strip():
        raise ReasoningError("invalid_request", f"The {what} is empty.")
    for said, name, limit in (
        (query.text, what, MOST_CHARACTERS),
        (query.situation, "situation", _MOST_SITUATION_CHARACTERS),
    ):
        if len(said) > limit:
            raise ReasoningError(
                "invalid_request",
                f"The {name} has {len(said)} characters, the limit is {limit}.",
            )


def check_speaker(by: str) -> None:
    """
    Args:
        by: who speaks, as the journal will name them: a name is no order, and not a long one.

    Raises:
        ReasoningError: it cannot be written.
    """
    if len(by) > LONGEST_TEXT or not by.isprintable():
        raise ReasoningError(
            "invalid_request",
            f"The speaker's name has to be plain text of {LONGEST_TEXT} characters at most, it is"
            f" {by[:_SHOWN_CHARACTERS]!r} of {len(by)}.",
        )
