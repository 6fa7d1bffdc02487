"""Alignment with simulated persons, who correct planted perception errors.

As in SynergAI's experiment (section IV-B, table A.2): a person asks a question, corrects the
robot's errors and asks again; a novel question then shows the effect of the corrections.
"""

from scenemind.evaluation.alignment.generator import make_tasks
from scenemind.evaluation.alignment.result import (
    INPUT,
    PAPER,
    AlignmentResult,
    query_ratios,
    session_json,
    summarize_sessions,
)
from scenemind.evaluation.alignment.session import (
    WORDINGS,
    AlignmentSettings,
    Wording,
    run_alignment,
)

__all__ = [
    "INPUT",
    "PAPER",
    "WORDINGS",
    "AlignmentResult",
    "AlignmentSettings",
    "Wording",
    "make_tasks",
    "query_ratios",
    "run_alignment",
    "session_json",
    "summarize_sessions",
]
