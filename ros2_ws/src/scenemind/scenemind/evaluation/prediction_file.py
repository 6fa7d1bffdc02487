"""Predictions as JSON, a line each as soon as it is there, to look at what went wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.metrics import sense_match
from scenemind.evaluation.predictions import AnswerPrediction, GroundingPrediction, Prediction


@contextmanager
def open_predictions(path: Path) -> Iterator[Callable[[Prediction], None]]:
    """What writes a prediction as a line; see `open_lines`."""
    with open_lines(path) as write:
        yield lambda prediction: write(_as_json(prediction))


@contextmanager
def open_lines(path: Path) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """What writes a row as a line of JSON that is in the file when it returns: a run of hours that
    is interrupted keeps the rows that it has done.

    Raises:
        EvaluationError: the file cannot be written, now or later, or holds something already: it
            may be another run of hours.
    """
    try:
        if path.exists() and path.stat().st_size:
            raise EvaluationError(f"{path} is there already: name another file, or remove it")
        file = path.open("w", encoding="utf-8", buffering=1)
    except OSError as error:
        raise _cannot_write(path, error) from error

    def write(row: Mapping[str, Any]) -> None:
        try:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            raise _cannot_write(path, error) from error

    with file:
        yield write


def _cannot_write(path: Path, error: OSError) -> EvaluationError:
    return EvaluationError(f"{path} cannot be written: {error}")


def _as_json(prediction: Prediction) -> dict[str, Any]:
    if isinstance(prediction, GroundingPrediction):
        of_kind = _grounding_json(prediction)
    else:
        of_kind = _answer_json(prediction)
    return {
        "row": prediction.row.row_id,
        "scene": prediction.row.scene_id,
        **of_kind,
        "failure": prediction.failure,
        "steps": prediction.steps,
        "seconds": round(prediction.seconds, 6),
    }


def _grounding_json(prediction: GroundingPrediction) -> dict[str, Any]:
    row = prediction.row
    return {
        "text": row.text,
        "target": row.target_id,
        "found": list(prediction.object_ids),
        "tied": prediction.tied,
        "right": prediction.object_ids[:1] == (row.target_id,),
    }


def _answer_json(prediction: AnswerPrediction) -> dict[str, Any]:
    row = prediction.row
    return {
        "situation": row.situation,
        "question": row.question,
        "truth": list(row.answers),
        "answer": prediction.answer,
        "right": any(sense_match(prediction.answer, truth) for truth in row.answers),
    }
