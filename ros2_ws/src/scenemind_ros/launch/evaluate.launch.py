"""A benchmark on live nodes that map a bag or another recording."""

from launch import LaunchDescription

from scenemind_ros.launching import evaluate


def generate_launch_description() -> LaunchDescription:
    """For a simulated room: bag:=sim:1001 benchmark:=simulation params_file:=simulated.yaml."""
    return evaluate()
