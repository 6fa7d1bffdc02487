"""Questions: ScanQA (Azuma et al., CVPR 2022), SQA3D (Ma et al., ICLR 2023), OpenEQA (Majumdar et
al., CVPR 2024) and Omni3D-Bench (Marsili et al., CVPR 2025).
"""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import scipy
from pydantic import BaseModel, Field, model_validator

from scenemind.errors import EvaluationError
from scenemind.evaluation.datasets.files import BenchmarkFiles
from scenemind.evaluation.datasets.rows import Question, Row, ScanPose, row_groups
from scenemind.geometry import Box3D, Pose

_SCANQA = BenchmarkFiles(
    "scanqa",
    ("ScanQA*val*.json", "ScanQA*.json"),
    "ScanQA_v1.0_val.json, or _train, _test_w_obj and _test_wo_obj, are linked from"
    " github.com/ATR-DBI/ScanQA, docs/dataset.md (CC BY-NC-SA 3.0); name one with --data, or its"
    " folder",
)
# The types of ScanQA's script: the first one whose words occur in the question.
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
_SQA3D = BenchmarkFiles(
    "sqa3d",
    ("*questions*test*.json", "*questions*.json"),
    "SQA3D's v1_balanced_questions_test_scannetv2.json and"
    " v1_balanced_sqa_annotations_test_scannetv2.json, or those of train and val, are at"
    " github.com/SilongYong/SQA3D (CC BY 4.0); name the folder of both, or the file of questions,"
    " with --data",
)
_FIRST_WORDS = ("what", "is", "how", "can", "which")
# Poses of SQA3D are at floor level; this is the eye height of a standing person.
EYE_HEIGHT_M = 1.5
_OPENEQA = BenchmarkFiles(
    "openeqa",
    ("open-eqa*.json",),
    "open-eqa-v0.json is at github.com/facebookresearch/open-eqa, data/ (MIT); name it with --data,"
    " or its folder. What the episodes show is under the terms of ScanNet and HM3D",
)
_OMNI3D = BenchmarkFiles(
    "omni3d",
    ("annotations.json", "*omni3d*.json"),
    "Omni3D-Bench's omni3d-bench.zip is at huggingface.co/datasets/dmarsili/Omni3D-Bench"
    " (CC BY-NC 4.0): unpack it, and name the folder of annotations.json and images/ with --data",
)
COUNT, OTHER_NUMBER, YES_NO, CHOICE = "count", "numeric (other)", "yes/no", "multiple choice"
_LOG = logging.getLogger(__name__)


class _ScanqaRow(BaseModel):
    question_id: str
    scene_id: str
    question: str
    answers: tuple[str, ...] = ()
    object_ids: tuple[int, ...] = ()


def read_scanqa(data: Path) -> Iterator[Question]:
    """Rows of ScanQA; those of its test splits have no answers.

    Args:
        data: the file, or its folder (the val split).

    Raises:
        EvaluationError: the file is missing or malformed.
    """
    for row in _SCANQA.rows(_SCANQA.find(data), _ScanqaRow):
        yield Question(
            row.question_id,
            row.scene_id,
            row.question,
            row.answers,
            category=question_type(row.question),
            target_ids=row.object_ids,
        )


def question_type(question: str) -> str:
    """One of ScanQA's six types of question."""
    return next((kind for words, kind in _TYPES if words in question), "other")


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
            raise ValueError("a quaternion of zeros is no rotation")
        return self


class _Annotation(BaseModel):
    question_id: int
    answers: list[_Answer] = Field(min_length=1)
    rotation: _Rotation
    position: _Position


def read_sqa3d(data: Path) -> Iterator[Question]:
    """Rows of SQA3D; answers and poses are read from the file beside the questions.

    Args:
        data: the file of questions, or its folder.

    Raises:
        EvaluationError: a file is missing or malformed, or a question has no answer.
    """
    path = _SQA3D.find(data)
    asked = list(_SQA3D.rows(path, _Asked, "questions"))
    beside = path.with_name(path.name.replace("questions", "sqa_annotations"))
    if beside == path or not beside.is_file():
        raise EvaluationError(
            f"there are no answers to {path} beside it: ...questions... has them in"
            f" ...sqa_annotations...: {_SQA3D.where_to_get}"
        )
    found = _SQA3D.rows(beside, _Annotation, "annotations")
    answered = {annotation.question_id: annotation for annotation in found}
    if missing := [row.question_id for row in asked if row.question_id not in answered]:
        raise EvaluationError(
            f"{beside} has no answer to {len(missing)} of {len(asked)} questions, the first is"
            f" {missing[0]}: both files have to be of one split"
        )
    for row in asked:
        yield _sqa3d_question(row, answered[row.question_id])


def _sqa3d_question(row: _Asked, answered: _Annotation) -> Question:
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
    """SQA3D's type of a question: its first word, or "others"."""
    word = question.split(maxsplit=1)[0].lower() if question.strip() else ""
    return word if word in _FIRST_WORDS else "others"


def world_T_head(pose: ScanPose, world_T_scan: Pose, boxes: Collection[Box3D]) -> Pose:
    """Pose of the agent's head, x forward and z up, in the axis-aligned frame of the boxes.

    SQA3D's positions are relative to the centre of the scan's bounding box, in the axes of the raw
    scan. Of the axis alignment only its rotation is needed; the centre is that of all boxes, seen
    from above.

    Args:
        world_T_scan: ScanNet's axis alignment.
        boxes: of all objects, including the building; at least one.
    """
    extents = np.array([box.extent() for box in boxes])
    low, high = extents[:, :3].min(axis=0), extents[:, 3:].max(axis=0)
    from_middle = world_T_scan.rotation @ np.asarray(pose.position)
    position = np.append((low + high)[:2] / 2.0 + from_middle[:2], low[2] + EYE_HEIGHT_M)
    # With an identity rotation SQA3D's agents look along -x: half a turn about z from x.
    rotation = scipy.spatial.transform.Rotation
    turned = rotation.from_quat(pose.quaternion_xyzw) * rotation.from_euler("z", np.pi)
    return Pose(world_T_scan.rotation @ turned.as_matrix(), position)


class _OpeneqaRow(BaseModel):
    question_id: str
    question: str
    category: str
    episode_history: str
    answer: str | None = None
    extra_answers: tuple[str, ...] = ()


def read_openeqa(data: Path) -> Iterator[Question]:
    """Rows of OpenEQA; the scene is the episode ("hm3d-v0/000-hm3d-BFRyYbPCCPE").

    Args:
        data: the file, or its folder.

    Raises:
        EvaluationError: the file is missing or malformed.
    """
    for row in _OPENEQA.rows(_OPENEQA.find(data), _OpeneqaRow):
        answers = () if row.answer is None else (row.answer, *row.extra_answers)
        yield Question(
            row.question_id, row.episode_history, row.question, answers, category=row.category
        )


def openeqa_groups(row: Row) -> tuple[str, ...]:
    """Groups of a row: its category, and the recordings of its episode (ScanNet or HM3D)."""
    recordings = ("scannet", "hm3d")
    return (*row_groups(row), *(name for name in recordings if row.scene_id.startswith(name)))


class _Omni3dRow(BaseModel):
    image_index: int | str
    question_index: int | str
    image_filename: str
    question: str
    answer_type: Literal["str", "int", "float"]
    answer: str | int | float | None = None

    @model_validator(mode="after")
    def _numbers_are_numbers(self) -> _Omni3dRow:
        if self.answer_type != "str" and self.answer is not None:
            try:
                is_number = math.isfinite(float(self.answer))
            except ValueError:
                is_number = False
            if not is_number:
                raise ValueError(f"the answer {self.answer!r} is not a number")
        return self


def read_omni3d(data: Path) -> Iterator[Question]:
    """Rows of Omni3D-Bench; duplicates of the public file are dropped with a warning.

    Args:
        data: annotations.json, or its folder.

    Raises:
        EvaluationError: the file is missing or malformed.
    """
    path = _OMNI3D.find(data)
    seen: set[tuple[str, str]] = set()
    ids: set[str] = set()
    twice = 0
    for row in _OMNI3D.rows(path, _Omni3dRow, "questions"):
        asked = row.image_filename, " ".join(row.question.split())
        if asked in seen:
            twice += 1
            continue
        seen.add(asked)
        row_id = f"{row.image_index}-{row.question_index}"
        if row_id in ids:
            row_id = f"{row_id}-{len(ids)}"
        ids.add(row_id)
        yield _omni3d_question(row, row_id)
    if twice:
        _LOG.warning("%s asks %d questions twice: each counts once", path.name, twice)


def _omni3d_question(row: _Omni3dRow, row_id: str) -> Question:
    answer = "" if row.answer is None else str(row.answer)
    return Question(
        row_id,
        row.image_filename,
        row.question,
        (answer,) if answer else (),
        category=_omni3d_category(row.answer_type, answer),
        image=row.image_filename,
    )


def _omni3d_category(answer_type: str, answer: str) -> str:
    if answer_type != "str":
        return COUNT if answer_type == "int" else OTHER_NUMBER
    return YES_NO if answer.lower() in ("yes", "no") else CHOICE
