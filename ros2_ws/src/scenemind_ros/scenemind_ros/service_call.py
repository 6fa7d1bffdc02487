"""Calling a service with a deadline, from a thread that no executor needs."""

from __future__ import annotations

import time
from typing import Any

from rclpy.client import Client

from scenemind_interfaces.msg import Error
from scenemind_ros.errors import RosError

_POLL_S = 0.02


def call_service(client: Client[Any, Any], request: Any, timeout_s: float) -> Any:
    """The response, as it came.

    The response arrives through the executor of the client's node: calling this from a callback
    blocks one of its threads, and there must be another one.

    Raises:
        RosError: NODE_UNAVAILABLE when nobody offers the service, TIMEOUT when no response comes.
    """
    deadline = time.monotonic() + timeout_s
    wait_for_service(client, timeout_s)
    try:
        return client.call(request, timeout_sec=max(_POLL_S, deadline - time.monotonic()))
    except TimeoutError as error:
        raise RosError(
            f"{client.srv_name} gave no response within {timeout_s:g} s", Error.TIMEOUT
        ) from error


def wait_for_service(client: Client[Any, Any], timeout_s: float) -> None:
    """Return when somebody offers it; raises RosError (NODE_UNAVAILABLE) when nobody does."""
    deadline = time.monotonic() + timeout_s
    while not client.service_is_ready():
        if time.monotonic() > deadline or not client.context.ok():
            node = client.srv_name.rpartition("/")[0]
            raise RosError(
                f"nobody offers {client.srv_name}: is {node} running, configured,"
                " and on this ROS_DOMAIN_ID?",
                Error.NODE_UNAVAILABLE,
            )
        time.sleep(_POLL_S)
