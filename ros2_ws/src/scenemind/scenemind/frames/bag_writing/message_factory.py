"""The library's types to ROS messages of a bag, without a ROS installation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.frames.bag_file import humble_types
from scenemind.frames.compressed_depth import FORMAT, encode_compressed_depth
from scenemind.frames.encodings import encode_depth
from scenemind.geometry import PinholeCamera, Pose


def is_jpeg(data: bytes) -> bool:
    """Whether an image file is a JPEG, by how it begins."""
    return data.startswith(b"\xff\xd8")


def is_png(data: bytes) -> bool:
    """Whether an image file is a PNG, by how it begins."""
    return data.startswith(b"\x89PNG")


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
        """sensor_msgs/CompressedImage of a JPEG or PNG as it is."""
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
        """sensor_msgs/CompressedImage of (h, w) metres, as compressedDepth has millimetres."""
        return self._compressed(stamp_ns, frame_id, FORMAT, encode_compressed_depth(depth_m))

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
