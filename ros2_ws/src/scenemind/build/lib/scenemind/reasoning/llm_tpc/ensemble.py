"""The ensemble of LLM-TPC (section 3.3, Fig. S9): a language model weighs the answers of several
methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from scenemind.language.english import normal
from scenemind.language.quoting import quoted, tame
from scenemind.memory import MemoryAccess
from scenemind.models import ChatMessage, ChatModel, ModelError, ask_for
from scenemind.reasoning.method import Asking, AskMethod, MethodReply, Progress, attempt
from scenemind.reasoning.prompts import fill_prompt, hears_thoughts, read_prompt
from scenemind.reasoning.query import Query, ReasoningError, ReasoningFailure

_PROMPTS = "scenemind.reasoning.llm_tpc"
_LONGEST_SAID, _LONGEST_ANSWER = 500, 120
_MOST_OTHERS = 5  # the paper's top answers of the other model
_RAISED = ("cancelled", "not_recorded")  # errors that are not replaced by the first answer
_OF_ITS_OWN = 0.4  # confidence of an answer that none of the methods gave


class WeighedAnswer(BaseModel):
    """The form of the model's reply: reasoning first."""

    model_config = ConfigDict(extra="forbid")

    think: str
    answer: str


@dataclass(frozen=True, slots=True, eq=False)
class _MethodAnswer:
    """A candidate: the reply of one method."""

    method: str
    reply: MethodReply

    @property
    def text(self) -> str:
        return tame(self.reply.brief or self.reply.text, _LONGEST_ANSWER)


class Ensemble:
    """An `AskMethod` over other methods; those that fail are left out. It reports the stages of the
    methods, and weigh."""

    name = "ensemble"

    def __init__(self, language: ChatModel, first: AskMethod, others: Sequence[AskMethod]) -> None:
        """
        Args:
            language: weighs the answers.
            others: further methods, of which the 5 most confident answers are weighed.
        """
        self._language = language
        self._first = first
        self._others = others

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """See `AskMethod`; the steps list the answer of each method.

        Raises:
            ReasoningError: none of the methods has an answer.
        """
        progress = asking.progress
        failures: list[ReasoningFailure] = []

        def answers_of(method: AskMethod) -> list[_MethodAnswer]:
            part = asking.with_new_progress()
            tried = attempt(method.name, lambda: method.ask(query, memory, part))
            if asking.allowance.is_cancelled:
                asking.allowance.check()
            if tried.reply is None:
                assert tried.failure is not None, "an attempt has a reply or a failure"
                failures.append(tried.failure)
                progress.note(f"{method.name} has no answer: {tried.failure.text}")
                return []
            return [_MethodAnswer(method.name, tried.reply)]

        first = answers_of(self._first)
        others = [answer for method in self._others for answer in answers_of(method)]
        others.sort(key=lambda answer: -answer.reply.confidence)
        candidates = [*first, *others[:_MOST_OTHERS]]
        if not candidates:
            raise ReasoningError(failures[0].code, "; ".join(f.text for f in failures))
        progress.note(
            *(f"{c.method} answers {c.text} ({c.reply.confidence:.2f})" for c in candidates)
        )
        return self._weighed(query, candidates, asking)

    def _weighed(
        self, query: Query, candidates: Sequence[_MethodAnswer], asking: Asking
    ) -> MethodReply:
        progress, best = asking.progress, candidates[0]
        if len({normal(candidate.text) for candidate in candidates}) == 1:
            confidence = max(candidate.reply.confidence for candidate in candidates)
            return _reply(best.text, confidence, best, progress)
        progress.report("weigh")
        try:
            form = ask_for(
                self._language,
                _messages(query, candidates),
                WeighedAnswer,
                asking.allowance,
                check=_complaint,
                on_text=hears_thoughts(progress, "weigh"),
            )
        except ModelError as error:
            if error.kind in _RAISED:
                raise
            progress.note(f"nobody weighed them: {error}")
            return _reply(best.text, best.reply.confidence, best, progress)
        text = tame(form.answer, _LONGEST_ANSWER)
        progress.note(f"{self._language.name} weighed them: {tame(form.think, _LONGEST_SAID)}")
        same = [candidate for candidate in candidates if normal(candidate.text) == normal(text)]
        confidence = max((candidate.reply.confidence for candidate in same), default=_OF_ITS_OWN)
        return _reply(text, confidence, (same or [best])[0], progress)


def _reply(
    text: str, confidence: float, candidate: _MethodAnswer, progress: Progress
) -> MethodReply:
    reply = candidate.reply
    steps = (*progress.steps, *reply.steps)
    return MethodReply(text, confidence, reply.objects, reply.key_frames, steps, text)


def _messages(query: Query, candidates: Sequence[_MethodAnswer]) -> list[ChatMessage]:
    answers = [f"- {c.method}: {quoted(c.text)}, {c.reply.confidence:.2f}" for c in candidates]
    situation = quoted(query.situation, _LONGEST_SAID) if query.situation.strip() else "not told"
    text = fill_prompt(
        _PROMPTS,
        "candidates",
        situation=f"Situation of who asks: {situation}",
        question=quoted(query.text, _LONGEST_SAID),
        answers="\n".join(answers),
    )
    return [ChatMessage("system", read_prompt(_PROMPTS, "weigh")), ChatMessage("user", text)]


def _complaint(form: WeighedAnswer) -> str | None:
    return None if tame(form.answer) else "answer is empty"
