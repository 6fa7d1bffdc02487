"""Omni3D-Bench: questions about one photograph each (Marsili et al., VADAR, CVPR 2025)."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, model_validator

from scenemind.evaluation.datasets.files import benchmark_file, json_rows, read_json
from scenemind.evaluation.datasets.rows import Question
from scenemind.evaluation.errors import EvaluationError

PATTERNS = ("annotations.json", "*omni3d*.json")
WHERE_TO_GET = (
    "Omni3D-Bench's omni3d-bench.zip is at huggingface.co/datasets/dmarsili/Omni3D-Bench"
    " (CC BY-NC 4.0): unpack it, and name the folder of annotations.json and images/ with --data"
)
COUNT, OTHER_NUMBER, YES_NO, CHOICE = "count", "numeric (other)", "yes/no", "multiple choice"
_LOG = logging.getLogger(__name__)


class _Row(BaseModel):
    image_index: int | str
    question_index: int | str
    image_filename: str
    question: str
    answer_type: Literal["str", "int", "float"]
    answer: str | int | float | None = None

    @model_validator(mode="after")
    def _numbers_are_numbers(self) -> _Row:
        if self.answer_type != "str" and self.answer is not None:
            try:
                is_number = math.isfinite(float(self.answer))
            except ValueError:
                is_number = False
            if not is_number:
                raise ValueError(f"the answer {self.answer!r} is no number")
        return self


def read_omni3d(data: Path) -> Iterator[Question]:
    """Each question about an image once; the public file has some twice, which is told.

    Args:
        data: annotations.json, or its folder.

    Raises:
        EvaluationError: the file is missing, or is not as the benchmark has it.
    """
    path = benchmark_file(data, PATTERNS, WHERE_TO_GET)
    document = read_json(path)
    if not isinstance(document, dict) or "questions" not in document:
        raise EvaluationError(f"{path} has no 'questions': {WHERE_TO_GET}")
    seen: set[tuple[str, str]] = set()
    ids: set[str] = set()
    twice = 0
    for row in json_rows(path, document["questions"], _Row):
        asked = row.image_filename, " ".join(row.question.split())
        if asked in seen:
            twice += 1
            continue
        seen.add(asked)
        row_id = f"{row.image_index}-{row.question_index}"
        if row_id in ids:
            row_id = f"{row_id}-{len(ids)}"
        ids.add(row_id)
        yield _question(row, row_id)
    if twice:
        _LOG.warning("%s asks %d questions twice: each counts once", path.name, twice)


def _question(row: _Row, row_id: str) -> Question:
    answer = "" if row.answer is None else str(row.answer)
    return Question(
        row_id,
        row.image_filename,
        row.question,
        (answer,) if answer else (),
        category=_category(row.answer_type, answer),
        image=row.image_filename,
    )


def _category(answer_type: str, answer: str) -> str:
    if answer_type != "str":
        return COUNT if answer_type == "int" else OTHER_NUMBER
    return YES_NO if answer.lower() in ("yes", "no") else CHOICE
