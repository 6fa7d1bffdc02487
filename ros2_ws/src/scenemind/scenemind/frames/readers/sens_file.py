"""ScanNet's .sens container, version 4: a header, then frames, then readings of an IMU.

By the published format (SensReader/README.md and sensorData.h of the repository ScanNet/ScanNet),
little-endian throughout: version, name, intrinsics and extrinsics of colour and depth as 4x4
float32, kinds of compression, sizes, depth units a metre and the number of frames; a frame is its
camera-to-world as 4x4 float32, two stamps in microseconds, two sizes and the two images.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.frames.encodings import decode_color_file
from scenemind.frames.errors import FrameError
from scenemind.frames.image_files import depth_from_units

_VERSION = 4
_LONGEST_NAME = 4096  # bytes; more is no name, but another kind of file
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


@dataclass(frozen=True, slots=True, eq=False)
class SensFile:
    """What the header says.

    Attributes:
        color_k, depth_k: (4, 4) float32 intrinsic matrices.
        base_T_color, base_T_depth: (4, 4) float32 extrinsics.
        color_size, depth_size: width and height in pixels.
        frame_count: of all frames.
        frames_at: where the first one starts, in bytes.
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

    def index(self) -> NDArray[np.void]:
        """The frames' records and, as `at`, where each one's colour starts; reads no image.

        Raises:
            FrameError: the file was cut short.
        """
        size = self.path.stat().st_size
        # A count that cannot be is noticed before so much memory is asked for.
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
    """
    Raises:
        FrameError: it cannot be opened.
    """
    try:
        return path.open("rb")
    except OSError as error:
        raise FrameError(f"{path} cannot be read: {error.strerror}") from error


def _inflated(data: bytes, expected: int) -> bytes:
    """At most one byte more than expected, whatever the bytes claim."""
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
