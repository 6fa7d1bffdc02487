"""What a bag is to be like, and how its images are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from scenemind.frames.bag_options import BagTopics
from scenemind.frames.bag_writing.message_factory import is_jpeg, is_png
from scenemind.frames.encodings import depth_to_mm
from scenemind.frames.frame import SensorFrame
from scenemind.frames.image_files import depth_from_units
from scenemind.geometry import Pose

Storage = Literal["mcap", "db3"]

# A camera that looks where the base drives: optical z forward, x right, y down (REP-103).
FORWARD_MOUNTING = Pose(
    np.array([(0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)]), np.zeros(3)
)


@dataclass(frozen=True, slots=True, eq=False)
class WriteOptions:
    """
    Attributes:
        frames: which of the sequence's frames.
        is_raw: images as sensor_msgs/Image even where they could be compressed without loss.
        base_T_camera: mounting of the colour camera on the frame that odometry moves.
        instance_names: labels of a simulator's instances; written with its instance images.
        frames_per_file: a bag is several files; what is lost when writing is killed is one.
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
    """How all images of a bag are stored.

    Attributes:
        color: as the recording's own JPEG or PNG files, or as pixels.
        depth: millimetres as PNG or as pixels, or metres as float32 pixels.
    """

    color: Literal["file", "rgb8"]
    depth: Literal["png", "16UC1", "32FC1"]

    @classmethod
    def fitting(cls, sample: Sequence[SensorFrame], is_raw: bool) -> ImageEncoding:
        """The smallest that loses nothing, by a few frames.

        Depth that is not whole millimetres would lose as PNG, so it becomes 32FC1.
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
