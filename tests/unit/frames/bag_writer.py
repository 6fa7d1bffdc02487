"""A recorded sequence as a rosbag2 recording, to be read back by `open_sequence`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import StoragePlugin, Writer, WriterError

from scenemind.frames.bag_options import BagTopics
from scenemind.frames.errors import FrameError
from scenemind.frames.frame import SensorFrame
from scenemind.frames.sequence import RecordedSequence
from scenemind.geometry import Pose
from tests.unit.frames.bag_message_factory import MessageFactory

ODOMETRY_FRAME = "odom"
BASE_FRAME = "base_link"
COLOR_FRAME = "camera_color_optical_frame"
DEPTH_FRAME = "camera_depth_optical_frame"

# A camera that looks where the base drives: optical z forward, x right, y down (REP-103).
FORWARD_MOUNTING = Pose(
    np.array([(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)]), np.zeros(3)
)
_PLUGINS = {"mcap": StoragePlugin.MCAP, "db3": StoragePlugin.SQLITE3}
_FOREVER = QosTime(2147483647, 4294967295)
_LATCHED = Qos(
    QosHistory.KEEP_LAST,
    1,
    QosReliability.RELIABLE,
    QosDurability.TRANSIENT_LOCAL,
    _FOREVER,
    _FOREVER,
    QosLiveliness.AUTOMATIC,
    _FOREVER,
    False,
)


def write_bag(
    sequence: RecordedSequence,
    path: Path | str,
    *,
    storage: Literal["mcap", "db3"] = "mcap",
    topics: BagTopics | None = None,
    base_T_camera: Pose = FORWARD_MOUNTING,
) -> int:
    """Write colour (rgb8), depth (16UC1), camera_info, odometry and /tf_static, frame by frame.

    Depth that is not aligned to colour goes to the topics of raw depth, and /tf_static has its
    mounting. A simulator's instance images are not written.

    Returns:
        How many frames were written.

    Raises:
        FrameError: something is at `path` already, or a frame cannot be read.
    """
    count = 0
    try:
        with Writer(Path(path), version=8, storage_plugin=_PLUGINS[storage]) as writer:
            recorder = _Recorder(writer, topics or BagTopics(), sequence, base_T_camera)
            for count, frame in enumerate(sequence, start=1):
                if count == 1:
                    recorder.write_transforms(frame.stamp_ns)
                recorder.write_frame(frame)
    except WriterError as error:
        raise FrameError(f"no bag can be written to {path}: {error}") from error
    return count


class _Recorder:
    """Writes the messages of one sequence to an open bag."""

    def __init__(
        self, writer: Writer, topics: BagTopics, sequence: RecordedSequence, base_T_camera: Pose
    ) -> None:
        self._writer = writer
        self._topics = topics
        self._camera = sequence.camera
        self._calibration = sequence.depth_calibration
        self._base_T_camera = base_T_camera
        self._make = MessageFactory()
        self._connections: dict[str, Any] = {}

    def write_transforms(self, stamp_ns: int) -> None:
        """The mounting of the camera, and of depth on it where depth is a camera of its own."""
        mounted = [(BASE_FRAME, COLOR_FRAME, self._base_T_camera)]
        if self._calibration is not None:
            mounted.append((COLOR_FRAME, DEPTH_FRAME, self._calibration.color_T_depth))
        message = self._make.transforms(stamp_ns, mounted)
        self._write(self._topics.tf_static, stamp_ns, message, (_LATCHED,))

    def write_frame(self, frame: SensorFrame) -> None:
        """All that belongs to one moment; odometry first, so that no reader has to wait."""
        stamp_ns, topics, make = frame.stamp_ns, self._topics, self._make
        world_T_base = frame.world_T_camera @ self._base_T_camera.inverse()
        odometry = make.odometry(stamp_ns, ODOMETRY_FRAME, BASE_FRAME, world_T_base)
        self._write(topics.odometry, stamp_ns, odometry)
        color_info = make.camera_info(stamp_ns, COLOR_FRAME, self._camera)
        self._write(topics.camera_info, stamp_ns, color_info)
        self._write(topics.color, stamp_ns, make.color(stamp_ns, COLOR_FRAME, frame.color))
        if self._calibration is None:
            depth = make.depth(stamp_ns, COLOR_FRAME, frame.depth_m)
            self._write(topics.depth, stamp_ns, depth)
            return
        depth_info = make.camera_info(stamp_ns, DEPTH_FRAME, self._calibration.camera)
        self._write(topics.raw_depth_info, stamp_ns, depth_info)
        self._write(topics.raw_depth, stamp_ns, make.depth(stamp_ns, DEPTH_FRAME, frame.depth_m))

    def _write(self, topic: str, stamp_ns: int, message: Any, qos: tuple[Qos, ...] = ()) -> None:
        kind = message.__msgtype__
        if topic not in self._connections:
            self._connections[topic] = self._writer.add_connection(
                topic, kind, typestore=self._make.store, offered_qos_profiles=qos
            )
        data = self._make.store.serialize_cdr(message, kind)
        self._writer.write(self._connections[topic], stamp_ns, data)
