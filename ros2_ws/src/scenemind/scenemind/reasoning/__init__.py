"""Questions, phrases and corrections in plain words, answered on a memory."""

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.router import Router
from scenemind.reasoning.types import (
    METHODS,
    POLICIES,
    Alignment,
    Answer,
    Grounding,
    Policy,
    Query,
    ReasoningFailure,
)

__all__ = [
    "METHODS",
    "POLICIES",
    "Alignment",
    "Answer",
    "Grounding",
    "Policy",
    "Query",
    "ReasoningError",
    "ReasoningFailure",
    "Router",
]
