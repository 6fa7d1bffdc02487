"""Replies of a model server that were changed: the caller gets a reply or a `ModelError`."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel, ConfigDict

from scenemind.config import ChatModelConfig
from scenemind.models import Allowance, ChatMessage, ModelError, Tool, ask_for
from scenemind.models.openai_chat import OpenAIChat
from scenemind.models.openai_protocol import with_tools_in_text
from tests.chat_exchange import Exchange, completion
from tests.chat_server import ChatServer
from tests.fuzz.mutations import mutated, mutated_json

_DEADLINE_S = 3.0
_ASKED = [ChatMessage("user", "where is the lamp?")]
_TOOLS = [Tool("look", "looks at a thing", {"type": "object"})]


class Where(BaseModel):
    model_config = ConfigDict(extra="forbid")

    think: str
    ids: list[int]


_TEXTS = (
    '{"think": "the lamp stands there", "ids": [3, 11]}',
    'Sure!\n```json\n{"think": "there", "ids": [3]}\n```',
    '<think>hm</think><answer>{"think": "there", "ids": []}</answer>',
    'Action: ```{"action": "look", "action_input": {"object": 3}}```',
)


class _Replies:
    """One changed reply for each request."""

    def __init__(self) -> None:
        self.rng = random.Random()

    def __call__(self, exchange: Exchange) -> None:
        rng = self.rng
        text = rng.choice(_TEXTS)
        if rng.random() < 0.5:
            text = mutated(text.encode(), rng).decode(errors="replace")
        usage = {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}
        call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": text}}
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if rng.random() < 0.3:
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        choice = {"message": message, "finish_reason": "stop"}
        if rng.random() < 0.5:
            exchange.send(
                rng.choice((200, 200, 200, 302, 400, 429, 500)), self._body(choice, usage)
            )
            return
        exchange.begin_stream()
        for start in range(0, len(text), 9):
            piece = completion([{"delta": {"content": text[start : start + 9]}}])
            changed = mutated_json(piece, rng) if rng.random() < 0.1 else json.dumps(piece).encode()
            exchange.send_event(changed)
        exchange.send_event(json.dumps(completion([{"delta": {}, "finish_reason": "stop"}])))
        exchange.end_stream()

    def _body(self, choice: dict[str, Any], usage: dict[str, int]) -> bytes:
        return mutated_json(completion([choice], usage=usage), self.rng)


@contextmanager
def opened() -> Iterator[Callable[[random.Random], str]]:
    replies = _Replies()
    with ChatServer(replies) as server:
        settings = ChatModelConfig(
            model="any", endpoint=server.endpoint, call_deadline_s=_DEADLINE_S
        )
        with OpenAIChat(settings) as model:

            def trial(rng: random.Random) -> str:
                replies.rng = random.Random(rng.random())
                listener = rng.choice((None, lambda _: None))
                allowance = Allowance(_DEADLINE_S)
                try:
                    if rng.random() < 0.5:
                        form = ask_for(model, _ASKED, Where, allowance, on_text=listener)
                        return repr(form)[:80]
                    tools = _TOOLS if rng.random() < 0.7 else []
                    reply = model.ask(_ASKED, allowance, None, listener, tools)
                    turn = ChatMessage("assistant", reply.text, calls=reply.calls)
                    with_tools_in_text([*_ASKED, turn], _TOOLS)
                    return repr(reply)[:80]
                except ModelError as error:
                    return f"{error.kind}: {str(error)[:80]}"

            yield trial
