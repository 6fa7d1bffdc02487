"""Assembly of frames from messages: synchronised, decoded, depth registered, with camera pose."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from nav_msgs.msg import Odometry
from rclpy.impl.rcutils_logger import RcutilsLogger
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from scenemind.frames import DepthCalibration, DepthRegistrar, FrameError, RGBDFrame
from scenemind.frames.synchronizer import SyncedFrame, Synchronizer
from scenemind.geometry import GeometryError, PinholeCamera, Pose
from scenemind_ros.conversions import (
    camera_from_msg,
    color_from_msg,
    depth_from_msg,
    instances_from_msg,
    pose_from_msg,
    stamp_ns,
)
from scenemind_ros.parameters import MappingParameters, pose_from_list


class DropCounts:
    """Counter of drops by cause; the first of each cause is logged with its detail."""

    def __init__(self, logger: RcutilsLogger) -> None:
        self._logger = logger
        self._lock = threading.Lock()  # images are decoded on another thread
        self._counts: Counter[str] = Counter()
        self._details: dict[str, str] = {}

    def count(self, cause: str, detail: str) -> None:
        """Count one drop of the cause, such as `bad_depth`; the detail names the reason and the
        remedy."""
        with self._lock:
            self._counts[cause] += 1
            self._details[cause] = detail
            is_first = self._counts[cause] == 1
        if is_first:
            self._logger.warning(f"dropped ({cause}): {detail}; more of these are only counted")

    def find_detail(self, cause: str) -> str | None:
        """The detail of the newest drop of a cause; None without one."""
        return self._details.get(cause)

    def counts(self) -> Mapping[str, int]:
        with self._lock:
            return dict(self._counts)


ImageMsg: TypeAlias = Image | CompressedImage
Synced: TypeAlias = SyncedFrame[ImageMsg, ImageMsg, Image]
_BAD_IMAGE = "bad_image"
_FARTHEST_M = 1e6
_UNCALIBRATED = 5  # frames that wait for the first camera_info; newer ones replace the oldest
_UNMOUNTED = 60  # the same, for the camera's mounting, two seconds at most


@dataclass(frozen=True, slots=True, eq=False)
class UndecodedFrame:
    """A frame whose images are messages yet; `decode` may be called on any thread."""

    number: int
    synced: Synced
    camera: PinholeCamera
    base_T_camera: Pose
    registrar: DepthRegistrar | None
    drops: DropCounts

    def decode(self) -> RGBDFrame | None:
        """The frame; None if an image is unreadable or sizes do not match, which is counted."""
        synced = self.synced
        try:
            depth_m = depth_from_msg(synced.depth)
            if self.registrar is not None:
                depth_m = self.registrar.register(depth_m)
            return RGBDFrame(
                number=self.number,
                stamp_ns=synced.stamp_ns,
                color=color_from_msg(synced.color),
                depth_m=depth_m,
                camera=self.camera,
                world_T_camera=synced.pose @ self.base_T_camera,
                instances=None
                if synced.instances is None
                else instances_from_msg(synced.instances),
            )
        except FrameError as error:
            self.drops.count(_BAD_IMAGE, str(error))
            return None


class FrameAssembler:
    """Assembler of frames from the input topics' messages; unusable messages are counted as drops.

    Images stay as they come: only those that are mapped cost decoding time. Not thread-safe.

    Attributes:
        base_T_camera: the camera's mounting.
        waits_for_mounting: frames are kept until `mount`.
        newest_stamp_ns: by stream.
    """

    def __init__(
        self,
        parameters: MappingParameters,
        deliver: Callable[[UndecodedFrame], None],
        drops: DropCounts,
    ) -> None:
        """`deliver` gets each frame, in the order of stamps, numbered from 0."""
        self._deliver = deliver
        self._drops = drops
        self._synchronizer: Synchronizer[ImageMsg, ImageMsg, Image] = Synchronizer(
            parameters.sync, with_instances=bool(parameters.topics.instances)
        )
        self.base_T_camera = pose_from_list(parameters.base_T_camera)
        self._color_T_depth: Pose | None = None
        if not parameters.depth.aligned:
            self._color_T_depth = pose_from_list(parameters.depth.color_T_depth)
        self._camera: PinholeCamera | None = None
        self._depth_camera: PinholeCamera | None = None
        self._registrar: DepthRegistrar | None = None
        self._uncalibrated: deque[Synced] = deque()
        self._number = 0
        self.waits_for_mounting = False
        self.newest_stamp_ns: dict[str, int] = {}

    @property
    def delivered(self) -> int:
        """Number of frames, without those that could not be decoded."""
        return self._number - self._drops.counts().get(_BAD_IMAGE, 0)

    @property
    def sync_counts(self) -> Mapping[str, int]:
        """Messages that the synchroniser dropped, by cause."""
        return self._synchronizer.counts

    def add_camera_info(self, msg: CameraInfo) -> None:
        self._camera = self._changed(self._camera, msg)
        self._deliver_all([])

    def add_depth_camera_info(self, msg: CameraInfo) -> None:
        self._depth_camera = self._changed(self._depth_camera, msg)
        self._deliver_all([])

    def add_color(self, msg: ImageMsg) -> None:
        self._deliver_all(self._synchronizer.add_color(self._stamp("color", msg), msg))

    def add_depth(self, msg: ImageMsg) -> None:
        self._deliver_all(self._synchronizer.add_depth(self._stamp("depth", msg), msg))

    def add_instances(self, msg: Image) -> None:
        self._deliver_all(self._synchronizer.add_instances(self._stamp("instances", msg), msg))

    def read_odometry(self, msg: Odometry) -> Pose | None:
        """The pose of the base in odometry's frame; None: there is none, which is counted."""
        self._stamp("odometry", msg)
        try:
            pose = pose_from_msg(msg.pose.pose)
        except GeometryError as error:
            self._drops.count("bad_pose", str(error))
            return None
        return pose if self._is_possible(pose) else None

    def add_odometry(self, msg: Odometry) -> None:
        """Add a pose of the base in the world's frame."""
        pose = self.read_odometry(msg)
        if pose is not None:
            self.add_base_pose(stamp_ns(msg.header.stamp), pose)

    def mount(self, base_T_camera: Pose) -> None:
        """The camera's mounting, where it is known better than by the parameter; frames wait for
        it while it `waits_for_mounting`."""
        self.base_T_camera = base_T_camera
        self.waits_for_mounting = False
        self._deliver_all([])

    def add_base_pose(self, stamp: int, world_T_base: Pose) -> None:
        """Add a pose of the base; the fixed mounting of the camera is added later."""
        if not self._is_possible(world_T_base):
            return
        self._deliver_all(self._synchronizer.add_pose(stamp, world_T_base))

    def add_camera_pose(self, stamp: int, world_T_camera: Pose) -> None:
        """Add a pose of the camera itself, from a source that knows its mounting (TF)."""
        if not self._is_possible(world_T_camera):
            return
        world_T_base = world_T_camera @ self.base_T_camera.inverse()
        self._deliver_all(self._synchronizer.add_pose(stamp, world_T_base))

    def _is_possible(self, pose: Pose) -> bool:
        """Whether a robot can be there; one that cannot is counted."""
        if np.abs(pose.translation).max() <= _FARTHEST_M:
            return True
        self._drops.count(
            "bad_pose",
            f"a pose is at {pose.translation.tolist()} m: no robot is {_FARTHEST_M:g} m away",
        )
        return False

    def _stamp(self, stream: str, msg: ImageMsg | Odometry) -> int:
        stamp = stamp_ns(msg.header.stamp)
        self.newest_stamp_ns[stream] = stamp
        return stamp

    def _changed(self, camera: PinholeCamera | None, msg: CameraInfo) -> PinholeCamera | None:
        """Camera of the message; a new camera invalidates the prepared registration."""
        try:
            new = camera_from_msg(msg)
        except GeometryError as error:
            self._drops.count("bad_camera_info", str(error))
            return camera
        if new != camera:
            self._registrar = None
        return new

    def _deliver_all(self, synced_frames: list[Synced]) -> None:
        """Deliver the waiting frames and these; calibration may arrive after the first images."""
        for synced in synced_frames:
            most = _UNMOUNTED if self.waits_for_mounting else _UNCALIBRATED
            if len(self._uncalibrated) == most:
                self._uncalibrated.popleft()
                self._drops.count(*self._missing_calibration())
            self._uncalibrated.append(synced)
            self._deliver_calibrated()
        self._deliver_calibrated()

    def _missing_calibration(self) -> tuple[str, str]:
        if self.waits_for_mounting:
            return "no_mounting", "frames wait until /tf_static says where the camera is"
        if self._camera is None:
            return "no_camera_info", "images arrive, but no camera_info for them"
        return "no_depth_camera_info", "depth is not aligned and has no camera_info of its own"

    def _deliver_calibrated(self) -> None:
        if self._camera is None or self.waits_for_mounting:
            return
        if self._color_T_depth is not None and self._depth_camera is None:
            return
        if self._color_T_depth is not None and self._depth_camera and self._registrar is None:
            calibration = DepthCalibration(self._depth_camera, self._color_T_depth)
            self._registrar = DepthRegistrar(calibration, self._camera)
        while self._uncalibrated:
            synced = self._uncalibrated.popleft()
            frame = UndecodedFrame(
                self._number,
                synced,
                self._camera,
                self.base_T_camera,
                self._registrar,
                self._drops,
            )
            self._number += 1
            self._deliver(frame)
