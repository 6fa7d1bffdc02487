"""SQA3D: questions of somebody who stands in the scene (Ma et al., ICLR 2023)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, model_validator

from scenemind.evaluation.datasets.files import benchmark_file, json_rows, read_json
from scenemind.evaluation.datasets.rows import Question, ScanPose
from scenemind.evaluation.errors import EvaluationError

QUESTION_PATTERNS = ("*questions*test*.json", "*questions*.json")
WHERE_TO_GET = (
    "SQA3D's v1_balanced_questions_test_scannetv2.json and"
    " v1_balanced_sqa_annotations_test_scannetv2.json, or those of train and val, are at"
    " github.com/SilongYong/SQA3D (CC BY 4.0): name the folder of both with --data"
)

_FIRST_WORDS = ("what", "is", "how", "can", "which")


class _Asked(BaseModel):
    scene_id: str
    situation: str
    question: str
    question_id: int


class _Answer(BaseModel):
    answer: str


class _Position(BaseModel):
    x: float
    y: float
    z: float


class _Rotation(BaseModel):
    x: float = Field(alias="_x")
    y: float = Field(alias="_y")
    z: float = Field(alias="_z")
    w: float = Field(alias="_w")

    @model_validator(mode="after")
    def _is_turn(self) -> _Rotation:
        if not any((self.x, self.y, self.z, self.w)):
            raise ValueError("a quaternion of zeros is no turn")
        return self


class _Annotation(BaseModel):
    question_id: int
    answers: list[_Answer] = Field(min_length=1)
    rotation: _Rotation
    position: _Position


def read_sqa3d(data: Path) -> Iterator[Question]:
    """Questions with the answers and poses of the file beside theirs.

    Args:
        data: the questions' file, or its folder.

    Raises:
        EvaluationError: a file is missing, is not as the benchmark has it, or a question has no
            answer.
    """
    path = benchmark_file(data, QUESTION_PATTERNS, WHERE_TO_GET)
    beside = path.with_name(path.name.replace("questions", "sqa_annotations"))
    if not beside.is_file():
        raise EvaluationError(f"there are no answers at {beside}: {WHERE_TO_GET}")
    found = json_rows(beside, _entries(beside, "annotations"), _Annotation)
    answered = {annotation.question_id: annotation for annotation in found}
    for row in json_rows(path, _entries(path, "questions"), _Asked):
        if row.question_id not in answered:
            raise EvaluationError(f"{beside} has no answer to question {row.question_id}")
        yield _question(row, answered[row.question_id])


def _question(row: _Asked, answered: _Annotation) -> Question:
    place, turn = answered.position, answered.rotation
    return Question(
        str(row.question_id),
        row.scene_id,
        row.question,
        tuple(answer.answer for answer in answered.answers),
        row.situation,
        ScanPose((place.x, place.y, place.z), (turn.x, turn.y, turn.z, turn.w)),
        first_word(row.question),
    )


def first_word(question: str) -> str:
    """One of SQA3D's kinds of question; "others" for the rest."""
    word = question.split(maxsplit=1)[0].lower() if question.strip() else ""
    return word if word in _FIRST_WORDS else "others"


def _entries(path: Path, key: str) -> Any:
    document = read_json(path)
    if not isinstance(document, dict) or key not in document:
        raise EvaluationError(f"{path} has no {key!r}: {WHERE_TO_GET}")
    return document[key]
