"""A planner that asks SceneMind for an object's place and drives there: the whole node.

python planner_node.py --ros-args -p target:="the chair closest to the table"
"""

from __future__ import annotations

import math

import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.task import Future

from scenemind_interfaces.action import Ground
from scenemind_interfaces.msg import BoundingBox3D, SceneGraph, SceneObject


class PlannerNode(Node):
    """Node that grounds its parameter `target` once and publishes a goal in front of the result."""

    def __init__(self, **options: object) -> None:
        super().__init__("planner", **options)
        self.target = self.declare_parameter("target", "the chair closest to the table").value
        self.distance_m = self.declare_parameter("distance_m", 0.6).value
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._goals = self.create_publisher(PoseStamped, "goal_pose", latched)
        self._scene = self.create_subscription(
            SceneGraph, "/mapping_node/scene_graph", self._keep_robot, latched
        )
        self._robot = (0.0, 0.0)
        self._ground = ActionClient(self, Ground, "/reasoning_node/ground")
        # In a timer: the node already spins when the server is found.
        self._start = self.create_timer(0.5, self._ask)

    def _keep_robot(self, scene: SceneGraph) -> None:
        camera = scene.world_t_camera.position
        self._robot = (camera.x, camera.y)

    def _ask(self) -> None:
        if not self._ground.server_is_ready():
            self.get_logger().info("waiting for SceneMind", throttle_duration_sec=5.0)
            return
        self._start.cancel()
        sent = self._ground.send_goal_async(Ground.Goal(query=self.target), self._on_feedback)
        sent.add_done_callback(self._on_accepted)

    def _on_feedback(self, message: Ground.Impl.FeedbackMessage) -> None:
        self.get_logger().info(f"step {message.feedback.step}: {message.feedback.stage}")

    def _on_accepted(self, sent: Future) -> None:
        sent.result().get_result_async().add_done_callback(self._on_result)

    def _on_result(self, done: Future) -> None:
        result = done.result().result
        if not result.success:
            self.get_logger().error(f"{self.target!r}: {result.error.message}")
            return
        found: SceneObject = result.objects[0]
        goal = self.goal_in_front_of(found.box)
        self._goals.publish(goal)
        place = goal.pose.position
        self.get_logger().info(
            f"{self.target!r} is {found.label} {found.id} ({found.confidence:.2f}):"
            f" driving to x {place.x:.2f}, y {place.y:.2f}"
        )

    def goal_in_front_of(self, box: BoundingBox3D) -> PoseStamped:
        """Goal on the floor at `distance_m` from the box's side, looking at its centre.

        On the straight line from the robot; the navigation avoids obstacles.
        """
        center = box.center.position
        away = math.atan2(self._robot[1] - center.y, self._robot[0] - center.x)
        half_m = math.hypot(box.size.x, box.size.y) / 2
        reach_m = half_m + self.distance_m
        goal = PoseStamped()
        goal.header.frame_id = "map"
        goal.header.stamp = self.get_clock().now().to_msg()
        goal.pose.position.x = center.x + reach_m * math.cos(away)
        goal.pose.position.y = center.y + reach_m * math.sin(away)
        heading = away + math.pi
        goal.pose.orientation.z = math.sin(heading / 2)
        goal.pose.orientation.w = math.cos(heading / 2)
        return goal


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
