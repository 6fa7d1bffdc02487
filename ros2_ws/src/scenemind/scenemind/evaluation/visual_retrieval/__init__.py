"""VLM-Grounder's Visual-Retrieval benchmark: what a vision model still reads of stitched sheets."""

from scenemind.evaluation.visual_retrieval.benchmark import (
    HOPELESS,
    Outcome,
    Step,
    VisualRetrieval,
    scores_of,
    steps_of,
)
from scenemind.evaluation.visual_retrieval.cards import decode_picture

__all__ = [
    "HOPELESS",
    "Outcome",
    "Step",
    "VisualRetrieval",
    "decode_picture",
    "scores_of",
    "steps_of",
]
