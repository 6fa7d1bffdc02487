#!/usr/bin/env python3
"""A planner that asks SceneMind where to stand to look at a thing, and drives there.

ros2 run scenemind_ros planner_node.py --ros-args -p target:="the chair closest to the table"
"""

from __future__ import annotations

import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.task import Future

from scenemind_interfaces.srv import GetApproachPose


class PlannerNode(Node):
    """Node that asks once for its parameter `target`, and publishes the best pose on goal_pose.

    Nav2 takes it from there: `goal_pose` is what RViz's button "Nav2 Goal" publishes.
    """

    def __init__(self, **options: object) -> None:
        super().__init__("planner", **options)
        self.target = self.declare_parameter("target", "the chair closest to the table").value
        self.purpose = self.declare_parameter("purpose", "look").value
        self.radius_m = self.declare_parameter("robot_radius_m", 0.25).value
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._goals = self.create_publisher(PoseStamped, "goal_pose", latched)
        self._asking = self.create_client(GetApproachPose, "reasoning_node/get_approach_pose")
        # In a timer: the node already spins when the service is found.
        self._start = self.create_timer(0.5, self._ask)

    def _ask(self) -> None:
        if not self._asking.service_is_ready():
            self.get_logger().info("waiting for SceneMind", throttle_duration_sec=5.0)
            return
        self._start.cancel()
        request = GetApproachPose.Request(
            phrase=self.target, purpose=self.purpose, robot_radius_m=self.radius_m
        )
        self._asking.call_async(request).add_done_callback(self._on_response)

    def _on_response(self, done: Future) -> None:
        response = done.result()
        if not response.success:
            self.get_logger().error(f"{self.target!r}: {response.error.message}")
            return
        goal, place = response.poses[0], response.poses[0].pose.position
        self._goals.publish(goal)
        self.get_logger().info(
            f"{self.target!r} is {response.object.label} {response.object.id}: driving to"
            f" x {place.x:.2f}, y {place.y:.2f} in {goal.header.frame_id}, from where"
            f" {response.visible[0]:.0%} of it is seen"
        )


def main() -> None:
    rclpy.init()
    node = PlannerNode()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
