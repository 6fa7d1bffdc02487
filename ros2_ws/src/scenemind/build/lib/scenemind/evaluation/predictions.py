"""Predictions of a method for rows of a benchmark, and their form in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from scenemind.evaluation.datasets import Question, ReferringExpression, Row
from scenemind.geometry import Box3D
from scenemind.models import Usage
from scenemind.models.chat import NOTHING_USED


@dataclass(frozen=True, slots=True)
class GroundingPrediction:
    """The objects that a method found for a description.

    Attributes:
        object_ids: in the method's memory, best first; empty: nothing was found.
        boxes: of these objects, in the scene's axis-aligned frame.
        tied: number of objects with the first one's confidence, including it.
        confidence: of the first, in [0, 1]; None: nothing was found, or the method gives none.
        frames: numbers of the key frames that are evidence.
        failure: an error code; empty: there is none.
        steps: of the method, in words.
        usage: of models.
    """

    row: ReferringExpression
    object_ids: tuple[int, ...]
    boxes: tuple[Box3D, ...]
    tied: int
    seconds: float
    confidence: float | None = None
    frames: tuple[int, ...] = ()
    failure: str = ""
    steps: str = ""
    usage: Usage = NOTHING_USED


@dataclass(frozen=True, slots=True)
class AnswerPrediction:
    """A method's answer to a question.

    Attributes:
        answer: a few words where the method gives them, else a sentence; empty: no answer.
        sentence: the answer for people.
        object_ids: mentioned objects in the method's memory, most relevant first.
        confidence, frames, failure, steps, usage: as in `GroundingPrediction`.
        boxes: of these objects, in the scene's axis-aligned frame.
    """

    row: Question
    answer: str
    seconds: float
    sentence: str = ""
    object_ids: tuple[int, ...] = ()
    confidence: float | None = None
    frames: tuple[int, ...] = ()
    failure: str = ""
    steps: str = ""
    usage: Usage = NOTHING_USED
    boxes: tuple[Box3D, ...] = ()


Prediction = GroundingPrediction | AnswerPrediction


def prediction_json(prediction: Prediction) -> dict[str, Any]:
    """A prediction as JSON, with the question and the truth for readers."""
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
    """The prediction of `prediction_json`.

    Args:
        row: its row; the question and the truth in the JSON are not read.

    Raises:
        KeyError, TypeError, ValueError: it is no prediction for such a row.
    """
    seconds = float(found["seconds"])
    common: dict[str, Any] = {
        "confidence": None if found["confidence"] is None else float(found["confidence"]),
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
