"""A drive through a simulated room, mapped and shown in RViz."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare("scenemind_ros")


def generate_launch_description() -> LaunchDescription:
    """Launch description. A recorded sequence also needs a params_file with detector.backend
    auto."""
    replay = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([SHARE, "launch", "replay.launch.py"])),
        launch_arguments={
            "sequence": LaunchConfiguration("sequence"),
            "params_file": LaunchConfiguration("params_file"),
            "detector_weights": LaunchConfiguration("detector_weights"),
        }.items(),
    )
    rviz = Node(
        package="rviz2",
        executable="rviz2",
        arguments=["-d", PathJoinSubstitution([SHARE, "rviz", "scenemind.rviz"])],
        condition=IfCondition(LaunchConfiguration("rviz")),
    )
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "sequence", default_value="sim:1", description="folder, bag, or sim:SEED"
            ),
            DeclareLaunchArgument(
                "params_file",
                default_value=PathJoinSubstitution([SHARE, "config", "simulated.yaml"]),
                description="ROS parameters of mapping and reasoning",
            ),
            DeclareLaunchArgument(
                "detector_weights",
                default_value="",
                description="detector weights: an .onnx, .xml or .pt file, or a model's name",
            ),
            DeclareLaunchArgument("rviz", default_value="true", description="show it in RViz"),
            replay,
            rviz,
        ]
    )
