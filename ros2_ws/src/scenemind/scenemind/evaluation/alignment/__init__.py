"""Alignment without people: planted perception errors, and simulated persons who correct them.

Shaped like SynergAI's experiment (section IV-B, table A.2): a question is asked, what the robot
has wrong is corrected, the question is asked again; then a novel question shows what was learnt.
"""

from scenemind.evaluation.alignment.generator import make_tasks
from scenemind.evaluation.alignment.person import WORDINGS, Wording
from scenemind.evaluation.alignment.result import (
    INPUT,
    PAPER,
    AlignmentResult,
    query_ratios,
    session_json,
    summed_up_sessions,
)
from scenemind.evaluation.alignment.run import run_alignment

__all__ = [
    "INPUT",
    "PAPER",
    "WORDINGS",
    "AlignmentResult",
    "Wording",
    "make_tasks",
    "query_ratios",
    "run_alignment",
    "session_json",
    "summed_up_sessions",
]
