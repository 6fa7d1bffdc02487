"""What a chat with a language or vision model is made of, and what a model must be able to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from scenemind.models.allowance import Allowance
from scenemind.models.errors import ModelError
from scenemind.models.usage import Usage

OnText = Callable[[str], None]
"""Hears a reply while it is written: all of it so far, each time. It may begin anew when a call is
tried again, is called on a thread of the model, and should return soon."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that a model may ask to have done.

    Attributes:
        description: for the model: what it does and when to use it.
        parameters: JSON schema of its arguments, an object.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a model asks to have done.

    Attributes:
        call_id: by which the answer names it.
        arguments: JSON as the model wrote it, so that it may be anything.
    """

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn.

    Attributes:
        jpegs: pictures that follow the text, as JPEG files.
        sized: they have the size in which the model is to see them; else they are made as small as
            its `image_px`.
        calls: of an assistant's turn.
        call_id: of a tool's turn: which call it answers.
    """

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    jpegs: tuple[bytes, ...] = ()
    sized: bool = False
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""

    def __post_init__(self) -> None:
        """
        Raises:
            ModelError: the text cannot be sent (rejected).
        """
        try:
            self.text.encode()
        except UnicodeEncodeError as error:
            raise ModelError(
                "rejected",
                f"a text for a model holds {self.text[error.start]!a}, which is no character: it"
                " may come from a terminal or a file that is not UTF-8",
            ) from error


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What the model said.

    Attributes:
        model: which answered, as the server names it.
        usage: of this call.
        seconds: from the question to the whole answer.
        calls: of tools, in order; there is a text, a call, or both.
    """

    text: str
    model: str
    usage: Usage
    seconds: float
    calls: tuple[ToolCall, ...] = ()


class ChatModel(Protocol):
    """Answers a conversation; may be asked from several threads at once."""

    @property
    def name(self) -> str:
        """Shown wherever its words appear."""
        ...

    def ask(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,
        on_text: OnText | None = None,
        tools: Sequence[Tool] = (),
    ) -> ChatReply:
        """The model's next turn; returns or raises within the allowance, and soon after it is
        cancelled. What was used is taken off it.

        Args:
            schema: JSON schema that the server is to hold the answer to; see `ask_for`.
            tools: that it may call, in place of a schema. A server that has no such calls is told
                of them in words, and its reply read for them.

        Raises:
            ModelError: no usable answer.
        """
        ...
