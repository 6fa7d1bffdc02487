"""`scenemind bench transport`: loss and latency of frames from one process to another."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from std_msgs.msg import Header

from scenemind.bench.workload import bench_sequence, endless
from scenemind.frames import RGBDFrame, SensorFrame, read_sequence
from scenemind.simulation import SimulatedSequence
from scenemind_ros.conversions import stamp_ns
from scenemind_ros.qos import SENSOR_OUT
from scenemind_ros.sequence_player import FramePublisher, PlayerParameters, PlayerTopics, spinning


class BenchCamera(Node):
    """Sender on the thread that calls `send`; acknowledgements come by the executor."""

    def __init__(self, sequence: SimulatedSequence) -> None:
        super().__init__("bench_camera")
        settings = PlayerParameters()
        self._publisher = FramePublisher(self, sequence, settings)
        self._changed = threading.Condition()
        self._sent_at: dict[int, float] = {}
        self._latency_s: dict[int, float] = {}
        self._heard_at = 0.0  # time.monotonic() of the newest acknowledgement
        self.create_subscription(Header, settings.topics.processed, self._acknowledge, SENSOR_OUT)
        self._states: dict[str, dict[str, str]] = {}
        self._state_count = 0
        self.create_subscription(DiagnosticArray, "/diagnostics", self._keep_state, 10)

    def send(self, frames: Iterable[RGBDFrame], rate_hz: float) -> list[int]:
        """Publish the frames at the rate; returns their stamps."""
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
        """Send until a frame is in memory; False if none is in time."""
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
        """Whether all frames are in memory, after waiting until none has come for `quiet_s`."""
        wanted, start = set(sent), time.monotonic()
        with self._changed:
            while not self._latency_s.keys() >= wanted:
                left_s = max(start, self._heard_at) + quiet_s - time.monotonic()
                if left_s <= 0:
                    return False
                self._changed.wait(left_s)  # a diagnostics message ends it as well
            return True

    def latency_ms(self, sent: list[int]) -> list[float]:
        """Latencies of the frames in memory."""
        with self._changed:
            return [self._latency_s[stamp] * 1e3 for stamp in sent if stamp in self._latency_s]

    def counters(self) -> Counter[str]:
        """What the mapping node has counted until now, as its next diagnostics say: messages by
        stream, and frames that it left out by cause.

        Raises:
            RuntimeError: none come.
        """
        with self._changed:
            wanted = self._state_count + 2  # the one after next began after this moment
            if not self._changed.wait_for(lambda: self._state_count >= wanted, _QUIET_S):
                raise RuntimeError(f"the mapping node has no diagnostics within {_QUIET_S:g} s")
            parts = {name.rpartition(": ")[2]: values for name, values in self._states.items()}
        counted: Counter[str] = Counter()
        for stream in _STREAMS:
            counted[f"{stream}_messages"] = int(parts["input"][f"{stream}_messages"])
        for name, value in parts["input"].items():
            if name.startswith("dropped_"):
                counted[name.removeprefix("dropped_")] = int(value)
        counted[_REPLACED] = int(parts["mapper"]["dropped_newer_frame"])
        counted["failed_detections"] = int(parts["mapper"].get("failed_detections", 0))
        return counted

    def _keep_state(self, message: DiagnosticArray) -> None:
        states = {one.name: {v.key: v.value for v in one.values} for one in message.status}
        if not any(name.endswith(": input") for name in states):
            return  # of another node, or the state of one that is not active yet
        with self._changed:
            self._states = states
            self._state_count += 1
            self._changed.notify_all()

    def _acknowledge(self, header: Header) -> None:
        now, stamp = time.monotonic(), stamp_ns(header.stamp)
        with self._changed:
            if stamp in self._sent_at:
                self._latency_s[stamp] = now - self._sent_at[stamp]
                self._heard_at = now
                self._changed.notify_all()


def _as_sensed(frame: RGBDFrame) -> SensorFrame:
    return SensorFrame(
        frame.stamp_ns, frame.color, frame.depth_m, frame.world_T_camera, frame.instances
    )


_STREAMS = ("color", "depth", "instances", "odometry")
_REPLACED = "replaced_by_newer"
_STRETCH = 60  # frames to render in advance at most; they are sent repeatedly
_START_S = 60.0
_QUIET_S = 5.0  # time without acknowledgement after which the rest counts as lost
_STOP_S = 10.0


def measure(seconds: float, rate_hz: float) -> dict[str, object]:
    """Send colour, depth, instances and odometry; a frame is received once it is in memory.

    The latency is from before a frame's first message is published until its acknowledgement
    arrives: an upper bound of camera-to-memory, detector (the simulated instance camera) and
    mapping included.

    Raises:
        RuntimeError: no frame reached the mapping node.
    """
    count = round(seconds * rate_hz)
    sequence = bench_sequence(min(_STRETCH, count + 1))
    frames = endless(list(read_sequence(sequence)))
    camera = BenchCamera(sequence)
    try:
        with _mapping_process(), spinning(camera):
            if not camera.warm_up(frames, rate_hz, _START_S):
                raise RuntimeError(f"no frame was remembered within {_START_S:g} s")
            before = camera.counters()
            sent = camera.send(islice(frames, count), rate_hz)
            camera.wait_for(sent, _QUIET_S)
            lost = losses(len(sent), camera.counters() - before)
            latency_ms = camera.latency_ms(sent)
    finally:
        camera.destroy_node()
    if not latency_ms:
        raise RuntimeError(f"none of {len(sent)} frames was remembered")
    return {
        "sent": len(sent),
        "received": len(latency_ms),
        "lost": lost,
        "latency_ms": float(np.median(latency_ms)),
        "latency_ms_p99": float(np.percentile(latency_ms, 99)),
        "latency_ms_max": max(latency_ms),
        "seconds": seconds,
        "rate_hz": rate_hz,
    }


def losses(sent: int, counted: Counter[str]) -> dict[str, int]:
    """Losses by cause, those that occurred: messages of each stream that did not arrive, and
    frames that the node left out.

    Args:
        counted: what the node counted while so many frames were sent.
    """
    on_the_way = {
        f"{stream}_on_the_way": sent - counted[f"{stream}_messages"] for stream in _STREAMS
    }
    causes = {name: n for name, n in counted.items() if not name.endswith("_messages")}
    return {name: count for name, count in {**on_the_way, **causes}.items() if count > 0}


@contextmanager
def _mapping_process() -> Iterator[None]:
    """The mapping node as on a robot, with a temporary memory."""
    topics = PlayerTopics()
    parameters = {
        "detector.backend": "instance_camera",
        "topics.instances": topics.instances,
        "topics.instance_names": topics.instance_names,
        "memory.root": '""',
    }
    arguments = [part for name, value in parameters.items() for part in ("-p", f"{name}:={value}")]
    process = subprocess.Popen(
        [sys.executable, "-m", "scenemind_ros.mapping_node", "--ros-args", *arguments],
        stdout=sys.stderr,
    )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def main() -> int:
    seconds, rate_hz = map(float, sys.argv[1:])
    rclpy.init(args=[])
    try:
        result = measure(seconds, rate_hz)
    except RuntimeError as error:
        print(f"bench transport: {error}", file=sys.stderr)
        return 1
    finally:
        rclpy.try_shutdown()
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
