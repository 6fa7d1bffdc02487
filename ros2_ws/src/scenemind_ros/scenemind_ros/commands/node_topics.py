"""Which topics running nodes write, as the ROS graph has it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import rclpy
from rclpy.node import Node, NodeNameNonExistentError
from rclpy.signals import SignalHandlerOptions

_EVERY_NODE_WRITES = ("/rosout", "/parameter_events")
_PATIENCE_S = 20.0
_SETTLED_S = 0.5  # the graph makes publishers known one by one
_POLL_S = 0.1


def wait_for_topics(nodes: Mapping[str, str], is_over: Callable[[], bool]) -> dict[str, list[str]]:
    """The topics of each node once all are ready; what is there when patience ends.

    Args:
        nodes: name without a namespace -> a topic that it writes when it is ready.
        is_over: true ends the wait.
    """
    context = rclpy.Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    observer = Node("scenemind_up", context=context, start_parameter_services=False)
    deadline = time.monotonic() + _PATIENCE_S
    topics: dict[str, list[str]] = {}
    try:
        while time.monotonic() < deadline and not is_over():
            before, topics = topics, {node: _topics_of(observer, node) for node in nodes}
            if topics != before:
                settled = time.monotonic() + _SETTLED_S
            are_ready = all(ready in topics[node] for node, ready in nodes.items())
            if are_ready and time.monotonic() > settled:
                break
            time.sleep(_POLL_S)
        return topics
    finally:
        observer.destroy_node()
        rclpy.shutdown(context=context)


def _topics_of(observer: Node, node: str) -> list[str]:
    try:
        written = observer.get_publisher_names_and_types_by_node(node, "/")
    except NodeNameNonExistentError:
        return []
    return sorted(name for name, _ in written if name not in _EVERY_NODE_WRITES)
