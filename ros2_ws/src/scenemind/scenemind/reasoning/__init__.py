"""Questions, phrases and corrections in plain words, answered on a memory."""

from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import Asking, AskMethod, Report
from scenemind.reasoning.open_methods import open_methods, open_selector
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
    "AskMethod",
    "Asking",
    "Grounding",
    "Policy",
    "Query",
    "ReasoningError",
    "ReasoningFailure",
    "Report",
    "Router",
    "open_methods",
    "open_selector",
]
