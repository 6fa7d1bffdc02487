"""Predictions as JSON and back, exactly; with what they rest on, to look at what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from scenemind.evaluation.datasets import Question, ReferringExpression, Row
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction, Prediction
from scenemind.geometry import Box3D
from scenemind.models import Usage


def prediction_json(prediction: Prediction) -> dict[str, Any]:
    """One object for programs and people: what was asked, what is true, and what was said."""
    if isinstance(prediction, GroundingPrediction):
        of_kind = _grounding_json(prediction)
    else:
        of_kind = _answer_json(prediction)
    objects = zip(prediction.object_ids, prediction.boxes, strict=True)
    return {
        "row": prediction.row.row_id,
        "scene": prediction.row.scene_id,
        **of_kind,
        "objects": [{"id": object_id, "box": asdict(box)} for object_id, box in objects],
        "confidence": prediction.confidence,
        "frames": list(prediction.frames),
        "failure": prediction.failure,
        "steps": prediction.steps,
        "usage": asdict(prediction.usage),
        "seconds": prediction.seconds,
    }


def prediction_from_json(found: Mapping[str, Any], row: Row) -> Prediction:
    """
    Args:
        row: that it is about; what the JSON repeats of it is not read.

    Raises:
        KeyError, TypeError, ValueError: it is no prediction of such a row.
    """
    seconds = float(found["seconds"])
    common: dict[str, Any] = {
        "confidence": float(found["confidence"]),
        "frames": tuple(found["frames"]),
        "failure": found["failure"],
        "steps": found["steps"],
        "usage": Usage(**found["usage"]),
    }
    ids = tuple(one["id"] for one in found["objects"])
    boxes = tuple(_box(one["box"]) for one in found["objects"])
    if isinstance(row, ReferringExpression):
        return GroundingPrediction(row, ids, boxes, found["tied"], seconds, **common)
    return AnswerPrediction(
        row, found["answer"], seconds, found["sentence"], ids, boxes=boxes, **common
    )


def _grounding_json(prediction: GroundingPrediction) -> dict[str, Any]:
    row = prediction.row
    return {"text": row.text, "target": row.target_id, "tied": prediction.tied}


def _answer_json(prediction: AnswerPrediction) -> dict[str, Any]:
    row: Question = prediction.row
    return {
        "question": row.question,
        "situation": row.situation,
        "truth": list(row.answers),
        "answer": prediction.answer,
        "sentence": prediction.sentence,
    }


def _box(found: Mapping[str, Any]) -> Box3D:
    return Box3D(tuple(found["center"]), tuple(found["size"]), found["yaw"])
