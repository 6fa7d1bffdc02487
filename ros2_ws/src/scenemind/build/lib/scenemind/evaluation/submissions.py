"""Predictions in the file format of each benchmark's own evaluation."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scenemind.errors import EvaluationError
from scenemind.evaluation.benchmark import Benchmark
from scenemind.evaluation.datasets import Question
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction, Prediction
from scenemind.geometry import Box3D

_NOTHING_FOUND = -1
_NO_BOX = np.zeros((8, 3)).tolist()


def scanrefer(predictions: Sequence[GroundingPrediction]) -> str:
    """`pred.json` for ScanRefer's benchmark/eval.py: the eight corners of a box for each
    description, all zero where nothing was found.

    `unique_multiple` (0 or 1) is given where the row contains it. Rows of ZSVG3D lack ScanRefer's
    `ann_id`, and are left out.
    """
    return json.dumps([_scanrefer_row(one) for one in predictions if not one.row.program])


def referit3d(predictions: Sequence[GroundingPrediction]) -> str:
    """One line a description, with ScanNet's objectId; -1 where nothing was found."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(("row", "scan_id", "predicted_id"))
    for one in predictions:
        found = one.object_ids[0] if one.object_ids else _NOTHING_FOUND
        writer.writerow((one.row.row_id, one.row.scene_id, found))
    return file.getvalue()


def corners(box: Box3D | None) -> list[list[float]]:
    """The eight corners (x, y, z) of a box, metres; all zero for None."""
    return _NO_BOX if box is None else box.corners().tolist()


def _scanrefer_row(one: GroundingPrediction) -> dict[str, Any]:
    row = one.row
    _, object_id, ann_id = row.row_id.rsplit("-", 2)
    told = {} if row.is_unique is None else {"unique_multiple": int(not row.is_unique)}
    return {
        "scene_id": row.scene_id,
        "object_id": object_id,
        "ann_id": ann_id,
        "bbox": corners(one.boxes[0] if one.boxes else None),
        **told,
    }


def scanqa(predictions: Sequence[AnswerPrediction]) -> str:
    """`pred.test_w_obj.json` for EvalAI, as ScanQA's scripts/predict.py writes it: one of up to ten
    answers, and the corners of the first mentioned object's box; all zero without one."""
    return json.dumps(
        [
            {
                "scene_id": one.row.scene_id,
                "question_id": one.row.row_id,
                "answer_top10": [one.answer],
                "bbox": corners(one.boxes[0] if one.boxes else None),
            }
            for one in predictions
        ]
    )


def sqa3d(predictions: Sequence[AnswerPrediction]) -> str:
    """Predictions for SQA3D's LLM/eval_sqa3d_llm.py, which finds questions by all these fields."""
    return json.dumps([_sqa3d_row(one) for one in predictions])


def openeqa(predictions: Sequence[AnswerPrediction]) -> str:
    """Predictions for OpenEQA's evaluate-predictions.py."""
    return json.dumps(
        [{"question_id": one.row.row_id, "answer": one.answer or None} for one in predictions]
    )


def omni3d(predictions: Sequence[AnswerPrediction]) -> str:
    """Predictions of Omni3D-Bench with the field names of its annotations."""
    return json.dumps(
        [
            {
                "row": one.row.row_id,
                "image_filename": one.row.image,
                "question": one.row.question,
                "answer": one.answer,
            }
            for one in predictions
        ]
    )


def _sqa3d_row(one: AnswerPrediction) -> dict[str, Any]:
    row = one.row
    return {
        "question_id": int(row.row_id) if row.row_id.isdecimal() else row.row_id,
        "scene_id": row.scene_id,
        "situation": row.situation,
        "question": row.question,
        "answer": one.answer,
        **_pose(row),
    }


def _pose(row: Question) -> dict[str, Any]:
    if row.pose is None:
        return {}
    position = zip("xyz", row.pose.position, strict=True)
    turn = zip(("_x", "_y", "_z", "_w"), row.pose.quaternion_xyzw, strict=True)
    return {
        "agent_rot": {name: _as_written(value) for name, value in turn},
        "agent_pos": {name: _as_written(value) for name, value in position},
    }


def _as_written(value: float) -> float | int:
    """A number as the annotations write it (0, not 0.0): the script compares poses as text."""
    return int(value) if value.is_integer() else value


@dataclass(frozen=True, slots=True)
class Submission:
    """A file to submit.

    Attributes:
        name: of the file.
        text: makes its content from predictions; raises EvaluationError for rows of another
            benchmark.
    """

    name: str
    text: Callable[[Sequence[Any]], str]


SUBMISSIONS: Mapping[str, Submission] = {
    "scanrefer": Submission("submission.json", scanrefer),
    "nr3d": Submission("submission.csv", referit3d),
    "sr3d": Submission("submission.csv", referit3d),
    "scanqa": Submission("submission.json", scanqa),
    "sqa3d": Submission("submission.json", sqa3d),
    "openeqa": Submission("submission.json", openeqa),
    "omni3d": Submission("submission.json", omni3d),
}


def write_submission(
    benchmark: Benchmark, predictions: Sequence[Prediction], folder: Path
) -> Path | None:
    """Write a benchmark's submission, in its spelling of answers; returns its path, or None where
    the benchmark has no format.

    Raises:
        EvaluationError: the folder cannot be written.
    """
    submission = SUBMISSIONS.get(benchmark.name)
    if submission is None:
        return None
    path = folder / submission.name
    try:
        text = submission.text(benchmark.as_submitted(predictions))
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    except OSError as error:
        raise EvaluationError(f"{path} cannot be written: {error.strerror}") from error
    return path
