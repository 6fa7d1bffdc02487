"""Depth in a `sensor_msgs/CompressedImage`: image_transport's compressedDepth, and plain PNG.

compressedDepth puts a header of 12 bytes before a PNG of 16 bits: an int32 and two float32, the
parameters of the inverse-depth quantisation that 32FC1 is stored with (16UC1 is stored as it is).
"""

from __future__ import annotations

import struct

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames.encodings import Buffer, decode_file, depth_to_mm, without_unmeasured
from scenemind.frames.errors import FrameError
from scenemind.frames.image_files import depth_from_units

FORMAT = "16UC1; compressedDepth png"
PNG_FORMAT = "16UC1; png compressed"
_HEADER = struct.Struct("<iff")
_MM_PER_M = 1000.0


def decode_compressed_depth(data: Buffer, format_name: str) -> NDArray[np.float32]:
    """Depth (h, w) float32 metres, 0 where nothing was measured.

    Args:
        format_name: the message's `format`, such as "16UC1; compressedDepth png".

    Raises:
        FrameError: another format, or bytes that are no PNG of 16 bits.
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
