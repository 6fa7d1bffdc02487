"""What a chat with a language or vision model is made of, and what a model must be able to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn.

    Attributes:
        jpegs: pictures that follow the text, as JPEG files.
    """

    role: Literal["system", "user", "assistant"]
    text: str
    jpegs: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What the model said.

    Attributes:
        model: which answered, as the server names it.
        prompt_tokens, reply_tokens: 0 where the server does not say.
        seconds: from the question to the whole answer.
    """

    text: str
    model: str
    prompt_tokens: int
    reply_tokens: int
    seconds: float


class ChatModel(Protocol):
    """Answers a conversation; may be asked from several threads at once."""

    @property
    def name(self) -> str:
        """Shown wherever its words appear."""
        ...

    def ask(
        self,
        messages: Sequence[ChatMessage],
        deadline_s: float,
        schema: Mapping[str, Any] | None = None,
    ) -> ChatReply:
        """The model's next turn; returns or raises within the deadline.

        Args:
            schema: JSON schema that the server is to hold the answer to; see `ask_for`.

        Raises:
            ModelError: no usable answer.
        """
        ...
