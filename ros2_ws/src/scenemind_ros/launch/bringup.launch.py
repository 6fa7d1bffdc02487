"""Mapping and reasoning: one process by default, two with separate:=true.

Other launch files include this one first, because it also sets the DDS profile of later nodes.
"""

import os

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable
from launch.conditions import IfCondition, UnlessCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

CONFIG = PathJoinSubstitution([FindPackageShare("scenemind_ros"), "config"])

# Launch argument -> parameter of the mapping node; an empty argument keeps the file's value.
OVERRIDES = {
    "detector_weights": "detector.weights",
    "memory_name": "memory.name",
    "memory_root": "memory.root",
}


def set_dds_profile() -> list[SetEnvironmentVariable]:
    """Set a DDS profile, unless one is set: by default, Fast DDS loses RGB-D frames."""
    has_version_2 = os.environ.get("ROS_DISTRO") in ("humble", "jazzy")
    prefix = "FASTRTPS" if has_version_2 else "FASTDDS"
    variable = f"{prefix}_DEFAULT_PROFILES_FILE"
    profile = PathJoinSubstitution([CONFIG, "fastdds_profile.xml"])
    return [] if variable in os.environ else [SetEnvironmentVariable(variable, profile)]


def start_nodes(context: LaunchContext) -> list[Node]:
    """Nodes with their own names: one process has two nodes, and a given name would apply to
    both."""
    separate = LaunchConfiguration("separate")
    overrides = []
    for argument, parameter in OVERRIDES.items():
        if value := LaunchConfiguration(argument).perform(context):
            overrides += ["-p", f"mapping_node:{parameter}:='{value}'"]
    parameters = [
        LaunchConfiguration("params_file"),
        {"use_sim_time": LaunchConfiguration("use_sim_time")},
    ]
    return [
        Node(
            package="scenemind_ros",
            executable="scenemind_node",
            parameters=parameters,
            ros_arguments=overrides,
            output="screen",
            condition=UnlessCondition(separate),
        ),
        Node(
            package="scenemind_ros",
            executable="mapping_node",
            parameters=parameters,
            ros_arguments=overrides,
            output="screen",
            condition=IfCondition(separate),
        ),
        Node(
            package="scenemind_ros",
            executable="reasoning_node",
            parameters=parameters,
            output="screen",
            condition=IfCondition(separate),
        ),
    ]


def generate_launch_description() -> LaunchDescription:
    """See `ros2 launch scenemind_ros bringup.launch.py --show-args`."""
    return LaunchDescription(
        [
            *set_dds_profile(),
            DeclareLaunchArgument(
                "params_file",
                default_value=PathJoinSubstitution([CONFIG, "default.yaml"]),
                description="ROS parameters of both nodes",
            ),
            DeclareLaunchArgument(
                "separate",
                default_value="false",
                description="mapping and reasoning in two processes",
            ),
            DeclareLaunchArgument(
                "use_sim_time", default_value="false", description="time from /clock"
            ),
            DeclareLaunchArgument(
                "detector_weights",
                default_value="",
                description="detector weights: an .onnx, .xml or .pt file, or a model's name",
            ),
            DeclareLaunchArgument(
                "memory_name",
                default_value="",
                description="name of the memory; an existing one is continued",
            ),
            DeclareLaunchArgument(
                "memory_root", default_value="", description="folder of the memories"
            ),
            OpaqueFunction(function=start_nodes),
        ]
    )
