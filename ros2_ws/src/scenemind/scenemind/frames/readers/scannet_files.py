"""What ScanNet's and OpenEQA's layouts share: cameras as 4x4 files, the alignment of the axes.

Dai et al., "ScanNet: Richly-annotated 3D Reconstructions of Indoor Scenes", CVPR 2017, and the data
set's own reader. A scan's world is z-up, but turned about z at random; `<scene>.txt`, which comes
with a scan, has `axisAlignment`, which turns it along the walls. Published boxes stand in that
aligned frame.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from scenemind.frames.errors import FrameError
from scenemind.frames.frame import DepthCalibration
from scenemind.frames.readers.folder import camera_of_matrix, find_pose
from scenemind.geometry import PinholeCamera, Pose

_log = logging.getLogger(__name__)

SCANNET_TERMS = (
    "ScanNet's files are given to whoever signs its terms of use"
    " (https://github.com/ScanNet/ScanNet#scannet-data)"
)
RATE_HZ = 30.0  # of ScanNet's camera; where there are no stamps
DEPTH_UNITS_PER_M = 1000.0
_SCENE = re.compile(r"scene\d{4}_\d{2}")
_ALIGNMENT = "axisAlignment"
# A principal point further from the middle, as a share of the width, is of another resolution.
_OFF_CENTRE = 0.2


def scene_name(path: Path) -> str:
    """ScanNet's name of the scene in a path's last part, else that part itself."""
    name = path.resolve().name.removesuffix(".sens")
    found = _SCENE.search(name)
    return found[0] if found else name


def world_T_scan_of(scene: str, folders: Iterable[Path]) -> Pose:
    """The axis alignment in the first `<scene>.txt` of the folders.

    The identity where there is none, which is logged.

    Raises:
        FrameError: numbers that are no alignment.
    """
    files = [folder / f"{scene}.txt" for folder in folders]
    for file in files:
        world_T_scan = find_axis_alignment(file) if file.is_file() else None
        if world_T_scan is not None:
            return world_T_scan
    _log.warning(
        "%s with axisAlignment is missing: the world is the scan's, in which ScanNet's published"
        " boxes do not stand",
        files[0],
    )
    return Pose.identity()


def find_axis_alignment(file: Path) -> Pose | None:
    """`world_T_scan` of a `<scene>.txt`: lines of `key = value`; None where no line has it.

    Raises:
        FrameError: the file cannot be read, or the numbers are no pose.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FrameError(f"{file} cannot be read: {error}") from error
    for line in lines:
        key, _, value = line.partition("=")
        if key.strip() == _ALIGNMENT:
            return _alignment(value, file)
    return None


def _alignment(value: str, file: Path) -> Pose:
    try:
        numbers = [float(word) for word in value.split()]
    except ValueError as error:
        raise FrameError(f"{file}: {_ALIGNMENT}: {error}") from error
    world_T_scan = find_pose(numbers, f"{file}: {_ALIGNMENT}")
    if world_T_scan is None:
        raise FrameError(f"{file}: {_ALIGNMENT} holds NaN or infinity")
    return world_T_scan


def centred_camera(matrix: ArrayLike, size: tuple[int, int], source: str) -> PinholeCamera:
    """The camera of a 4x4 intrinsic matrix.

    Args:
        size: width and height of its images.

    Raises:
        FrameError: numbers that are no intrinsics, or those of images of another size.
    """
    camera = camera_of_matrix(matrix, *size, source=source)
    off_x = abs(camera.cx / camera.width - 0.5)
    off_y = abs(camera.cy / camera.height - 0.5)
    if max(off_x, off_y) > _OFF_CENTRE:
        raise FrameError(
            f"{source}: the principal point {camera.cx:.0f}, {camera.cy:.0f} is not in the middle"
            f" of images of {size[0]}x{size[1]} pixels: were they resized? Scale the matrix too"
        )
    return camera


def depth_calibration(
    camera: PinholeCamera, base_T_color: Pose, base_T_depth: Pose, color: PinholeCamera
) -> DepthCalibration | None:
    """How depth stands to colour by ScanNet's extrinsics; None where they are one camera."""
    color_T_depth = base_T_color.inverse() @ base_T_depth
    if camera == color and np.array_equal(color_T_depth.matrix(), np.eye(4)):
        return None
    return DepthCalibration(camera, color_T_depth)
