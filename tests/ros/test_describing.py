"""A mapping node that asks a vision-language model on the loopback about what it maps."""

from __future__ import annotations

import json

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState

from scenemind.simulation import Sensors, simulate
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.sequence_player import SequencePlayer
from tests.chat_server import ChatServer, Step, fail, say

from .graph import NODE, SIMULATED, RosGraph, wait_for

_NOTES = dict.fromkeys(("material", "texture", "color", "shape", "state", "affordance"), "plain")
ANSWER = json.dumps({"views": [_NOTES], "summary": {**_NOTES, "caption": "A thing."}})


def describing(server: ChatServer) -> dict[str, object]:
    return SIMULATED | {
        "descriptions.enabled": True,
        "descriptions.per_minute": 6000.0,
        "models.vision.model": "seer",
        "models.vision.endpoint": server.endpoint,
        "models.retries": 0,
    }


def play(graph: RosGraph) -> None:
    player = graph.add(SequencePlayer, {"rate": 0.0}, sequence=simulate(1, 30, Sensors(320, 240)))
    graph.in_background(player.play)


@pytest.mark.parametrize(
    ("step", "level", "value"),
    [
        (say(ANSWER), DiagnosticStatus.OK, "made"),
        (fail(500), DiagnosticStatus.WARN, "failed_server_failed"),
    ],
    ids=["answers", "failures"],
)
def test_diagnostics_count_descriptions_and_failures(
    graph: RosGraph, step: Step, level: bytes, value: str
) -> None:
    diagnostics = graph.listen(DiagnosticArray, "/diagnostics")
    with ChatServer(step) as server:
        graph.add(MappingNode, describing(server))
        play(graph)

        def counted() -> DiagnosticStatus | None:
            statuses = (s for a in diagnostics for s in a.status if s.name.endswith("descriptions"))
            return next((s for s in statuses if _value(s, value) > 0), None)

        assert wait_for(counted, f"a count of {value}").level == level


def test_described_attributes_are_the_objects(graph: RosGraph) -> None:
    with ChatServer(say(ANSWER)) as server:
        node = graph.add(MappingNode, describing(server))
        play(graph)

        def described() -> bool:
            assert node.session is not None
            objects = node.session.memory.snapshot().objects.values()
            return any(thing.attributes.get("material") == "plain" for thing in objects)

        wait_for(described, "an object with a material")


def test_diagnostics_count_what_an_inventory_does(graph: RosGraph) -> None:
    diagnostics = graph.listen(DiagnosticArray, "/diagnostics")
    with ChatServer(say('{"things": [], "wrong": []}')) as server:
        wanted = {"inventory.enabled": True, "inventory.calls": 3, "descriptions.enabled": False}
        graph.add(MappingNode, describing(server) | wanted)
        play(graph)

        def counted() -> DiagnosticStatus | None:
            statuses = (s for a in diagnostics for s in a.status if s.name.endswith("inventory"))
            return next((s for s in statuses if _value(s, "pictures") > 0), None)

        status = wait_for(counted, "a picture that was looked at")
        assert status.level == DiagnosticStatus.OK
        assert _value(status, "left_calls") == 3 - _value(status, "calls")


def test_missing_model_is_an_error_at_the_start(
    graph: RosGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    wanted = {"descriptions.enabled": True, "models.vision.model": "seer"}
    graph.add(MappingNode, SIMULATED | wanted)
    state = graph.call(GetState, f"{NODE}/get_state").current_state.id
    assert state == State.PRIMARY_STATE_UNCONFIGURED


def _value(status: DiagnosticStatus, key: str) -> int:
    return next((int(v.value) for v in status.values if v.key == key), 0)
