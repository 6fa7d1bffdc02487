"""Scans of ScanNet as its SensReader exports them: color/ depth/ pose/ and intrinsic/.

Dai et al., "ScanNet: Richly-annotated 3D Reconstructions of Indoor Scenes", CVPR 2017. Images and
poses are named by the number of their frame. The published 25k frames have the same layout, with
`intrinsics_color.txt` and `intrinsics_depth.txt` beside the folders. `read_exported` also reads
OpenEQA's episodes of ScanNet.

A scan's world is z-up, but turned about z at random; `<scene>.txt`, which comes with a scan, has
`axisAlignment`, which turns it along the walls. Published boxes are in that aligned frame.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from scenemind.frames.frame import DepthCalibration, FrameError
from scenemind.frames.readers.folder import (
    FolderEntry,
    camera_of_matrix,
    find_pose,
    image_size,
    read_numbers,
    read_pose,
)
from scenemind.frames.sequence import IndexedSequence, counted_stamp_ns
from scenemind.geometry import PinholeCamera, Pose
from scenemind.untrusted import read_regular

_log = logging.getLogger(__name__)

SCANNET_TERMS = (
    "ScanNet's files are given to whoever signs its terms of use"
    " (https://github.com/ScanNet/ScanNet#scannet-data)"
)
RATE_HZ = 30.0  # of ScanNet's camera; where there are no stamps
DEPTH_UNITS_PER_M = 1000.0
_SCENE = re.compile(r"scene\d{4}_\d{2}")
_ALIGNMENT = "axisAlignment"
_LONGEST_INFO = 2**20  # bytes; a scan's has some hundred
# A principal point farther from the centre, as a share of the size, belongs to another resolution.
_OFF_CENTRE = 0.2
DESCRIPTION = "ScanNet as exported: color/ depth/ pose/ intrinsic/"


def recognises(path: Path) -> bool:
    """Whether the folder is one of this format."""
    return (path / "color").is_dir() and (path / "pose").is_dir()


def read(path: Path) -> IndexedSequence:
    """Open a folder of this format.

    Raises:
        FrameError: a part is missing or damaged.
    """
    colors = numbered([*path.glob("color/*.jpg"), *path.glob("color/*.png")])
    if not colors or not (path / "depth").is_dir():
        raise FrameError(
            f"{path} has {len(colors)} images in color/ and"
            f" {len([*path.glob('depth/*.png')])} in depth/: export both with ScanNet's SensReader"
            " (--export_color_images --export_depth_images --export_poses --export_intrinsics)"
        )
    frames = [
        ExportedFrame(n, color, path / f"depth/{color.stem}.png", path / f"pose/{color.stem}.txt")
        for n, color in colors
    ]
    scene = scene_name(path)
    world_T_scan = world_T_scan_of(scene, (path, path.parent))
    return read_exported(path, path.resolve().name, frames, _matrices(path), world_T_scan)


def _matrices(path: Path) -> ExportedMatrices:
    folder = path / "intrinsic"
    published = [path / f"intrinsics_{camera}.txt" for camera in ("color", "depth")]
    exported = [folder / f"intrinsic_{camera}.txt" for camera in ("color", "depth")]
    color_k, depth_k = published if published[0].is_file() else exported
    return ExportedMatrices(
        color_k, depth_k, folder / "extrinsic_color.txt", folder / "extrinsic_depth.txt"
    )


@dataclass(frozen=True, slots=True)
class ExportedFrame:
    """The files of one frame.

    Attributes:
        number: of the frame in its scan, at 30 frames per second.
        pose: camera-to-world of the depth camera, 4x4; infinite where tracking was lost.
    """

    number: int
    color: Path
    depth: Path
    pose: Path


@dataclass(frozen=True, slots=True)
class ExportedMatrices:
    """Files of 4x4 camera matrices; missing extrinsics are the identity."""

    color_k: Path
    depth_k: Path
    base_T_color: Path
    base_T_depth: Path


def read_exported(
    path: Path,
    name: str,
    frames: Sequence[ExportedFrame],
    matrices: ExportedMatrices,
    world_T_scan: Pose,
) -> IndexedSequence:
    """The sequence of frames, in the order of their numbers.

    Raises:
        FrameError: a file that is missing or damaged.
    """
    color = _camera(matrices.color_k, (frame.color for frame in frames))
    depth = _camera(matrices.depth_k, (frame.depth for frame in frames))
    base_T_color = _extrinsics(matrices.base_T_color)
    base_T_depth = _extrinsics(matrices.base_T_depth)
    depth_T_color = base_T_depth.inverse() @ base_T_color
    entries, left_out = [], Counter[str]()
    for frame in frames:
        scan_T_depth = read_pose(frame.pose, left_out)
        if scan_T_depth is not None:
            entries.append(
                FolderEntry(
                    stamp_ns=counted_stamp_ns(frame.number, RATE_HZ),
                    color_path=frame.color,
                    depth_path=frame.depth,
                    world_T_camera=world_T_scan @ scan_T_depth @ depth_T_color,
                    depth_units_per_m=DEPTH_UNITS_PER_M,
                )
            )
    return IndexedSequence(
        name=name,
        path=path,
        camera=color,
        entries=entries,
        depth_calibration=depth_calibration(depth, base_T_color, base_T_depth, color),
        world_T_recorded=world_T_scan,
        left_out=left_out,
    )


def numbered(files: Sequence[Path], ending: str = "") -> list[tuple[int, Path]]:
    """Numbers and files, sorted, of files that are named by a number.

    Args:
        ending: text between the number and the suffix.

    Raises:
        FrameError: a name without a number.
    """
    found = []
    for file in files:
        number = file.stem.removesuffix(ending)
        if not number.isdecimal():
            raise FrameError(f"{file}: frames are named by their number")
        found.append((int(number), file))
    return sorted(found)


def _camera(matrix: Path, images: Iterable[Path]) -> PinholeCamera:
    return centred_camera(read_numbers(matrix, 16), image_size(images), str(matrix))


def _extrinsics(file: Path) -> Pose:
    if not file.is_file():
        return Pose.identity()
    pose = find_pose(read_numbers(file, 16), str(file))
    if pose is None:
        raise FrameError(f"{file} holds NaN or infinity")
    return pose


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
    """Calibration of depth to colour by ScanNet's extrinsics; None where they are one camera."""
    color_T_depth = base_T_color.inverse() @ base_T_depth
    if camera == color and np.array_equal(color_T_depth.matrix(), np.eye(4)):
        return None
    return DepthCalibration(camera, color_T_depth)


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
        lines = read_regular(file, _LONGEST_INFO, follow=True).decode().splitlines()
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
