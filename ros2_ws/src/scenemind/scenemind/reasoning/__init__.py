"""Questions, phrases and corrections in plain words, answered on a memory."""

from scenemind.reasoning.method import Asking, AskMethod, Progress, ProgressListener
from scenemind.reasoning.query import (
    METHODS,
    POLICIES,
    Alignment,
    Answer,
    Grounding,
    Policy,
    Query,
    ReasoningError,
    ReasoningFailure,
)
from scenemind.reasoning.router import Router
from scenemind.reasoning.symbolic.reasoner import make_ready

__all__ = [
    "METHODS",
    "POLICIES",
    "Alignment",
    "Answer",
    "AskMethod",
    "Asking",
    "Grounding",
    "Policy",
    "Progress",
    "ProgressListener",
    "Query",
    "ReasoningError",
    "ReasoningFailure",
    "Router",
    "make_ready",
]
