"""Reading a bag back, before it counts as written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rosbags.rosbag2 import Reader, ReaderError

from scenemind.frames.bag_options import BagOptions, BagTopics
from scenemind.frames.bag_writing.metadata import Information, first_and_last_ns
from scenemind.frames.encodings import depth_to_mm
from scenemind.frames.errors import FrameError
from scenemind.frames.frame import SensorFrame
from scenemind.frames.image_files import depth_from_units
from scenemind.frames.readers.rosbag import RosbagSequence

_POSE_TOLERANCE = 1e-9


def check_files(files: Sequence[Path], topic: str, expected: Sequence[Information]) -> None:
    """Each file holds the messages that it is said to, and they follow each other.

    Args:
        topic: one that has a message a frame.

    Raises:
        FrameError: where one does not.
    """
    before_ns = -1
    for file, information in zip(files, expected, strict=True):
        found = _counts(file)
        said = {
            entry["topic_metadata"]["name"]: entry["message_count"]
            for entry in information["topics_with_message_count"]
        }
        if found != said or not found.get(topic):
            raise FrameError(f"{file} holds {found} messages, and should {said}")
        start_ns, end_ns = first_and_last_ns(information)
        if start_ns <= before_ns:
            raise FrameError(f"{file} begins before the file in front of it ends")
        before_ns = end_ns


def check_frames(
    files: Sequence[Path], topics: BagTopics, first: SensorFrame, last: SensorFrame
) -> None:
    """The first and the last frame read back as they were.

    Raises:
        FrameError: where one does not.
    """
    options = BagOptions(topics=topics)
    read_first, read_last = RosbagSequence(files[0], options).ends()
    _check_equal(files[0], read_first, first)
    if len(files) > 1:
        _, read_last = RosbagSequence(files[-1], options).ends()
    _check_equal(files[-1], read_last, last)


def _counts(file: Path) -> dict[str, int]:
    """Topic -> messages, by the file itself."""
    try:
        with Reader(file) as reader:
            return {connection.topic: connection.msgcount for connection in reader.connections}
    except ReaderError as error:
        raise FrameError(f"{file} cannot be read back: {error}") from error


def _check_equal(file: Path, read: SensorFrame, written: SensorFrame) -> None:
    moved = np.abs(read.world_T_camera.matrix() - written.world_T_camera.matrix()).max()
    same = {
        "stamp": read.stamp_ns == written.stamp_ns,
        "colour": np.array_equal(read.color, written.color),
        "depth": _is_same_depth(read, written),
        "pose": moved <= _POSE_TOLERANCE,
    }
    if not all(same.values()):
        wrong = ", ".join(name for name, is_same in same.items() if not is_same)
        raise FrameError(
            f"{file}: the frame at {written.stamp_ns} ns reads back with another {wrong}"
        )


def _is_same_depth(read: SensorFrame, written: SensorFrame) -> bool:
    """As it was, or as whole millimetres."""
    if np.array_equal(read.depth_m, written.depth_m):
        return True
    rounded = depth_from_units(depth_to_mm(written.depth_m), 1000.0)
    return np.array_equal(read.depth_m, rounded)
