"""Replies of a scripted model, and its client over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from scenemind.config.reasoning import ChatModelConfig
from scenemind.memory import KeyFrame
from scenemind.models import Allowance
from scenemind.models.openai_chat import OpenAIChat
from scenemind.reasoning.method import Asking
from tests.chat_server import ChatServer

Word = int | str
Place = tuple[int, list[Word], list[Word]]


def choice(*places: Place, think: str = "it may be there") -> str:
    """A language model's reply: (location, key objects, cue objects) each."""
    keys = ("location", "key_objects", "cue_objects")
    locations = [dict(zip(keys, place, strict=True)) for place in places]
    return json.dumps({"think": think, "locations": locations})


def answer(text: str = "On the left.", **more: object) -> str:
    """A vision model's reply."""
    usual = {"think": "I see it", "seen": True, "answer": text, "confidence": 0.8}
    return json.dumps({**usual, "pictures": [1], "objects": [], **more})


@contextmanager
def chat_with(server: ChatServer, **settings: object) -> Iterator[OpenAIChat]:
    """Opens the server too."""
    with server:
        config = ChatModelConfig(model="scripted", endpoint=server.endpoint, **settings)  # type: ignore[arg-type]
        with OpenAIChat(config) as chat:
            yield chat


class Heard:
    """A `ProgressListener` that remembers.

    Attributes:
        reports: stage, text and frame numbers of each.
    """

    def __init__(self) -> None:
        self.reports: list[tuple[str, str, list[int]]] = []

    def __call__(self, stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        self.reports.append((stage, text, [frame.frame_number for frame in key_frames]))

    @property
    def stages(self) -> list[str]:
        """Without repetitions in a row."""
        names = [stage for stage, _, _ in self.reports]
        return [n for i, n in enumerate(names) if i == 0 or names[i - 1] != n]


def asking(seconds: float = 20.0) -> Asking:
    return Asking(Allowance(seconds))
