"""A robot whose SLAM began anew goes on in the memory of an earlier visit: real nodes and DDS."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from std_msgs.msg import Header

import scenemind as sm
from scenemind.simulation import SimulatedSequence, simulate, simulate_visit
from scenemind_interfaces import srv
from scenemind_ros.conversions import snapshot_from_msg
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.qos import SENSOR_OUT
from scenemind_ros.reasoning_node import ReasoningNode
from scenemind_ros.scenemind_node import SharedMemory
from scenemind_ros.sequence_player import SequencePlayer

from .graph import NODE, SIMULATED, RosGraph, wait_for

FRAMES, MORE = 60, 20
ASK = "/reasoning_node/ask"
QUESTION = "How many chairs are there?"


@pytest.fixture(scope="module")
def visit() -> SimulatedSequence:
    """A later visit of room 2, whose odometry begins anew at another place and heading."""
    whole, count = simulate_visit(2, 1, 2 * FRAMES).delayed(600), FRAMES + MORE
    return replace(
        whole, true_poses=whole.true_poses[:count], odometry=(whole.odometry or ())[:count]
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Memories with one of an earlier visit, `room`."""
    sm.map(simulate(2, FRAMES), tmp_path / "room").close()
    return tmp_path


@pytest.mark.parametrize("by_service", [False, True])
def test_a_robot_that_comes_back_keeps_its_memory_under_its_ids(
    graph: RosGraph, root: Path, visit: SimulatedSequence, *, by_service: bool
) -> None:
    with sm.open(root / "room", read_only=True) as earlier:
        before = {thing.id: thing.box.center for thing in earlier.objects}
    name = {"memory.name": "today"} if by_service else {"memory.name": "room"}
    settings = {"memory.root": str(root), "memory.relocate": not by_service, "pending_frames": 20}
    mapping = graph.add(MappingNode, SIMULATED | settings | name)
    memory = SharedMemory(mapping)
    graph.add(ReasoningNode, {}, memory=memory, world_frame=memory.world_frame)
    done = graph.listen(Header, f"{NODE}/processed", SENSOR_OUT)
    notes = graph.listen(DiagnosticArray, "/diagnostics")
    if by_service:
        loaded = graph.call(srv.LoadMemory, f"{NODE}/load_memory", name="room", relocate=True)
        assert loaded.success, loaded.error
    player = graph.add(SequencePlayer, {"rate": 0.0}, sequence=visit)

    def scene() -> srv.GetSceneGraph.Response:
        return graph.call(srv.GetSceneGraph, f"{NODE}/get_scene_graph").scene_graph

    def has_been_told(what: str) -> bool:
        return any(what in s.message for a in notes for s in a.status if "memory" in s.name)

    graph.in_background(player.play)
    wait_for(lambda: done, "the first frame")
    assert scene().header.frame_id == "map_of_earlier_visit"
    asked = graph.call(srv.Ask, ASK, question=QUESTION)
    assert "earlier visit" in asked.answer.text
    wait_for(lambda: has_been_told("not located in this memory"), "a warning")

    wait_for(lambda: scene().header.frame_id == "map", "being located")
    wait_for(lambda: len(done) >= len(visit), "all frames")
    asked = graph.call(srv.Ask, ASK, question=QUESTION)
    assert "earlier visit" not in asked.answer.text
    now = snapshot_from_msg(scene())
    known = before.keys() & now.objects.keys()
    assert len(known) >= 0.9 * len(before)
    # Positions are in the world of today's odometry, which the true room is turned into.
    camera = visit.true_poses[-1]
    assert now.world_T_camera is not None
    room_T_today = visit.world_T_odometry(0)
    assert (room_T_today @ now.world_T_camera).distance_m(camera) < 0.15
    off_m = [
        math.dist(before[i], room_T_today.transform(np.array([now.objects[i].box.center]))[0])
        for i in known
    ]
    assert np.median(off_m) < 0.1
