"""Mapping node and player as processes of their own, as a robot runs them."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from std_msgs.msg import Header

from scenemind_interfaces import srv
from scenemind_interfaces.msg import SceneGraph
from scenemind_ros.conversions import stamp_ns
from scenemind_ros.qos import SENSOR_OUT

from .graph import NODE, SIMULATED, TIMEOUT_S, TOPICS, RosGraph, wait_for


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


@contextmanager
def running_graph() -> Iterator[RosGraph]:
    graph = RosGraph(hears_processes=True)
    try:
        yield graph
    finally:
        graph.close()


def scene_of(graph: RosGraph) -> SceneGraph:
    return graph.call(srv.GetSceneGraph, f"{NODE}/get_scene_graph").scene_graph


def is_committed(folder: Path, frames: int) -> bool:
    """Whether the database of the mapping process holds so many frames."""
    database = folder / "memories" / "current" / "memory.sqlite"
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        ((count,),) = connection.execute("SELECT COUNT(*) FROM frames")
    return bool(count == frames)


def test_a_killed_mapping_process_reopens_its_memory(processes: Processes, tmp_path: Path) -> None:
    parameters = SIMULATED | {"memory.root": str(tmp_path / "memories")}
    mapping = processes.start("mapping_node", parameters)
    frames = 60
    with running_graph() as graph:
        done = graph.listen(Header, f"{NODE}/processed", SENSOR_OUT)
        wait_for(lambda: graph.observer.count_publishers(f"{NODE}/processed"), "the mapping node")
        playing = {"sequence": "sim:1", "rate": 0.0, "frames": frames}
        player = processes.start("sequence_player", playing)
        wait_for(lambda: len(done) == frames, "the acknowledgement of every frame", 2 * TIMEOUT_S)
        received_ns = [stamp_ns(header.stamp) for header in done]
        assert received_ns == sorted(set(received_ns)), "in order and once each"
        assert player.wait(TIMEOUT_S) == 0, processes.log("sequence_player")
        before = scene_of(graph)
        assert before.objects
        # What is on disk must survive; how much a kill may cost is tested with the memory itself.
        wait_for(lambda: is_committed(tmp_path, frames), "the last commit")
        os.kill(mapping.pid, signal.SIGKILL)
        mapping.wait()

    restarted = processes.start("mapping_node", parameters)
    # A participant of its own: the old one still believes in the dead node and may ask that.
    with running_graph() as graph:
        assert scene_of(graph).objects == before.objects
        tree = graph.call(srv.GetMemTree, f"{NODE}/get_mem_tree").mem_tree
        assert sum(location.frame_count for location in tree.locations) == frames
    restarted.send_signal(signal.SIGINT)
    assert restarted.wait(TIMEOUT_S) == 0, processes.log("mapping_node")


def test_a_player_without_its_sequence_ends_with_the_reason(processes: Processes) -> None:
    player = processes.start("sequence_player", {"sequence": "/no/such/folder"})
    assert player.wait(TIMEOUT_S) == 1
    assert "/no/such/folder" in processes.log("sequence_player")


def test_a_player_gives_up_when_nobody_listens(processes: Processes) -> None:
    player = processes.start("sequence_player", {"sequence": "sim:1", "wait_s": 0.5})
    assert player.wait(TIMEOUT_S) == 1
    assert TOPICS.odometry in processes.log("sequence_player")


def test_an_interrupted_player_ends_cleanly(processes: Processes) -> None:
    player = processes.start("sequence_player", {"sequence": "sim:1"})
    wait_for(lambda: "waiting for" in processes.log("sequence_player"), "the player to wait")
    player.send_signal(signal.SIGINT)
    assert player.wait(TIMEOUT_S) == 0, processes.log("sequence_player")
