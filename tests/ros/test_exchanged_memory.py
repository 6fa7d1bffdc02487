"""The memory is saved, loaded and reset while frames arrive and questions are asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from std_msgs.msg import Header

from scenemind.simulation import Sensors, simulate
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.qos import SENSOR_OUT
from scenemind_ros.reasoning_node import ReasoningNode
from scenemind_ros.scenemind_node import SharedMemory
from scenemind_ros.sequence_player import SequencePlayer

from .graph import NODE, SIMULATED, RosGraph, wait_for

ASK = "/reasoning_node/ask"
ROUNDS = 5
# Failures that a question may have while its memory is exchanged.
WITHOUT_OBJECTS = (Error.NONE, Error.EMPTY_MEMORY, Error.NOT_FOUND)

EXCHANGES: tuple[tuple[Any, str, dict[str, str]], ...] = (
    (srv.ResetMemory, "reset_memory", {}),
    (srv.LoadMemory, "load_memory", {"name": "room"}),
)


class Running(NamedTuple):
    graph: RosGraph
    done: list[Header]

    def call(self, kind: Any, name: str, /, **fields: Any) -> Any:
        response = self.graph.call(kind, f"{NODE}/{name}", **fields)
        assert response.success, response.error
        return response

    def wait_for_frames(self, count: int) -> None:
        """Wait until this number of further frames is mapped."""
        wanted = len(self.done) + count
        wait_for(lambda: len(self.done) >= wanted, f"{count} more frames")

    def frames(self) -> int:
        """Number of frames that the memory in use has seen."""
        tree = self.call(srv.GetMemTree, "get_mem_tree").mem_tree
        return sum(location.frame_count for location in tree.locations)


@pytest.fixture
def running(graph: RosGraph, tmp_path: Path) -> Iterator[Running]:
    """Mapping and reasoning on one memory, while a room is played again and again."""
    mapping = graph.add(MappingNode, SIMULATED | {"memory.root": str(tmp_path)})
    graph.add(ReasoningNode, {}, memory=SharedMemory(mapping))
    done = graph.listen(Header, f"{NODE}/processed", SENSOR_OUT)
    # Longer than sync.jump_s, so that each round is a new one.
    room = simulate(1, 40, Sensors(160, 120))
    player = graph.add(SequencePlayer, {"rate": 0.0, "loop": True}, sequence=room)
    graph.in_background(player.play)
    running = Running(graph, done)
    running.wait_for_frames(6)
    yield running
    player.stop()


def test_a_loaded_memory_is_mapped_on(running: Running) -> None:
    running.call(srv.SaveMemory, "save_memory", name="before")
    running.wait_for_frames(30)
    long = running.frames()
    running.call(srv.LoadMemory, "load_memory", name="before")
    loaded = running.frames()
    assert loaded < long
    running.wait_for_frames(6)
    assert running.frames() > loaded


def test_questions_survive_every_exchange(running: Running) -> None:
    running.call(srv.SaveMemory, "save_memory", name="room")
    client = running.graph.observer.create_client(srv.Ask, ASK)
    wait_for(client.service_is_ready, "the reasoning node")
    request = srv.Ask.Request(question="How many tables are there?")
    futures = []
    for _ in range(ROUNDS):
        for kind, name, fields in EXCHANGES:
            futures += [client.call_async(request) for _ in range(3)]
            running.call(kind, name, **fields)
            running.wait_for_frames(1)
    wait_for(lambda: all(future.done() for future in futures), "all answers")
    assert {future.result().error.code for future in futures} <= set(WITHOUT_OBJECTS)
    # Each of these may have found the empty memory; the last exchange loaded one with objects.
    assert running.graph.call(srv.Ask, ASK, question=request.question).success
