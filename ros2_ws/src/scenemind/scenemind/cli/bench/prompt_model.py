"""What methods that ask models cost besides the models: one that answers at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scenemind.models import Allowance, ChatMessage, ChatReply, OnText, Tool, Usage


class PromptModel:
    """A `ChatModel` that says its replies in turn, at once, and then begins anew."""

    name = "prompt"

    def __init__(self, replies: Sequence[str]) -> None:
        self._replies = replies
        self._asked = 0

    def ask(
        self,
        messages: Sequence[ChatMessage],
        allowance: Allowance,
        schema: Mapping[str, Any] | None = None,
        on_text: OnText | None = None,
        tools: Sequence[Tool] = (),
    ) -> ChatReply:
        """See `ChatModel`."""
        del messages, schema, on_text, tools
        allowance.check()
        text = self._replies[self._asked % len(self._replies)]
        self._asked += 1
        return ChatReply(text, self.name, Usage(), 0.0)


def times_ms(work: Callable[[], object], rounds: int) -> list[float]:
    """After one that does not count: the first loads code and tables, and starts a worker."""
    work()
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - started))
    return times
