"""A model whose key is missing: it is there, and says what it wants when it is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scenemind.models.allowance import Allowance
from scenemind.models.chat import ChatMessage, ChatReply, OnText, Tool
from scenemind.models.errors import ModelError


class KeylessChat:
    """A `ChatModel` that fails each question: what needs no model works without the key."""

    def __init__(self, name: str, missing: str) -> None:
        """
        Args:
            missing: which key, and where it belongs.
        """
        self._name = name
        self._missing = missing

    @property
    def name(self) -> str:
        return self._name

    def ask(
        self,
        messages: Sequence[ChatMessage],  # noqa: ARG002
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002
        on_text: OnText | None = None,  # noqa: ARG002
        tools: Sequence[Tool] = (),  # noqa: ARG002
    ) -> ChatReply:
        """See `ChatModel`.

        Raises:
            ModelError: each time (no_key, or what the allowance says).
        """
        allowance.check()
        raise ModelError("no_key", self._missing)
