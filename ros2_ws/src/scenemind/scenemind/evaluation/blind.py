"""A language model that sees nothing: what a benchmark's questions give away by themselves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from scenemind.evaluation.datasets import Question, Row
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.method import Predict
from scenemind.evaluation.predictions import AnswerPrediction
from scenemind.models import ChatMessage, ChatModel
from scenemind.reasoning import Asking, ReasoningError
from scenemind.reasoning.attempt import attempt
from scenemind.reasoning.prompts import read_prompt
from scenemind.reasoning.sentence import check_sentence
from scenemind.reasoning.types import Query


class BlindMethod:
    """A `Method` that is told the question alone, as OpenEQA's and SQA3D's blind baselines are."""

    name = "blind"

    def __init__(self, model: ChatModel, asking: Callable[[], Asking] = Asking) -> None:
        """
        Args:
            asking: what each question may use.
        """
        self._model = model
        self._asking = asking

    @contextmanager
    def at(self, scene_id: str) -> Iterator[Predict]:
        """See `Method`."""
        del scene_id
        yield self._predict

    def _predict(self, row: Row) -> AnswerPrediction:
        if not isinstance(row, Question):
            raise EvaluationError("nobody finds objects without a scene: --blind is for questions")
        asking, start = self._asking(), time.perf_counter()
        tried = attempt(self.name, lambda: self._answer(row, asking))
        return AnswerPrediction(
            row,
            tried.reply or "",
            time.perf_counter() - start,
            tried.reply or "",
            failure=tried.failure.code if tried.failure else "",
            steps=tried.failure.text if tried.failure else "",
            usage=asking.allowance.used,
        )

    def _answer(self, row: Question, asking: Asking) -> str:
        check_sentence(Query(row.question), "question")
        question = f"{row.situation} {row.question}".strip()
        messages = (
            ChatMessage("system", read_prompt("scenemind.evaluation", "blind")),
            ChatMessage("user", question),
        )
        answer = self._model.ask(messages, asking.allowance).text.strip()
        if not answer:
            raise ReasoningError("model_failed", "the model said nothing")
        return answer
