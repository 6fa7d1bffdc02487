"""Frames of a sequence as ROS messages of a bag, without a ROS installation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.frames.bag import SCAN_FRAME, BagTopics, humble_types
from scenemind.frames.frame import SensorFrame
from scenemind.frames.images import (
    COMPRESSED_DEPTH_FORMAT,
    depth_from_units,
    depth_to_mm,
    encode_color_png,
    encode_compressed_depth,
    encode_depth,
)
from scenemind.frames.sequence import RecordedSequence
from scenemind.geometry import PinholeCamera, Pose

Storage = Literal["mcap", "db3"]
# A camera that looks where the base drives: optical z forward, x right, y down (REP-103).
FORWARD_MOUNTING = Pose(
    np.array([(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)]), np.zeros(3)
)
MAP_FRAME = "map"
ODOMETRY_FRAME = "odom"
BASE_FRAME = "base_link"
COLOR_FRAME = "camera_color_optical_frame"
DEPTH_FRAME = "camera_depth_optical_frame"


@dataclass(frozen=True, slots=True, eq=False)
class WriteOptions:
    """Options of writing a bag.

    Attributes:
        frames: frames of the sequence to write.
        is_raw: images as sensor_msgs/Image even where lossless compression is possible.
        base_T_camera: mounting of the colour camera on odometry's child frame.
        instance_names: labels of a simulator's instances; written with its instance images.
        frames_per_file: frames in each file of the bag; a killed process loses at most one file.
        is_forced: begin even where the disk is expected to become full.
    """

    storage: Storage = "mcap"
    frames: slice = field(default_factory=lambda: slice(None))
    is_raw: bool = False
    topics: BagTopics = field(default_factory=BagTopics)
    base_T_camera: Pose = FORWARD_MOUNTING
    instance_names: Mapping[int, str] = field(default_factory=dict)
    frames_per_file: int = 300
    is_forced: bool = False


@dataclass(frozen=True, slots=True)
class ImageEncoding:
    """Encoding of all images of a bag.

    Attributes:
        color: as the recording's own JPEG or PNG files, or as pixels.
        depth: millimetres as PNG or as pixels, or metres as float32 pixels.
    """

    color: Literal["file", "rgb8"]
    depth: Literal["png", "16UC1", "32FC1"]

    @classmethod
    def fitting(cls, sample: Sequence[SensorFrame], is_raw: bool) -> ImageEncoding:
        """The smallest lossless encoding of a few frames.

        Depth that is not in whole millimetres is stored as 32FC1.
        """
        has_files = all(is_jpeg(f.color_file) or is_png(f.color_file) for f in sample)
        is_whole = all(is_whole_mm(frame) for frame in sample)
        millimetres: Literal["png", "16UC1"] = "16UC1" if is_raw else "png"
        return cls(
            color="file" if has_files and not is_raw else "rgb8",
            depth=millimetres if is_whole else "32FC1",
        )


def is_whole_mm(frame: SensorFrame) -> bool:
    """Whether depth survives being stored as whole millimetres."""
    return np.array_equal(depth_from_units(depth_to_mm(frame.depth_m), 1000.0), frame.depth_m)


@dataclass(frozen=True, slots=True)
class EncodedMessage:
    """A serialised message; a latched one is kept for late subscribers."""

    topic: str
    kind: str
    data: bytes | memoryview
    is_latched: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class EncodedFrame:
    """The serialised messages of one frame.

    Attributes:
        messages: odometry first, so that no reader has to wait for it.
        is_exact: false where depth had to be rounded to millimetres.
    """

    stamp_ns: int
    messages: tuple[EncodedMessage, ...]
    is_exact: bool

    @property
    def size_bytes(self) -> int:
        """Total size of the messages."""
        return sum(len(message.data) for message in self.messages)


class FrameEncoder:
    """Encoder of one sequence's frames; thread-safe.

    The tree of frames is map -> odom -> base_link -> camera_color_optical_frame, with a separate
    depth camera below the colour camera, and `scan` below `map` where the recording's world was
    turned on reading. `odom` equals `map`: recorded poses do not drift.
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
        """Messages that do not change: fixed transforms, and names of a simulator's instances."""
        topics, make = self._options.topics, self._make
        transforms = make.transforms(stamp_ns, self._fixed_transforms())
        messages = [self._message(topics.tf_static, transforms, is_latched=True)]
        if self._options.instance_names:
            names = make.instance_names(self._options.instance_names)
            messages.append(self._message(topics.instance_names, names, is_latched=True))
        return tuple(messages)

    def encode(self, frame: SensorFrame) -> EncodedFrame:
        """All messages of one frame."""
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


class MessageFactory:
    """Builds messages of the types that Humble and every later ROS 2 have."""

    def __init__(self) -> None:
        self.store = humble_types()

    def color(self, stamp_ns: int, frame_id: str, color: NDArray[np.uint8]) -> Any:
        """sensor_msgs/Image, rgb8, of (H, W, 3) RGB."""
        height, width = color.shape[:2]
        data = np.ascontiguousarray(color).reshape(-1)
        return self._image(stamp_ns, frame_id, "rgb8", (height, width), data)

    def color_file(self, stamp_ns: int, frame_id: str, data: bytes) -> Any:
        """sensor_msgs/CompressedImage with the unchanged bytes of a JPEG or PNG."""
        kind = "jpeg" if is_jpeg(data) else "png"
        return self._compressed(stamp_ns, frame_id, f"rgb8; {kind} compressed bgr8", data)

    def depth(
        self, stamp_ns: int, frame_id: str, depth_m: NDArray[np.float32], encoding: str = "16UC1"
    ) -> Any:
        """sensor_msgs/Image of (h, w) metres: 16UC1, millimetres, or 32FC1."""
        height, width = depth_m.shape
        data = np.frombuffer(encode_depth(depth_m, encoding), dtype=np.uint8)
        return self._image(stamp_ns, frame_id, encoding, (height, width), data)

    def depth_file(self, stamp_ns: int, frame_id: str, depth_m: NDArray[np.float32]) -> Any:
        """sensor_msgs/CompressedImage (compressedDepth, millimetres) of (h, w) metres."""
        return self._compressed(
            stamp_ns, frame_id, COMPRESSED_DEPTH_FORMAT, encode_compressed_depth(depth_m)
        )

    def instances(self, stamp_ns: int, frame_id: str, instances: NDArray[np.int32]) -> Any:
        """sensor_msgs/Image, 32SC1, of (H, W) ids of a simulator's instance camera."""
        height, width = instances.shape
        data = np.frombuffer(instances.astype("<i4", copy=False).tobytes(), dtype=np.uint8)
        return self._image(stamp_ns, frame_id, "32SC1", (height, width), data)

    def instance_names(self, names: Mapping[int, str]) -> Any:
        """std_msgs/String: the labels of the instance camera's ids, as JSON."""
        data = json.dumps({str(number): label for number, label in names.items()})
        return self._new("std_msgs/msg/String", data=data)

    def camera_info(self, stamp_ns: int, frame_id: str, camera: PinholeCamera) -> Any:
        """sensor_msgs/CameraInfo of a camera without distortion."""
        k = np.array([(camera.fx, 0.0, camera.cx), (0.0, camera.fy, camera.cy), (0.0, 0.0, 1.0)])
        return self._new(
            "sensor_msgs/msg/CameraInfo",
            header=self._header(stamp_ns, frame_id),
            height=camera.height,
            width=camera.width,
            distortion_model="plumb_bob",
            d=np.zeros(5),
            k=k.reshape(-1),
            r=np.eye(3).reshape(-1),
            p=np.hstack((k, np.zeros((3, 1)))).reshape(-1),
            binning_x=0,
            binning_y=0,
            roi=self._new(
                "sensor_msgs/msg/RegionOfInterest",
                x_offset=0,
                y_offset=0,
                height=0,
                width=0,
                do_rectify=False,
            ),
        )

    def odometry(self, stamp_ns: int, frame_id: str, child_frame_id: str, pose: Pose) -> Any:
        """nav_msgs/Odometry with the pose of the child frame and unknown speed."""
        x, y, z = pose.translation.tolist()
        zero = self._vector(0.0, 0.0, 0.0)
        return self._new(
            "nav_msgs/msg/Odometry",
            header=self._header(stamp_ns, frame_id),
            child_frame_id=child_frame_id,
            pose=self._new(
                "geometry_msgs/msg/PoseWithCovariance",
                pose=self._new(
                    "geometry_msgs/msg/Pose",
                    position=self._new("geometry_msgs/msg/Point", x=x, y=y, z=z),
                    orientation=self._quaternion(pose),
                ),
                covariance=np.zeros(36),
            ),
            twist=self._new(
                "geometry_msgs/msg/TwistWithCovariance",
                twist=self._new("geometry_msgs/msg/Twist", linear=zero, angular=zero),
                covariance=np.zeros(36),
            ),
        )

    def transforms(self, stamp_ns: int, transforms: Iterable[tuple[str, str, Pose]]) -> Any:
        """tf2_msgs/TFMessage of (parent, child, parent_T_child)."""
        stamped = [
            self._new(
                "geometry_msgs/msg/TransformStamped",
                header=self._header(stamp_ns, parent),
                child_frame_id=child,
                transform=self._new(
                    "geometry_msgs/msg/Transform",
                    translation=self._vector(*pose.translation.tolist()),
                    rotation=self._quaternion(pose),
                ),
            )
            for parent, child, pose in transforms
        ]
        return self._new("tf2_msgs/msg/TFMessage", transforms=stamped)

    def _image(
        self,
        stamp_ns: int,
        frame_id: str,
        encoding: str,
        size: tuple[int, int],
        data: NDArray[np.uint8],
    ) -> Any:
        height, width = size
        return self._new(
            "sensor_msgs/msg/Image",
            header=self._header(stamp_ns, frame_id),
            height=height,
            width=width,
            encoding=encoding,
            is_bigendian=0,
            step=data.size // height,
            data=data,
        )

    def _compressed(self, stamp_ns: int, frame_id: str, kind: str, data: bytes) -> Any:
        return self._new(
            "sensor_msgs/msg/CompressedImage",
            header=self._header(stamp_ns, frame_id),
            format=kind,
            data=np.frombuffer(data, dtype=np.uint8),
        )

    def _header(self, stamp_ns: int, frame_id: str) -> Any:
        sec, nanosec = divmod(stamp_ns, 1_000_000_000)
        stamp = self._new("builtin_interfaces/msg/Time", sec=sec, nanosec=nanosec)
        return self._new("std_msgs/msg/Header", stamp=stamp, frame_id=frame_id)

    def _quaternion(self, pose: Pose) -> Any:
        x, y, z, w = pose.quaternion_xyzw().tolist()
        return self._new("geometry_msgs/msg/Quaternion", x=x, y=y, z=z, w=w)

    def _vector(self, x: float, y: float, z: float) -> Any:
        return self._new("geometry_msgs/msg/Vector3", x=x, y=y, z=z)

    def _new(self, kind: str, **fields: Any) -> Any:
        return self.store.types[kind](**fields)


def is_jpeg(data: bytes) -> bool:
    """Whether the bytes of an image file are a JPEG."""
    return data.startswith(b"\xff\xd8")


def is_png(data: bytes) -> bool:
    """Whether the bytes of an image file are a PNG."""
    return data.startswith(b"\x89PNG")
