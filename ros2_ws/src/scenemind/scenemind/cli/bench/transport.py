"""How long a frame takes from a camera process over DDS into the memory of another one."""

from __future__ import annotations

import os
from typing import Any

from scenemind.cli.bench.child import run_module
from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.ros_environment import ros_environment

_MORE_S = 180.0  # for starting, waiting and stopping
_SAFE_DOMAINS = 101  # above, a domain's ports can collide with those that the system hands out


def bench_transport(seconds: float = 60.0, rate_hz: float = 30.0) -> dict[str, Any]:
    """Measure with two processes on a ROS domain of their own.

    Raises:
        CommandError: the child failed.
        RosEnvironmentError: the workspace is not built.
    """
    environment = ros_environment()
    environment["ROS_DOMAIN_ID"] = str(1 + os.getpid() % _SAFE_DOMAINS)
    environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    result = run_module(
        "scenemind_ros.commands.bench_transport",
        [str(seconds), str(rate_hz)],
        environment,
        timeout_s=seconds + _MORE_S,
    )
    return {**result, "machine": machine(), "versions": versions()}
