"""When the next frame of a recording is due: by its stamps, or when the reader is done."""

from __future__ import annotations

import threading
import time
from collections import deque

from rclpy.node import Node
from std_msgs.msg import Header

from scenemind_ros.conversions import stamp_ns
from scenemind_ros.qos import SENSOR_OUT

# One frame in work and one that waits: the reader never idles and never has to drop.
_WINDOW = 2
# A frame that was not acknowledged for so long was left out (no pose, a bad image): go on.
_PATIENCE_S = 5.0


class Pacing:
    """Holds the sender back, by the recorded stamps or by acknowledgements.

    With rate 0, the reader acknowledges each frame by its stamp; one stamp stands for all sent
    before it as well, because the reader takes frames in order and may leave some out.
    """

    def __init__(self, node: Node, rate: float, processed_topic: str) -> None:
        self._node = node
        self._rate = rate
        self._processed_topic = processed_topic
        self._changed = threading.Condition()
        self._in_flight: deque[int] = deque()
        self._unacknowledged = 0
        self._stopped = False
        self.restart()
        if rate == 0.0:
            node.create_subscription(Header, processed_topic, self._acknowledge, SENSOR_OUT)

    def unheard_topics(self) -> list[str]:
        """Topics on which acknowledgements are awaited and nobody is there to send them."""
        if self._rate > 0.0 or self._node.count_publishers(self._processed_topic):
            return []
        return [self._processed_topic]

    def restart(self) -> None:
        """The next frame is the first of a new round."""
        self._start: tuple[float, int] | None = None

    def wait_for_turn(self, frame_stamp_ns: int) -> None:
        """Returns when the frame of that stamp is to be sent; it then counts as sent."""
        with self._changed:
            if self._rate > 0.0:
                self._wait_for_time(frame_stamp_ns)
            else:
                self._wait_for_room(_WINDOW - 1)
                self._in_flight.append(frame_stamp_ns)

    def finish(self) -> None:
        """Returns when all that was sent is acknowledged; at once unless the rate is 0."""
        with self._changed:
            self._wait_for_room(0)

    def stop(self) -> None:
        """Nobody waits any more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def _wait_for_time(self, frame_stamp_ns: int) -> None:
        if self._start is None:
            self._start = (time.monotonic(), frame_stamp_ns)
        began, first_ns = self._start
        due = began + (frame_stamp_ns - first_ns) / 1e9 / self._rate
        self._changed.wait_for(lambda: self._stopped, timeout=max(0.0, due - time.monotonic()))

    def _wait_for_room(self, most: int) -> None:
        def has_room() -> bool:
            return self._stopped or len(self._in_flight) <= most

        while not self._changed.wait_for(has_room, timeout=_PATIENCE_S):
            lost_ns = self._in_flight.popleft()
            self._unacknowledged += 1
            if self._unacknowledged == 1:
                self._node.get_logger().warning(
                    f"the frame of {lost_ns / 1e9:.3f} s was not acknowledged within"
                    f" {_PATIENCE_S:g} s: the mapping node left it out (see its /diagnostics) or is"
                    " gone; going on"
                )

    def _acknowledge(self, header: Header) -> None:
        done_ns = stamp_ns(header.stamp)
        with self._changed:
            if done_ns in self._in_flight:
                while self._in_flight.popleft() != done_ns:
                    self._unacknowledged += 1
                self._changed.notify_all()
