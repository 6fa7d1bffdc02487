"""A benchmark on live nodes that map a bag or another recording.

The folder out:= gets the output of `scenemind eval --out`: predictions, scores, a page.
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    RegisterEventHandler,
    Shutdown,
)
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare("scenemind_ros")


def generate_launch_description() -> LaunchDescription:
    """Launch description. For a simulated room: bag:=sim:1001 benchmark:=simulation
    params_file:=<share>/config/simulated.yaml."""
    nodes = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([SHARE, "launch", "bringup.launch.py"])),
        launch_arguments={
            "params_file": LaunchConfiguration("params_file"),
            "detector_weights": LaunchConfiguration("detector_weights"),
            "memory_root": LaunchConfiguration("memory_root"),
        }.items(),
    )
    # It ends when the mapping node has acknowledged the last frame.
    player = Node(
        package="scenemind_ros",
        executable="sequence_player",
        parameters=[
            {
                "sequence": ParameterValue(LaunchConfiguration("bag"), value_type=str),
                "rate": 0.0,
            }
        ],
        output="screen",
    )
    evaluation = Node(
        package="scenemind_ros",
        executable="evaluate_benchmark",
        arguments=[
            LaunchConfiguration("benchmark"),
            "--running",
            *("--recording", LaunchConfiguration("bag")),
            *("--scene", LaunchConfiguration("scene")),
            *("--data", LaunchConfiguration("data")),
            *("--objects", LaunchConfiguration("objects")),
            *("--out", LaunchConfiguration("out")),
            *("--method", LaunchConfiguration("method")),
            *("--limit", LaunchConfiguration("limit")),
        ],
        output="screen",
    )

    def when_played(event: ProcessExited, _context: LaunchContext) -> list[Node | Shutdown]:
        return [evaluation if event.returncode == 0 else Shutdown(reason="the player failed")]

    return LaunchDescription(
        [
            DeclareLaunchArgument("bag", description="bag, folder, or sim:SEED"),
            DeclareLaunchArgument(
                "benchmark", description="name of the benchmark, as in scenemind eval"
            ),
            DeclareLaunchArgument("out", description="folder for predictions, scores and the page"),
            DeclareLaunchArgument(
                "data", default_value="", description="the benchmark's file or folder"
            ),
            DeclareLaunchArgument(
                "objects", default_value="", description="file of true objects, to score boxes"
            ),
            DeclareLaunchArgument(
                "scene",
                default_value="",
                description="the benchmark's name of the recorded scene; empty: the bag's name",
            ),
            DeclareLaunchArgument("method", default_value="symbolic", description="who answers"),
            DeclareLaunchArgument("limit", default_value="", description="number of rows"),
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
            DeclareLaunchArgument(
                "memory_root",
                default_value=[LaunchConfiguration("out"), "-memories"],
                description="folder of the memory; an existing one is continued",
            ),
            nodes,
            RegisterEventHandler(OnProcessExit(target_action=player, on_exit=when_played)),
            RegisterEventHandler(
                OnProcessExit(target_action=evaluation, on_exit=[Shutdown(reason="it is done")])
            ),
            player,
        ]
    )
