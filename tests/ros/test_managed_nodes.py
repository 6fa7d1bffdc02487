"""Both nodes as a manager, `ros2 param` and `ros2 lifecycle` see them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.msg import Parameter as ParameterMsg
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter

from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from scenemind_interfaces import srv
from scenemind_interfaces.msg import Error
from scenemind_ros.mapping_node import MappingNode
from scenemind_ros.reasoning_node import ReasoningNode

from .graph import SIMULATED, RosGraph, wait_for

REASONER = "/reasoning_node"
UNCONFIGURED, INACTIVE, ACTIVE = (
    State.PRIMARY_STATE_UNCONFIGURED,
    State.PRIMARY_STATE_INACTIVE,
    State.PRIMARY_STATE_ACTIVE,
)


def state_of(graph: RosGraph, node: str) -> int:
    return graph.call(GetState, f"{node}/get_state").current_state.id


def change(graph: RosGraph, node: str, transition: int) -> bool:
    request = Transition(id=transition)
    return graph.call(ChangeState, f"{node}/change_state", transition=request).success


def set_value(graph: RosGraph, node: str, name: str, value: Any) -> SetParametersResult:
    """As `ros2 param set` does."""
    message: ParameterMsg = Parameter(name, value=value).to_parameter_msg()
    (result,) = graph.call(SetParameters, f"{node}/set_parameters", parameters=[message]).results
    return result


def ask(graph: RosGraph) -> Any:
    return graph.call(srv.Ask, f"{REASONER}/ask", question="how many chairs are there?")


@pytest.fixture
def memory(stored_room: Path, tmp_path: Path) -> Iterator[Memory]:
    copy = shutil.copytree(stored_room, tmp_path / "room")
    with Memory.open(copy, SceneMindConfig()) as memory:
        yield memory


def test_a_manager_takes_the_reasoning_node_through_its_life_twice(
    graph: RosGraph, memory: Memory
) -> None:
    graph.add(ReasoningNode, {"autostart": False}, memory=memory)
    assert state_of(graph, REASONER) == UNCONFIGURED
    for _ in range(2):
        assert change(graph, REASONER, Transition.TRANSITION_CONFIGURE)
        assert state_of(graph, REASONER) == INACTIVE
        assert ask(graph).error.code == Error.NODE_UNAVAILABLE
        assert change(graph, REASONER, Transition.TRANSITION_ACTIVATE)
        assert state_of(graph, REASONER) == ACTIVE
        assert ask(graph).success
        assert change(graph, REASONER, Transition.TRANSITION_DEACTIVATE)
        assert ask(graph).error.code == Error.NODE_UNAVAILABLE
        assert change(graph, REASONER, Transition.TRANSITION_CLEANUP)
        assert state_of(graph, REASONER) == UNCONFIGURED


def test_parameters_are_locked_while_it_is_configured_and_read_anew_after(
    graph: RosGraph, memory: Memory
) -> None:
    graph.add(ReasoningNode, {}, memory=memory)
    refused = set_value(graph, REASONER, "timeout_s", 3.0)
    assert not refused.successful
    assert "deactivate and clean it up" in refused.reason
    assert change(graph, REASONER, Transition.TRANSITION_DEACTIVATE)
    assert change(graph, REASONER, Transition.TRANSITION_CLEANUP)
    assert set_value(graph, REASONER, "map_frame", "world").successful
    assert change(graph, REASONER, Transition.TRANSITION_CONFIGURE)
    assert change(graph, REASONER, Transition.TRANSITION_ACTIVATE)
    assert ask(graph).answer.header.frame_id == "world"


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("timeout_s", "abc", r"timeout_s: .*valid number.*'abc'"),
        ("timeout_s", -1.0, "timeout_s"),
        ("timeout_s", 0.0, "greater than 0"),
        ("parallel_requests", 65, "parallel_requests"),
        ("vlm_grounder.layouts", [4, 1, 2], "layouts"),
        ("memtree.selector", "guess", "memtree.selector"),
    ],
)
def test_a_value_that_cannot_be_is_refused_when_it_is_set(
    graph: RosGraph, memory: Memory, name: str, value: Any, says: str
) -> None:
    graph.add(ReasoningNode, {"autostart": False}, memory=memory)
    result = set_value(graph, REASONER, name, value)
    assert not result.successful
    assert re.search(says, result.reason), result.reason


def test_wrong_parameters_are_mended_one_after_the_other(graph: RosGraph) -> None:
    wrong = {"tree.translation_m": -1.0, "depth.max_m": 0.0}
    graph.add(MappingNode, SIMULATED | wrong)
    node = "/mapping_node"
    assert state_of(graph, node) == UNCONFIGURED
    assert not set_value(graph, node, "depth.max_m", -2.0).successful
    assert set_value(graph, node, "depth.max_m", 6.0).successful
    assert not change(graph, node, Transition.TRANSITION_CONFIGURE)
    assert set_value(graph, node, "tree.translation_m", 1.0).successful
    assert change(graph, node, Transition.TRANSITION_CONFIGURE)


def test_descriptors_tell_ranges_and_choices(graph: RosGraph, memory: Memory) -> None:
    node = graph.add(ReasoningNode, {"autostart": False}, memory=memory)
    (parallel,) = node.describe_parameter("parallel_requests").integer_range
    assert (parallel.from_value, parallel.to_value) == (1, 64)
    timeout = node.describe_parameter("timeout_s")
    assert timeout.floating_point_range[0].from_value == 0.0
    assert timeout.additional_constraints == "greater than 0"
    runtime = node.describe_parameter("detector.runtime")
    assert runtime.additional_constraints == "one of auto, onnxruntime, openvino"


def dumped(node: Node, path: Path) -> Path:
    """What `ros2 param dump` writes."""
    nested: dict[str, Any] = {}
    for name, parameter in node.get_parameters_by_prefix("").items():
        value = parameter.value
        *sections, leaf = name.split(".")
        section = nested
        for part in sections:
            section = section.setdefault(part, {})
        is_list = hasattr(value, "__iter__") and not isinstance(value, str)
        section[leaf] = list(value) if is_list else value
    file = path / f"{node.get_name()}.yaml"
    content = {node.get_fully_qualified_name(): {"ros__parameters": nested}}
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    assert "[]" not in file.read_text("utf-8"), "ROS cannot read an empty list"
    return file


@pytest.mark.parametrize("kind", [MappingNode, ReasoningNode])
def test_a_dump_is_a_parameter_file(
    graph: RosGraph, tmp_path: Path, kind: Callable[..., Any]
) -> None:
    needed = SIMULATED if kind is MappingNode else {}
    first = graph.add(kind, needed | {"detector.classes": ["cup", "chair"]})
    before = {n: p.value for n, p in first.get_parameters_by_prefix("").items()}
    file = dumped(first, tmp_path)
    graph.remove(first)
    again = graph.add(kind, {}, cli_args=["--ros-args", "--params-file", str(file)])
    assert wait_for(lambda: again.is_configured, "its configuration")
    assert {n: p.value for n, p in again.get_parameters_by_prefix("").items()} == before
