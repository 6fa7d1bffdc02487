"""ScanNet scans as they are published: a .sens file, or its folder.

The images stay in the file until they are asked for. Poses are those of the depth camera and are
turned along the walls by `<scene>.txt` (`scannet_files`); frames whose tracking was lost have
infinite ones and are left out. Stamps are microseconds of the colour camera; where they do not
increase (many scans have zeros), frames are taken to come 30 times a second.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.frames.errors import FrameError
from scenemind.frames.indexed_sequence import IndexedSequence
from scenemind.frames.readers.folder import find_pose
from scenemind.frames.readers.scannet_files import (
    RATE_HZ,
    SCANNET_TERMS,
    centred_camera,
    depth_calibration,
    scene_name,
    world_T_scan_of,
)
from scenemind.frames.readers.sens_file import SensFile, open_bytes
from scenemind.frames.sequence import counted_stamp_ns
from scenemind.geometry import Pose

_log = logging.getLogger(__name__)

DESCRIPTION = "ScanNet: a .sens file"


def recognises(path: Path) -> bool:
    """Whether it is a .sens file, or the folder of a scan (where the file may be missing)."""
    if path.is_file():
        return path.suffix == ".sens"
    return any(next(path.glob(name), None) for name in ("*.sens", "*_vh_clean*.ply"))


def read(path: Path) -> IndexedSequence:
    """Open a scan.

    Raises:
        FrameError: a folder without its .sens file or with several, or a damaged file.
    """
    file = SensFile.open(path if path.is_file() else _only_file(path))
    source = str(file.path)
    color = centred_camera(file.color_k, file.color_size, f"{source}, colour")
    depth = centred_camera(file.depth_k, file.depth_size, f"{source}, depth")
    base_T_color = _extrinsics(file.base_T_color, f"{source}, extrinsics of colour")
    base_T_depth = _extrinsics(file.base_T_depth, f"{source}, extrinsics of depth")
    scene = scene_name(file.path)
    world_T_scan = world_T_scan_of(scene, (file.path.parent,))
    rows = file.index()
    stamps_ns = _stamps_ns(rows["color_us"], file.path)
    depth_T_color = base_T_depth.inverse() @ base_T_color
    entries = []
    for number, row in enumerate(rows):
        scan_T_depth = find_pose(row["scan_T_camera"], f"{source}, frame {number}")
        if scan_T_depth is not None:
            pose = world_T_scan @ scan_T_depth @ depth_T_color
            entries.append(SensEntry(file, number, row, stamps_ns[number], pose))
    lost = len(rows) - len(entries)
    return IndexedSequence(
        name=scene,
        path=path,
        camera=color,
        entries=entries,
        depth_calibration=depth_calibration(depth, base_T_color, base_T_depth, color),
        world_T_recorded=world_T_scan,
        left_out={"pose_lost": lost} if lost else {},
    )


@dataclass(frozen=True, slots=True, eq=False)
class SensEntry:
    """An `Entry` within a .sens file.

    Attributes:
        row: its record in `SensFile.index`.
    """

    file: SensFile
    number: int
    row: NDArray[np.void]
    stamp_ns: int
    world_T_camera: Pose

    @property
    def name(self) -> str:
        return f"{self.file.path}, frame {self.number}"

    def read_color(self) -> tuple[bytes, NDArray[np.uint8]]:
        """Raises FrameError for an image that cannot be decoded."""
        with self._at(0) as file:
            return self.file.read_color(file, int(self.row["color_bytes"]))

    def read_depth(self) -> NDArray[np.float32]:
        """Raises FrameError for an image that cannot be decoded."""
        with self._at(int(self.row["color_bytes"])) as file:
            return self.file.read_depth(file, int(self.row["depth_bytes"]))

    @contextmanager
    def _at(self, offset: int) -> Iterator[BufferedReader]:
        """The file at so many bytes into the frame's images; names the frame in what is raised."""
        try:
            with open_bytes(self.file.path) as file:
                file.seek(int(self.row["at"]) + offset)
                yield file
        except FrameError as error:
            raise FrameError(f"{self.name}: {error}") from error


def _only_file(folder: Path) -> Path:
    files = sorted(folder.glob("*.sens"))
    if len(files) == 1:
        return files[0]
    if files:
        raise FrameError(f"{folder} holds {len(files)} .sens files: name one of them")
    name = f"{scene_name(folder)}.sens"
    raise FrameError(
        f"{folder} is a scan of ScanNet without its recording: put {name} there. {SCANNET_TERMS}"
    )


def _extrinsics(matrix: NDArray[np.float32], source: str) -> Pose:
    pose = find_pose(matrix, source)
    if pose is None:
        raise FrameError(f"{source} hold NaN or infinity")
    return pose


def _stamps_ns(stamps_us: NDArray[np.uint64], path: Path) -> list[int]:
    """Shifted to begin after 0, which ROS takes for "no stamp"."""
    steps = stamps_us.astype(np.int64)
    if not (np.diff(steps) > 0).all() or (steps < 0).any():
        _log.warning("%s has no increasing stamps: %g frames a second are taken", path, RATE_HZ)
        return [counted_stamp_ns(number, RATE_HZ) for number in range(len(steps))]
    shift_ns = 0 if len(steps) and steps[0] > 0 else counted_stamp_ns(0, RATE_HZ)
    return [int(stamp) * 1000 + shift_ns for stamp in steps]
