"""Colour and depth images in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames.errors import FrameError

_SATURATED = 65535  # what depth cameras write where they cannot tell; never a distance


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
    bgr = _decode(path, data, cv2.IMREAD_COLOR)
    return data, cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB, dst=bgr)


def read_depth(path: Path, units_per_m: float) -> NDArray[np.float32]:
    """A 16-bit depth image as (h, w) float32 metres; 0 where nothing was measured.

    Raises:
        FrameError: no such file, no image, or not one channel of 16 bits.
    """
    raw = _decode(path, _read(path), cv2.IMREAD_UNCHANGED)
    if raw.dtype != np.uint16 or raw.ndim != 2:
        raise FrameError(f"{path}: depth is one channel of 16 bits, got {raw.dtype} {raw.shape}")
    return depth_from_units(raw, units_per_m)


def depth_from_units(raw: NDArray[np.uint16], units_per_m: float) -> NDArray[np.float32]:
    """Whole units (h, w) to float32 metres; 0 and 65535 are holes and become 0."""
    depth_m = np.divide(raw, np.float32(units_per_m), dtype=np.float32)
    depth_m[raw == _SATURATED] = 0.0
    return depth_m


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FrameError(f"{path} is not there, or cannot be read: {error.strerror}") from error


def _decode(path: Path, data: bytes, flags: int) -> NDArray[Any]:
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flags) if data else None
    except cv2.error as error:  # more pixels than OpenCV takes
        raise FrameError(f"{path} cannot be decoded: {error.err}") from error
    if image is None:
        raise FrameError(f"{path} is no image that can be decoded (cut short?)")
    return image
