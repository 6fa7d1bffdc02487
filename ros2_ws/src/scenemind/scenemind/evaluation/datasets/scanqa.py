"""ScanQA: questions about a whole scan (Azuma et al., CVPR 2022)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from scenemind.evaluation.datasets.files import benchmark_file, json_rows, read_json
from scenemind.evaluation.datasets.rows import Question

PATTERNS = ("ScanQA*val*.json", "ScanQA*.json")
WHERE_TO_GET = (
    "ScanQA_v1.0_val.json, or _train, _test_w_obj and _test_wo_obj, are linked from"
    " github.com/ATR-DBI/ScanQA, docs/dataset.md (CC BY-NC-SA 3.0); name one with --data, or its"
    " folder"
)
# The types of its script, in its order: the first one whose words stand in the question.
_TYPES = (
    ("Where", "place"),
    ("How many", "number"),
    ("What color", "color"),
    ("What is the color", "color"),
    ("What shape", "object nature"),
    ("What type", "object nature"),
    ("What kind", "object nature"),
    ("What is", "object"),
)


class _Row(BaseModel):
    question_id: str
    scene_id: str
    question: str
    answers: tuple[str, ...] = ()
    object_ids: tuple[int, ...] = ()


def read_scanqa(data: Path) -> Iterator[Question]:
    """Of the test splits without answers too.

    Args:
        data: the file, or its folder, of which val is taken.

    Raises:
        EvaluationError: the file is missing, or is not as the benchmark has it.
    """
    path = benchmark_file(data, PATTERNS, WHERE_TO_GET)
    for row in json_rows(path, read_json(path), _Row):
        yield Question(
            row.question_id,
            row.scene_id,
            row.question,
            row.answers,
            category=question_type(row.question),
            target_ids=row.object_ids,
        )


def question_type(question: str) -> str:
    """One of ScanQA's six."""
    return next((kind for words, kind in _TYPES if words in question), "other")
