"""Mapping and reasoning: one process by default, two with separate:=true."""

from launch import LaunchDescription

from scenemind_ros.launching import bringup


def generate_launch_description() -> LaunchDescription:
    """See `ros2 launch scenemind_ros bringup.launch.py --show-args`."""
    return bringup()
