"""Mapping node and player as processes of their own, as a robot runs them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from std_msgs.msg import Header

from scenemind_interfaces import srv
from scenemind_ros.conversions import stamp_ns
from scenemind_ros.qos import SENSOR_OUT

from .graph import NODE, SIMULATED, TIMEOUT_S, TOPICS, RosGraph, wait_for

LOSS_S = 1.0  # of mapping, when its process is killed


class Processes:
    """Starts nodes with parameters; all are ended with the test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self, module: str, parameters: dict[str, object]) -> subprocess.Popen[bytes]:
        arguments = [part for item in parameters.items() for part in ("-p", _assignment(*item))]
        log = (self._folder / f"{module}.log").open("ab")
        process = subprocess.Popen(
            [sys.executable, "-m", f"scenemind_ros.{module}", "--ros-args", *arguments],
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        self._running.append(process)
        return process

    def log(self, module: str) -> str:
        return (self._folder / f"{module}.log").read_text()

    def close(self) -> None:
        for process in self._running:
            if process.poll() is None:
                process.kill()
            process.wait()


def _assignment(name: str, value: object) -> str:
    return f"{name}:={str(value).lower() if isinstance(value, bool) else value}"


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    processes = Processes(tmp_path)
    yield processes
    processes.close()


class Acknowledged:
    """The frames that a mapping node has reported as stored, with the time of each report."""

    def __init__(self, graph: RosGraph) -> None:
        self.stamps_ns: list[int] = []
        self.at_s: list[float] = []
        topic = f"{NODE}/processed"
        graph.observer.create_subscription(Header, topic, self._add, SENSOR_OUT)

    def seconds(self) -> float:
        """Time from the first report to the last one."""
        return self.at_s[-1] - self.at_s[0] if self.at_s else 0.0

    def _add(self, header: Header) -> None:
        self.stamps_ns.append(stamp_ns(header.stamp))
        self.at_s.append(time.monotonic())


@contextmanager
def running_graph() -> Iterator[RosGraph]:
    graph = RosGraph(hears_processes=True)
    try:
        yield graph
    finally:
        graph.close()


def test_a_killed_process_loses_at_most_a_second_and_reopens(
    processes: Processes, tmp_path: Path
) -> None:
    parameters = {f"mapping_node:{name}": value for name, value in SIMULATED.items()}
    parameters["mapping_node:memory.root"] = str(tmp_path / "memories")
    running = processes.start("scenemind_node", parameters)
    with running_graph() as graph:
        remembered = Acknowledged(graph)
        wait_for(lambda: graph.observer.count_publishers(f"{NODE}/processed"), "the mapping node")
        playing = {"sequence": "sim:1", "rate": 0.0, "frames": 600}
        player = processes.start("sequence_player", playing)
        wait_for(lambda: remembered.seconds() > 1.5, "some seconds of mapping", 2 * TIMEOUT_S)
        os.kill(running.pid, signal.SIGKILL)
        killed_at = time.monotonic()
        running.wait()
        player.send_signal(signal.SIGINT)
        assert player.wait(TIMEOUT_S) == 0, processes.log("sequence_player")

    restarted = processes.start("scenemind_node", parameters)
    # A participant of its own: the old one still believes in the dead node and may ask that.
    with running_graph() as graph:
        tree = graph.call(srv.GetMemTree, f"{NODE}/get_mem_tree").mem_tree
        scene = graph.call(srv.GetSceneGraph, f"{NODE}/get_scene_graph").scene_graph
    assert scene.objects
    stored = remembered.stamps_ns.index(stamp_ns(tree.header.stamp)) + 1
    assert sum(location.frame_count for location in tree.locations) == stored
    lost = remembered.at_s[stored:]
    assert all(killed_at - at_s < LOSS_S for at_s in lost), f"{len(lost)} frames were lost"
    restarted.send_signal(signal.SIGTERM)
    assert restarted.wait(TIMEOUT_S) == 0, processes.log("scenemind_node")


def test_a_player_without_its_sequence_ends_with_the_reason(processes: Processes) -> None:
    player = processes.start("sequence_player", {"sequence": "/no/such/folder"})
    assert player.wait(TIMEOUT_S) == 1
    assert "/no/such/folder" in processes.log("sequence_player")


def test_player_without_a_listener_gives_up(processes: Processes) -> None:
    player = processes.start("sequence_player", {"sequence": "sim:1", "wait_s": 0.5})
    assert player.wait(TIMEOUT_S) == 1
    assert TOPICS.odometry in processes.log("sequence_player")


def test_an_interrupted_player_ends_cleanly(processes: Processes) -> None:
    player = processes.start("sequence_player", {"sequence": "sim:1"})
    wait_for(lambda: "waiting for" in processes.log("sequence_player"), "the player to wait")
    player.send_signal(signal.SIGINT)
    assert player.wait(TIMEOUT_S) == 0, processes.log("sequence_player")
