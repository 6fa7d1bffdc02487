"""The agent that writes the program of one question, and writes it again where it fails (VADAR,
program agent)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scenemind.models import ChatMessage, ChatModel, ModelError
from scenemind.reasoning.coding import ask_for_code, printable
from scenemind.reasoning.method import Asking, say_nothing
from scenemind.reasoning.prompts import fill_prompt
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.vadar.results import Result, read_result
from scenemind.reasoning.vadar.view import BoxPx
from scenemind.reasoning.vadar.vision_api import VisionApi

_PROMPTS = "scenemind.reasoning.vadar"
_ERROR_CHARACTERS, _SHOWN_CHARACTERS = 3000, 20_000
_LEAST_SECONDS = 0.05
_SORT_HINT = (
    "A function of the API cannot be called from the key of .sort(): write"
    " boxes = sorted(boxes, key=...)."
)
_CANNOT_CALL_BACK = "cannot suspend in this synchronous context"


class ProgramAgent:
    """Of one question.

    Attributes:
        object_ids: what the last program was about, the latest first.
        turns: of the model so far.
        has_looked: the last program asked something of the picture.
        programs: those that were run, with whether each came to a result.
    """

    def __init__(
        self,
        model: ChatModel,
        sandbox: Sandbox,
        api: VisionApi,
        messages: Sequence[ChatMessage],
        asking: Asking,
        steps: list[str],
        learned: str,
        name_of: Callable[[BoxPx], str],
    ) -> None:
        """
        Args:
            messages: up to the model's first turn.
            steps: takes programs, what they ask and are told, and what is wrong, in order.
            learned: source of the functions that the messages tell of beside the predefined ones.
            name_of: what people call what is in a box that a program leaves.
        """
        self._model = model
        self._sandbox = sandbox
        self._api = api
        self._of_sandbox = api.of_sandbox(learned)
        self._messages = list(messages)
        self._asking = asking
        self._steps = steps
        self._name_of = name_of
        self.object_ids: tuple[int, ...] = ()
        self.turns = 0
        self.has_looked = False
        self.programs: list[tuple[str, bool]] = []

    @property
    def found(self) -> dict[str, tuple[BoxPx, ...]]:
        """What programs looked for in the first picture, and where they found it."""
        return self._api.found

    def answer(self, retries: int, must_answer: bool) -> Result:
        """The first usable result.

        Args:
            retries: programs after the first.
            must_answer: None is no result.

        Raises:
            ModelError: no program had one, or the model failed.
            SandboxError: no program can be run.
        """
        error = ""
        for turn in range(retries + 1):
            self._asking.report("rectify" if turn else "program", error)
            result, error = self._try(self._next_program())
            if not error and must_answer and not result.text:
                error = "final_result is None: leave your best guess in it"
            if not error:
                return result
            self._steps.append(f"wrong: {error}")
            told = fill_prompt(_PROMPTS, "program_failed", error=error)
            self._messages.append(ChatMessage("user", told))
        raise ModelError(
            "bad_reply",
            f"{self._model.name} wrote no program of use, asked {retries + 1} times: {error}",
        )

    def _next_program(self) -> str:
        self.turns += 1
        report = self._asking.report
        hear = None if report is say_nothing else (lambda text: report("program", text))
        return ask_for_code(self._model, self._messages, self._asking, hear)

    def _try(self, program: str) -> tuple[Result, str]:
        """The result, and what is wrong."""
        if not program.strip():
            return Result(""), "there is no program in the reply"
        shown = printable(program[:_SHOWN_CHARACTERS])
        self._asking.report("run", shown)
        self._asking.allowance.check()
        seconds = max(self._asking.allowance.left_s, _LEAST_SECONDS)
        outcome = self._sandbox.run(
            f"{program}\n\nfinal_result\n",
            self._of_sandbox,
            seconds,
            self._asking.allowance.waking,
        )
        self.object_ids = self._api.take_object_ids()
        calls = self._api.take_calls()
        self.has_looked = bool(calls)
        self._steps += [f"program:\n{shown}", *map(printable, calls)]
        result = read_result(outcome.value, self._name_of) if outcome.error is None else Result("")
        error = result.complaint if outcome.error is None else outcome.error.text
        if _CANNOT_CALL_BACK in error:
            error = f"{error}\n{_SORT_HINT}"
        self.programs.append((program, bool(result.text) and not error))
        return result, printable(error)[:_ERROR_CHARACTERS]
