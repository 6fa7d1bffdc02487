"""Two robots on one network: namespaces, settings of their own, and a node that is killed."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticArray

from scenemind.ros_environment import claimed_domain
from scenemind_interfaces.msg import SceneObjectArray
from scenemind_ros.client import SceneMindClient
from scenemind_ros.launch_arguments import OF_NODES, Values, parameters_of
from scenemind_ros.qos import LATCHED

from .graph import TIMEOUT_S, RosGraph, wait_for
from .processes import Process

CONFIG = Path(__file__).parents[2] / "ros2_ws/src/scenemind_ros/config"


def start_robot(folder: Path, name: str) -> Process:
    """The nodes of a robot, as bringup.launch.py starts them."""
    given = {one.name: one.default or "" for one in OF_NODES} | {
        "params_file": "simulated.yaml",
        "memory_root": str(folder),
        "memory_name": name,
        "map_frame": f"{name}_map",
    }
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump(parameters_of(Values(given), CONFIG)))
    return in_namespace(folder / name, "scenemind_ros.scenemind_node", name, str(file))


def in_namespace(folder: Path, module: str, name: str, *files: str) -> Process:
    folder.mkdir(exist_ok=True)
    files = tuple(word for file in files for word in ("--params-file", file))
    return Process(folder, module, "--ros-args", "-r", f"__ns:=/{name}", *files)


def start_player(folder: Path, name: str, room: int) -> Process:
    file = folder / f"{name}_player.yaml"
    frame = f"{name}_map"
    settings = {"sequence": f"sim:{room}", "rate": 0.0, "frames": 40, "map_frame": frame}
    file.write_text(yaml.safe_dump({"/**": {"ros__parameters": settings}}))
    return in_namespace(folder / name, "scenemind_ros.sequence_player", name, str(file))


def test_one_robot_is_killed_and_goes_on_while_the_other_maps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A domain that no test before has used.
    monkeypatch.setenv("ROS_DOMAIN_ID", str(claimed_domain(range(40, 102))))
    names = ("r1", "r2")
    running = {name: start_robot(tmp_path, name) for name in names}
    players = [start_player(tmp_path, "r1", 1)]
    graph = RosGraph(hears_processes=True)
    try:
        heard = {
            name: graph.listen(SceneObjectArray, f"/{name}/mapping_node/objects", LATCHED)
            for name in names
        }
        states = graph.listen(DiagnosticArray, "/diagnostics")
        wait_for(
            lambda: heard["r1"] and heard["r1"][-1].objects,
            lambda: f"objects of r1; heard {len(heard['r1'])}: {players[0].log}{running['r1'].log}",
        )
        assert heard["r1"][-1].header.frame_id == "r1_map"
        assert not any(one.objects for one in heard["r2"]), "it has no camera yet"
        assert players[0].popen.wait(TIMEOUT_S) == 0, players[0].log
        with SceneMindClient(namespace="/r1") as first:
            before = first.ask("how many chairs are there?").answer.text
        running["r1"].close()  # killed
        players.append(start_player(tmp_path, "r2", 2))
        running["r1"] = start_robot(tmp_path, "r1")
        with SceneMindClient(namespace="/r1") as first, SceneMindClient(namespace="/r2") as second:
            assert first.ask("how many chairs are there?").answer.text == before
            assert players[1].popen.wait(TIMEOUT_S) == 0, players[1].log
            assert second.scene_graph().header.frame_id == "r2_map"
            shown = {thing.label for thing in second.scene_graph().objects}
            assert shown
        parts = {status.name for message in states for status in message.status}
        assert {"r1/mapping_node: mapper", "r2/mapping_node: mapper"} <= parts
        for process in running.values():
            assert process.end() == 0, process.log
    finally:
        graph.close()
        for process in (*running.values(), *players):
            process.close()
