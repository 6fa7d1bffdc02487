"""A scripted model that answers from key frames."""

from __future__ import annotations

import json

from tests.chat_exchange import Request
from tests.chat_server import Step, choose, say, stay_silent

MADE_OF = "What is the chair made of?"
CHOICE = {
    "think": "Chairs stand where the table is.",
    "locations": [{"location": 0, "key_objects": ["chair"], "cue_objects": ["dining table"]}],
}
ANSWER = {
    "think": "The picture shows a chair.",
    "seen": True,
    "answer": "It is made of wood.",
    "confidence": 0.8,
    "pictures": [1],
    "objects": ["chair"],
}


def look(**answer: object) -> Step:
    """A model that picks the first location, and gives this answer to pictures."""

    def reply(request: Request) -> str:
        return json.dumps(ANSWER | answer if request.pictures else CHOICE)

    return say(reply)


def hang_on(words: str, otherwise: Step) -> Step:
    """A model that never answers a question with these words."""
    return choose(lambda request: stay_silent if words in request.text else otherwise)


def asking(endpoint: str) -> dict[str, object]:
    """Parameters of a reasoning node that asks it for everything; one frame a question."""
    return {
        "models.language.model": "scripted",
        "models.language.endpoint": endpoint,
        "models.retries": 0,
        "memtree.frames": 1,
    }
