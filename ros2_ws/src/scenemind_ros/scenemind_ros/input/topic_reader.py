"""One input topic, subscribed as soon as somebody publishes it, in the publisher's type and QoS."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription
from rclpy.topic_endpoint_info import TopicEndpointInfo

from scenemind_ros.qos import Reliability, describe_qos, matching_qos

Handlers = Mapping[type, Callable[[Any], None]]


class TopicReader:
    """Counts what arrives on a topic and hands it on.

    Attributes:
        topic: its name as configured.
        received: messages so far.
        heard_at: `time.monotonic()` of the newest message, or of the start.
    """

    def __init__(
        self, node: Node, topic: str, handlers: Handlers, reliability: Reliability = "auto"
    ) -> None:
        """Handlers by message type: the publisher decides which of them is used."""
        self.topic = topic
        self.received = 0
        self.heard_at = time.monotonic()
        self._node = node
        self._handlers = {_type_name(kind): (kind, call) for kind, call in handlers.items()}
        self._reliability = reliability
        self._subscription: Subscription[Any] | None = None
        self._subscribed: tuple[str, QoSProfile] | None = None

    @property
    def type_names(self) -> frozenset[str]:
        """The message types that it reads, such as `sensor_msgs/msg/Image`."""
        return frozenset(self._handlers)

    def poll(self) -> None:
        """Subscribe when a publisher has come, again when its type or QoS is another one."""
        usable = [p for p in self.publishers() if p.topic_type in self._handlers]
        if not usable:
            return
        # One publisher of two types on one topic is a mistake; the first type then wins.
        topic_type = usable[0].topic_type
        same_type = [p for p in usable if p.topic_type == topic_type]
        wanted = (topic_type, matching_qos(same_type, self._reliability))
        if self._subscribed == wanted:
            return
        self.close()
        kind, call = self._handlers[topic_type]

        def count_and_call(message: Any) -> None:
            self.received += 1
            self.heard_at = time.monotonic()
            call(message)

        self._subscription = self._node.create_subscription(
            kind, self.topic, count_and_call, wanted[1]
        )
        self._subscribed = wanted
        self._node.get_logger().info(
            f"reading {self.topic} ({topic_type}, {describe_qos(wanted[1])})"
        )

    def publishers(self) -> list[TopicEndpointInfo]:
        return list(self._node.get_publishers_info_by_topic(self.topic))

    def describe_silence(self) -> str:
        """Why nothing may have arrived: nobody publishes, another type, another QoS."""
        publishers = self.publishers()
        if not publishers:
            return f"{self.topic} has no publisher"
        offers = ", ".join(
            f"{p.node_name} ({p.topic_type}, {describe_qos(p.qos_profile)})" for p in publishers
        )
        if self._subscribed is None:
            wanted = " or ".join(sorted(self.type_names))
            return f"{self.topic} is published by {offers}, but {wanted} is needed"
        return (
            f"{self.topic} is published by {offers} and read {describe_qos(self._subscribed[1])},"
            " but nothing arrives: is the publisher paused, qos.reliability wrong, or the"
            " ROS_DOMAIN_ID or network between two machines?"
        )

    def close(self) -> None:
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
        self._subscription = None
        self._subscribed = None


def _type_name(kind: type) -> str:
    return f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"
