"""The camera's pose from TF, for robots whose odometry comes that way. Needs tf2_ros."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.time import Time

from scenemind.geometry import GeometryError, Pose
from scenemind_ros.input.drops import DropCounts
from scenemind_ros.parameters import require_tf2

_WAITING = 30  # images whose transform has not come yet; older ones are given up


class TfPoses:
    """Looks up map <- camera at the stamp of every colour image, as soon as TF has it."""

    def __init__(
        self,
        node: Node,
        map_frame: str,
        deliver: Callable[[int, Pose], None],
        drops: DropCounts,
    ) -> None:
        """`deliver` gets stamp in ns and `world_T_camera`, in the order of stamps.

        Raises:
            ConfigError: tf2_ros is not installed.
        """
        tf2_ros = require_tf2()
        self._buffer: Any = tf2_ros.Buffer()
        self._listener: Any = tf2_ros.TransformListener(self._buffer, node)
        self._map_frame = map_frame
        self._deliver = deliver
        self._drops = drops
        self._waiting: deque[tuple[int, str]] = deque(maxlen=_WAITING)

    def want(self, stamp: int, camera_frame: str) -> None:
        """A colour image of this stamp, in this frame, has come."""
        self._waiting.append((stamp, camera_frame))
        self.poll()

    def poll(self) -> None:
        """Deliver what TF knows by now; an image that a newer one has passed gets none."""
        for stamp, camera_frame in tuple(self._waiting):
            when = Time(nanoseconds=stamp)
            if not self._buffer.can_transform(self._map_frame, camera_frame, when):
                continue
            found = self._buffer.lookup_transform(self._map_frame, camera_frame, when).transform
            while self._waiting.popleft() != (stamp, camera_frame):
                pass
            t, q = found.translation, found.rotation
            try:
                pose = Pose.from_quaternion((t.x, t.y, t.z), (q.x, q.y, q.z, q.w))
            except GeometryError as error:
                self._drops.count("bad_pose", f"{self._map_frame} to {camera_frame}: {error}")
                continue
            self._deliver(stamp, pose)

    def close(self) -> None:
        self._listener.unregister()
