"""A model with set replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scenemind.models import Allowance, ChatMessage, ChatReply, OnText, Usage


class Parrot:
    """A `ChatModel` with set replies for each form, given in turn."""

    name = "parrot"

    def __init__(self, said: Mapping[str, Sequence[str]]) -> None:
        self._said = said
        self.calls = 0

    def ask(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,
        on_text: OnText | None = None,
    ) -> ChatReply:
        del on_text
        allowance.check()
        roles = [message.role for message in messages]
        assert roles[1:] == ["user", "assistant"] * (len(roles) // 2 - 1) + ["user"]
        assert schema is not None
        texts = self._said[schema["title"]]
        self.calls += 1
        return ChatReply(texts[self.calls % len(texts)], self.name, Usage(), 0.0)
