"""A memory of a row of chairs, and one of a simulated room."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenemind.config import ChatModelConfig, DescriptionsConfig, SceneMindConfig
from scenemind.memory import Memory
from tests.chat_exchange import Request
from tests.chat_server import ChatServer
from tests.unit.memory import walk

CONFIG = DescriptionsConfig(per_minute=60_000.0, image_px=64)
CHAIRS = 3


@pytest.fixture
def row(tmp_path: Path) -> Iterator[Memory]:
    """A walk past three chairs, each seen whole."""
    with Memory.create(tmp_path / "row", SceneMindConfig()) as memory:
        walk_on(memory, 0, 41)
        memory.flush()
        assert len(memory.snapshot().objects) == CHAIRS
        yield memory


def seer(server: ChatServer, call_deadline_s: float = 20.0) -> ChatModelConfig:
    """A model that sees pictures."""
    return ChatModelConfig(model="seer", endpoint=server.endpoint, call_deadline_s=call_deadline_s)


def walk_on(memory: Memory, first: int, last: int) -> None:
    """Frames `first` to `last` - 1 of the walk, `last` excluded."""
    walk.go(memory, range(first, last))


def answer(material: str = "wood", **summary: str) -> str:
    """The reply about one view, of a model that keeps to the form."""
    notes = {
        "material": material,
        "texture": "smooth",
        "color": "mauve",
        "shape": "spiral",
        "state": "",
        "affordance": "sit on it",
    }
    summed = {**notes, "caption": "A chair.", **summary}
    return json.dumps({"views": [notes], "summary": summed})


def answer_with_count(request: Request) -> str:
    """A reply that gives the number of pictures as the material."""
    return answer(f"{len(request.pictures)} kinds of wood")
