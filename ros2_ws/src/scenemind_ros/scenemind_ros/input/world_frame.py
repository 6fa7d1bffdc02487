"""The frame that poses are in: `map_frame` where TF leads there, else odometry's own.

Odometry comes in a frame of its own, usually `odom`, and SLAM or AMCL say by TF where that lies in
`map`. What is published under `map` must be there: else a planner's goals are off by map -> odom.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from rclpy.time import Time

from scenemind.geometry import GeometryError, Pose
from scenemind_ros.optional_ros import tf2_ros
from scenemind_ros.parameters import require_tf2

_LATE_NS = 250_000_000  # a pose waits for its transform until odometry is this much further
_PATIENCE_NS = 5_000_000_000  # for the first transform, in the time of the stamps
_MOST_WAITING = 5_000  # poses: stamps that stand still never run out of patience
CLOCK_BACK_NS = 1_000_000_000  # a stamp that goes back by more is of another run of the clock


class TfTree:
    """Transforms of `/tf` and `/tf_static`."""

    def __init__(self, node: Node) -> None:
        """
        Raises:
            ConfigError: tf2_ros is not installed.
        """
        tf2 = require_tf2()
        self._buffer: Any = tf2.Buffer()
        self._listener: Any = tf2.TransformListener(self._buffer, node)

    def find(self, target: str, source: str, stamp: int | None = None) -> Pose | None:
        """`target_T_source` at a stamp in ns, or the newest; None: not known (yet).

        Raises:
            GeometryError: its rotation is none, or a number is not finite.
        """
        if stamp is not None and stamp < 0:
            return None  # ROS has no such time
        when = Time() if stamp is None else Time(nanoseconds=stamp)
        if not self._buffer.can_transform(target, source, when):
            return None
        found = self._buffer.lookup_transform(target, source, when).transform
        t, q = found.translation, found.rotation
        return Pose.from_quaternion((t.x, t.y, t.z), (q.x, q.y, q.z, q.w))

    def clear(self) -> None:
        """Forget all but static ones: the clock was set back, and what was known is of the
        future."""
        self._buffer.clear()

    def close(self) -> None:
        self._listener.unregister()


class WorldFrame:
    """Turns poses of odometry into the world's frame.

    Attributes:
        name: of the frame that the poses are in.
        problem: why that is not `map_frame`, for diagnostics; empty: it is.
        follows_tf: whether poses are turned by TF, which then corrects them itself.
        odom_frame: odometry's frame, as its last message says; empty before.
    """

    def __init__(
        self,
        node: Node,
        map_frame: str,
        deliver: Callable[[int, Pose], None],
        *,
        is_begun_here: bool = False,
    ) -> None:
        """`deliver` gets stamps in ns and `world_T_base`, in the order of arrival.

        Args:
            is_begun_here: the map begins where odometry does, and this node publishes how they
                part: TF is not read.
        """
        self.name, self.problem, self.follows_tf = map_frame, "", False
        self.odom_frame = ""
        self._map_frame = map_frame
        self._is_begun_here = is_begun_here
        self._deliver = deliver
        self._logger: RcutilsLogger = node.get_logger()
        self._node = node
        self._tf: TfTree | None = None
        self._waiting: deque[tuple[int, str, Pose]] = deque(maxlen=_MOST_WAITING)
        self._first_ns: int | None = None
        self._newest_ns = 0

    def add(self, stamp: int, frame_id: str, odom_T_base: Pose) -> None:
        """A pose of odometry in its frame; an empty frame counts as `map_frame`."""
        frame = frame_id.removeprefix("/") or self._map_frame
        self.odom_frame = frame
        if frame == self.name or self._is_begun_here:
            self._deliver(stamp, odom_T_base)  # in the map itself, or without one
            return
        if self._tf is None and tf2_ros is not None:
            self._tf = TfTree(self._node)
        if self._tf is None:
            self._settle(frame, "tf2_ros is not installed")
            self._deliver(stamp, odom_T_base)
            return
        if stamp < self._newest_ns - CLOCK_BACK_NS:
            self._waiting.clear()
            self._tf.clear()
            self._first_ns = None
        self._newest_ns = stamp
        if self._first_ns is None:
            self._first_ns = stamp
        self._waiting.append((stamp, frame, odom_T_base))
        self.poll()

    def poll(self) -> None:
        """Deliver the poses whose transform has come."""
        while self._waiting and self._tf is not None:
            stamp, frame, pose = self._waiting[0]
            newest_ns = self._waiting[-1][0]
            try:
                found = self._tf.find(self._map_frame, frame, stamp)
                if found is None and newest_ns - stamp > _LATE_NS:
                    found = self._tf.find(self._map_frame, frame)
            except GeometryError as error:
                self._logger.warning(f"{self._map_frame} to {frame}: {error}", once=True)
                self._waiting.popleft()
                continue
            if found is not None:
                self.follows_tf = True
                self._waiting.popleft()
                self._deliver(stamp, found @ pose)
            elif not self.follows_tf and newest_ns - (self._first_ns or 0) > _PATIENCE_NS:
                self._settle(frame, f"TF does not lead from {frame} to {self._map_frame}")
                waiting = tuple(self._waiting)
                self._waiting.clear()
                for earlier, _, its in waiting:
                    self._deliver(earlier, its)
            else:
                return

    def close(self) -> None:
        if self._tf is not None:
            self._tf.close()

    def _settle(self, frame: str, why: str) -> None:
        """From now on the world is odometry's frame: to change it later would tear the map."""
        self.name = frame
        self.problem = (
            f"positions are in {frame} and not in {self._map_frame}: {why}. To have them in"
            f" {self._map_frame}, start what publishes {self._map_frame} -> {frame} first, or name"
            f" odometry's frame in map_frame"
        )
        self._logger.warning(self.problem)
