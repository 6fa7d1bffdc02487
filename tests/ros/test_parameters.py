"""Parameters of nodes: the settings under dotted names, and errors about mistakes."""

from __future__ import annotations

from typing import Any

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter

from scenemind.config import ConfigError, SceneMindConfig
from scenemind_ros.parameters import (
    MappingParameters,
    ReasoningParameters,
    declare_parameters,
    read_parameters,
)

from .graph import RosGraph


def parameters_of(graph: RosGraph, **overrides: Any) -> MappingParameters:
    node = Node(
        "under_test",
        context=graph.context,
        automatically_declare_parameters_from_overrides=True,
        parameter_overrides=[
            Parameter(k.replace("__", "."), value=v) for k, v in overrides.items()
        ],
    )
    try:
        declare_parameters(node, MappingParameters)
        return read_parameters(node, MappingParameters)
    finally:
        node.destroy_node()


def test_every_setting_of_the_library_is_a_parameter_with_its_default(graph: RosGraph) -> None:
    values = parameters_of(graph).flatten()
    assert values.items() >= SceneMindConfig().flatten().items()


def test_values_arrive_whole_numbers_and_lists_included(graph: RosGraph) -> None:
    parameters = parameters_of(
        graph,
        tree__translation_m=2,
        detector__classes=["cup", "chair"],
        base_T_camera=[0.1, 0.0, 0.5, 0.0, 0.0, 0.0],
        use_sim_time=True,
    )
    assert parameters.tree.translation_m == 2.0
    assert parameters.detector.classes == ["cup", "chair"]
    assert parameters.base_T_camera == [0.1, 0.0, 0.5, 0.0, 0.0, 0.0]


def test_pairs_arrive_as_their_numbers_one_after_the_other(graph: RosGraph) -> None:
    parameters = parameters_of(graph, vlm_grounder__layouts=[2, 1, 3, 2])
    assert parameters.vlm_grounder.layouts == [(2, 1), (3, 2)]


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ({"vlm_grounder__layouts": [4, 1, 2]}, r"vlm_grounder\.layouts"),
        ({"tracker__high_skore": 0.5}, r"tracker\.high_skore.*tracker\.high_score"),
        ({"tree__translation_m": -1.0}, r"tree\.translation_m.*greater than 0"),
        ({"tree__translation_m": "far"}, r"tree\.translation_m.*'far'"),
        ({"qos__reliability": "sometimes"}, r"qos\.reliability.*best_effort"),
        ({"base_T_camera": [0.0, 0.0]}, r"base_T_camera.*got 2 numbers"),
        ({"base_T_camera": [0.0] * 7}, r"base_T_camera.*norm 0"),
        ({"depth__aligned": False}, r"depth\.color_T_depth is needed"),
        ({"detector__backend": "instance_camera"}, r"topics\.instances"),
    ],
)
def test_error_names_the_mistake(graph: RosGraph, overrides: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        parameters_of(graph, **overrides)


def test_two_mistakes_are_both_named(graph: RosGraph) -> None:
    with pytest.raises(ConfigError) as error:
        parameters_of(graph, tree__translation_m=-1.0, depth__max_m=0.0)
    assert "tree.translation_m" in str(error.value)
    assert "depth.max_m" in str(error.value)


def test_parameters_have_descriptions(graph: RosGraph) -> None:
    node = Node("under_test", context=graph.context)
    declare_parameters(node, MappingParameters)
    assert "tf2_ros" in node.describe_parameter("pose_source").description
    assert node.describe_parameter("sync.tolerance_s").description


def test_one_call_of_a_model_that_hangs_does_not_use_up_a_question() -> None:
    parameters = ReasoningParameters()
    assert parameters.timeout_s > parameters.models.language.call_deadline_s


def test_settings_that_contradict_each_other_are_named_without_all_the_others() -> None:
    with pytest.raises(ConfigError, match=r"topics\.instances") as caught:
        MappingParameters.from_nested({"detector": {"backend": "instance_camera"}})
    assert "(got {" not in str(caught.value)
