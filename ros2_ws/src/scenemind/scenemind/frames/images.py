"""Colour and depth images as arrays: read from files, from and to the bytes of ROS messages.

image_transport's compressedDepth is a header of 12 bytes before a 16-bit PNG: an int32 and two
float32, the parameters of the inverse-depth quantisation of 32FC1 (16UC1 is stored unchanged).
"""

from __future__ import annotations

import re
import struct
from array import array
from pathlib import Path
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames.frame import FrameError
from scenemind.untrusted import read_regular

_SATURATED = 65535  # written by depth cameras for unknown depth; never a distance
Buffer: TypeAlias = "bytes | bytearray | memoryview | array[int] | NDArray[np.uint8]"
_MM_PER_M = 1000.0
_LARGEST_M = np.float32(65.534)
_TO_RGB = {
    "bgr8": cv2.COLOR_BGR2RGB,
    "rgba8": cv2.COLOR_RGBA2RGB,
    "bgra8": cv2.COLOR_BGRA2RGB,
    "mono8": cv2.COLOR_GRAY2RGB,
}
_COLOR_CHANNELS = {"rgb8": 3, "bgr8": 3, "rgba8": 4, "bgra8": 4, "mono8": 1}
_DEPTH_TYPES = {"16UC1": np.uint16, "mono16": np.uint16, "32FC1": np.float32}
COMPRESSED_DEPTH_FORMAT = "16UC1; compressedDepth png"
DEPTH_PNG_FORMAT = "16UC1; png compressed"
_HEADER = struct.Struct("<iff")
# What is allowed of an image whose camera is not known yet; decoded, it takes 300 MB.
MOST_PIXELS = 50_000_000
_MOST_FILE_BYTES = 256 * 2**20
_MOST_DECODED_BYTES = 3 * MOST_PIXELS  # of a PNG as it is, of which OpenCV makes a copy
_MOST_PARTS, _MOST_SCANS = 100_000, 50  # of a file; encoders make some thousand, and a dozen
_PNG_START, _PNG_HEADER = b"\x89PNG\r\n\x1a\n", struct.Struct(">16x2I2B")
_PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by kind of colour
# A chunk: the length of its content, its type, content and checksum.
_PNG_CHUNK, _PNG_CHUNK_BYTES, _PNG_END = struct.Struct(">I4s"), 12, b"IEND"
_PNG_ANIMATION = b"acTL"
# A segment: 0xFF, marker and length; in a start of frame follow precision, height and width.
_JPEG_START, _JPEG_SIZE = b"\xff\xd8", struct.Struct(">BBHx2H")
_MARKER, _SCAN, _JPEG_END = 0xFF, 0xDA, 0xD9
_AT_ONCE = 2**20  # bytes that are looked at
_SCAN_START = bytes((_MARKER, _SCAN))
# In a scan 0xFF stands before 0 as data, and before 0xD0 to 0xD7 where decoding may start again.
_NEXT_SEGMENT = re.compile(rb"\xff[^\x00\x01\xd0-\xd7\xff]")
_SEQUENTIAL = (0xC0, 0xC1)
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # these are tables


def read_color(path: Path) -> NDArray[np.uint8]:
    """A colour image as (H, W, 3) uint8, RGB.

    Raises:
        FrameError: no such file, or no image.
    """
    return read_color_file(path)[1]


def read_color_file(path: Path) -> tuple[bytes, NDArray[np.uint8]]:
    """A colour image as its file's bytes, and decoded as `read_color` does.

    Raises:
        FrameError: no such file, or no image.
    """
    data = _read(path)
    return data, decode_color_file(data, str(path))


def read_depth(path: Path, units_per_m: float) -> NDArray[np.float32]:
    """A 16-bit depth image as (h, w) float32 metres; 0 where nothing was measured.

    Raises:
        FrameError: no such file, no image, or not one channel of 16 bits.
    """
    raw = decode_file(_read(path), cv2.IMREAD_UNCHANGED, str(path))
    if raw.dtype != np.uint16 or raw.ndim != 2:
        raise FrameError(f"{path}: depth is one channel of 16 bits, got {raw.dtype} {raw.shape}")
    return depth_from_units(raw, units_per_m)


def depth_from_units(raw: NDArray[np.uint16], units_per_m: float) -> NDArray[np.float32]:
    """Depth in integer units (h, w) as float32 metres; 0 and 65535 are holes and become 0."""
    depth_m = np.divide(raw, np.float32(units_per_m), dtype=np.float32)
    depth_m[raw == _SATURATED] = 0.0
    return depth_m


def _read(path: Path) -> bytes:
    try:
        return read_regular(path, _MOST_FILE_BYTES, follow=True)
    except OSError as error:
        raise FrameError(f"{path} is not there, or cannot be read: {error.strerror}") from error


def decode_color(
    data: Buffer, encoding: str, height: int, width: int, step: int
) -> NDArray[np.uint8]:
    """Raw colour as (height, width, 3) uint8 RGB; rgb8 without padding is a view of `data`.

    Args:
        step: bytes of a row, padding included.

    Raises:
        FrameError: an encoding that is no colour, no pixels, or a wrong number of bytes.
    """
    channels = _COLOR_CHANNELS.get(encoding)
    if channels is None:
        raise FrameError(
            f"a colour image has encoding {encoding!r}; known are {', '.join(_COLOR_CHANNELS)}:"
            " does the topic carry colour?"
        )
    rows = _rows(data, height, width, step, np.dtype(np.uint8), channels)
    image = rows.reshape(height, width, channels) if channels > 1 else rows
    return image if encoding == "rgb8" else cv2.cvtColor(image, _TO_RGB[encoding])


def decode_depth(
    data: Buffer, encoding: str, height: int, width: int, step: int, is_bigendian: bool = False
) -> NDArray[np.float32]:
    """Raw depth, 16UC1 in millimetres or 32FC1 in metres, as (height, width) float32 metres.

    NaN, infinity, negative values and 65535 mean "not measured" and become 0.

    Raises:
        FrameError: an encoding that is no depth, no pixels, or a wrong number of bytes.
    """
    if encoding not in _DEPTH_TYPES:
        raise FrameError(
            f"a depth image has encoding {encoding!r}; known are {', '.join(_DEPTH_TYPES)}:"
            " does the topic carry depth?"
        )
    stored = np.dtype(_DEPTH_TYPES[encoding]).newbyteorder(">" if is_bigendian else "<")
    rows = _rows(data, height, width, step, stored, 1)
    if stored.kind == "u":
        return depth_from_units(rows, _MM_PER_M)
    return without_unmeasured(rows.astype(np.float32))


def decode_color_file(data: Buffer, name: str = "a compressed image") -> NDArray[np.uint8]:
    """A JPEG or PNG, as CompressedImage carries it, as (H, W, 3) uint8 RGB.

    Args:
        name: of the image, for the message.

    Raises:
        FrameError: bytes that are no image.
    """
    bgr = decode_file(data, cv2.IMREAD_COLOR, name)
    return cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB, dst=bgr)


def decode_compressed_depth(data: Buffer, format_name: str) -> NDArray[np.float32]:
    """Depth (h, w) float32 metres, 0 where nothing was measured.

    Args:
        format_name: the message's `format`, such as "16UC1; compressedDepth png".

    Raises:
        FrameError: another format, or bytes that are no 16-bit PNG.
    """
    view = np.frombuffer(data, dtype=np.uint8)
    scale = shift = 0.0
    if "compressedDepth" in format_name:
        if "rvl" in format_name.lower():
            raise FrameError(
                f"depth comes as {format_name!r}: set the publisher's compressedDepth.format to png"
            )
        if len(view) <= _HEADER.size:
            raise FrameError(f"compressedDepth of {len(view)} bytes has no image (cut short?)")
        _, scale, shift = _HEADER.unpack(view[: _HEADER.size].tobytes())
        view = view[_HEADER.size :]
    raw = decode_file(view, cv2.IMREAD_UNCHANGED)
    if raw.dtype != np.uint16 or raw.ndim != 2:
        raise FrameError(
            f"compressed depth {format_name!r} holds {raw.dtype} {raw.shape}, not one channel of"
            " 16 bits: depth does not survive JPEG, take the compressedDepth topic"
        )
    if format_name.startswith("32FC1"):
        return _from_inverse(raw, scale, shift, format_name)
    return depth_from_units(raw, _MM_PER_M)


def encode_compressed_depth(depth_m: NDArray[np.float32]) -> bytes:
    """Depth (H, W) in metres as the `data` of a message whose format is `FORMAT`."""
    return _HEADER.pack(0, 0.0, 0.0) + encode_depth_png(depth_m)


def encode_depth_png(depth_m: NDArray[np.float32]) -> bytes:
    """Depth (H, W) in metres as a PNG of whole millimetres, a message's `data` in `PNG_FORMAT`."""
    _, png = cv2.imencode(".png", depth_to_mm(depth_m))
    return bytes(png)


def _from_inverse(
    raw: NDArray[np.uint16], scale: float, shift: float, format_name: str
) -> NDArray[np.float32]:
    """image_transport's quantisation: depth = scale / (raw - shift), 0 not measured."""
    if not scale > 0.0:
        raise FrameError(f"depth of format {format_name!r} lacks its quantisation (got {scale})")
    with np.errstate(divide="ignore"):
        depth_m = np.float32(scale) / (raw.astype(np.float32) - np.float32(shift))
    depth_m[raw == 0] = 0.0
    return without_unmeasured(depth_m)


def encode_depth(depth_m: NDArray[np.float32], encoding: str = "16UC1") -> bytes:
    """Depth (H, W) in metres as 16UC1 (millimetres, at most 65.534 m) or 32FC1, little-endian.

    Raises:
        FrameError: another encoding.
    """
    if encoding == "16UC1":
        return depth_to_mm(depth_m).tobytes()
    if encoding == "32FC1":
        return depth_m.astype("<f4", copy=False).tobytes()
    raise FrameError(f"depth can be written as 16UC1 or 32FC1, not {encoding!r}")


def depth_to_mm(depth_m: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Depth (H, W) in metres as whole millimetres (H, W) uint16.

    NaN, infinity, negative values and depths beyond 65.534 m become 0, a hole; 65535 means "not
    measured" too (`depth_from_units`).
    """
    storable = (depth_m > 0.0) & (depth_m <= _LARGEST_M)
    return np.rint(np.where(storable, depth_m, 0.0) * np.float32(_MM_PER_M)).astype("<u2")


def encode_color_file(color: NDArray[np.uint8], jpeg_quality: int = 90) -> bytes:
    """RGB (H, W, 3) as a JPEG, for CompressedImage.

    Raises:
        FrameError: an image that OpenCV cannot encode.
    """
    return _encode_file(color, ".jpg", [cv2.IMWRITE_JPEG_QUALITY, jpeg_quality])


def encode_color_png(color: NDArray[np.uint8]) -> bytes:
    """RGB (H, W, 3) as a lossless PNG.

    Raises:
        FrameError: an image that OpenCV cannot encode.
    """
    return _encode_file(color, ".png", [])


def decode_file(data: Buffer, flags: int, name: str = "a compressed image") -> NDArray[Any]:
    """An image file in memory, decoded.

    Args:
        flags: OpenCV's IMREAD constants.
        name: of the image, for the message.

    Raises:
        FrameError: as `check_file`, or the image is damaged.
    """
    buffer = np.frombuffer(data, dtype=np.uint8)
    check_file(buffer, name)
    try:
        image = cv2.imdecode(buffer, flags)
    except cv2.error as error:
        raise FrameError(f"{name} cannot be decoded: {error.err}") from error
    if image is None:
        raise _no_image(buffer, name)
    return image


def check_file(data: Buffer, name: str) -> tuple[int, int]:
    """Width and height of a JPEG or PNG, by its header, if decoding it takes no more than images of
    its size do.

    Args:
        name: of the image, for the message.

    Raises:
        FrameError: it is neither, has more than 50 megapixels, is an animation, or takes more.
    """
    buffer = np.frombuffer(data, dtype=np.uint8)
    size = find_file_size(buffer)
    if size is None:
        raise _no_image(buffer, name)
    width, height = size
    if width * height > MOST_PIXELS:
        raise FrameError(
            f"{name} has {width}x{height} pixels: images of up to {MOST_PIXELS / 1e6:.0f}"
            " megapixels are decoded"
        )
    view = memoryview(buffer.data)
    if view[:8] == _PNG_START:
        _check_png(view, name)
    elif not _is_one_scan(view) and _scans(view) > _MOST_SCANS:
        raise FrameError(f"{name} is drawn in more than {_MOST_SCANS} passes, as by no encoder")
    return size


def find_file_size(data: Buffer) -> tuple[int, int] | None:
    """Width and height that the header of a JPEG or PNG states, decoding nothing; None where it is
    neither, or damaged."""
    view = memoryview(np.frombuffer(data, dtype=np.uint8).data)
    if view[:8] == _PNG_START and len(view) >= _PNG_HEADER.size:
        width, height, _, _ = _PNG_HEADER.unpack_from(view)
        return (width, height) if width and height else None
    at, parts = 2, 0
    while view[:2] == _JPEG_START and at + _JPEG_SIZE.size <= len(view) and parts < _MOST_PARTS:
        parts += 1
        sign, marker, length, height, width = _JPEG_SIZE.unpack_from(view, at)
        if sign != _MARKER or marker == _SCAN:
            return None
        if marker in _FRAMES:
            return (width, height) if width and height else None
        at += 1 if marker == _MARKER else 2 + length  # one: filling
    return None


def _check_png(view: memoryview, name: str) -> None:
    """Raises FrameError: see `check_file`."""
    width, height, bits, color = _PNG_HEADER.unpack_from(view)
    if width * height * _PNG_CHANNELS.get(color, 1) * bits > 8 * _MOST_DECODED_BYTES:
        raise FrameError(
            f"{name} has {width}x{height} pixels of {_PNG_CHANNELS.get(color, 1)} channels of"
            f" {bits} bits: images of up to {_MOST_DECODED_BYTES / 1e6:.0f} MB are decoded"
        )
    at, kind, parts = len(_PNG_START), b"", 0
    while at + _PNG_CHUNK.size <= len(view) and kind != _PNG_END and parts < _MOST_PARTS:
        length, kind = _PNG_CHUNK.unpack_from(view, at)
        if kind == _PNG_ANIMATION:  # of which OpenCV holds several pictures
            raise FrameError(f"{name} is an animation, and no image of a camera")
        at += _PNG_CHUNK_BYTES + length
        parts += 1
    if at > len(view) or parts == _MOST_PARTS:  # OpenCV makes room for what is said
        raise _no_image(view, name)


def _is_one_scan(view: memoryview) -> bool:
    """Whether a JPEG's header says that it is drawn in one pass, as by cameras: libjpeg then reads
    no other one, and looking for them takes a tenth of the time of decoding."""
    at, components = len(_JPEG_START), 0
    for _ in range(_MOST_PARTS):
        if at + _JPEG_SIZE.size >= len(view):
            return False
        marker, length = view[at + 1], int.from_bytes(view[at + 2 : at + 4], "big")
        if marker == _SCAN:
            return 0 < components == view[at + 4]
        if marker in _SEQUENTIAL:
            components = view[at + _JPEG_SIZE.size]
        at += 1 if marker == _MARKER else 2 + length
    return False


def _scans(view: memoryview) -> int:
    """In how many passes a JPEG is drawn, counted up to some more than there may be."""
    parts = (view[at : at + _AT_ONCE + 1] for at in range(0, len(view), _AT_ONCE))
    count = sum(part.tobytes().count(_SCAN_START) for part in parts)
    if count <= _MOST_SCANS:  # some may stand in other data
        return count
    count, at = 0, len(_JPEG_START)
    for _ in range(_MOST_PARTS):
        found = _NEXT_SEGMENT.search(view, at)
        if found is None or count > _MOST_SCANS:
            return count
        marker, at = view[found.start() + 1], found.end()
        if marker == _JPEG_END:
            return count
        count += marker == _SCAN
        at += int.from_bytes(view[at : at + 2], "big")
    return _MOST_SCANS + 1


def _no_image(data: NDArray[np.uint8] | memoryview, name: str) -> FrameError:
    return FrameError(f"{name} is no image: its {len(data)} bytes are no JPEG or PNG (cut short?)")


def without_unmeasured(depth_m: NDArray[np.float32]) -> NDArray[np.float32]:
    """Depth (h, w) float32 metres, changed in place: NaN, infinity and negative values become 0."""
    np.copyto(depth_m, np.float32(0.0), where=~((depth_m > 0) & (depth_m < np.inf)))
    return depth_m


def _encode_file(color: NDArray[np.uint8], suffix: str, flags: list[int]) -> bytes:
    encoded, data = cv2.imencode(suffix, cv2.cvtColor(color, cv2.COLOR_RGB2BGR), flags)
    if not encoded:
        raise FrameError(f"an image of {color.dtype} {color.shape} cannot be encoded as {suffix}")
    return bytes(data)


def _rows(
    data: Buffer, height: int, width: int, step: int, stored: np.dtype[Any], channels: int
) -> NDArray[Any]:
    """The pixels as (height, width * channels), a view of the bytes without their padding."""
    if height <= 0 or width <= 0:
        raise FrameError(f"an image of {width}x{height} pixels: did the camera start?")
    row_bytes = width * channels * stored.itemsize
    buffer = np.frombuffer(data, dtype=np.uint8)
    if step < row_bytes or buffer.size != step * height:
        raise FrameError(
            f"an image of {width}x{height} pixels and step {step} holds {buffer.size} bytes;"
            f" its rows need {row_bytes} and all of it {max(step, row_bytes) * height}"
        )
    return buffer.reshape(height, step)[:, :row_bytes].view(stored)
