"""A scripted model that answers from key frames, and the commands that ask it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from scenemind.cli.main import app
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, say

LOCATIONS = {
    "think": "Chairs stand where the table is.",
    "locations": [{"location": 0, "key_objects": ["chair"], "cue_objects": ["dining table"]}],
}
ANSWER = {
    "think": "The picture shows a chair by the table.",
    "seen": True,
    "answer": "It is made of wood.",
    "confidence": 0.8,
    "pictures": [1],
    "objects": ["chair"],
}


def seer(**answer: object) -> ChatServer:
    """A model that picks the first location for chairs, and gives the set answer to pictures."""

    def reply(request: Request) -> str:
        return json.dumps(ANSWER | answer if request.pictures else LOCATIONS)

    return ChatServer(say(reply))


def writer() -> ChatServer:
    """A model that writes a program which counts chairs, and then answers that there are two."""
    program = "chairs = filter(scene(), 'chair')\nprint(chairs)"
    return ChatServer(
        say(f"Thought: I count.\nAction: Program\nAction Input:\n```python\n{program}\n```"),
        say("Thought: Two.\nAction: Final Answer\nAction Input: two\nObjects: chair"),
    )


def run(command: str, question: str, rooms: Path, *more: object) -> tuple[int, str]:
    """Exit status, and both outputs together; the memory is `room`."""
    result = _invoke(command, question, rooms, *more)
    return result.exit_code, result.output


def run_json(command: str, question: str, rooms: Path, *more: object, status: int = 0) -> Any:
    """The last line of standard output, read as JSON."""
    result = _invoke(command, question, rooms, *more, "--json")
    assert result.exit_code == status, result.output
    return json.loads(result.stdout.splitlines()[-1])


def _invoke(command: str, question: str, rooms: Path, *more: object) -> Result:
    line = [command, question, "--memory", "room", "--memory-root", rooms, *more]
    return CliRunner().invoke(app, [str(word) for word in line])


def at(server: ChatServer) -> tuple[str, ...]:
    """Options that name a server."""
    return ("--model", "seer", "--endpoint", server.endpoint)
