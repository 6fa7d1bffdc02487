"""A recorded or simulated sequence in place of a camera, and the nodes that listen to it."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare("scenemind_ros")


def generate_launch_description() -> LaunchDescription:
    """Launch description. For a simulated room: sequence:=sim:1
    params_file:=<share>/config/simulated.yaml."""
    player = Node(
        package="scenemind_ros",
        executable="sequence_player",
        parameters=[
            {
                "sequence": ParameterValue(LaunchConfiguration("sequence"), value_type=str),
                "rate": ParameterValue(LaunchConfiguration("rate"), value_type=float),
                "loop": ParameterValue(LaunchConfiguration("loop"), value_type=bool),
            }
        ],
        output="screen",
    )
    nodes = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([SHARE, "launch", "bringup.launch.py"])),
        launch_arguments={
            "params_file": LaunchConfiguration("params_file"),
            "detector_weights": LaunchConfiguration("detector_weights"),
        }.items(),
    )
    return LaunchDescription(
        [
            DeclareLaunchArgument("sequence", description="folder, bag, or sim:SEED"),
            DeclareLaunchArgument(
                "rate", default_value="1.0", description="0: as fast as the mapping node maps"
            ),
            DeclareLaunchArgument(
                "loop", default_value="false", description="start again at the end"
            ),
            DeclareLaunchArgument(
                "params_file",
                default_value=PathJoinSubstitution([SHARE, "config", "default.yaml"]),
                description="ROS parameters of mapping and reasoning",
            ),
            DeclareLaunchArgument(
                "detector_weights",
                default_value="",
                description="detector weights: an .onnx, .xml or .pt file, or a model's name",
            ),
            nodes,
            player,
        ]
    )
