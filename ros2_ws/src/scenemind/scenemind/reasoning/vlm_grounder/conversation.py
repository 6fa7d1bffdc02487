"""A conversation with a vision model in which everything that was said stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel

from scenemind.models import BadFormError, ChatMessage, ChatModel, ask_for
from scenemind.reasoning.method import Asking
from scenemind.reasoning.thoughts import hears_thoughts

Form = TypeVar("Form", bound=BaseModel)


class Conversation:
    """Of one query."""

    def __init__(self, model: ChatModel, system: str, asking: Asking, steps: list[str]) -> None:
        """
        Args:
            steps: gets what had to be asked again.
        """
        self._model = model
        self._asking = asking
        self._steps = steps
        self._messages = [ChatMessage("system", system)]

    def tell(self, text: str, jpegs: tuple[bytes, ...] = ()) -> None:
        """A turn to the model; turns alternate, so an answer is asked for before the next.

        Args:
            jpegs: in the size in which it is to see them.
        """
        self._messages.append(ChatMessage("user", text, jpegs, sized=True))

    def answer(
        self, form: type[Form], stage: str, check: Callable[[Form], str | None] | None = None
    ) -> Form:
        """The model's turn; one that is of no use is asked for again, once. A turn that brought
        nothing of use is taken back.

        Args:
            stage: under which its thoughts are reported.
            check: see `ask_for`.

        Raises:
            BadFormError: neither reply is of use.
            ModelError: the model failed.
        """

        def note_repair(complaint: str) -> None:
            self._steps.append(f"asked again: {complaint}")
            self._asking.report("repair", complaint)

        self._asking.report(stage)
        try:
            said = ask_for(
                self._model,
                self._messages,
                form,
                self._asking.allowance,
                check,
                hears_thoughts(self._asking.report, stage),
                note_repair,
            )
        except BadFormError:
            self._messages.pop()
            raise
        self._messages.append(ChatMessage("assistant", said.model_dump_json()))
        return said
