"""The small room, and an agent with a scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from scenemind.config import SynergaiConfig
from scenemind.models import Allowance
from scenemind.reasoning import Router
from scenemind.reasoning.dialogue import Dialogues
from scenemind.reasoning.method import Asking
from scenemind.reasoning.synergai import Synergai
from tests.chat_server import ChatServer, Step, call
from tests.unit.models.asking import SOON_S, chat_with
from tests.unit.reasoning.scene import SmallMemory, room_memory


def act(tool: str, text: str = "Next.", **arguments: Any) -> Step:
    """One action of the model."""
    return call((tool, arguments), text=text)


def finish(answer: str, *object_ids: int) -> Step:
    """Show objects, and give the final answer."""
    return call(
        ("post_process", {"object_ids": list(object_ids)}),
        ("final_answer", {"answer": answer}),
        text="I have what I need.",
    )


@contextmanager
def agent_router(
    *steps: Step, memory: SmallMemory | None = None, **settings: Any
) -> Iterator[tuple[Router, SmallMemory, ChatServer]]:
    memory = memory or room_memory()
    with ChatServer(*steps) as server, chat_with(server) as chat:
        agent = Synergai(chat, config=SynergaiConfig(**settings))
        router = Router(memory, methods={"synergai": agent}, dialogues=Dialogues(8, 6))
        yield router, memory, server


def asking(seconds: float = SOON_S) -> Asking:
    return Asking(Allowance(seconds))


def told(server: ChatServer, number: int = -1) -> str:
    """The observations that the model has seen with a request."""
    messages = server.requests[number].body["messages"]
    return "\n".join(m["content"] for m in messages if m["role"] == "tool")
