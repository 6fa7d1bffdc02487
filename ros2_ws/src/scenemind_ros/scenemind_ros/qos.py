"""Quality of service: the profiles of this package, and the choice of one for a publisher.

A reliable subscription gets nothing from a best-effort publisher, and a transient-local one nothing
from a volatile one: DDS refuses the pair. `auto` therefore follows the publisher's profile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.topic_endpoint_info import TopicEndpointInfo

Reliability = Literal["auto", "reliable", "best_effort"]

SENSOR_DEPTH = 30  # a second of frames: the reader survives a pause without loss

LATCHED = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
# By default ROS queues 10 requests, or responses, and drops further ones, whose callers then wait
# in vain; a planner that asks about many objects at once sends more. For services and clients.
REQUESTS = QoSProfile(depth=400, reliability=ReliabilityPolicy.RELIABLE)
SENSOR_OUT = QoSProfile(depth=SENSOR_DEPTH, reliability=ReliabilityPolicy.RELIABLE)


def matching_qos(
    publishers: Sequence[TopicEndpointInfo], reliability: Reliability = "auto"
) -> QoSProfile:
    """The strongest profile that all of the publishers can serve.

    Args:
        reliability: a value other than `auto` is used as it is, even without a match.
    """
    offered = [publisher.qos_profile for publisher in publishers]
    if reliability == "auto":
        is_reliable = all(qos.reliability != ReliabilityPolicy.BEST_EFFORT for qos in offered)
    else:
        is_reliable = reliability == "reliable"
    is_latched = bool(offered) and all(
        qos.durability == DurabilityPolicy.TRANSIENT_LOCAL for qos in offered
    )
    return QoSProfile(
        depth=SENSOR_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if is_reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if is_latched else DurabilityPolicy.VOLATILE,
    )


def describe_qos(qos: QoSProfile) -> str:
    """Text of a profile, such as `reliable, volatile`."""
    return f"{qos.reliability.name.lower()}, {qos.durability.name.lower()}"
