"""Which topics running nodes write, as the ROS graph has it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import rclpy
from rclpy.node import Node, NodeNameNonExistentError
from rclpy.signals import SignalHandlerOptions

_EVERY_NODE_WRITES = ("/rosout", "/parameter_events")
_PATIENCE_S = 20.0
_POLL_S = 0.1


def wait_for_topics(nodes: Iterable[str], is_over: Callable[[], bool]) -> dict[str, list[str]]:
    """The topics of each node once all of them write some; what is there when patience ends.

    Args:
        nodes: names without a namespace.
        is_over: true ends the wait.
    """
    context = rclpy.Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    observer = Node("scenemind_up", context=context, start_parameter_services=False)
    deadline = time.monotonic() + _PATIENCE_S
    try:
        while True:
            topics = {node: _topics_of(observer, node) for node in nodes}
            if all(topics.values()) or time.monotonic() > deadline or is_over():
                return topics
            time.sleep(_POLL_S)
    finally:
        observer.destroy_node()
        rclpy.shutdown(context=context)


def _topics_of(observer: Node, node: str) -> list[str]:
    try:
        written = observer.get_publisher_names_and_types_by_node(node, "/")
    except NodeNameNonExistentError:
        return []
    return sorted(name for name, _ in written if name not in _EVERY_NODE_WRITES)
