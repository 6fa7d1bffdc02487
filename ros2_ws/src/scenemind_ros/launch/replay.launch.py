"""A recorded or simulated sequence in place of a camera, and the nodes that listen to it."""

from launch import LaunchDescription

from scenemind_ros.launching import replay


def generate_launch_description() -> LaunchDescription:
    """For a simulated room: sequence:=sim:1 params_file:=simulated.yaml."""
    return replay()
