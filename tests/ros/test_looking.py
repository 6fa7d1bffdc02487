"""VLM-Grounder over ROS: the Ground action, on a memory in this process and in another node's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from action_msgs.msg import GoalStatus

from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from scenemind_interfaces import action, srv
from scenemind_interfaces.msg import Error, SceneObject
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.reasoning_node import ReasoningNode
from tests.chat_exchange import Request
from tests.chat_server import ChatServer, Step, say

from .goal import Goal
from .graph import SIMULATED, RosGraph, wait_for
from .scripted_model import asking

GROUND = "/reasoning_node/ground"
WANTED = {
    "target_class": "chair",
    "attributes": [],
    "conditions": [],
    "wants_all": False,
    "labels": [],
}
MEASURED = 0


def point(image: str = "00000") -> Step:
    """A model that names an image, and the third candidate in it."""

    def reply(request: Request) -> str:
        if not request.pictures:
            return json.dumps(WANTED)
        if "Here is image" in request.text:
            return json.dumps({"reasoning": "The far one.", "object_id": 2, "box": []})
        target = {"target_image_id": image, "target_place": [], "reference_image_ids": [image]}
        return json.dumps({"reasoning": "A chair is in it.", **target})

    return say(reply)


@pytest.fixture
def room(stored_room: Path, tmp_path: Path) -> Path:
    return shutil.copytree(stored_room, tmp_path / "room")


@pytest.fixture(params=["here", "elsewhere"])
def looking(request: pytest.FixtureRequest, graph: RosGraph, room: Path) -> Iterator[RosGraph]:
    """A reasoning node with the memory in its process, and one that asks the mapping node."""
    with ChatServer(point()) as server:
        if request.param == "here":
            with Memory.open(room, SceneMindConfig()) as memory:
                graph.add(ReasoningNode, asking(server.endpoint), memory=memory)
                yield graph
            return
        stored = {"memory.root": str(room.parent), "memory.name": room.name}
        graph.add(MappingNode, SIMULATED | stored)
        graph.add(ReasoningNode, asking(server.endpoint))
        yield graph


def attributes(thing: SceneObject) -> dict[str, str]:
    return {item.name: item.value for item in thing.attributes}


def test_phrase_is_grounded_in_images(looking: RosGraph) -> None:
    goal = Goal(looking, action.Ground, GROUND, query="the chair", method="vlm_grounder")
    status, result = goal.result()
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error
    assert (result.method, result.fallback) == ("vlm_grounder", "")
    by_id = {thing.id: thing for thing in result.objects}
    measured = by_id.pop(MEASURED)
    ((object_id, mapped),) = by_id.items()
    assert mapped.label == measured.label == "chair"
    known = attributes(measured)
    assert known["same_as"] == str(object_id)
    assert known["measured_from"].endswith(("key frame", "key frames"))
    assert result.evidence[0].frame_id == int(known["best_view"])
    assert result.evidence[0].image.data
    wait_for(lambda: goal.feedback[-1].evidence, "the last feedback")
    stages = list(dict.fromkeys(step.stage for step in goal.feedback))
    assert stages[0] == "reason"
    assert [s for s in stages if s in ("analyze", "preselect", "stitch", "look", "choose")] == [
        *("analyze", "preselect", "stitch", "look", "choose")
    ]
    assert "measure" in stages
    (told,) = {s.partial_reasoning for s in goal.feedback if s.stage == "choose" and s.evidence}
    assert "A chair is in it." in told


def test_failure_of_a_wrong_model_has_the_examined_images(graph: RosGraph, room: Path) -> None:
    with ChatServer(point("00999")) as server, Memory.open(room, SceneMindConfig()) as memory:
        graph.add(ReasoningNode, asking(server.endpoint), memory=memory)
        response = graph.call(srv.Ground, GROUND, query="the chair", method="vlm_grounder")
    assert not response.success
    assert response.error.code == Error.MODEL_FAILED
    assert response.error.message.count("image 00999 does not exist") == 4
    assert response.usage.calls == 1 + 4
