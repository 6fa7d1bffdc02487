"""Launch, parameter and RViz files against the nodes that they are for."""

from __future__ import annotations

import ast
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from scenemind.config import Settings
from scenemind_interfaces import srv
from scenemind_ros.evaluation import parse_options
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.parameters import MappingParameters, ReasoningParameters
from scenemind_ros.reasoning_node import ReasoningNode
from scenemind_ros.sequence_player import PlayerParameters

from .graph import SIMULATED, TOPICS, RosGraph

PACKAGE = Path(__file__).parents[2] / "ros2_ws/src/scenemind_ros"
LAUNCH_FILES = sorted((PACKAGE / "launch").glob("*.py"))
CONFIG_FILES = sorted((PACKAGE / "config").glob("*.yaml"))
MODELS: dict[str, type[Settings]] = {
    "mapping_node": MappingParameters,
    "reasoning_node": ReasoningParameters,
}
launch_file = pytest.mark.parametrize("path", LAUNCH_FILES, ids=lambda path: path.name)


def calls(path: Path, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == name:
            yield node


def keyword(call: ast.Call, name: str) -> ast.expr:
    return next(k.value for k in call.keywords if k.arg == name)


def first_arguments(path: Path, name: str) -> list[str]:
    return [ast.literal_eval(call.args[0]) for call in calls(path, name)]


def executables() -> set[str]:
    (scripts,) = (
        ast.literal_eval(value)
        for node in ast.walk(ast.parse((PACKAGE / "setup.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "console_scripts"
    )
    return {script.split(" = ")[0] for script in scripts}


@launch_file
def test_every_node_is_an_executable_of_the_package(path: Path) -> None:
    for call in calls(path, "Node"):
        package = ast.literal_eval(keyword(call, "package"))
        executable = ast.literal_eval(keyword(call, "executable"))
        assert package == "scenemind_ros" or (package, executable) == ("rviz2", "rviz2")
        assert package != "scenemind_ros" or executable in executables()
        assert "name" not in {k.arg for k in call.keywords}, "it would rename both nodes of one"


@launch_file
def test_every_file_that_is_named_exists(path: Path) -> None:
    for call in calls(path, "PathJoinSubstitution"):
        texts = [n.value for n in ast.walk(call.args[0]) if isinstance(n, ast.Constant)]
        if texts and "." in texts[-1] and texts[-1] != "rs_launch.py":
            folder = texts[:-1] or ["config"]
            assert PACKAGE.joinpath(*folder, texts[-1]).is_file(), texts


@launch_file
def test_every_argument_that_is_read_is_declared(path: Path) -> None:
    declared = first_arguments(path, "DeclareLaunchArgument")
    read = {
        ast.literal_eval(c.args[0])
        for c in calls(path, "LaunchConfiguration")
        if isinstance(c.args[0], ast.Constant)
    }
    assert read <= set(declared)
    assert len(declared) == len(set(declared))


@launch_file
def test_arguments_go_on_to_files_that_declare_them(path: Path) -> None:
    for call in calls(path, "IncludeLaunchDescription"):
        included = [
            n.value
            for n in ast.walk(call.args[0])
            if isinstance(n, ast.Constant) and str(n.value).endswith(".launch.py")
        ]
        passed = {n.value for k in call.keywords for n in _keys(k.value)}
        for name in included:
            assert passed <= set(
                first_arguments(PACKAGE / "launch" / name, "DeclareLaunchArgument")
            )


def _keys(value: ast.expr) -> Iterator[ast.Constant]:
    for node in ast.walk(value):
        if isinstance(node, ast.Dict):
            yield from (key for key in node.keys if isinstance(key, ast.Constant))


def test_parameters_in_launch_files_are_those_of_the_nodes() -> None:
    bringup = ast.parse((PACKAGE / "launch/bringup.launch.py").read_text(encoding="utf-8"))
    (overrides,) = (
        ast.literal_eval(node.value)
        for node in bringup.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "OVERRIDES"  # type: ignore[attr-defined]
    )
    assert set(overrides.values()) <= MappingParameters().flatten().keys()
    assert set(overrides) <= set(
        first_arguments(PACKAGE / "launch/bringup.launch.py", "DeclareLaunchArgument")
    )
    for name in ("replay", "evaluate"):
        player = next(calls(PACKAGE / f"launch/{name}.launch.py", "Node"))
        assert ast.literal_eval(keyword(player, "executable")) == "sequence_player"
        given = {key.value for key in _keys(keyword(player, "parameters"))}
        assert given
        assert given <= PlayerParameters().flatten().keys()


def test_options_in_the_launch_file_are_those_of_the_evaluation() -> None:
    path = PACKAGE / "launch/evaluate.launch.py"
    asked = next(
        call for call in calls(path, "Node") if any(k.arg == "arguments" for k in call.keywords)
    )
    texts = [
        node.value
        for node in ast.walk(keyword(asked, "arguments"))
        if isinstance(node, ast.Constant) and str(node.value).startswith("--")
    ]
    values = [word for text in texts for word in ([text] if text == "--running" else [text, ""])]
    values[values.index("--recording") + 1] = "sim:1"
    assert parse_options(["simulation", *values]).is_running


@pytest.mark.parametrize("name", ["realsense", "replay", "demo", "evaluate"])
def test_dds_profile_is_set_first(name: str) -> None:
    """Processes that start before it would lose frames."""
    (description,) = calls(PACKAGE / f"launch/{name}.launch.py", "LaunchDescription")
    assert isinstance(description.args[0], ast.List)
    started = [item.id for item in description.args[0].elts if isinstance(item, ast.Name)]
    assert started[0] in ("nodes", "replay")
    assert len(started) > 1


@launch_file
def test_ros_launch_accepts_the_files(path: Path) -> None:
    """The test needs an installation of ROS 2's launch."""
    pytest.importorskip("launch_ros")
    spec = importlib.util.spec_from_file_location(path.name.split(".")[0], path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.generate_launch_description().entities


@pytest.mark.parametrize("path", CONFIG_FILES, ids=lambda path: path.name)
def test_parameter_files_hold_parameters_of_the_nodes(path: Path) -> None:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert data.keys() <= MODELS.keys()
    for node, values in data.items():
        MODELS[node].from_nested(values["ros__parameters"])


@pytest.mark.parametrize("node", MODELS)
def test_the_default_file_is_the_defaults(node: str) -> None:
    data = yaml.safe_load((PACKAGE / "config/default.yaml").read_text(encoding="utf-8"))
    defaults = MODELS[node]().flatten()
    # A ROS parameter file cannot hold an empty list.
    writable = {name: value for name, value in defaults.items() if value != []}
    written = data[node]["ros__parameters"]
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
    assert topics <= published | {TOPICS.odometry}
    assert (camera["imageTopic"], camera["calibrationTopic"]) == (TOPICS.color, TOPICS.camera_info)
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
    assert {"/mapping_node/markers", "/reasoning_node/markers", TOPICS.color} <= topics
    assert topics <= published | {TOPICS.color, TOPICS.odometry}
