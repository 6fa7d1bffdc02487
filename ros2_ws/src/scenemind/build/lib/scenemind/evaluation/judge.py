"""LLM-Match: a language model marks answers from 1 to 5 (Majumdar et al., OpenEQA, CVPR 2024)."""

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
from scenemind.evaluation.predictions import AnswerPrediction, Prediction
from scenemind.language.quoting import quoted
from scenemind.models import Allowance, ChatMessage, ChatModel, ModelError
from scenemind.models.chat import without_reasoning
from scenemind.reasoning.prompts import read_prompt

_LOWEST, _HIGHEST = 0.0, 5.0
_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b")
_ADORNED = re.compile(r"[*_`\"'#$\[\](){}]")
# Numbers of the scale, not of the mark: "4/5", "4 out of 5", "from 1 to 5", "1-5".
_SCALE = re.compile(
    r"(?:/|\bout of|\bof) *5\b(?:[.,]0+)?|\b(?:from |between )?1(?: *- *| to | and )5\b"
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_NAMED = re.compile(rf"\b(?:mark|score|rating|grade)\b(?: is| of)? *[:=-]? *({_NUMBER.pattern})")
Kept = Mapping[str, Mapping[str, Any]]
"""Row id -> its judgement of an earlier run, as JSON."""
Keep = Callable[[str, Mapping[str, Any]], object]
"""Called with a row's id and judgement, on the thread that called `judge`."""
_LONGEST = 600
_BROKEN_OFF = re.compile(r"\A(.*\.)\s+[^.]*\Z", re.DOTALL)
_ASKED = 2
_LOG = logging.getLogger(__name__)


def find_mark(reply: str) -> float | None:
    """The mark in a judge's reply: the number after the last "mark" ("score", "rating"), else the
    only number; None: there is none, several, or it is outside the scale."""
    text = _ADORNED.sub("", without_reasoning(reply).lower())
    text = _WORD.sub(lambda found: _WORDS[found[1]], text)
    text = _SCALE.sub(" ", text)
    found = _NAMED.findall(text)[-1:] or sorted(set(_NUMBER.findall(text)))
    if len(found) != 1:
        return None
    mark = float(found[0].replace(",", "."))
    return mark if _LOWEST <= mark <= _HIGHEST else None


def judge_config(model: ChatModelConfig) -> ChatModelConfig:
    """The configuration of a model with OpenEQA's settings."""
    return model.model_copy(update={"seed": 1234, "temperature": 0.2, "max_reply_tokens": 32})


def judge(
    predictions: Sequence[Prediction],
    model: ChatModel,
    kept: Kept,
    keep: Keep,
    allowance: Callable[[], Allowance],
    at_once: int = 4,
) -> dict[str, float]:
    """Row id -> mark from 1 to 5, of the answers that can be judged.

    The model is not asked about missing answers, about rows without right answers, and about
    answers that it has judged before. After a reply without a mark it is asked once more; then the
    row has no mark. Rows for which the model fails are left to the next run.

    Args:
        kept: judgements of earlier runs.
        allowance: makes the allowance of each judgement.
        at_once: number of parallel requests.
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
    """The reply of the judge.

    Attributes:
        mark: None: the reply contains none.
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
    """Judgements of predictions, in order of completion."""
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
    """The judgement of one prediction.

    Raises:
        ModelError: the model cannot be asked.
    """
    allowance = new_allowance()
    messages = [
        ChatMessage("system", read_prompt("scenemind.evaluation", "mark")),
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
    """An answer without an incomplete last sentence, as OpenEQA judges it."""
    return answer if answer.endswith(".") else _BROKEN_OFF.sub(r"\1", answer)


def _tell(failures: Counter[str], marks: Mapping[str, float | None]) -> None:
    unread = sum(mark is None for mark in marks.values())
    if unread:
        _LOG.warning("%d replies of the judge have no mark: these answers are not scored", unread)
    for message, count in failures.most_common(3):
        _LOG.warning("%d answers were not judged; the next run judges them: %s", count, message)
