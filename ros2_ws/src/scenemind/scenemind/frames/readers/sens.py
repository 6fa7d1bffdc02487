"""ScanNet scans as they are published: a .sens file (version 4), or its folder.

Images stay in the file until they are read. Poses are those of the depth camera, turned along the
walls by `<scene>.txt` (`readers.scannet`); frames without tracking have infinite poses and are left
out. Stamps are microseconds of the colour camera; where they do not increase (many scans have
zeros), 30 frames per second are assumed.

The file format is published with ScanNet (SensReader/README.md, sensorData.h), little-endian:
version, name, intrinsics and extrinsics of colour and depth as 4x4 float32, kinds of compression,
sizes, depth units per metre and the number of frames; each frame is its camera-to-world as 4x4
float32, two stamps in microseconds, two sizes and the two images.
"""

from __future__ import annotations

import logging
import math
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.frames.frame import FrameError
from scenemind.frames.images import MOST_PIXELS, decode_color_file, depth_from_units
from scenemind.frames.readers.folder import find_pose
from scenemind.frames.readers.scannet import (
    RATE_HZ,
    SCANNET_TERMS,
    centred_camera,
    depth_calibration,
    scene_name,
    world_T_scan_of,
)
from scenemind.frames.sequence import IndexedSequence, counted_stamp_ns
from scenemind.geometry import Pose
from scenemind.untrusted import open_regular

_log = logging.getLogger(__name__)

_VERSION = 4
_LONGEST_NAME = 4096  # bytes; a longer one means another kind of file
_VERSION_AND_LENGTH = struct.Struct("<IQ")
_AFTER_NAME = np.dtype(
    [
        *((name, "<f4", (4, 4)) for name in ("color_k", "base_T_color", "depth_k", "base_T_depth")),
        ("color_kind", "<i4"),
        ("depth_kind", "<i4"),
        *((name, "<u4") for name in ("color_width", "color_height", "depth_width", "depth_height")),
        ("depth_units_per_m", "<f4"),
        ("frame_count", "<u8"),
    ]
)
_FRAME = np.dtype(
    [
        ("scan_T_camera", "<f4", (4, 4)),
        ("color_us", "<u8"),
        ("depth_us", "<u8"),
        ("color_bytes", "<u8"),
        ("depth_bytes", "<u8"),
    ]
)
_RAW_COLOR, _PNG, _JPEG = 0, 1, 2
_RAW_DEPTH, _ZLIB_DEPTH = 0, 1
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
    """Stamps in nanoseconds, shifted to begin after 0, which ROS reads as "no stamp"."""
    steps = stamps_us.astype(np.int64)
    if not (np.diff(steps) > 0).all() or (steps < 0).any():
        _log.warning("%s has no increasing stamps: assuming %g frames per second", path, RATE_HZ)
        return [counted_stamp_ns(number, RATE_HZ) for number in range(len(steps))]
    shift_ns = 0 if len(steps) and steps[0] > 0 else counted_stamp_ns(0, RATE_HZ)
    return [int(stamp) * 1000 + shift_ns for stamp in steps]


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
        """The open file at an offset into the frame's images; names the frame in errors."""
        try:
            with open_bytes(self.file.path) as file:
                file.seek(int(self.row["at"]) + offset)
                yield file
        except FrameError as error:
            raise FrameError(f"{self.name}: {error}") from error


@dataclass(frozen=True, slots=True, eq=False)
class SensFile:
    """Header of a .sens file, and access to its frames.

    Attributes:
        color_k, depth_k: (4, 4) float32 intrinsic matrices.
        base_T_color, base_T_depth: (4, 4) float32 extrinsics.
        color_size, depth_size: width and height in pixels.
        frame_count: of all frames.
        frames_at: offset of the first one, in bytes.
    """

    path: Path
    color_k: NDArray[np.float32]
    base_T_color: NDArray[np.float32]
    depth_k: NDArray[np.float32]
    base_T_depth: NDArray[np.float32]
    color_kind: int
    depth_kind: int
    color_size: tuple[int, int]
    depth_size: tuple[int, int]
    depth_units_per_m: float
    frame_count: int
    frames_at: int

    @classmethod
    def open(cls, path: Path) -> SensFile:
        """Read the header.

        Raises:
            FrameError: no such file, no .sens file of version 4, or images that cannot be decoded.
        """
        with open_bytes(path) as file:
            version, length = _VERSION_AND_LENGTH.unpack(
                _exactly(file, _VERSION_AND_LENGTH.size, path, "the header")
            )
            if version != _VERSION or length > _LONGEST_NAME:
                raise FrameError(
                    f"{path} is no .sens file of version {_VERSION} (it says version {version}):"
                    " download it again, or export it with ScanNet's SensReader"
                )
            _exactly(file, length, path, "the header")
            header = _record(file, _AFTER_NAME, path, "the header")
            at = file.tell()
        found = cls(
            path=path,
            color_k=header["color_k"],
            base_T_color=header["base_T_color"],
            depth_k=header["depth_k"],
            base_T_depth=header["base_T_depth"],
            color_kind=int(header["color_kind"]),
            depth_kind=int(header["depth_kind"]),
            color_size=(int(header["color_width"]), int(header["color_height"])),
            depth_size=(int(header["depth_width"]), int(header["depth_height"])),
            depth_units_per_m=float(header["depth_units_per_m"]),
            frame_count=int(header["frame_count"]),
            frames_at=at,
        )
        found._check()
        return found

    def _check(self) -> None:
        if self.color_kind not in (_RAW_COLOR, _PNG, _JPEG):
            raise FrameError(f"{self.path}: colour of the unknown compression {self.color_kind}")
        if self.depth_kind not in (_RAW_DEPTH, _ZLIB_DEPTH):
            raise FrameError(
                f"{self.path}: depth of compression {self.depth_kind}, which only the sensor's"
                " maker decodes; export the frames with ScanNet's SensReader"
            )
        if not 0.0 < self.depth_units_per_m < float("inf"):
            raise FrameError(f"{self.path}: {self.depth_units_per_m} depth units are no metre")
        if 0 in (*self.color_size, *self.depth_size):
            raise FrameError(f"{self.path}: images without pixels")
        if max(map(math.prod, (self.color_size, self.depth_size))) > MOST_PIXELS:
            raise FrameError(
                f"{self.path}: images of {self.color_size} and {self.depth_size} pixels are larger"
                " than any camera's"
            )

    def index(self) -> NDArray[np.void]:
        """The frames' records with the offset `at` of each colour image; reads no image.

        Raises:
            FrameError: the file was cut short.
        """
        size = self.path.stat().st_size
        # An impossible count is rejected before memory is allocated for it.
        if self.frame_count > (size - self.frames_at) // _FRAME.itemsize:
            raise _cut_short(self.path, f"it cannot hold {self.frame_count} frames")
        rows = np.empty(self.frame_count, np.dtype([*_FRAME.descr, ("at", "<u8")]))
        at = self.frames_at
        with open_bytes(self.path) as file:
            for number in range(self.frame_count):
                what = f"frame {number} of {self.frame_count}"
                file.seek(at)
                row = _record(file, _FRAME, self.path, what)
                at += _FRAME.itemsize
                rows[number] = (*row.item(), at)
                at += int(row["color_bytes"]) + int(row["depth_bytes"])
                if at > size:
                    raise _cut_short(self.path, what)
        return rows

    def read_color(self, file: BufferedReader, count: int) -> tuple[bytes, NDArray[np.uint8]]:
        """The stored image (empty where it is not compressed), and (H, W, 3) uint8 RGB.

        Raises:
            FrameError: bytes that are no image, or pixels of another size than the header's.
        """
        data = _exactly(file, count, self.path, "a colour image")
        width, height = self.color_size
        if self.color_kind != _RAW_COLOR:
            color = decode_color_file(data)
        elif count != width * height * 3:
            raise FrameError(f"colour of {count} bytes is not {width}x{height} pixels")
        else:
            return b"", np.frombuffer(data, np.uint8).reshape(height, width, 3)
        return data, color

    def read_depth(self, file: BufferedReader, count: int) -> NDArray[np.float32]:
        """(h, w) float32 metres, 0 not measured.

        Raises:
            FrameError: bytes that are no image of the header's size.
        """
        data = _exactly(file, count, self.path, "a depth image")
        width, height = self.depth_size
        expected = width * height * 2
        if self.depth_kind == _ZLIB_DEPTH:
            data = _inflated(data, expected)
        if len(data) != expected:
            raise FrameError(f"depth of {len(data)} bytes is not {width}x{height} pixels")
        raw = np.frombuffer(data, "<u2").reshape(height, width)
        return depth_from_units(raw, self.depth_units_per_m)


def open_bytes(path: Path) -> BufferedReader:
    """Open a file to read bytes.

    Raises:
        FrameError: it cannot be opened.
    """
    try:
        return open(open_regular(path, follow=True), "rb")
    except OSError as error:
        raise FrameError(f"{path} cannot be read: {error.strerror}") from error


def _inflated(data: bytes, expected: int) -> bytes:
    """Decompressed data, at most one byte more than expected."""
    try:
        return zlib.decompressobj().decompress(data, expected + 1)
    except zlib.error as error:
        raise FrameError(f"depth cannot be decompressed: {error}") from error


def _record(file: BufferedReader, kind: np.dtype[Any], path: Path, what: str) -> NDArray[np.void]:
    return np.frombuffer(_exactly(file, kind.itemsize, path, what), kind)[0]


def _exactly(file: BufferedReader, count: int, path: Path, what: str) -> bytes:
    data = file.read(count)
    if len(data) != count:
        raise _cut_short(path, what)
    return data


def _cut_short(path: Path, what: str) -> FrameError:
    return FrameError(f"{path} was cut short ({what} is not whole): download it again")
