"""Messages of a bag or a live graph, by the fields that they have, to evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.cli.doctor.evidence import CameraFacts, Evidence, OfferedQos, Stream
from scenemind.cli.doctor.finding import Finding
from scenemind.frames import DepthCalibration, SensorFrame
from scenemind.frames.bag_messages import stamp_ns


class StreamCollector:
    """What one topic carries."""

    def __init__(self, topic: str, offered_qos: Iterable[OfferedQos] = ()) -> None:
        self.topic = topic
        self._offered_qos = tuple(offered_qos)
        self._stamps_ns: list[int] = []
        self._sizes: set[tuple[int, int]] = set()
        self._encodings: set[str] = set()

    def add(self, message: Any) -> None:
        """Any message with a header; of images size and encoding count, of pixels none."""
        self._stamps_ns.append(stamp_ns(message))
        if hasattr(message, "encoding"):
            self._sizes.add((int(message.width), int(message.height)))
            self._encodings.add(str(message.encoding))
        elif hasattr(message, "format"):
            self._encodings.add(str(message.format))

    def stream(self) -> Stream:
        return Stream(
            self.topic,
            np.array(self._stamps_ns, np.int64),
            frozenset(self._sizes),
            frozenset(self._encodings),
            self._offered_qos,
        )


class PoseCollector:
    """Positions and quaternions of odometry as they were sent."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, ...]] = []

    def add(self, message: Any) -> None:
        p, q = message.pose.pose.position, message.pose.pose.orientation
        self._rows.append((p.x, p.y, p.z, q.x, q.y, q.z, q.w))

    def rows(self) -> NDArray[np.float64]:
        """(N, 7): x y z qx qy qz qw."""
        return np.array(self._rows, np.float64).reshape(-1, 7)


def camera_facts(message: Any) -> CameraFacts:
    """Of a CameraInfo, sensible or not."""
    k = [float(value) for value in message.k]
    return CameraFacts(
        width=int(message.width),
        height=int(message.height),
        fx=k[0],
        fy=k[4],
        cx=k[2],
        cy=k[5],
        distortion=tuple(float(value) for value in message.d),
    )


class Collector:
    """All streams of a bag or a live graph."""

    def __init__(self) -> None:
        self._streams: dict[str, StreamCollector] = {}
        self._poses = PoseCollector()
        self._camera: CameraFacts | None = None

    def listen(self, stream: str, topic: str, offered_qos: Iterable[OfferedQos] = ()) -> None:
        """Expect messages of a stream: `color`, `depth`, `camera_info`, `odometry`, others."""
        self._streams[stream] = StreamCollector(topic, offered_qos)

    def add(self, stream: str, message: Any) -> None:
        """A message of a stream that is listened to."""
        self._streams[stream].add(message)
        if stream == "odometry":
            self._poses.add(message)
        elif stream == "camera_info":
            self._camera = camera_facts(message)

    def evidence(
        self,
        source: str,
        calibration: DepthCalibration | None,
        frames: Sequence[SensorFrame],
        found: Sequence[Finding],
    ) -> Evidence:
        """What has come so far; the arguments are as in `Evidence`."""
        rows = self._poses.rows()
        return Evidence(
            source=source,
            streams={name: collector.stream() for name, collector in self._streams.items()},
            camera=self._camera,
            depth_calibration=calibration,
            positions=rows[:, :3],
            quaternions=rows[:, 3:],
            frames=tuple(frames),
            found=tuple(found),
        )
