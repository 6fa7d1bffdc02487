"""A camera that sends frames at a rate and knows when each of them was remembered."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator

from rclpy.node import Node
from std_msgs.msg import Header

from scenemind.frames import RGBDFrame, SensorFrame
from scenemind.simulation import SimulatedSequence
from scenemind_ros.conversions import stamp_ns
from scenemind_ros.player.frame_publisher import FramePublisher
from scenemind_ros.player.parameters import PlayerParameters
from scenemind_ros.qos import SENSOR_OUT


class BenchCamera(Node):
    """Sends from the thread that calls `send`; acknowledgements come by the executor."""

    def __init__(self, sequence: SimulatedSequence) -> None:
        super().__init__("bench_camera")
        settings = PlayerParameters()
        self._publisher = FramePublisher(self, sequence, settings)
        self._changed = threading.Condition()
        self._sent_at: dict[int, float] = {}
        self._latency_s: dict[int, float] = {}
        self.create_subscription(Header, settings.topics.processed, self._acknowledge, SENSOR_OUT)

    def send(self, frames: Iterable[RGBDFrame], rate_hz: float) -> list[int]:
        """Publish the frames at the rate; their stamps."""
        sent = []
        start = time.monotonic()
        for count, frame in enumerate(frames):
            time.sleep(max(0.0, start + count / rate_hz - time.monotonic()))
            with self._changed:
                self._sent_at[frame.stamp_ns] = time.monotonic()
            self._publisher.publish(_as_sensed(frame))
            sent.append(frame.stamp_ns)
        return sent

    def warm_up(self, frames: Iterator[RGBDFrame], rate_hz: float, timeout_s: float) -> bool:
        """Send until a frame is remembered; False when none is in time."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if self._publisher.unread_topics():
                time.sleep(0.05)
                continue
            sent = self.send([next(frames)], rate_hz)
            if self.wait_for(sent, 1.0 / rate_hz):
                return True
        return False

    def wait_for(self, sent: list[int], quiet_s: float) -> bool:
        """Whether all are remembered, after waiting as long as more come every `quiet_s`."""
        with self._changed:
            while not self._latency_s.keys() >= set(sent):
                if not self._changed.wait(quiet_s):
                    return False
            return True

    def latency_ms(self, sent: list[int]) -> list[float]:
        """Of those of the frames that were remembered."""
        with self._changed:
            return [self._latency_s[stamp] * 1e3 for stamp in sent if stamp in self._latency_s]

    def _acknowledge(self, header: Header) -> None:
        now, stamp = time.monotonic(), stamp_ns(header.stamp)
        with self._changed:
            if stamp in self._sent_at:
                self._latency_s[stamp] = now - self._sent_at[stamp]
                self._changed.notify_all()


def _as_sensed(frame: RGBDFrame) -> SensorFrame:
    return SensorFrame(
        frame.stamp_ns, frame.color, frame.depth_m, frame.world_T_camera, frame.instances
    )
