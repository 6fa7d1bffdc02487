"""Corrections in words as an action: speakers, feedback, and cancelling."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration

from scenemind.config import SceneMindConfig
from scenemind.memory import Correction, Edit, Memory, MemorySnapshot
from scenemind_interfaces import action, srv
from scenemind_interfaces.msg import Error
from scenemind_ros.reasoning.memory_access import PinnedMemory
from scenemind_ros.reasoning_node import ReasoningNode
from tests.chat_server import ChatServer, Step, call, choose, stay_silent

from .goal import Goal
from .graph import TIMEOUT_S, RosGraph, wait_for
from .scripted_model import asking

ALIGN = "/reasoning_node/align"
HOSTILE = ("Robert'); DROP TABLE corrections;--", "<img src=x onerror=alert(1)>", "undo that")


@pytest.fixture
def memory(stored_room: Path, tmp_path: Path) -> Iterator[Memory]:
    copy = shutil.copytree(stored_room, tmp_path / "room")
    with Memory.open(copy, SceneMindConfig()) as memory:
        yield memory


def any_chair(memory: Memory) -> int:
    return min(i for i, thing in memory.snapshot().objects.items() if thing.label == "chair")


def renaming(object_id: int, name: str) -> Step:
    """The actions of an agent that renames the object."""
    rename = call(("update_name", {"names": [name], "object_ids": [object_id]}), text="I rename.")
    end = call(("final_answer", {"answer": f"It is a {name} now."}), text="Done.")
    return choose(lambda request: end if "Noted;" in request.text else rename)


class Gate(PinnedMemory):
    """A memory with a method that waits until the gate is open."""

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self.reached, self.open = threading.Event(), threading.Event()

    def wait(self) -> None:
        self.reached.set()
        assert self.open.wait(TIMEOUT_S)


class GatedReading(Gate):
    def snapshot(self) -> MemorySnapshot:
        self.wait()
        return super().snapshot()


class GatedWriting(Gate):
    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        self.wait()
        return super().apply(edits, by, reason)


def test_the_journal_has_the_speaker(graph: RosGraph, memory: Memory) -> None:
    graph.add(ReasoningNode, {}, memory=memory)
    chair = any_chair(memory)
    for speaker in ("", " Ada ", *HOSTILE):
        said = f"object {chair} is a stool{len(speaker)}"
        done = graph.call(srv.Align, ALIGN, instruction=said, speaker=speaker)
        assert done.success, done.error
    status, result = Goal(
        graph, action.Align, ALIGN, instruction="this is Bob's", marked_object_ids=[chair],
        speaker="Bob",
    ).result()  # fmt: skip
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error
    assert (result.edits[0].by, result.edits[0].value) == ("Bob", "Bob")
    said_by = [entry.by for entry in memory.corrections()]
    assert said_by == ["a person", "Ada", *HOSTILE, "Bob"]


@pytest.mark.parametrize("speaker", ["A" * 121, "Ada\nBob", "A\u202eda"])
def test_invalid_speaker_is_refused(graph: RosGraph, memory: Memory, speaker: str) -> None:
    graph.add(ReasoningNode, {}, memory=memory)
    said = f"object {any_chair(memory)} is a stool"
    done = graph.call(srv.Align, ALIGN, instruction=said, speaker=speaker)
    assert done.error.code == Error.INVALID_REQUEST
    assert "speaker's name" in done.error.message
    assert memory.corrections() == []


def test_names_are_names_to_the_service(graph: RosGraph, memory: Memory) -> None:
    graph.add(ReasoningNode, {}, memory=memory)
    chair, count = any_chair(memory), len(memory.snapshot().objects)
    for name in HOSTILE:
        memory.apply([Edit("rename", (chair,), value=name)], "test", "test")
        done = graph.call(
            srv.Align, ALIGN, instruction="this is red", marked_object_ids=[chair], speaker=name
        )
        assert done.success, done.error
        assert name in done.response
        assert memory.snapshot().objects[chair].label == name
    assert len(memory.snapshot().objects) == count
    unknown = graph.call(srv.Align, ALIGN, instruction="this is red", marked_object_ids=[987])
    assert unknown.error.code == Error.MEMORY_REFUSED
    assert "987" in unknown.error.message


def test_feedback_has_the_agents_stages_and_thoughts(graph: RosGraph, memory: Memory) -> None:
    chair = any_chair(memory)
    with ChatServer(renaming(chair, "stool")) as server:
        graph.add(ReasoningNode, asking(server.endpoint), memory=memory)
        said = f"object {chair} is a stool. My grandfather carved it one winter."
        goal = Goal(graph, action.Align, ALIGN, instruction=said, speaker="Ada")
        status, result = goal.result()
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error
    told = f'It is a stool now. Written: The "chair" (id: {chair}) is called "stool".'
    assert (result.method, result.response) == ("synergai", told)
    (edit,) = result.edits
    assert (edit.by, edit.reason, edit.value) == ("Ada", said, "stool")
    wait_for(lambda: goal.feedback[-1].stage == "answer", "the last feedback")
    stages = list(dict.fromkeys(step.stage for step in goal.feedback))
    assert stages == ["reason", "plan", "act", "think", "answer"]
    assert any("update_name" in step.partial_reasoning for step in goal.feedback)


def test_cancelling_during_the_agents_work_changes_nothing(graph: RosGraph, memory: Memory) -> None:
    chair = any_chair(memory)
    rename = renaming(chair, "stool")
    step = choose(lambda request: stay_silent if "Noted;" in request.text else rename)
    with ChatServer(step) as server:
        graph.add(ReasoningNode, asking(server.endpoint), memory=memory)
        said = f"object {chair} is a stool. My grandfather carved it one winter."
        goal = Goal(graph, action.Align, ALIGN, instruction=said, dialogue_id="a")
        wait_for(lambda: len(server.requests) > 1, "the edit to be noted")
        goal.cancel()
        status, result = goal.result()
    assert (status, result.error.code) == (GoalStatus.STATUS_CANCELED, Error.CANCELLED)
    assert memory.corrections() == []


def test_cancelling_before_the_write_changes_nothing(graph: RosGraph, memory: Memory) -> None:
    gated = GatedReading(memory)
    node = graph.add(ReasoningNode, {}, memory=gated)
    said = f"object {any_chair(memory)} is a stool"
    goal = Goal(graph, action.Align, ALIGN, instruction=said)
    assert gated.reached.wait(TIMEOUT_S)
    goal.cancel()
    assert goal.result()[0] == GoalStatus.STATUS_CANCELED
    gated.open.set()
    wait_for(lambda: not node._requests.running, "the end of the work")
    assert memory.corrections() == []


def test_cancelling_during_the_write_reports_the_written_correction(
    graph: RosGraph, memory: Memory
) -> None:
    gated = GatedWriting(memory)
    graph.add(ReasoningNode, {}, memory=gated)
    chair = any_chair(memory)
    goal = Goal(graph, action.Align, ALIGN, instruction=f"object {chair} is a stool")
    assert gated.reached.wait(TIMEOUT_S)
    goal.cancel()
    gated.open.set()
    status, result = goal.result()
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error
    assert [int(edit.id) for edit in result.edits] == [
        e.correction_id for e in memory.corrections()
    ]
    assert memory.snapshot().objects[chair].label == "stool"


def test_timeout_during_the_write_names_the_journal(graph: RosGraph, memory: Memory) -> None:
    gated = GatedWriting(memory)
    graph.add(ReasoningNode, {}, memory=gated)
    fields: dict[str, Any] = {"timeout": Duration(nanosec=50_000_000)}
    said = f"object {any_chair(memory)} is a stool"
    response = graph.call(srv.Align, ALIGN, instruction=said, **fields)
    gated.open.set()
    assert response.error.code == Error.TIMEOUT
    assert "ListCorrections" in response.error.message
