"""The program agent of VADAR: writes the program of one question, and corrects it where it
fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from scenemind.language.quoting import tame
from scenemind.models import ChatMessage, ChatModel, ModelError
from scenemind.reasoning.method import Asking
from scenemind.reasoning.prompts import ask_for_code, fill_prompt, printable
from scenemind.reasoning.sandbox import Sandbox
from scenemind.reasoning.vadar.views import BoxPx, box_text, number_text
from scenemind.reasoning.vadar.vision_api import VisionApi

_PROMPTS = "scenemind.reasoning.vadar"
_ERROR_CHARACTERS, _SHOWN_CHARACTERS = 3000, 20_000
_LEAST_SECONDS = 0.05
_SORT_HINT = (
    "A function of the API cannot be called from the key of .sort(): write"
    " boxes = sorted(boxes, key=...)."
)
_CANNOT_CALL_BACK = "cannot suspend in this synchronous context"
_LONGEST_ANSWER = 200
_MOST_ITEMS = 20
_FARTHEST_PX = 1e6
_HUGE = 1e15  # numbers beyond it are no answer
_NO_ANSWERS = frozenset(
    ("", "unknown", "none", "n/a", "not sure", "unclear", "cannot be determined")
)
_USABLE = (
    "final_result must be a number, True or False, a str, a box [x0, y0, x1, y1], or a list of"
    " those"
)


class ProgramAgent:
    """The program agent of one question.

    Attributes:
        object_ids: the map's objects that the last program was about, the latest first.
        turns: of the model so far.
        has_looked: the last program called a function on the picture.
        programs: the programs that were run, with whether each came to a result.
    """

    def __init__(
        self,
        model: ChatModel,
        sandbox: Sandbox,
        api: VisionApi,
        learned: str,
        messages: Sequence[ChatMessage],
        asking: Asking,
    ) -> None:
        """
        Args:
            learned: source of the learned methods that the messages declare.
            messages: up to the model's first turn.
        """
        self._model = model
        self._sandbox = sandbox
        self._api = api
        self._sandbox_api = api.of_sandbox(learned)
        self._messages = list(messages)
        self._asking = asking
        self._progress = asking.progress
        self.object_ids: tuple[int, ...] = ()
        self.turns = 0
        self.has_looked = False
        self.programs: list[tuple[str, bool]] = []

    @property
    def found(self) -> dict[str, tuple[BoxPx, ...]]:
        """Words that programs looked for in the picture -> the boxes that were found."""
        return self._api.found

    def answer(self, retries: int, must_answer: bool) -> Result:
        """The first usable result.

        Args:
            retries: most programs after the first.
            must_answer: None is not accepted.

        Raises:
            ModelError: the model failed, or no program had a usable result.
            SandboxError: no program can be run.
        """
        error = ""
        for turn in range(retries + 1):
            self._progress.report("rectify" if turn else "program", error)
            result, error = self._try(self._next_program())
            if not error and must_answer and not result.text:
                error = "final_result is None: leave your best guess in it"
            if not error:
                return result
            self._progress.note(f"wrong: {error}")
            request = fill_prompt(_PROMPTS, "program_failed", error=error)
            self._messages.append(ChatMessage("user", request))
        raise ModelError(
            "bad_reply",
            f"{self._model.name} wrote no program of use, asked {retries + 1} times: {error}",
        )

    def _next_program(self) -> str:
        self.turns += 1
        hear = self._progress.hears_text("program")
        return ask_for_code(self._model, self._messages, self._asking, hear)

    def _try(self, program: str) -> tuple[Result, str]:
        """The result of a program, and its error, or an empty text."""
        if not program.strip():
            return Result(""), "there is no program in the reply"
        shown = printable(program[:_SHOWN_CHARACTERS])
        self._progress.report("run", shown)
        self._asking.allowance.check()
        seconds = max(self._asking.allowance.left_s, _LEAST_SECONDS)
        outcome = self._sandbox.run(
            f"{program}\n\nfinal_result\n",
            self._sandbox_api,
            seconds,
            self._asking.allowance.waking,
        )
        # A program that ended with the question's time is not wrong.
        self._asking.allowance.check()
        self.object_ids = self._api.take_object_ids()
        calls = self._api.take_calls()
        self.has_looked = bool(calls)
        self._progress.note(f"program:\n{shown}", *map(printable, calls))
        result = Result("")
        if outcome.error is None:
            result = read_result(outcome.value, self._api.name_of)
        error = result.complaint if outcome.error is None else outcome.error.text
        if _CANNOT_CALL_BACK in error:
            error = f"{error}\n{_SORT_HINT}"
        self.programs.append((program, bool(result.text) and not error))
        return result, printable(error)[:_ERROR_CHARACTERS]


@dataclass(frozen=True, slots=True)
class Result:
    """The value that a program left in `final_result`, as an answer.

    Attributes:
        text: one plain line; empty where the program found no answer.
        boxes_px: boxes that are the answer, or part of it.
        complaint: the mistake in it, for the program's author, without a full stop; may be empty.
    """

    text: str
    boxes_px: tuple[BoxPx, ...] = ()
    complaint: str = ""


def read_result(value: Any, name_of: Callable[[BoxPx], str] = box_text) -> Result:
    """The result in the value of a program's last line.

    Args:
        name_of: names the thing in a box; the same name is listed once.
    """
    if value is None or (isinstance(value, str) and value.strip(" .!?").lower() in _NO_ANSWERS):
        return Result("")
    box = _find_box(value)
    if box is not None:
        return Result(tame(name_of(box), _LONGEST_ANSWER), (box,))
    if isinstance(value, (list, tuple)):
        return _joined([read_result(item, name_of) for item in value[:_MOST_ITEMS]])
    if isinstance(value, bool):
        return Result("yes" if value else "no")
    if isinstance(value, (int, float)):
        is_number = abs(value) < _HUGE  # NaN is not either
        complaint = "" if is_number else "final_result is no number of a usual size"
        return Result(number_text(value) if is_number else "", complaint=complaint)
    if isinstance(value, str):
        return Result(tame(value, _LONGEST_ANSWER))
    return Result("", complaint=f"{_USABLE}, not {type(value).__name__}")


def _joined(parts: Sequence[Result]) -> Result:
    texts: list[str] = []
    for part in parts:
        if part.text and not (part.boxes_px and part.text in texts):
            texts.append(part.text)
    complaint = next((part.complaint for part in parts if part.complaint), "")
    boxes = tuple(box for part in parts for box in part.boxes_px)
    return Result(tame(", ".join(texts), _LONGEST_ANSWER), boxes, complaint)


def _find_box(value: Any) -> BoxPx | None:
    """The box in a value of four numbers that make a rectangle."""
    if not isinstance(value, (list, tuple)) or len(value) != 4:
        return None
    if not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in value):
        return None
    if not all(abs(v) < _FARTHEST_PX for v in value):
        return None
    x0, y0, x1, y1 = map(float, value)
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None
