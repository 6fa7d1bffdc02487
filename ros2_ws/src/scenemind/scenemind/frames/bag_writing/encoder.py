"""Frames of a sequence to the bytes of their messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from scenemind.frames.bag_layout import SCAN_FRAME
from scenemind.frames.bag_writing.message_factory import MessageFactory, is_jpeg, is_png
from scenemind.frames.bag_writing.options import ImageEncoding, WriteOptions, is_whole_mm
from scenemind.frames.encodings import encode_color_png
from scenemind.frames.frame import SensorFrame
from scenemind.frames.sequence import RecordedSequence
from scenemind.geometry import Pose

MAP_FRAME = "map"
ODOMETRY_FRAME = "odom"
BASE_FRAME = "base_link"
COLOR_FRAME = "camera_color_optical_frame"
DEPTH_FRAME = "camera_depth_optical_frame"


@dataclass(frozen=True, slots=True)
class EncodedMessage:
    """A message as it is written; what is latched is kept for whoever subscribes late."""

    topic: str
    kind: str
    data: bytes | memoryview
    is_latched: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class EncodedFrame:
    """
    Attributes:
        messages: odometry first, so that no reader has to wait for it.
        is_exact: false where depth had to be rounded to millimetres.
    """

    stamp_ns: int
    messages: tuple[EncodedMessage, ...]
    is_exact: bool

    @property
    def size_bytes(self) -> int:
        """Of its messages."""
        return sum(len(message.data) for message in self.messages)


class FrameEncoder:
    """Encodes frames of one sequence; for several threads at once.

    The tree of frames is map -> odom -> base_link -> camera_color_optical_frame, with depth's
    camera below colour's where it is one of its own, and `scan` below `map` where the recording's
    world was turned on reading. Odometry's frame is the map's: recorded poses do not drift.
    """

    def __init__(
        self,
        sequence: RecordedSequence,
        options: WriteOptions,
        encoding: ImageEncoding,
        world_T_recorded: Pose,
    ) -> None:
        self._camera = sequence.camera
        self._calibration = sequence.depth_calibration
        self._options = options
        self._encoding = encoding
        self._world_T_recorded = world_T_recorded
        self._camera_T_base = options.base_T_camera.inverse()
        self._make = MessageFactory()

    def encode_fixed(self, stamp_ns: int) -> tuple[EncodedMessage, ...]:
        """What does not change: how frames are mounted, and what a simulator's instances are."""
        topics, make = self._options.topics, self._make
        transforms = make.transforms(stamp_ns, self._fixed_transforms())
        messages = [self._message(topics.tf_static, transforms, is_latched=True)]
        if self._options.instance_names:
            names = make.instance_names(self._options.instance_names)
            messages.append(self._message(topics.instance_names, names, is_latched=True))
        return tuple(messages)

    def encode(self, frame: SensorFrame) -> EncodedFrame:
        """All messages of one moment."""
        stamp_ns = frame.stamp_ns
        images = [*self._color(frame), *self._depth(frame), *self._instances(frame)]
        return EncodedFrame(
            stamp_ns,
            tuple(self._message(topic, message) for topic, message in self._pose(frame) + images),
            self._encoding.depth == "32FC1" or is_whole_mm(frame),
        )

    def _fixed_transforms(self) -> Iterator[tuple[str, str, Pose]]:
        yield MAP_FRAME, ODOMETRY_FRAME, Pose.identity()
        yield BASE_FRAME, COLOR_FRAME, self._options.base_T_camera
        if self._calibration is not None:
            yield COLOR_FRAME, DEPTH_FRAME, self._calibration.color_T_depth
        if not np.array_equal(self._world_T_recorded.matrix(), np.eye(4)):
            yield MAP_FRAME, SCAN_FRAME, self._world_T_recorded

    def _pose(self, frame: SensorFrame) -> list[tuple[str, Any]]:
        stamp_ns, topics, make = frame.stamp_ns, self._options.topics, self._make
        world_T_base = frame.world_T_camera @ self._camera_T_base
        moved = [(ODOMETRY_FRAME, BASE_FRAME, world_T_base)]
        return [
            (topics.odometry, make.odometry(stamp_ns, *moved[0])),
            (topics.tf, make.transforms(stamp_ns, moved)),
            (topics.camera_info, make.camera_info(stamp_ns, COLOR_FRAME, self._camera)),
        ]

    def _color(self, frame: SensorFrame) -> Iterator[tuple[str, Any]]:
        topic = self._options.topics.color
        if self._encoding.color == "rgb8":
            yield topic, self._make.color(frame.stamp_ns, COLOR_FRAME, frame.color)
            return
        data = frame.color_file
        if not (is_jpeg(data) or is_png(data)):
            data = encode_color_png(frame.color)
        yield topic + "/compressed", self._make.color_file(frame.stamp_ns, COLOR_FRAME, data)

    def _depth(self, frame: SensorFrame) -> Iterator[tuple[str, Any]]:
        topics, make, stamp_ns = self._options.topics, self._make, frame.stamp_ns
        topic, frame_id = topics.depth, COLOR_FRAME
        if self._calibration is not None:
            topic, frame_id = topics.raw_depth, DEPTH_FRAME
            info = make.camera_info(stamp_ns, frame_id, self._calibration.camera)
            yield topics.raw_depth_info, info
        if self._encoding.depth == "png":
            yield topic + "/compressedDepth", make.depth_file(stamp_ns, frame_id, frame.depth_m)
        else:
            yield topic, make.depth(stamp_ns, frame_id, frame.depth_m, self._encoding.depth)

    def _instances(self, frame: SensorFrame) -> Iterator[tuple[str, Any]]:
        if self._options.instance_names and frame.instances is not None:
            topic = self._options.topics.instances
            yield topic, self._make.instances(frame.stamp_ns, COLOR_FRAME, frame.instances)

    def _message(self, topic: str, message: Any, *, is_latched: bool = False) -> EncodedMessage:
        kind = message.__msgtype__
        data = self._make.store.serialize_cdr(message, kind)
        return EncodedMessage(topic, kind, data, is_latched)
