"""Frames of a ScanNet scan that were written to files of their own, whatever these are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scenemind.frames.errors import FrameError
from scenemind.frames.indexed_sequence import IndexedSequence
from scenemind.frames.readers.folder import (
    FolderEntry,
    find_pose,
    image_size,
    read_numbers,
    read_pose,
)
from scenemind.frames.readers.scannet_files import (
    DEPTH_UNITS_PER_M,
    RATE_HZ,
    centred_camera,
    depth_calibration,
)
from scenemind.frames.sequence import counted_stamp_ns
from scenemind.geometry import PinholeCamera, Pose


@dataclass(frozen=True, slots=True)
class ExportedFrame:
    """The files of one frame.

    Attributes:
        number: of the frame in its scan, at 30 frames a second.
        pose: camera-to-world of the depth camera, 4x4; infinite where tracking was lost.
    """

    number: int
    color: Path
    depth: Path
    pose: Path


@dataclass(frozen=True, slots=True)
class ExportedMatrices:
    """Files of 4x4 matrices; extrinsics that are missing are the identity."""

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
    """Files named by a number, and the number, in its order.

    Args:
        ending: what follows the number in the names, without the suffix.

    Raises:
        FrameError: another name.
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
