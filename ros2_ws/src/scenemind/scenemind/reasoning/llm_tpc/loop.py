"""Think, program, rectify, sum up: the conversation of one question (LLM-TPC, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from scenemind.config import LlmTpcConfig
from scenemind.models import ChatMessage, ChatModel, ModelError
from scenemind.reasoning.coding import printable
from scenemind.reasoning.llm_tpc.turns import (
    GiveAnswer,
    Turn,
    Unreadable,
    WriteProgram,
    read_turn,
    said_in,
)
from scenemind.reasoning.method import Asking, say_nothing
from scenemind.reasoning.programs import SceneApi, run_program
from scenemind.reasoning.prompts import fill_prompt, read_prompt
from scenemind.reasoning.sandbox import Sandbox

_PROMPTS = "scenemind.reasoning.llm_tpc"
# Of what a model said and of what its program printed, when it sees them again.
_REPEATED_CHARACTERS, _OBSERVED_CHARACTERS = 6000, 4000
_LEAST_SECONDS = 0.05
_NO_ANSWERS = frozenset(
    (
        *("unknown", "unclear", "uncertain", "not sure", "not known", "not visible"),
        *("i don't know", "i do not know", "can't tell", "cannot tell", "cannot be determined"),
    )
)


def is_no_answer(answer: str) -> bool:
    """Whether it evades the question."""
    return answer.strip(" .!?").lower() in _NO_ANSWERS


class Loop:
    """Of one question.

    Attributes:
        programs: those that were run, with whether each came to its end.
        object_ids: what the last program that ran was about, the latest first.
        has_observed: a program ran to its end.
        was_pressed: there was no answer before the turns for programs were over.
    """

    def __init__(
        self,
        model: ChatModel,
        sandbox: Sandbox,
        api: SceneApi,
        config: LlmTpcConfig,
        messages: Sequence[ChatMessage],
        asking: Asking,
        must_answer: bool,
        steps: list[str],
    ) -> None:
        """
        Args:
            messages: up to the model's first turn.
            must_answer: "unknown" is no answer.
            steps: takes what is thought, run and seen, in order.
        """
        self._model = model
        self._sandbox = sandbox
        self._api = api
        self._config = config
        self._messages = list(messages)
        self._asking = asking
        self._must_answer = must_answer
        self._steps = steps
        self.programs: list[tuple[str, bool]] = []
        self.object_ids: tuple[int, ...] = ()
        self.has_observed = False
        self.was_pressed = False

    def answer(self) -> GiveAnswer:
        """The model's final answer, after at most the configured number of turns.

        Raises:
            ModelError: it gave none, or the model failed.
            SandboxError: no program can be run.
        """
        for _ in range(self._config.coder_turns):
            turn = self._next_turn("think")
            if isinstance(turn, GiveAnswer):
                return turn
            if isinstance(turn, WriteProgram):
                self._tell(self._observed(turn))
            else:
                self._complain(turn)
        self.was_pressed = True
        self._steps.append("the turns for programs are over")
        self._tell(read_prompt(_PROMPTS, "summarize"))
        for _ in range(self._config.summary_turns):
            turn = self._next_turn("summarize")
            if isinstance(turn, GiveAnswer):
                return turn
            self._complain(
                Unreadable("there is no more time for programs: give the final answer")
                if isinstance(turn, WriteProgram)
                else turn
            )
        turns = self._config.coder_turns + self._config.summary_turns
        raise ModelError("bad_reply", f"{self._model.name} gave no final answer in {turns} turns")

    def _next_turn(self, stage: str) -> Turn:
        report = self._asking.report
        report(stage)
        hear = None if report is say_nothing else (lambda text: report(stage, text))
        text = self._model.ask(self._messages, self._asking.allowance, on_text=hear).text
        said = said_in(text).strip()[:_REPEATED_CHARACTERS]
        self._messages.append(ChatMessage("assistant", said or "-"))
        turn = read_turn(text)
        if not isinstance(turn, Unreadable):
            self._steps.append(f"thought: {turn.thought}")
        if isinstance(turn, GiveAnswer) and self._must_answer and is_no_answer(turn.answer):
            return Unreadable("it evades the question: give your best guess")
        return turn

    def _observed(self, turn: WriteProgram) -> str:
        """Runs the program; what to tell the model of it."""
        program = printable(turn.program)
        self._asking.report("program", program)
        allowance = self._asking.allowance
        allowance.check()
        seconds = max(allowance.left_s, _LEAST_SECONDS)
        observation = run_program(self._sandbox, self._api, turn.program, seconds, allowance.waking)
        allowance.check()
        seen = printable(observation.text)[:_OBSERVED_CHARACTERS]
        self._steps += [f"program:\n{program}", f"observation: {seen}"]
        self.programs.append((turn.program, observation.error is None))
        if observation.error is not None:
            self._asking.report("rectify", seen)
            return fill_prompt(_PROMPTS, "program_failed", error=seen)
        self.has_observed = True
        self.object_ids = observation.object_ids
        self._asking.report("observe", seen)
        return f"Observation: {seen}"

    def _complain(self, turn: Unreadable) -> None:
        self._steps.append(f"asked again: {turn.complaint}")
        self._asking.report("rectify", turn.complaint)
        self._tell(fill_prompt(_PROMPTS, "unreadable", complaint=turn.complaint))

    def _tell(self, text: str) -> None:
        """In the person's turn: turns alternate, as many models want it."""
        last = self._messages[-1]
        if last.role == "user":
            self._messages[-1] = ChatMessage("user", f"{last.text}\n\n{text}")
        else:
            self._messages.append(ChatMessage("user", text))
