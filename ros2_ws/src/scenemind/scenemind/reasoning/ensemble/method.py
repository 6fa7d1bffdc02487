"""The ensemble of LLM-TPC (section 3.3, Fig. S9): a language model weighs one method's answer
against those of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from scenemind.memory import MemoryAccess
from scenemind.models import ChatMessage, ChatModel, ModelError, ask_for
from scenemind.reasoning.attempt import attempt
from scenemind.reasoning.errors import ReasoningError
from scenemind.reasoning.method import Asking, AskMethod, MethodReply
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.thoughts import hears_thoughts
from scenemind.reasoning.types import Query, ReasoningFailure
from scenemind.words.english import normal
from scenemind.words.quoting import quoted, tame

_PROMPTS = "scenemind.reasoning.ensemble"
_LONGEST_SAID, _LONGEST_ANSWER = 500, 120
# The paper's top answers of the other side.
_MOST_OTHERS = 5
# Or who replays a recording is to see where it differs.
_NOBODY_WAITS = ("cancelled", "not_recorded")
# An answer that none of the methods gave.
_OF_ITS_OWN = 0.4


class WeighedAnswer(BaseModel):
    """Reasoning first."""

    model_config = ConfigDict(extra="forbid")

    think: str
    answer: str


@dataclass(frozen=True, slots=True, eq=False)
class _Said:
    """What a method answered."""

    method: str
    reply: MethodReply

    @property
    def answer(self) -> str:
        return tame(self.reply.brief or self.reply.text, _LONGEST_ANSWER)


class Ensemble:
    """An `AskMethod`; where one of the methods fails the others remain. Stages that it reports:
    those of the methods, and weigh."""

    name = "ensemble"

    def __init__(self, language: ChatModel, first: AskMethod, others: Sequence[AskMethod]) -> None:
        """
        Args:
            language: weighs.
            others: beside the first; the surest 5 answers of theirs are weighed.
        """
        self._language = language
        self._first = first
        self._others = others

    def ask(self, query: Query, memory: MemoryAccess, asking: Asking) -> MethodReply:
        """See `AskMethod`; steps say what each method answered.

        Raises:
            ReasoningError: none of the methods has an answer.
        """
        steps: list[str] = []
        failures: list[ReasoningFailure] = []

        def answers_of(method: AskMethod) -> list[_Said]:
            tried = attempt(method.name, lambda: method.ask(query, memory, asking))
            if asking.allowance.is_cancelled:
                asking.allowance.check()
            if tried.reply is None:
                assert tried.failure is not None, "one of the two is there"
                failures.append(tried.failure)
                steps.append(f"{method.name} has no answer: {tried.failure.text}")
                return []
            return [_Said(method.name, tried.reply)]

        first = answers_of(self._first)
        others = [said for method in self._others for said in answers_of(method)]
        others.sort(key=lambda said: -said.reply.confidence)
        every = [*first, *others[:_MOST_OTHERS]]
        if not every:
            with asking.trail.kept(steps):
                raise ReasoningError(failures[0].code, "; ".join(f.text for f in failures))
        steps += [f"{s.method} answers {s.answer} ({s.reply.confidence:.2f})" for s in every]
        return self._weighed(query, every, asking, steps)

    def _weighed(
        self, query: Query, every: Sequence[_Said], asking: Asking, steps: list[str]
    ) -> MethodReply:
        best = every[0]
        if len({normal(said.answer) for said in every}) == 1:
            confidence = max(said.reply.confidence for said in every)
            return _reply(best.answer, confidence, best, (*steps, *best.reply.steps))
        asking.report("weigh")
        try:
            form = ask_for(
                self._language,
                _messages(query, every),
                WeighedAnswer,
                asking.allowance,
                _complaint,
                hears_thoughts(asking.report, "weigh"),
            )
        except ModelError as error:
            if error.kind in _NOBODY_WAITS:
                raise
            steps.append(f"nobody weighed them: {error}")
            return _reply(best.answer, best.reply.confidence, best, (*steps, *best.reply.steps))
        answer = tame(form.answer, _LONGEST_ANSWER)
        steps.append(f"{self._language.name} weighed them: {tame(form.think, _LONGEST_SAID)}")
        same = [said for said in every if normal(said.answer) == normal(answer)]
        confidence = max((said.reply.confidence for said in same), default=_OF_ITS_OWN)
        chosen = (same or [best])[0]
        return _reply(answer, confidence, chosen, (*steps, *chosen.reply.steps))


def _reply(answer: str, confidence: float, said: _Said, steps: tuple[str, ...]) -> MethodReply:
    reply = said.reply
    return MethodReply(answer, confidence, reply.objects, reply.key_frames, steps, answer)


def _messages(query: Query, every: Sequence[_Said]) -> list[ChatMessage]:
    answers = [f"- {s.method}: {quoted(s.answer)}, {s.reply.confidence:.2f}" for s in every]
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
