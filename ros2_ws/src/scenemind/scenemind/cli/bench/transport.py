"""How long a frame takes from a camera process over DDS into the memory of another one."""

from __future__ import annotations

from typing import Any

from scenemind.cli.bench.child import run_module
from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.ros_environment import private_domain, ros_environment

_MORE_S = 180.0  # for starting, waiting and stopping


def bench_transport(seconds: float = 60.0, rate_hz: float = 30.0) -> dict[str, Any]:
    """Measure with two processes on a ROS domain of their own.

    Raises:
        CommandError: the child failed.
        RosEnvironmentError: the workspace is not built.
    """
    result = run_module(
        "scenemind_ros.commands.bench_transport",
        [str(seconds), str(rate_hz)],
        {**ros_environment(), **private_domain()},
        timeout_s=seconds + _MORE_S,
    )
    return {**result, "machine": machine(), "versions": versions()}
