"""What may be asked or told in one sentence."""

from __future__ import annotations

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.types import Query

_MAX_CHARACTERS = 500
_MAX_SITUATION_CHARACTERS = 1000


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
        (query.text, what, _MAX_CHARACTERS),
        (query.situation, "situation", _MAX_SITUATION_CHARACTERS),
    ):
        if len(said) > limit:
            raise ReasoningError(
                "invalid_request",
                f"The {name} has {len(said)} characters, the limit is {limit}.",
            )
