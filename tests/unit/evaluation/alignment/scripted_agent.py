"""A scripted model for whole tables of tasks: it understands every sentence of the simulated
persons, and needs the agent's tools for all else."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from scenemind.evaluation.alignment.tasks import AlignmentTask
from tests.chat_exchange import Request
from tests.chat_server import Step, call, say
from tests.unit.evaluation.alignment.agent_answers import answer_to
from tests.unit.evaluation.alignment.agent_corrections import corrected

Action = tuple[str, dict[str, Any]]
Script = Generator[Action, str, None]
"""One turn of the person: actions, each of which is answered by an observation."""

_SAID = re.compile(r"says: (\".*\")")
_MARKED = "Marked by the person: yes"


class ScriptedAgent:
    """The model behind a chat server; `step` answers each request."""

    def __init__(self) -> None:
        self._task: AlignmentTask | None = None
        self._script: Script | None = None

    def watch(self, tasks: Sequence[AlignmentTask]) -> Iterator[AlignmentTask]:
        """Note each task when it begins."""
        for task in tasks:
            self._task = task
            yield task

    def step(self, request: Request) -> Step:
        messages = request.body["messages"]
        if messages[-1]["role"] == "user" and len(messages) == 2:
            assert self._task is not None
            self._script = self.script(self._task, *_said(messages[1]["content"]))
            action = next(self._script)
        else:
            assert self._script is not None
            action = self._script.send(messages[-1]["content"])
        return in_words(*action) if "tools" not in request.body else call(action, text="Next.")

    def script(self, task: AlignmentTask, said: str, is_marked: bool) -> Script:
        """The turn of the agent after a sentence of the person."""
        if said == task.wanted.question:
            yield from answer_to(said)
        else:
            yield from corrected(task, said, is_marked)
        yield "final_answer", {"answer": "I cannot tell."}


def in_words(tool: str, arguments: dict[str, Any]) -> Step:
    """An action as text, by a model without tool calls."""
    action = json.dumps({"action": tool, "action_input": arguments})
    return say(f"Next.\n\nAction: ```{action}```")


def _said(request: str) -> tuple[str, bool]:
    found = _SAID.search(request)
    assert found is not None
    return json.loads(found.group(1)), _MARKED in request
