"""A RealSense camera with depth aligned to colour, and the nodes that listen to it."""

from launch import LaunchDescription

from scenemind_ros.launching import realsense


def generate_launch_description() -> LaunchDescription:
    """Needs the package realsense2_camera, and a robot that publishes odometry."""
    return realsense()
