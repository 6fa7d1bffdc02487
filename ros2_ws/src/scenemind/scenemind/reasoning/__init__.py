"""Questions, phrases and corrections in plain words, answered on a memory."""

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.router import Router
from scenemind.reasoning.types import (
    METHODS,
    Alignment,
    Answer,
    Grounding,
    Query,
    ReasoningFailure,
)

__all__ = [
    "METHODS",
    "Alignment",
    "Answer",
    "Grounding",
    "Query",
    "ReasoningError",
    "ReasoningFailure",
    "Router",
]
