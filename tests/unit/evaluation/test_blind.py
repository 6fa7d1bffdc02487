"""A model that sees nothing, and what becomes of its failures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scenemind.evaluation import EvaluationError
from scenemind.evaluation.blind import BlindMethod
from scenemind.evaluation.datasets import Question, ReferringExpression
from scenemind.evaluation.predictions import AnswerPrediction
from tests.chat_server import ChatServer, Step, fail, say
from tests.unit.evaluation import made
from tests.unit.models.asking import chat_with

ROW = Question("q", "scene", "What is on the wall?", ("a clock",), "I face the door.")


def answered(*steps: Step) -> Iterator[AnswerPrediction]:
    with ChatServer(*steps) as server, chat_with(server) as chat:
        (said,) = made.asked([ROW], BlindMethod(chat))
        assert isinstance(said, AnswerPrediction)
        text = str(server.requests[0].body["messages"][-1]["content"])
        assert "I face the door. What is on the wall?" in text
        yield said


def test_the_question_and_the_situation_are_told() -> None:
    (said,) = answered(say(" A clock. \n"))
    assert (said.answer, said.failure) == ("A clock.", "")
    assert said.usage.calls == 1


@pytest.mark.parametrize("step", [fail(500), fail(401)])
def test_a_model_that_fails_is_a_failure_of_the_row(step: Step) -> None:
    (said,) = answered(step)
    assert (said.answer, said.failure) == ("", "model_failed")
    assert said.steps.startswith("blind failed: ")


def test_nothing_can_be_found_without_a_scene() -> None:
    with ChatServer(say("there")) as server, chat_with(server) as chat:
        row = ReferringExpression("r", "scene", "the chair", 1)
        with pytest.raises(EvaluationError, match="--blind is for questions"):
            made.asked([row], BlindMethod(chat))
