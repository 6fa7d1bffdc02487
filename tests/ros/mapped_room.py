"""A mapping node that has been shown a simulated room."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from scenemind.simulation import Sensors, SimulatedSequence, simulate
from scenemind_interfaces import srv
from scenemind_interfaces.msg import SceneGraph
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.sequence_player import SequencePlayer

from .graph import NODE, SIMULATED, RosGraph

FRAMES = 45


class Mapped(NamedTuple):
    graph: RosGraph
    node: MappingNode
    sequence: SimulatedSequence


@contextmanager
def mapped_room(memories: Path) -> Iterator[Mapped]:
    """Play the whole room, as fast as the node takes frames."""
    graph = RosGraph()
    node = graph.add(MappingNode, SIMULATED | {"memory.root": str(memories)})
    sequence = simulate(1, FRAMES, Sensors(320, 240))
    player = graph.add(SequencePlayer, {"rate": 0.0}, sequence=sequence)
    assert player.play() == FRAMES
    yield Mapped(graph, node, sequence)
    graph.close()


def scene_of(graph: RosGraph) -> SceneGraph:
    """The current scene graph of the node."""
    response = graph.call(srv.GetSceneGraph, f"{NODE}/get_scene_graph")
    assert response.success
    return response.scene_graph
