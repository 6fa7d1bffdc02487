"""The frame that poses are in: `map_frame` where TF leads there, else odometry's own.

Odometry comes in a frame of its own, usually `odom`, and SLAM or AMCL say by TF where that lies in
`map`. What is published under `map` must be there: else a planner's goals are off by map -> odom.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from rclpy.time import Time

from scenemind.geometry import GeometryError, Pose
from scenemind_ros.conversions import stamp_ns
from scenemind_ros.input.frame_assembler import DropCounts
from scenemind_ros.optional_ros import tf2_ros
from scenemind_ros.parameters import require_tf2

_LATE_NS = 250_000_000  # a pose waits for its transform until odometry is this much further
_PATIENCE_NS = 5_000_000_000  # for the first transform, in the time of the stamps
_MOST_WAITING = 5_000  # poses: stamps that stand still never run out of patience
CLOCK_BACK_NS = 1_000_000_000  # a stamp that goes back by more is of another run of the clock
_AHEAD_NS = 5_000_000_000  # localisation dates its transforms ahead by a second or two
_MOST_ASIDE = 200  # transforms
_AUTHORITY = "scenemind"


class TfTree:
    """Transforms of `/tf` and `/tf_static`, as of the present of the streams.

    tf2 keeps ten seconds before the newest transform: one from the far future empties it for good.
    Such ones wait here until their time comes. Transforms whose clock went back are kept for the
    moment when the streams go back too.
    """

    def __init__(self, node: Node, drops: DropCounts | None = None) -> None:
        """`drops` counts transforms that wait or are refused for their stamps.

        Raises:
            ConfigError: tf2_ros is not installed.
        """
        tf2 = require_tf2()
        self._drops = drops
        self._buffer: Any = tf2.Buffer()
        self._lock = threading.Lock()  # the listener may have a thread of its own
        self._present_ns: int | None = None
        self._future: deque[Any] = deque(maxlen=_MOST_ASIDE)
        self._gone_back: deque[Any] = deque(maxlen=_MOST_ASIDE)
        self._newest_ns: dict[str, int] = {}
        # It hands what it hears to the two methods `set_transform` and `set_transform_static`.
        self._listener: Any = tf2.TransformListener(self, node)

    def find(self, target: str, source: str, stamp: int | None = None) -> Pose | None:
        """`target_T_source` at a stamp in ns, or the newest; None: not known (yet).

        Raises:
            GeometryError: its rotation is none, or a number is not finite.
        """
        found = self._find(target, source, stamp)
        return None if found is None else _pose_of(found.transform)

    def find_static(self, target: str, source: str) -> tuple[Pose, bool] | None:
        """`target_T_source`, and whether nothing in it moves; None: not known (yet).

        Raises:
            GeometryError: as of `find`.
        """
        found = self._find(target, source, None)
        if found is None:
            return None
        return _pose_of(found.transform), stamp_ns(found.header.stamp) == 0  # tf2: always known

    def at(self, stamp: int) -> None:
        """The streams are at this stamp, in ns; one that goes back by more than a second is of
        another run of the clock, whose transforms replace all but static ones."""
        if stamp < 0:
            return  # of a driver's mistake: no run of a clock begins there
        with self._lock:
            if self._present_ns is not None and stamp < self._present_ns - CLOCK_BACK_NS:
                self._buffer.clear()
                self._newest_ns.clear()
                self._future.clear()
                self._present_ns = stamp
                self._keep(self._gone_back)
                self._gone_back.clear()
            self._present_ns = stamp
            if self._future:
                waiting, self._future = self._future, deque(maxlen=_MOST_ASIDE)
                self._keep(waiting)

    def set_transform(self, transform: Any, authority: str) -> None:
        """A transform of /tf, from the listener."""
        stamp = stamp_ns(transform.header.stamp)
        with self._lock:
            if stamp < 0:
                self._count("tf_no_time", transform, "no clock has such a time")
            elif self._is_future(stamp):
                if self._present_ns is not None:
                    ahead_s = (stamp - self._present_ns) / 1e9
                    self._count(
                        "tf_ahead", transform, f"{ahead_s:.1f} s ahead of the streams, it waits"
                    )
                self._future.append(transform)
            elif stamp < self._newest_ns.get(transform.child_frame_id, 0) - CLOCK_BACK_NS:
                self._gone_back.append(transform)
            else:
                self._newest_ns[transform.child_frame_id] = stamp
                self._buffer.set_transform(transform, authority)

    def set_transform_static(self, transform: Any, authority: str) -> None:
        """A transform of /tf_static, from the listener."""
        with self._lock:
            self._buffer.set_transform_static(transform, authority)

    def close(self) -> None:
        self._listener.unregister()

    def _find(self, target: str, source: str, stamp: int | None) -> Any | None:
        if stamp is not None and stamp < 0:
            return None  # ROS has no such time
        when = Time() if stamp is None else Time(nanoseconds=stamp)
        if not self._buffer.can_transform(target, source, when):
            return None
        return self._buffer.lookup_transform(target, source, when)

    def _count(self, cause: str, transform: Any, why: str) -> None:
        if self._drops is not None:
            stamp_s = stamp_ns(transform.header.stamp) / 1e9
            name = transform.child_frame_id
            self._drops.count(cause, f"TF has {name} at {stamp_s:.3f} s: {why}, is a clock wrong?")

    def _is_future(self, stamp: int) -> bool:
        """Whether a transform is of a time that no stream has reached, or may have."""
        return self._present_ns is None or stamp > self._present_ns + _AHEAD_NS

    def _keep(self, transforms: Iterable[Any]) -> None:
        for transform in transforms:
            stamp = stamp_ns(transform.header.stamp)
            if self._is_future(stamp):
                self._future.append(transform)
            else:
                self._newest_ns[transform.child_frame_id] = stamp
                self._buffer.set_transform(transform, _AUTHORITY)


def _pose_of(transform: Any) -> Pose:
    t, q = transform.translation, transform.rotation
    return Pose.from_quaternion((t.x, t.y, t.z), (q.x, q.y, q.z, q.w))


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
        drops: DropCounts,
        *,
        is_begun_here: bool = False,
    ) -> None:
        """`deliver` gets stamps in ns and `world_T_base`, in the order of arrival.

        Args:
            drops: counts poses whose transform is none, and transforms out of their time.
            is_begun_here: the map begins where odometry does, and this node publishes how they
                part: TF is not read.
        """
        self.name, self.problem, self.follows_tf = map_frame, "", False
        self.odom_frame = ""
        self._map_frame = map_frame
        self._is_begun_here = is_begun_here
        self._deliver = deliver
        self._drops = drops
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
            self._tf = TfTree(self._node, self._drops)
        if self._tf is None:
            self._settle(frame, "tf2_ros is not installed")
            self._deliver(stamp, odom_T_base)
            return
        self._tf.at(stamp)
        if stamp < self._newest_ns - CLOCK_BACK_NS:
            self._waiting.clear()
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
                self._drops.count("bad_pose", f"{self._map_frame} to {frame}: {error}")
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
