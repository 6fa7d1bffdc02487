"""Answers as ScanQA, SQA3D, OpenEQA and Omni3D-Bench take them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from scenemind.evaluation.datasets import Question
from scenemind.evaluation.predictions import AnswerPrediction
from scenemind.evaluation.submissions.groundings import corners


def scanqa(predictions: Sequence[AnswerPrediction]) -> str:
    """As ScanQA's scripts/predict.py writes it for EvalAI (`pred.test_w_obj.json`): up to ten
    answers, of which we give one, and the corners of the box of the object that it speaks of first;
    all zero where it speaks of none."""
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
    """As SQA3D's LLM/eval_sqa3d_llm.py reads it, which finds the question by all of these."""
    return json.dumps([_sqa3d_row(one) for one in predictions])


def openeqa(predictions: Sequence[AnswerPrediction]) -> str:
    """As OpenEQA's evaluate-predictions.py reads it."""
    return json.dumps(
        [{"question_id": one.row.row_id, "answer": one.answer or None} for one in predictions]
    )


def omni3d(predictions: Sequence[AnswerPrediction]) -> str:
    """With the names of the benchmark's own annotations."""
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
    """The script compares poses as text, and the annotations have 0, not 0.0."""
    return int(value) if value.is_integer() else value
