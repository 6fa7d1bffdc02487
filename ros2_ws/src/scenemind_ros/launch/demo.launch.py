"""A drive through a simulated room, mapped and shown in RViz where that is installed."""

from launch import LaunchDescription

from scenemind_ros.launching import replay


def generate_launch_description() -> LaunchDescription:
    """For a recording, also give params_file:=default.yaml and detector_weights:=FILE."""
    return replay(rviz=True, params_file="simulated.yaml", sequence="sim:1")
