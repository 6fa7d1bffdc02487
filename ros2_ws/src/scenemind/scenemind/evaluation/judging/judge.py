"""Answers judged, several at a time, and each once."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from scenemind.config import ChatModelConfig
from scenemind.evaluation.datasets import Question
from scenemind.evaluation.judging.mark import find_mark
from scenemind.evaluation.predictions import AnswerPrediction, Prediction
from scenemind.models import Allowance, ChatMessage, ChatModel, ModelError
from scenemind.reasoning.prompts import read_prompt
from scenemind.words.quoting import quoted

Kept = Mapping[str, Mapping[str, Any]]
"""Row id -> what was kept of its judgement."""
Keep = Callable[[str, Mapping[str, Any]], object]
"""Gets a row's id and judgement as soon as it is there, on the thread that called `judge`."""

_LONGEST = 600
_BROKEN_OFF = re.compile(r"\A(.*\.)\s+[^.]*\Z", re.DOTALL)
_ASKED = 2
_LOG = logging.getLogger(__name__)


def judge_config(model: ChatModelConfig) -> ChatModelConfig:
    """The model as OpenEQA asks it."""
    return model.model_copy(update={"seed": 1234, "temperature": 0.2, "max_reply_tokens": 32})


def judge(
    predictions: Sequence[Prediction],
    model: ChatModel,
    kept: Kept,
    keep: Keep,
    allowance: Callable[[], Allowance],
    at_once: int = 4,
) -> dict[str, float]:
    """Row id -> mark from 1 to 5, of the answers that somebody can judge.

    Nobody is asked about a missing answer, or a row whose right answers are not told, or again
    about an answer that this model has judged. A reply without a mark is asked for once again;
    then the row has none. Where the model fails, its rows are left for the next time.

    Args:
        kept: of earlier runs.
        allowance: what each judgement may use.
        at_once: so many are asked for at a time.
    """
    marks: dict[str, float | None] = {}
    to_ask: list[AnswerPrediction] = []
    for one in predictions:
        if isinstance(one, AnswerPrediction) and one.answer.strip() and one.row.answers:
            line = kept.get(one.row.row_id, {})
            if (line.get("answer"), line.get("judge")) == (one.answer, model.name):
                marks[one.row.row_id] = line.get("mark")
            else:
                to_ask.append(one)
    failures: Counter[str] = Counter()
    for one, judgement in _judgements(to_ask, model, allowance, at_once):
        if isinstance(judgement, ModelError):
            failures[str(judgement)] += 1
        else:
            marks[one.row.row_id] = judgement.mark
            keep(one.row.row_id, judgement.as_json(one.answer, model.name))
    _tell(failures, marks)
    return {row_id: mark for row_id, mark in marks.items() if mark is not None}


@dataclass(frozen=True, slots=True)
class _Judgement:
    """
    Attributes:
        mark: None: there is none in the reply.
    """

    mark: float | None
    reply: str
    cost: float

    def as_json(self, answer: str, judge_name: str) -> dict[str, Any]:
        return {
            "answer": answer,
            "judge": judge_name,
            "mark": self.mark,
            "reply": self.reply,
            "cost": self.cost,
        }


def _judgements(
    predictions: Sequence[AnswerPrediction],
    model: ChatModel,
    allowance: Callable[[], Allowance],
    at_once: int,
) -> Iterator[tuple[AnswerPrediction, _Judgement | ModelError]]:
    """In whichever order they come."""
    pool = ThreadPoolExecutor(at_once, "judge")
    try:
        asked = {pool.submit(_judgement, one, model, allowance): one for one in predictions}
        for done in as_completed(asked):
            try:
                yield asked[done], done.result()
            except ModelError as error:
                yield asked[done], error
    finally:
        pool.shutdown(cancel_futures=True)


def _judgement(
    one: AnswerPrediction, model: ChatModel, new_allowance: Callable[[], Allowance]
) -> _Judgement:
    """
    Raises:
        ModelError: the model cannot be asked.
    """
    allowance = new_allowance()
    messages = [
        ChatMessage("system", read_prompt("scenemind.evaluation.judging", "mark")),
        ChatMessage("user", _asked(one.row, one.answer)),
    ]
    reply = ""
    for _ in range(_ASKED):
        try:
            reply = model.ask(messages, allowance).text
        except ModelError as error:
            if error.kind != "bad_reply":
                raise
            reply = str(error)
            continue
        mark = find_mark(reply)
        if mark is not None:
            return _Judgement(mark, reply, allowance.used.cost)
    return _Judgement(None, reply, allowance.used.cost)


def _asked(row: Question, answer: str) -> str:
    first, *others = row.answers
    also = [f"Also right: [{', '.join(quoted(one, _LONGEST) for one in others)}]"] if others else []
    return "\n".join(
        [
            f"Question: {quoted(row.question, _LONGEST)}",
            f"Right answer: {quoted(first, _LONGEST)}",
            *also,
            f"Answer: {quoted(_whole(answer), _LONGEST)}",
        ]
    )


def _whole(answer: str) -> str:
    """Without a sentence that was broken off after the last full stop, as OpenEQA judges it; the
    point of a number is none."""
    return answer if answer.endswith(".") else _BROKEN_OFF.sub(r"\1", answer)


def _tell(failures: Counter[str], marks: Mapping[str, float | None]) -> None:
    unread = sum(mark is None for mark in marks.values())
    if unread:
        _LOG.warning("%d replies of the judge hold no mark: these answers stay unscored", unread)
    for message, count in failures.most_common(3):
        _LOG.warning("%d answers were not judged, and are the next time: %s", count, message)
