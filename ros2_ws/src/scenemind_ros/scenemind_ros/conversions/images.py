"""Conversions between image messages and arrays. Bytes go into messages as `array.array`, the fast
way."""

from __future__ import annotations

import array
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage, Image
from std_msgs.msg import Header, String

from scenemind.frames import FrameError
from scenemind.frames.images import (
    decode_color,
    decode_color_file,
    decode_compressed_depth,
    decode_depth,
    encode_depth,
)

_INSTANCE_TYPES: Mapping[str, np.dtype[Any]] = {
    "32SC1": np.dtype("<i4"),
    "16UC1": np.dtype("<u2"),
    "mono16": np.dtype("<u2"),
}


def color_from_msg(msg: Image | CompressedImage) -> NDArray[np.uint8]:
    """Colour image (H, W, 3) uint8 RGB; a view of the message if it is rgb8.

    Raises:
        FrameError: no pixels, an encoding that is no colour, or bytes that do not fit.
    """
    if isinstance(msg, CompressedImage):
        return decode_color_file(msg.data)
    return decode_color(msg.data, msg.encoding, msg.height, msg.width, msg.step)


def depth_from_msg(msg: Image | CompressedImage) -> NDArray[np.float32]:
    """Depth image (h, w) float32 metres, 0 without a measurement.

    Raises:
        FrameError: no pixels, an encoding that is no depth, or bytes that do not fit.
    """
    if isinstance(msg, CompressedImage):
        return decode_compressed_depth(msg.data, msg.format)
    return decode_depth(
        msg.data, msg.encoding, msg.height, msg.width, msg.step, bool(msg.is_bigendian)
    )


def instances_from_msg(msg: Image) -> NDArray[np.int32]:
    """Instance image (H, W) int32 with ids of a simulator's camera, 0 for nothing.

    Raises:
        FrameError: no pixels, another encoding, or bytes that do not fit.
    """
    stored = _INSTANCE_TYPES.get(msg.encoding)
    if stored is None:
        raise FrameError(
            f"an instance image has encoding {msg.encoding!r}; known are"
            f" {', '.join(_INSTANCE_TYPES)}"
        )
    row_bytes = msg.width * stored.itemsize
    if not row_bytes or msg.step < row_bytes or len(msg.data) != msg.step * msg.height:
        raise FrameError(
            f"an instance image of {msg.width}x{msg.height} pixels and step {msg.step} holds"
            f" {len(msg.data)} bytes"
        )
    rows = np.frombuffer(msg.data, np.uint8).reshape(msg.height, msg.step)[:, :row_bytes]
    return np.ascontiguousarray(rows).view(stored).astype(np.int32)


def color_to_msg(color: NDArray[np.uint8], header: Header) -> Image:
    """An image from an (H, W, 3) RGB array."""
    return _image(header, "rgb8", color.shape[:2], color.tobytes())


def depth_to_msg(depth_m: NDArray[np.float32], header: Header) -> Image:
    """An image of encoding 16UC1 (whole millimetres, 0: no measurement) from (H, W) metres."""
    return _image(header, "16UC1", depth_m.shape, encode_depth(depth_m))


def instances_to_msg(instances: NDArray[np.int32], header: Header) -> Image:
    """An image of encoding 32SC1 from (H, W) ids."""
    return _image(header, "32SC1", instances.shape, instances.astype("<i4").tobytes())


def _image(header: Header, encoding: str, shape: tuple[int, ...], data: bytes) -> Image:
    height, width = (int(size) for size in shape)
    return Image(
        header=header,
        height=height,
        width=width,
        encoding=encoding,
        is_bigendian=0,
        step=len(data) // height,
        data=array.array("B", data),
    )


def instance_names_to_msg(names: Mapping[int, str]) -> String:
    """The labels of an instance image's ids, as JSON."""
    return String(data=json.dumps({str(number): label for number, label in names.items()}))


def instance_names_from_msg(msg: String) -> dict[int, str]:
    """Instance id -> label.

    Raises:
        FrameError: no JSON object of numbers and names.
    """
    try:
        return {int(number): str(label) for number, label in json.loads(msg.data).items()}
    except (ValueError, AttributeError) as error:
        raise FrameError(
            f'instance names are JSON such as {{"7": "chair"}}, got {msg.data[:80]!r}: {error}'
        ) from error
