"""A RealSense camera with depth aligned to colour, and the nodes that listen to it."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare

SHARE = FindPackageShare("scenemind_ros")
CAMERA_SHARE = FindPackageShare("realsense2_camera")


def generate_launch_description() -> LaunchDescription:
    """Launch description. It needs the package realsense2_camera, and a robot that publishes
    odometry."""
    camera = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(
            PathJoinSubstitution([CAMERA_SHARE, "launch", "rs_launch.py"])
        ),
        launch_arguments={
            "align_depth.enable": "true",
            "enable_sync": "true",
            "rgb_camera.color_profile": "640x480x30",
            "depth_module.depth_profile": "640x480x30",
        }.items(),
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
            DeclareLaunchArgument(
                "params_file",
                default_value=PathJoinSubstitution([SHARE, "config", "realsense.yaml"]),
                description="ROS parameters; measure base_T_camera for your robot",
            ),
            DeclareLaunchArgument(
                "detector_weights",
                description="detector weights: an .onnx, .xml or .pt file, or a model's name",
            ),
            nodes,
            camera,
        ]
    )
