"""Dialogues with the agent: what is written after each turn, and what the reply says of it."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
import yaml

from scenemind.reasoning import Query
from tests.chat_server import Step, call
from tests.unit.reasoning.synergai.agent_room import agent_router, asking

TALKS: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    files("tests.unit.reasoning.synergai").joinpath("tables/dialogues.yaml").read_text("utf-8")
)


def step(actions: list[dict[str, Any]]) -> Step:
    """A turn of the model."""
    return call(*(_tool(action) for action in actions), text="Next.")


def _tool(action: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    match action:
        case {"answer": text}:
            return "final_answer", {"answer": text}
        case {"ask": text, "ids": ids}:
            return "ask_back", {"question": text, "candidate_ids": ids}
    ((name, arguments),) = action.items()
    return name, arguments


@pytest.mark.parametrize("name", TALKS)
def test_dialogue(name: str) -> None:
    turns = TALKS[name]
    steps = [step(actions) for turn in turns for actions in turn.get("model", ())]
    written: list[tuple[Any, ...]] = []
    with agent_router(*steps) as (router, memory, server):
        for turn in turns:
            said = Query(turn["say"], dialogue_id="a")
            done = router.align(said, turn.get("by", "Ada"), asking())
            written += map(tuple, turn.get("written", ()))
            if turn.get("undone"):
                written.clear()
            standing = [entry.edit for entry in memory.corrections() if not entry.undone]
            assert [(e.kind, e.object_ids[0], e.key, e.value) for e in standing] == written
            assert [w for w in turn.get("has", ()) if w not in done.response] == []
            assert [w for w in turn.get("lacks", ()) if w in done.response] == []
        assert len(server.requests) == len(steps)  # no turn asks the model more than it has to
