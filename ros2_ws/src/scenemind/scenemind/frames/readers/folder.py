"""Parts of folder formats: image files, text files of numbers, and worlds turned so that z points
up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scenemind.frames.frame import FrameError
from scenemind.frames.images import read_color, read_color_file, read_depth
from scenemind.geometry import GeometryError, PinholeCamera, Pose
from scenemind.untrusted import read_regular

# Images whose size is compared, since one may be damaged or of another size; and tries for them.
_COMPARED = 3
_TRIES = 30
_LONGEST_NUMBERS = 2**16  # bytes of the text of a matrix
_LONGEST_LIST, _MOST_LINES = 64 * 2**20, 500_000  # bytes and lines; a day's list has fewer


@dataclass(frozen=True, slots=True, eq=False)
class FolderEntry:
    """An `Entry` of image files.

    Attributes:
        depth_units_per_m: scale of the 16-bit depth image.
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
    """The pose of a 4x4 matrix; None where it is infinite, NaN or zero (tracking lost).

    Raises:
        FrameError: a finite matrix that is no pose.
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
        FrameError: a file that holds no pose.
    """
    if not path.is_file():
        left_out["pose_missing"] += 1
        return None
    pose = find_pose(read_numbers(path, 16), str(path))
    if pose is None:
        left_out["pose_lost"] += 1
    return pose


def read_numbers(path: Path, count: int) -> NDArray[np.float64]:
    """The numbers of a text file as (count,) float64.

    Raises:
        FrameError: no such file, or another content or count.
    """
    try:
        text = read_regular(path, _LONGEST_NUMBERS, follow=True).decode()
        numbers = np.array(text.split(), dtype=np.float64)
    except OSError as error:
        raise FrameError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise FrameError(f"{path} holds something that is no number: {error}") from error
    if numbers.size != count:
        raise FrameError(f"{path} holds {numbers.size} numbers, expected {count}")
    return numbers


def read_lines(path: Path) -> list[str]:
    """The lines of a list of files or poses.

    Raises:
        FrameError: it cannot be read, or is longer than any list.
    """
    try:
        data = read_regular(path, _LONGEST_LIST, follow=True)
    except OSError as error:
        raise FrameError(f"{path} cannot be read: {error.strerror}") from error
    if (lines := data.count(b"\n")) > _MOST_LINES:
        raise FrameError(f"{path} has {lines} lines: lists of up to {_MOST_LINES} are read")
    return data.decode(errors="replace").split("\n")


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
    """Width and height in pixels of image files: the most common of the first three readable ones.

    Raises:
        FrameError: none of the first 30 is readable.
    """
    sizes: Counter[tuple[int, int]] = Counter()
    problem = "there is no image"
    for path in islice(paths, _TRIES):
        try:
            height, width = read_color(path).shape[:2]
        except FrameError as error:
            problem = str(error)
            continue
        sizes[width, height] += 1
        if sizes.total() == _COMPARED:
            break
    if not sizes:
        raise FrameError(f"{problem}, nor are other images: copy or download the recording again")
    return sizes.most_common(1)[0][0]


GRAVITY = "gravity-direction.txt"
_UPRIGHT_COS = 0.5  # of the pictures' down with what is usual, where that fits
_LOOKS_DOWN_COS = 0.7
_CLEAR_COS = 0.75  # of the pictures' down with an axis that is taken instead


def find_down(
    path: Path, world_T_cameras: Sequence[Pose], usual: tuple[float, float, float]
) -> tuple[NDArray[np.float64], str]:
    """The direction of gravity (3,) in a folder's recorded world, and a remark where it is neither
    said nor what is usual.

    It is what `gravity-direction.txt` in the folder says; else what is usual for the format,
    unless pictures clearly hang along another axis. A camera that looks down at the floor says
    nothing about that.

    Args:
        usual: direction of the format's own worlds.

    Raises:
        FrameError: the file does not hold three numbers.
    """
    file = path / GRAVITY
    if file.is_file():
        return read_numbers(file, 3), ""
    rotations = np.array([pose.rotation for pose in world_T_cameras]).reshape(-1, 3, 3)
    if not len(rotations):
        return np.array(usual), ""
    image_down, ahead = rotations[:, :, 1].mean(axis=0), rotations[:, :, 2].mean(axis=0)
    axis = int(np.abs(image_down).argmax())
    is_usual = image_down @ usual >= _UPRIGHT_COS * np.linalg.norm(image_down)
    if is_usual or ahead @ usual >= _LOOKS_DOWN_COS or abs(image_down[axis]) < _CLEAR_COS:
        return np.array(usual), ""
    found = np.zeros(3)
    found[axis] = np.sign(image_down[axis])
    remark = (
        f"{file} (three numbers) is missing: {_axis_name(found)} is taken as down, as the pictures"
        f" hang that way; in other recordings of this format it is {_axis_name(np.array(usual))}"
    )
    return found, remark


def _axis_name(direction: NDArray[np.float64]) -> str:
    axis = int(np.abs(direction).argmax())
    return f"{'-' if direction[axis] < 0 else '+'}{'xyz'[axis]}"


def z_up_rotation(down: ArrayLike) -> Pose:
    """The smallest rotation `zup_T_recorded` that turns "up" of a recorded world to +z.

    Args:
        down: (3,) direction of gravity in the recorded world; its length does not matter.

    Raises:
        FrameError: not three finite numbers, or all of them zero.
    """
    direction = np.asarray(down, dtype=np.float64)
    length = float(np.linalg.norm(direction)) if direction.shape == (3,) else float("nan")
    if not np.isfinite(length) or length < 1e-9:
        raise FrameError(f"the direction of gravity is three numbers, not all 0, got {down!r}")
    up = -direction / length
    if up[2] < -1.0 + 1e-12:  # upside down: any half turn about a horizontal axis will do
        return Pose(np.diag((1.0, -1.0, -1.0)), np.zeros(3))
    # Rodrigues' formula for the turn about up x z, by the angle between them.
    x, y, z = up
    cross = np.array([(0.0, 0.0, -x), (0.0, 0.0, -y), (x, y, 0.0)])
    rotation = np.eye(3) + cross + cross @ cross / (1.0 + z)
    return Pose(rotation, np.zeros(3))
