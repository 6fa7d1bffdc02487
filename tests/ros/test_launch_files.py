"""Launch, parameter and RViz files against the nodes that they are for."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from scenemind.config import Settings
from scenemind_interfaces import srv
from scenemind_ros.launch_arguments import OF_NODES, LaunchError, Values, parameters_of, topics_of
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.parameters import MappingParameters, ReasoningParameters
from scenemind_ros.reasoning_node import ReasoningNode
from scenemind_ros.sequence_player import PlayerParameters

from .graph import SIMULATED, TOPICS, RosGraph

PACKAGE = Path(__file__).parents[2] / "ros2_ws/src/scenemind_ros"
LAUNCH_FILES = sorted((PACKAGE / "launch").glob("*.py"))
CONFIG = PACKAGE / "config"
CONFIG_FILES = sorted(CONFIG.glob("*.yaml"))
MODELS: dict[str, type[Settings]] = {
    "mapping_node": MappingParameters,
    "reasoning_node": ReasoningParameters,
}


def given(**arguments: str) -> Values:
    """The arguments of `bringup`, with these in place of their defaults."""
    return Values({one.name: one.default or "" for one in OF_NODES} | arguments)


@pytest.mark.parametrize("path", LAUNCH_FILES, ids=lambda path: path.name)
def test_ros_launch_accepts_the_files(path: Path) -> None:
    """The test needs an installation of ROS 2's launch."""
    pytest.importorskip("launch_ros")
    spec = importlib.util.spec_from_file_location(path.name.split(".")[0], path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.generate_launch_description().entities


def test_argument_wins_over_the_file_and_reaches_the_node(graph: RosGraph, tmp_path: Path) -> None:
    """In a namespace, for which the user's file was not written."""
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        "mapping_node: {ros__parameters: {memory: {name: mine}, publish.max_hz: 7.0}}\n"
        "/**: {ros__parameters: {map_frame: floor}}\n"
    )
    quoted = str(tmp_path / "it's")
    values = given(params_file=str(mine), memory_name="other", memory_root=quoted)
    written = tmp_path / "written.yaml"
    written.write_text(yaml.safe_dump(parameters_of(values, CONFIG)))
    node = graph.add(
        MappingNode, {}, namespace="/r1", cli_args=["--ros-args", "--params-file", str(written)]
    )
    assert node.get_parameter("memory.name").value == "other"
    assert node.get_parameter("memory.root").value == quoted
    assert node.get_parameter("publish.max_hz").value == 7.0
    assert node.get_parameter("map_frame").value == "floor"


def test_file_of_the_package_is_named_without_its_folder() -> None:
    parameters = parameters_of(given(params_file="simulated.yaml"), CONFIG)
    of_mapping = parameters["/**/mapping_node"]["ros__parameters"]
    assert of_mapping["detector.backend"] == "instance_camera"
    assert of_mapping["memory.root"] == ""
    assert not parameters["/**/reasoning_node"]["ros__parameters"]["use_sim_time"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"params_file": "/nowhere.yaml"}, "/nowhere.yaml: there is no such file"),
        ({"params_file": "fastdds_profile.xml"}, "is no ROS parameter file"),
        ({"use_sim_time": "maybe"}, "use_sim_time:=maybe is neither true nor false"),
        ({"pose_source": "gps"}, "mapping_node: .*pose_source"),
        ({"namespace": "bad name"}, "namespace:=bad name: .*alphanumerics"),
        ({"color_topic": "bad topic"}, "topics.color is 'bad topic': .*alphanumerics"),
        ({"memory_name": "../x"}, "mapping_node: '../x' is no name for a memory"),
        ({"detector_weights": "/no/file.onnx"}, "mapping_node: .*/no/file.onnx"),
    ],
)
def test_argument_that_cannot_be_is_named(arguments: dict[str, str], words: str) -> None:
    with pytest.raises(LaunchError, match=words):
        parameters_of(given(**arguments), CONFIG)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mapping_node: {ros__parameters: {detector.weight: x}}", "detector.weight"),
        ("mapper: {ros__parameters: {}}", "is for mapper; there are mapping_node, reasoning_node"),
        ("mapping_node: {memory: {}}", "is no ROS parameter file"),
        ("mapping_node: [", "is no ROS parameter file"),
    ],
)
def test_file_that_cannot_be_is_named(text: str, words: str, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(text)
    with pytest.raises(LaunchError, match=words):
        parameters_of(given(params_file=str(mine)), CONFIG)


def test_arguments_set_parameters_that_are_there() -> None:
    known = MappingParameters().flatten().keys()
    assert {one.parameter for one in OF_NODES if one.parameter} <= known
    assert {"sequence", "rate", "loop"} <= PlayerParameters().flatten().keys()


@pytest.mark.parametrize("path", CONFIG_FILES, ids=lambda path: path.name)
def test_parameter_files_hold_parameters_of_the_nodes(path: Path) -> None:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert data.keys() <= {f"/**/{node}" for node in MODELS}, "for every namespace"
    for node, values in data.items():
        MODELS[node.rpartition("/")[2]].from_nested(values["ros__parameters"])


@pytest.mark.parametrize("node", MODELS)
def test_the_default_file_is_the_defaults(node: str) -> None:
    data = yaml.safe_load((PACKAGE / "config/default.yaml").read_text(encoding="utf-8"))
    defaults = MODELS[node]().flatten()
    # A ROS parameter file cannot hold an empty list.
    writable = {name: value for name, value in defaults.items() if value != []}
    written = data[f"/**/{node}"]["ros__parameters"]
    assert _flat(written).keys() == writable.keys()
    assert MODELS[node].from_nested(written).flatten() == defaults


def test_default_file_has_empty_lists_in_comments() -> None:
    text = (PACKAGE / "config/default.yaml").read_text(encoding="utf-8")
    for model in MODELS.values():
        for name, value in model().flatten().items():
            assert value != [] or f"# {name.rpartition('.')[2]}: [" in text


def _flat(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        flat |= (
            _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
        )
    return flat


def _published(graph: RosGraph) -> set[str]:
    """Topics of both nodes."""
    graph.add(MappingNode, SIMULATED)
    graph.add(ReasoningNode, {})
    return {
        name
        for node in MODELS
        for name, _ in graph.observer.get_publisher_names_and_types_by_node(node, "/")
    }


def test_foxglove_shows_topics_and_calls_services_that_are_there(graph: RosGraph) -> None:
    published = _published(graph)
    layout = json.loads((PACKAGE / "foxglove/scenemind.json").read_text(encoding="utf-8"))
    panels = layout["configById"]
    camera = panels["Image!camera"]["imageMode"]
    topics = {
        *panels["3D!scene"]["topics"],
        panels["RawMessages!answers"]["topicPath"],
        panels["DiagnosticSummary!nodes"]["topicToRender"],
    }
    assert topics <= published | {"/" + TOPICS.odometry}
    shown = camera["imageTopic"], camera["calibrationTopic"]
    assert shown == ("/" + TOPICS.color, "/" + TOPICS.camera_info)
    services = dict(graph.observer.get_service_names_and_types_by_node("reasoning_node", "/"))
    for name, kind in (("ask", srv.Ask), ("align", srv.Align)):
        panel = panels[f"CallService!{name}"]
        fields = kind.Request.get_fields_and_field_types()
        assert panel["serviceName"] in services
        assert set(json.loads(panel["requestPayload"])) <= set(fields)


def test_rviz_shows_topics_that_are_published(graph: RosGraph) -> None:
    published = _published(graph)
    layout = yaml.safe_load((PACKAGE / "rviz/scenemind.rviz").read_text(encoding="utf-8"))
    displays = layout["Visualization Manager"]["Displays"]
    topics = {display["Topic"]["Value"] for display in displays if "Topic" in display}
    assert topics == set(topics_of(layout))
    assert {"/mapping_node/markers", "/reasoning_node/markers", "/" + TOPICS.color} <= topics
    assert topics <= published | {"/" + TOPICS.color, "/" + TOPICS.odometry}
