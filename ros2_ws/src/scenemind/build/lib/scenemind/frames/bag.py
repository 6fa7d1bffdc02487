"""rosbag2 recordings: opening a file, the layout of its topics, and conversion of its messages.

The sequence of frames is `readers.rosbag`; writing is `bag_writer`.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cache
from heapq import merge
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scenemind.config import DepthConfig, SyncConfig
from scenemind.frames.bag_limits import check_storage, limit_rosbags
from scenemind.frames.frame import DepthCalibration, FrameError
from scenemind.frames.images import (
    decode_color,
    decode_color_file,
    decode_compressed_depth,
    decode_depth,
)
from scenemind.geometry import GeometryError, PinholeCamera, Pose

if TYPE_CHECKING:
    from rosbags.interfaces import Connection, Qos
    from rosbags.rosbag2 import Reader

_log = logging.getLogger(__name__)

_SUFFIXES = (".mcap", ".db3")
SCAN_FRAME = "scan"
"""Frame id of a recording's own world, in bags that `bag_writer` has converted from it."""
_IMAGES = ("sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage")
STREAM_TYPES: Mapping[str, tuple[str, ...]] = {
    "color": _IMAGES,
    "depth": _IMAGES,
    "camera_info": ("sensor_msgs/msg/CameraInfo",),
    "depth_camera_info": ("sensor_msgs/msg/CameraInfo",),
    "odometry": ("nav_msgs/msg/Odometry",),
}
"""Message types by stream; a topic of another one is not read."""
_TF_TYPES = ("tf2_msgs/msg/TFMessage",)
_DEPTH_TRANSPORTS = ("/compressedDepth", "/compressed")


@dataclass(frozen=True, slots=True)
class BagTopics:
    """Topic names; the defaults are the RealSense driver's and /odom.

    An image topic that is not in the bag is also searched under its image_transport names
    (`/compressed`, `/compressedDepth`).

    Attributes:
        depth: depth aligned to colour.
        raw_depth, raw_depth_info: depth in the depth camera's own pixels and its camera_info; read
            and registered where aligned depth was not recorded.
        tf, instances, instance_names: written (`bag_writer`) for playback but not read;
            instances are a simulator's.
    """

    color: str = "/camera/camera/color/image_raw"
    camera_info: str = "/camera/camera/color/camera_info"
    depth: str = "/camera/camera/aligned_depth_to_color/image_raw"
    raw_depth: str = "/camera/camera/depth/image_rect_raw"
    raw_depth_info: str = "/camera/camera/depth/camera_info"
    odometry: str = "/odom"
    tf_static: str = "/tf_static"
    tf: str = "/tf"
    instances: str = "/camera/camera/instances/image_raw"
    instance_names: str = "/camera/camera/instances/names"


@dataclass(frozen=True, slots=True)
class BagOptions:
    """Settings of a bag that are not in the recording.

    Attributes:
        base_T_camera: mounting of the colour camera (optical frame) on odometry's child frame;
            None: from /tf_static.
        depth: `aligned` false takes raw depth even where aligned depth was recorded too;
            `color_T_depth` registers it, or /tf_static where that is empty.
    """

    topics: BagTopics = field(default_factory=BagTopics)
    base_T_camera: Pose | None = None
    depth: DepthConfig = field(default_factory=DepthConfig)
    sync: SyncConfig = field(default_factory=SyncConfig)


def is_bag(path: Path) -> bool:
    """Whether a file or folder is a rosbag2 recording, by its name and what it contains."""
    if path.is_dir():
        return (path / "metadata.yaml").is_file() or bool(_storage_files(path))
    return path.suffix in _SUFFIXES


class BagFile:
    """A rosbag2 recording as messages in order, opened as a context manager.

    A folder without metadata.yaml, which a killed recorder leaves, is read file by file. Damage of
    any kind becomes a `FrameError`.
    """

    def __init__(self, path: Path) -> None:
        """Name the folder, or one .mcap or .db3 file."""
        self._path = path
        listed = path.is_file() or (path / "metadata.yaml").is_file()
        self._paths = [path] if listed else _storage_files(path)
        self._readers: list[Reader] = []
        self._opened = ExitStack()

    def __enter__(self) -> BagFile:
        # Imported here: the import takes longer than opening other recordings.
        from rosbags.rosbag2 import Reader

        limit_rosbags()
        try:
            with ExitStack() as opened:
                for path in self._paths:
                    check_storage(path)
                    self._readers.append(opened.enter_context(Reader(path)))
                self._opened = opened.pop_all()
        except Exception as error:
            raise self._damaged(error) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._opened.close()

    def topics(self) -> dict[str, str]:
        """Topic -> message type of all that is recorded."""
        return {c.topic: c.msgtype for c in self._connections()}

    def count(self, topic: str) -> int:
        """Messages of a topic; 0 where it is not recorded."""
        return sum(c.msgcount for c in self._connections() if c.topic == topic)

    def offered_qos(self, topic: str) -> list[Qos]:
        """Quality of service offered by the publishers of a topic; empty where not recorded."""
        connections = [c for c in self._connections() if c.topic == topic]
        return [qos for c in connections for qos in c.ext.offered_qos_profiles]

    def messages(self, topics: Collection[str]) -> Iterator[tuple[str, Any]]:
        """Topic and message, in the order in which they were recorded.

        Types are ROS 2's own, never those that a file defines: rosbags would run a program that it
        makes of their text.

        Raises:
            FrameError: the recording is damaged from here on, or a topic has another type there.
        """
        kinds, types = self.topics(), humble_types()
        streams = []
        for reader in self._readers:
            wanted = [c for c in reader.connections if c.topic in topics]
            for connection in wanted:
                self._check_type(connection, kinds[connection.topic])
            if wanted:
                streams.append(reader.messages(wanted))
        stream = merge(*streams, key=_recorded_ns)
        while True:
            try:
                item = next(stream, None)
                if item is None:
                    return
                connection, _, raw = item
                message = types.deserialize_cdr(raw, connection.msgtype)
            except Exception as error:
                raise self._damaged(error) from error
            yield connection.topic, message

    def _connections(self) -> list[Connection]:
        return [connection for reader in self._readers for connection in reader.connections]

    def _check_type(self, connection: Connection, kind: str) -> None:
        types = humble_types()
        if connection.msgtype not in types.fielddefs or connection.msgtype != kind:
            raise FrameError(f"{connection.topic} has messages of type {connection.msgtype}")
        if connection.digest and connection.digest != types.hash_rihs01(kind):
            raise FrameError(f"{connection.topic}: its {kind} is not that of ROS 2")

    def _damaged(self, error: Exception) -> FrameError:
        """The error for damage of any kind, which rosbags and its storage and compression libraries
        report in many ways.
        """
        names = ", ".join(str(path) for path in self._paths)
        return FrameError(
            f"{names} is damaged or was cut short ({error}): rebuild what is left with"
            f" `ros2 bag reindex {self._path}` (`mcap recover` for a single .mcap file)"
        )


def _recorded_ns(item: tuple[Connection, int, bytes]) -> int:
    return item[1]


def _storage_files(path: Path) -> list[Path]:
    return sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES)


@cache
def humble_types() -> Any:
    """Message types that Humble and every later ROS 2 have."""
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS2_HUMBLE)


@dataclass(frozen=True, slots=True, eq=False)
class BagLayout:
    """Topics, cameras and mounting of one bag.

    Attributes:
        topics: `color` and `depth` are the topics to read, compressed ones by their full name.
        color_count: colour images recorded.
        base_T_camera: mounting of the colour camera on odometry's child frame.
        world_T_recorded: rotation of the recording's own world when it was converted to this bag.
    """

    topics: BagTopics
    color_count: int
    camera: PinholeCamera
    depth_calibration: DepthCalibration | None
    base_T_camera: Pose
    world_T_recorded: Pose


def read_layout(bag: BagFile, options: BagOptions) -> BagLayout:
    """The layout of a bag, from its list of topics and its small messages.

    Raises:
        FrameError: a topic that is missing, an uncalibrated camera, no transform to the camera.
    """
    recorded = bag.topics()
    aligned = options.depth.aligned and _has_aligned_depth(recorded, options.topics)
    depth = options.topics.depth if aligned else options.topics.raw_depth
    topics = replace(
        options.topics,
        color=_get_topic(options.topics.color, recorded, "/compressed"),
        depth=_get_topic(depth, recorded, *_DEPTH_TRANSPORTS),
        odometry=_get_topic(options.topics.odometry, recorded),
    )
    _check_types(topics, recorded)
    color_info = _first(bag, topics.camera_info)
    if np.any(color_info.d):
        _log.warning("%s: lens distortion is not removed; record image_rect", topics.camera_info)
    transforms = _read_static_transforms(bag, topics.tf_static)
    calibration = None
    if not aligned:
        depth_info = _first(bag, topics.raw_depth_info)
        color_T_depth = _color_T_depth(options.depth, transforms, color_info, depth_info)
        calibration = DepthCalibration(camera_of(depth_info), color_T_depth)
    odometry = _first(bag, topics.odometry)
    base_T_camera = options.base_T_camera
    if base_T_camera is None:
        base, camera = odometry.child_frame_id, color_info.header.frame_id
        base_T_camera = _get_transform(transforms, base, camera, "give base_T_camera")
    return BagLayout(
        topics=topics,
        color_count=bag.count(topics.color),
        camera=camera_of(color_info),
        depth_calibration=calibration,
        base_T_camera=base_T_camera,
        world_T_recorded=transforms.find(odometry.header.frame_id, SCAN_FRAME) or Pose.identity(),
    )


def _has_aligned_depth(recorded: Mapping[str, str], topics: BagTopics) -> bool:
    """Whether aligned depth was recorded; also True where no depth was."""
    names = {topics.depth + transport for transport in ("", *_DEPTH_TRANSPORTS)}
    raw = {topics.raw_depth + transport for transport in ("", *_DEPTH_TRANSPORTS)}
    return bool(names & recorded.keys()) or not raw & recorded.keys()


def _check_types(topics: BagTopics, recorded: Mapping[str, str]) -> None:
    for topic, kinds in (
        (topics.color, STREAM_TYPES["color"]),
        (topics.depth, STREAM_TYPES["depth"]),
        (topics.camera_info, STREAM_TYPES["camera_info"]),
        (topics.raw_depth_info, STREAM_TYPES["depth_camera_info"]),
        (topics.odometry, STREAM_TYPES["odometry"]),
        (topics.tf_static, _TF_TYPES),
    ):
        if topic in recorded and recorded[topic] not in kinds:
            raise FrameError(f"{topic} holds {recorded[topic]}, and not {' or '.join(kinds)}")


def _get_topic(topic: str, recorded: Mapping[str, str], *transports: str) -> str:
    for name in (topic, *(topic + transport for transport in transports)):
        if name in recorded:
            return name
    found = ", ".join(f"{name} ({kind})" for name, kind in sorted(recorded.items()))
    raise FrameError(f"the bag has no topic {topic}; name the right one of: {found or 'nothing'}")


def _first(bag: BagFile, topic: str) -> Any:
    for _, message in bag.messages((_get_topic(topic, bag.topics()),)):
        return message
    raise FrameError(f"{topic} was recorded, but has no message")


def _read_static_transforms(bag: BagFile, topic: str) -> StaticTransforms:
    transforms = StaticTransforms()
    for _, message in bag.messages((topic,)):
        for item in message.transforms:
            parent, child = item.header.frame_id, item.child_frame_id
            try:
                transforms.add(parent, child, pose_of_transform(item.transform))
            except GeometryError as error:
                raise FrameError(f"{topic}, {parent} to {child}: {error}") from error
    return transforms


def _get_transform(transforms: StaticTransforms, target: str, source: str, way_out: str) -> Pose:
    found = transforms.find(target, source)
    if found is None:
        raise FrameError(
            f"the bag's /tf_static does not connect {target!r} to {source!r}: {way_out}"
        )
    return found


def _color_T_depth(
    config: DepthConfig, transforms: StaticTransforms, color_info: Any, depth_info: Any
) -> Pose:
    values = np.asarray(config.color_T_depth, dtype=np.float64)
    if values.size == 0:
        color, depth = color_info.header.frame_id, depth_info.header.frame_id
        return _get_transform(transforms, color, depth, "set depth.color_T_depth")
    try:
        return Pose.from_quaternion(values[:3], values[3:])
    except GeometryError as error:
        raise FrameError(f"depth.color_T_depth {values.tolist()}: {error}") from error


class StaticTransforms:
    """Fixed transforms between named frames (/tf_static), composed along paths of their graph."""

    def __init__(self) -> None:
        self._neighbours: dict[str, dict[str, Pose]] = {}

    def add(self, parent: str, child: str, parent_T_child: Pose) -> None:
        """Add a transform; the newest of a pair counts. Leading slashes do not matter."""
        parent, child = parent.lstrip("/"), child.lstrip("/")
        self._neighbours.setdefault(parent, {})[child] = parent_T_child
        self._neighbours.setdefault(child, {})[parent] = parent_T_child.inverse()

    def find(self, target: str, source: str) -> Pose | None:
        """`target_T_source`, the identity for the same frame; None where nothing connects them."""
        target, source = target.lstrip("/"), source.lstrip("/")
        reached = {target: Pose.identity()}
        queue = deque([target])
        while queue and source not in reached:
            frame = queue.popleft()
            for neighbour, frame_T_neighbour in self._neighbours.get(frame, {}).items():
                if neighbour not in reached:
                    reached[neighbour] = reached[frame] @ frame_T_neighbour
                    queue.append(neighbour)
        return reached.get(source)


def stamp_ns(message: Any) -> int:
    """The stamp of a message's header, in nanoseconds."""
    stamp = message.header.stamp
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)


def color_of(message: Any) -> NDArray[np.uint8]:
    """Image or CompressedImage to (H, W, 3) uint8 RGB. Raises FrameError."""
    if hasattr(message, "format"):
        return decode_color_file(message.data)
    return decode_color(message.data, message.encoding, message.height, message.width, message.step)


def color_file_of(message: Any) -> bytes:
    """The JPEG or PNG that a CompressedImage carries; empty for an Image."""
    return message.data.tobytes() if hasattr(message, "format") else b""


def depth_of(message: Any) -> NDArray[np.float32]:
    """Image or CompressedImage to (h, w) float32 metres, 0 not measured. Raises FrameError."""
    if hasattr(message, "format"):
        return decode_compressed_depth(message.data, message.format)
    return decode_depth(
        message.data,
        message.encoding,
        message.height,
        message.width,
        message.step,
        bool(message.is_bigendian),
    )


def camera_of(message: Any) -> PinholeCamera:
    """CameraInfo to intrinsics. Raises FrameError for a camera that is not calibrated."""
    k = [float(value) for value in message.k]
    try:
        return PinholeCamera(int(message.width), int(message.height), k[0], k[4], k[2], k[5])
    except GeometryError as error:
        raise FrameError(f"camera_info of frame {message.header.frame_id!r}: {error}") from error


def pose_of(message: Any) -> Pose:
    """geometry_msgs/Pose to a pose. Raises GeometryError for an invalid one."""
    p, q = message.position, message.orientation
    return Pose.from_quaternion((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))


def pose_of_transform(message: Any) -> Pose:
    """geometry_msgs/Transform to a pose. Raises GeometryError for an invalid one."""
    t, q = message.translation, message.rotation
    return Pose.from_quaternion((t.x, t.y, t.z), (q.x, q.y, q.z, q.w))
