"""What a bag's small topics say: which topics there are, the cameras and how they are mounted."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scenemind.config import DepthConfig
from scenemind.frames.bag_file import BagFile
from scenemind.frames.bag_messages import camera_of, pose_of_transform
from scenemind.frames.bag_options import BagOptions, BagTopics
from scenemind.frames.errors import FrameError
from scenemind.frames.frame import DepthCalibration
from scenemind.frames.static_transforms import StaticTransforms
from scenemind.geometry import GeometryError, PinholeCamera, Pose

_log = logging.getLogger(__name__)

SCAN_FRAME = "scan"
"""The frame of a recording's own world, in bags that were converted from one (`bag_writing`)."""

_DEPTH_TRANSPORTS = ("/compressedDepth", "/compressed")


@dataclass(frozen=True, slots=True, eq=False)
class BagLayout:
    """How the streams of one bag go together.

    Attributes:
        topics: `color` and `depth` are the topics to read, compressed ones by their full name.
        color_count: colour images recorded.
        base_T_camera: mounting of the colour camera on the frame that odometry moves.
        world_T_recorded: how the recording's own world was turned before it became this bag.
    """

    topics: BagTopics
    color_count: int
    camera: PinholeCamera
    depth_calibration: DepthCalibration | None
    base_T_camera: Pose
    world_T_recorded: Pose


def read_layout(bag: BagFile, options: BagOptions) -> BagLayout:
    """Look at the bag's topics and read the small ones.

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
    """False only where raw depth is the one that was recorded."""
    names = {topics.depth + transport for transport in ("", *_DEPTH_TRANSPORTS)}
    raw = {topics.raw_depth + transport for transport in ("", *_DEPTH_TRANSPORTS)}
    return bool(names & recorded.keys()) or not raw & recorded.keys()


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
