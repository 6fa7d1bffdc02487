"""OpenEQA: questions about what a camera saw in an episode (Majumdar et al., CVPR 2024)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from scenemind.evaluation.datasets.files import benchmark_file, json_rows, read_json
from scenemind.evaluation.datasets.rows import Question, Row, row_groups

PATTERNS = ("open-eqa*.json",)
WHERE_TO_GET = (
    "open-eqa-v0.json is at github.com/facebookresearch/open-eqa, data/ (MIT); name it with --data,"
    " or its folder. What the episodes show is under the terms of ScanNet and HM3D"
)


class _Row(BaseModel):
    question_id: str
    question: str
    category: str
    episode_history: str
    answer: str | None = None
    extra_answers: tuple[str, ...] = ()


def read_openeqa(data: Path) -> Iterator[Question]:
    """The episode is the scene ("hm3d-v0/000-hm3d-BFRyYbPCCPE"); the first answer is the
    benchmark's own, the others are as right.

    Args:
        data: the file, or its folder.

    Raises:
        EvaluationError: the file is missing, or is not as the benchmark has it.
    """
    path = benchmark_file(data, PATTERNS, WHERE_TO_GET)
    for row in json_rows(path, read_json(path), _Row):
        answers = () if row.answer is None else (row.answer, *row.extra_answers)
        yield Question(
            row.question_id, row.episode_history, row.question, answers, category=row.category
        )


def openeqa_groups(row: Row) -> tuple[str, ...]:
    """The category, and whose episode it is: ScanNet's or HM3D's."""
    recordings = ("scannet", "hm3d")
    return (*row_groups(row), *(name for name in recordings if row.scene_id.startswith(name)))
