"""What may be asked or told in one sentence."""

from __future__ import annotations

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.types import Query

_MAX_CHARACTERS = 500


def check_sentence(query: Query, what: str = "question") -> None:
    """
    Args:
        what: the sentence, in the error's words.

    Raises:
        ReasoningError: nothing was said, or too much.
    """
    if not query.text.strip():
        raise ReasoningError("invalid_request", f"The {what} is empty.")
    if len(query.text) > _MAX_CHARACTERS:
        raise ReasoningError(
            "invalid_request",
            f"The {what} has {len(query.text)} characters, the limit is {_MAX_CHARACTERS}.",
        )
