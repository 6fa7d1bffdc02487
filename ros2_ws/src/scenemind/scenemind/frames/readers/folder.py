"""What the folder formats share: image files in a list, with stamps and poses."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scenemind.frames.errors import FrameError
from scenemind.frames.frame import DepthCalibration, SensorFrame
from scenemind.frames.image_files import read_color, read_depth
from scenemind.geometry import GeometryError, PinholeCamera, Pose

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class FolderEntry:
    """One frame: where its images are, when it was taken and from where."""

    stamp_ns: int
    color_path: Path
    depth_path: Path
    world_T_camera: Pose


@dataclass(frozen=True, slots=True, eq=False)
class FolderSequence:
    """A `RecordedSequence` of image files; reads each image when it is asked for.

    Attributes:
        entries: the frames in the order of their stamps.
        depth_units_per_m: what a value of the 16-bit depth images counts.
        drops: frames of the folder that are not among the entries, by cause.
    """

    name: str
    path: Path
    camera: PinholeCamera
    entries: Sequence[FolderEntry]
    depth_units_per_m: float = 1000.0
    depth_calibration: DepthCalibration | None = None
    drops: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.entries:
            raise FrameError(f"{self.path} holds no usable frame; left out: {dict(self.drops)}")
        if self.drops:
            _log.warning("%s: frames left out: %s", self.path, dict(self.drops))

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[SensorFrame]:
        """Raises FrameError for an image that cannot be read."""
        for entry in self.entries:
            yield SensorFrame(
                stamp_ns=entry.stamp_ns,
                color=read_color(entry.color_path),
                depth_m=read_depth(entry.depth_path, self.depth_units_per_m),
                world_T_camera=entry.world_T_camera,
            )


def find_pose(matrix: ArrayLike, source: str) -> Pose | None:
    """The pose of a 4x4 matrix; None where it holds NaN or infinity: tracking was lost.

    Raises:
        FrameError: finite, but no pose.
    """
    values = np.asarray(matrix, dtype=np.float64)
    if values.size == 16 and not np.isfinite(values).all():
        return None
    try:
        return Pose.from_matrix(values.reshape(4, 4) if values.size == 16 else values)
    except GeometryError as error:
        raise FrameError(f"{source}: {error}") from error


def read_numbers(path: Path, count: int) -> NDArray[np.float64]:
    """A text file of exactly so many numbers, as (count,) float64.

    Raises:
        FrameError: no such file, or something else in it.
    """
    try:
        numbers = np.array(path.read_text(encoding="utf-8").split(), dtype=np.float64)
    except OSError as error:
        raise FrameError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise FrameError(f"{path} holds something that is no number: {error}") from error
    if numbers.size != count:
        raise FrameError(f"{path} holds {numbers.size} numbers, expected {count}")
    return numbers


def camera_of_matrix(matrix: ArrayLike, width: int, height: int, source: str) -> PinholeCamera:
    """The camera of a 3x3 intrinsic matrix (9 numbers, row-major).

    Raises:
        FrameError: numbers that are no intrinsics.
    """
    k = np.asarray(matrix, dtype=np.float64).reshape(3, 3)
    try:
        return PinholeCamera(
            width, height, float(k[0, 0]), float(k[1, 1]), float(k[0, 2]), float(k[1, 2])
        )
    except GeometryError as error:
        raise FrameError(f"{source}: {error}") from error


def image_size(path: Path) -> tuple[int, int]:
    """Width and height in pixels of an image file.

    Raises:
        FrameError: no such file, or no image.
    """
    height, width = read_color(path).shape[:2]
    return width, height
