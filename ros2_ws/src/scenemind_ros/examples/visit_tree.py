#!/usr/bin/env python3
r"""A behaviour tree: drive to where a thing can be seen, look, ask about it, and correct the map.

ros2 run scenemind_ros visit_tree.py --ros-args -p target:="the green chair" \
    -p question:="what is on the green chair?" -p correction:="the green chair is broken"

Needs py_trees (`pip install py_trees`, or ros-<distro>-py-trees). Drives with Nav2's action
navigate_to_pose where nav2_msgs is installed; else publishes goal_pose, and waits until odometry is
there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import rclpy
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Sequence
from rclpy.action import ActionClient
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.task import Future
from std_msgs.msg import Header

from scenemind_interfaces.srv import Align, Ask, GetApproachPose

THERE_M = 0.25  # of the goal, without Nav2
LOOK_FRAMES = 10


class Call(Behaviour):
    """A service call that succeeds where its response says so."""

    def __init__(
        self,
        node: Node,
        name: str,
        kind: Any,
        request: Callable[[], Any],
        on_success: Callable[[Any], str],
    ) -> None:
        """`on_success` gets the response, and returns what the log says of it."""
        super().__init__(name)
        self._client = node.create_client(kind, f"reasoning_node/{name}")
        self._request, self._on_success = request, on_success
        self._node = node
        self._response: Future | None = None

    def initialise(self) -> None:
        self._response = None

    def update(self) -> Status:
        if self._response is None:
            if not self._client.service_is_ready():
                self._node.get_logger().info("waiting for SceneMind", throttle_duration_sec=5.0)
                return Status.RUNNING
            self._response = self._client.call_async(self._request())
        if not self._response.done():
            return Status.RUNNING
        response = self._response.result()
        if not response.success:
            self._node.get_logger().error(f"{self.name}: {response.error.message}")
            return Status.FAILURE
        self._node.get_logger().info(f"{self.name}: {self._on_success(response)}")
        return Status.SUCCESS


class DriveWithNav2(Behaviour):
    """Nav2's action, to the goal that was found."""

    def __init__(self, node: Node, goal: Callable[[], PoseStamped]) -> None:
        from nav2_msgs.action import NavigateToPose

        super().__init__("drive")
        self._goal = goal
        self._action = NavigateToPose
        self._client = ActionClient(node, NavigateToPose, "navigate_to_pose")
        self._sent: Future | None = None
        self._result: Future | None = None

    def initialise(self) -> None:
        self._sent = self._result = None

    def update(self) -> Status:
        if self._sent is None:
            if self._client.server_is_ready():
                self._sent = self._client.send_goal_async(self._action.Goal(pose=self._goal()))
            return Status.RUNNING
        if self._result is None:
            if not self._sent.done():
                return Status.RUNNING
            if not self._sent.result().accepted:
                return Status.FAILURE
            self._result = self._sent.result().get_result_async()
        if not self._result.done():
            return Status.RUNNING
        has_arrived = not self._result.result().result.error_code
        return Status.SUCCESS if has_arrived else Status.FAILURE

    def terminate(self, new_status: Status) -> None:
        is_driving = self._result is not None and not self._result.done()
        if new_status == Status.INVALID and is_driving and self._sent is not None:
            self._sent.result().cancel_goal_async()


class DriveByTopic(Behaviour):
    """The goal on a topic; done when odometry, which is in the same frame, is there."""

    def __init__(self, node: Node, goal: Callable[[], PoseStamped]) -> None:
        super().__init__("drive")
        self._goal = goal
        self._goals = node.create_publisher(PoseStamped, "goal_pose", 1)
        self._odometry = node.create_subscription(
            Odometry, "odom", self._keep, qos_profile_sensor_data
        )
        self._at: tuple[float, float] | None = None

    def initialise(self) -> None:
        self._goals.publish(self._goal())

    def update(self) -> Status:
        place = self._goal().pose.position
        is_there = self._at and math.dist(self._at, (place.x, place.y)) < THERE_M
        return Status.SUCCESS if is_there else Status.RUNNING

    def _keep(self, odometry: Odometry) -> None:
        at = odometry.pose.pose.position
        self._at = (at.x, at.y)


class Look(Behaviour):
    """Wait until some more frames are in the map."""

    def __init__(self, node: Node) -> None:
        super().__init__("look")
        self._frames = node.create_subscription(
            Header, "mapping_node/processed", self._count, qos_profile_sensor_data
        )
        self._seen = 0

    def initialise(self) -> None:
        self._seen = 0

    def update(self) -> Status:
        return Status.SUCCESS if self._seen >= LOOK_FRAMES else Status.RUNNING

    def _count(self, _: Header) -> None:
        self._seen += 1


class VisitNode(Node):
    """Node that ticks the tree until it succeeds or fails.

    Attributes:
        outcome: of the tree.
    """

    def __init__(self, **options: object) -> None:
        super().__init__("visit", **options)

        def said(name: str, default: str) -> str:
            return str(self.declare_parameter(name, default).value)

        target = said("target", "the dining table")
        question = said("question", "what is on the dining table?")
        correction = said("correction", "")
        self._goal = PoseStamped()
        self.outcome: Future = Future()

        def stand(response: GetApproachPose.Response) -> str:
            self._goal = response.poses[0]
            thing, place = response.object, self._goal.pose.position
            return f"{thing.label} {thing.id} from ({place.x:.2f}, {place.y:.2f})"

        drive = DriveWithNav2 if find_spec("nav2_msgs") else DriveByTopic
        steps: list[Behaviour] = [
            Call(
                self,
                "get_approach_pose",
                GetApproachPose,
                lambda: GetApproachPose.Request(phrase=target),
                stand,
            ),
            drive(self, lambda: self._goal),
            Look(self),
            Call(
                self,
                "ask",
                Ask,
                lambda: Ask.Request(question=question),
                lambda response: response.answer.text,
            ),
        ]
        if correction:
            steps.append(
                Call(
                    self,
                    "align",
                    Align,
                    lambda: Align.Request(instruction=correction, speaker="the robot's owner"),
                    lambda response: response.response,
                )
            )
        self._tree = Sequence("visit", memory=True, children=steps)
        self._ticks = self.create_timer(0.1, self._tick)

    def _tick(self) -> None:
        self._tree.tick_once()
        if self._tree.status in (Status.SUCCESS, Status.FAILURE):
            self._ticks.cancel()
            self.outcome.set_result(self._tree.status == Status.SUCCESS)


def main() -> int:
    rclpy.init()
    node = VisitNode()
    try:
        rclpy.spin_until_future_complete(node, node.outcome)
        return 0 if node.outcome.result() else 1
    except (KeyboardInterrupt, ExternalShutdownException):
        return 130
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    raise SystemExit(main())
