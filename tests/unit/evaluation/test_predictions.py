"""Predictions as JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.evaluation.datasets import Question, ReferringExpression
from scenemind.evaluation.json_lines import json_line
from scenemind.evaluation.predictions import (
    AnswerPrediction,
    GroundingPrediction,
    Prediction,
    prediction_from_json,
    prediction_json,
)
from scenemind.geometry import Box3D
from scenemind.models import Usage

# Any text, halves of characters included, as models' replies may hold them.
TEXT = st.text(st.characters(codec=None), max_size=20)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
SIZE = st.floats(0.0, 1e6)
COUNT = st.integers(0, 10**9)
BOXES = st.builds(Box3D, st.tuples(FLOAT, FLOAT, FLOAT), st.tuples(SIZE, SIZE, SIZE), FLOAT)
USAGES = st.builds(Usage, COUNT, COUNT, COUNT, COUNT, FLOAT)
COMMON = {
    "confidence": FLOAT,
    "frames": st.lists(COUNT, max_size=3).map(tuple),
    "failure": TEXT,
    "steps": TEXT,
    "usage": USAGES,
}
FOUND = st.lists(st.tuples(COUNT, BOXES), max_size=3)
EXPRESSIONS = st.builds(ReferringExpression, TEXT, TEXT, TEXT, COUNT)
QUESTIONS = st.builds(Question, TEXT, TEXT, TEXT, st.lists(TEXT, max_size=2).map(tuple), TEXT)
GROUNDINGS = st.builds(
    lambda row, found, tied, seconds, **more: GroundingPrediction(
        row, tuple(i for i, _ in found), tuple(box for _, box in found), tied, seconds, **more
    ),
    EXPRESSIONS,
    FOUND,
    COUNT,
    FLOAT,
    **COMMON,
)
ANSWERS = st.builds(
    lambda row, answer, seconds, sentence, found, **more: AnswerPrediction(
        row,
        answer,
        seconds,
        sentence,
        tuple(i for i, _ in found),
        boxes=tuple(box for _, box in found),
        **more,
    ),
    QUESTIONS,
    TEXT,
    FLOAT,
    TEXT,
    FOUND,
    **COMMON,
)


@given(st.one_of(GROUNDINGS, ANSWERS))
def test_a_line_comes_back_exactly(prediction: Prediction) -> None:
    line = json_line(prediction_json(prediction))
    assert line.count(b"\n") == 1
    assert prediction_from_json(json.loads(line), prediction.row) == prediction


def test_line_has_the_question_and_the_true_answer() -> None:
    row = Question("7", "scene", "How many chairs?", ("two", "2"), "I sit on the bed.")
    found = prediction_json(AnswerPrediction(row, "three", 0.1, frames=(4,)))
    assert (found["question"], found["situation"]) == (row.question, row.situation)
    assert (found["truth"], found["answer"], found["frames"]) == (["two", "2"], "three", [4])


def test_a_line_of_another_kind_of_row_is_refused() -> None:
    row = Question("7", "scene", "How many chairs?", ())
    found = prediction_json(AnswerPrediction(row, "three", 0.1))
    with pytest.raises(KeyError):
        prediction_from_json(found, ReferringExpression("7", "scene", "the chair", 1))
