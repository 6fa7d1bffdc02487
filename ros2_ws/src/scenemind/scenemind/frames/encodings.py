"""Image bytes as ROS messages carry them, to arrays and back; knows no message types."""

from __future__ import annotations

from array import array
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames.errors import FrameError
from scenemind.frames.image_files import depth_from_units

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


def decode_color(
    data: Buffer, encoding: str, height: int, width: int, step: int
) -> NDArray[np.uint8]:
    """Raw colour as (height, width, 3) uint8 RGB; rgb8 without padding is a view of `data`.

    Args:
        step: bytes of a row, padding included.

    Raises:
        FrameError: an encoding that is no colour, no pixels, or more or fewer bytes than announced.
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
        FrameError: an encoding that is no depth, no pixels, or more or fewer bytes than announced.
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


def decode_color_file(data: Buffer) -> NDArray[np.uint8]:
    """A JPEG or PNG, as CompressedImage carries it, as (H, W, 3) uint8 RGB.

    Raises:
        FrameError: bytes that are no image.
    """
    bgr = decode_file(data, cv2.IMREAD_COLOR)
    return cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB, dst=bgr)


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
    """Depth (H, W) in metres as whole millimetres (H, W); what does not fit becomes 0, a hole.

    These are NaN, infinity, negative values and what is further than 65.534 m: 65535 means "not
    measured" too (`image_files.depth_from_units`).
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
    """RGB (H, W, 3) as a PNG, which loses nothing.

    Raises:
        FrameError: an image that OpenCV cannot encode.
    """
    return _encode_file(color, ".png", [])


def decode_file(data: Buffer, flags: int) -> NDArray[Any]:
    """An image file in memory; `flags` are OpenCV's IMREAD constants.

    Raises:
        FrameError: bytes that are no image, or one of more pixels than OpenCV takes.
    """
    buffer = np.frombuffer(data, dtype=np.uint8)
    try:
        image = cv2.imdecode(buffer, flags) if buffer.size else None
    except cv2.error as error:  # before it has looked at more than the header
        raise FrameError(f"a compressed image cannot be decoded: {error.err}") from error
    if image is None:
        raise FrameError(
            f"{buffer.size} bytes of a compressed image are no JPEG or PNG (cut short?)"
        )
    return image


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
