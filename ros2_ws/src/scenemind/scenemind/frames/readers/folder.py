"""What the folder formats share: image files, and text files of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scenemind.frames.errors import FrameError
from scenemind.frames.image_files import read_color, read_color_file, read_depth
from scenemind.geometry import GeometryError, PinholeCamera, Pose

# One image may be damaged or of another size, so several are asked for theirs.
_ASKED = 3
_LOOKED_AT = 30


@dataclass(frozen=True, slots=True, eq=False)
class FolderEntry:
    """An `Entry` of image files; reads them when it is asked.

    Attributes:
        depth_units_per_m: what a value of the 16-bit depth image counts.
    """

    stamp_ns: int
    color_path: Path
    depth_path: Path
    world_T_camera: Pose
    depth_units_per_m: float = 1000.0

    @property
    def name(self) -> str:
        return str(self.color_path)

    def read_color(self) -> tuple[bytes, NDArray[np.uint8]]:
        """Raises FrameError for an image that cannot be read."""
        return read_color_file(self.color_path)

    def read_depth(self) -> NDArray[np.float32]:
        """Raises FrameError for an image that cannot be read."""
        return read_depth(self.depth_path, self.depth_units_per_m)


def find_pose(matrix: ArrayLike, source: str) -> Pose | None:
    """The pose of a 4x4 matrix; None where it is infinite, NaN or zero: tracking was lost.

    Raises:
        FrameError: finite, but no pose.
    """
    values = np.asarray(matrix, dtype=np.float64)
    if values.size == 16 and not (np.isfinite(values).all() and values.any()):
        return None
    try:
        return Pose.from_matrix(values.reshape(4, 4) if values.size == 16 else values)
    except GeometryError as error:
        raise FrameError(f"{source}: {error}") from error


def read_pose(path: Path, left_out: Counter[str]) -> Pose | None:
    """`find_pose` of a file; counts `pose_missing` where there is no file, else `pose_lost`.

    Raises:
        FrameError: a file that holds something else than a pose.
    """
    if not path.is_file():
        left_out["pose_missing"] += 1
        return None
    pose = find_pose(read_numbers(path, 16), str(path))
    if pose is None:
        left_out["pose_lost"] += 1
    return pose


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
    """The camera of an intrinsic matrix, 3x3 or 4x4 (9 or 16 numbers, row-major).

    Raises:
        FrameError: numbers that are no intrinsics.
    """
    values = np.asarray(matrix, dtype=np.float64)
    k = values.reshape((4, 4) if values.size == 16 else (3, 3))
    try:
        return PinholeCamera(
            width, height, float(k[0, 0]), float(k[1, 1]), float(k[0, 2]), float(k[1, 2])
        )
    except GeometryError as error:
        raise FrameError(f"{source}: {error}") from error


def image_size(paths: Iterable[Path]) -> tuple[int, int]:
    """Width and height in pixels of image files; that of most of the first three that are images.

    Raises:
        FrameError: none of the first 30 is one.
    """
    sizes: Counter[tuple[int, int]] = Counter()
    problem = "there is no image"
    for path in islice(paths, _LOOKED_AT):
        try:
            height, width = read_color(path).shape[:2]
        except FrameError as error:
            problem = str(error)
            continue
        sizes[width, height] += 1
        if sizes.total() == _ASKED:
            break
    if not sizes:
        raise FrameError(f"{problem}, nor are other images: copy or download the recording again")
    return sizes.most_common(1)[0][0]
