"""The browser view of running nodes without a browser: reading, asking and correcting."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("viser")

from scenemind.config import SceneMindConfig
from scenemind.geometry import Pose
from scenemind.memory import Memory, SceneMemoryError
from scenemind.models import Allowance
from scenemind.reasoning import Asking, Query
from scenemind.viewer.chat import reply_to
from scenemind.viewer.viewer import Viewer, ViewerSettings
from scenemind_ros.commands.live_view import AskedNodes, NodesMemory, ViewingClient
from scenemind_ros.conversions import pose_to_msg
from scenemind_ros.errors import RosError
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.reasoning_node import ReasoningNode
from tests.chat_server import ChatServer, stay_silent
from tests.waiting import wait_until

from . import scripted_model
from .graph import SIMULATED, TIMEOUT_S, RosGraph


class Live(NamedTuple):
    node: MappingNode
    memory: NodesMemory
    nodes: AskedNodes


@contextmanager
def running(room: Path, root: Path, **of_reasoning: object) -> Iterator[Live]:
    """Nodes with a copy of the room."""
    shutil.copytree(room, root / "room")
    graph = RosGraph(hears_processes=True)
    node = graph.add(MappingNode, SIMULATED | {"memory.root": str(root), "memory.name": "room"})
    graph.add(ReasoningNode, of_reasoning)
    with ViewingClient() as client:
        client.wait_ready(TIMEOUT_S)
        memory = client.memory()
        yield Live(node, memory, AskedNodes(client, memory))
    graph.close()


@pytest.fixture
def live(stored_room: Path, tmp_path: Path) -> Iterator[Live]:
    with running(stored_room, tmp_path) as live:
        yield live


def asking() -> Asking:
    return Asking(Allowance(TIMEOUT_S))


def test_nodes_answer_and_are_corrected_in_one_dialogue(live: Live) -> None:
    def put(text: str, *marked: int):
        return reply_to(
            Query(text, marked_object_ids=marked, dialogue_id="talk"),
            live.nodes,
            live.memory,
            "Ada",
            asking(),
        )

    answered = put("where is the dining table?")
    (table,) = answered.objects
    assert table.label == "dining table"
    assert answered.key_frames
    (meant,) = live.nodes.ground(Query("it", dialogue_id="talk"), "auto", asking()).objects
    assert meant.object_id == table.object_id
    put("this is a workbench", table.object_id)
    assert live.memory.snapshot().objects[table.object_id].label == "workbench"
    assert [entry.by for entry in live.memory.corrections()] == ["Ada"]
    put("undo that")
    assert live.memory.snapshot().objects[table.object_id].label == "dining table"


def test_the_place_is_drawn_and_follows(live: Live) -> None:
    with Viewer(live.memory, live.nodes, asking, ViewerSettings(port=0, poll_s=0.1)) as viewer:
        viewer.start()
        table = next(
            t for t in live.memory.snapshot().objects.values() if t.label == "dining table"
        )
        viewer.mark([table.object_id])
        viewer.put("this is a workbench")
        wait_until(lambda: live.memory.snapshot().objects[table.object_id].label == "workbench")


def test_stopped_question_is_reported(live: Live) -> None:
    stopped = asking()
    stopped.allowance.cancel()
    answer = live.nodes.ask(Query("where is the lamp?"), "auto", stopped)
    assert answer.text


def test_steps_of_a_correction_stream_and_stop_ends_it(stored_room: Path, tmp_path: Path) -> None:
    stages: list[str] = []
    with (
        ChatServer(stay_silent) as server,
        running(stored_room, tmp_path, **scripted_model.asking(server.endpoint)) as live,
    ):
        stopped = asking()

        def stop_at_plan(stage: str, *_: object) -> None:
            stages.append(stage)
            if stage == "plan":
                stopped.allowance.cancel()

        stopped.progress.listener = stop_at_plan
        chair = next(i for i, t in live.memory.snapshot().objects.items() if t.label == "chair")
        query = Query(
            "between us: this, though nobody would guess it, is by nature a stool",
            marked_object_ids=(chair,),
        )
        done = live.nodes.align(query, "Ada", stopped)
        assert live.memory.corrections() == []
    assert done.failure is not None
    assert done.failure.code == "cancelled"
    assert stages == ["reason", "plan"]


class Recorder:
    """A client that notes the fields of a goal and has no node to send it to."""

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}

    def start_asking(self, text: str, **fields: Any) -> None:
        self.fields = {"text": text, **fields}
        raise RosError("no node")

    start_grounding = start_aligning = start_asking


def test_every_part_of_a_query_reaches_the_nodes() -> None:
    pose = Pose.from_quaternion((1.0, 2.0, 0.0), (0.0, 0.0, 0.6, 0.8))
    query = Query("where is it?", "I sit", pose, (7,), "strict", "talk", "Ada")
    recorder: Any = Recorder()
    nodes = AskedNodes(recorder, Memory.create(None, SceneMindConfig()))
    shared = {
        "text": query.text,
        "marked_object_ids": (7,),
        "dialogue_id": "talk",
        "speaker": "Ada",
    }
    of_questions = {
        "situation": "I sit",
        "viewpoint": pose_to_msg(pose),
        "method": "memtree",
        "policy": "strict",
    }
    for ask, fields in (
        (lambda: nodes.ask(query, "memtree"), of_questions),
        (lambda: nodes.ground(query, "memtree"), of_questions),
        (lambda: nodes.align(query, "Ada"), {}),
    ):
        with pytest.raises(SceneMemoryError, match="no node"):
            ask()
        sent = recorder.fields
        del sent["timeout_s"], sent["on_feedback"]
        assert sent == {**shared, **fields}


def test_missing_nodes_are_a_memory_that_does_not_answer(tmp_path: Path) -> None:
    del tmp_path
    with ViewingClient(timeout_s=0.2) as client:
        memory = client.memory()
        with pytest.raises(SceneMemoryError, match="/mapping_node"):
            memory.snapshot()
        with pytest.raises(SceneMemoryError):
            AskedNodes(client, memory).ask(Query("where is the cup?"), "auto", asking())
        with pytest.raises(SceneMemoryError):
            AskedNodes(client, memory).ground(Query("the cup"), "auto", asking())
        with pytest.raises(SceneMemoryError):
            AskedNodes(client, memory).align(Query("object 1 is a cup"), "Ada", asking())
