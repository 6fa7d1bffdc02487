"""One key frame on disk: a JPEG colour image and a 16-bit PNG depth image in millimetres."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.memory.errors import SceneMemoryError

_LARGEST_M = 65.535  # in 16 bits of millimetres


def color_path(folder: Path, number: int) -> Path:
    return folder / f"{number:06d}.jpg"


def depth_path(folder: Path, number: int) -> Path:
    return folder / f"{number:06d}.png"


def write_frame(
    folder: Path,
    number: int,
    color: NDArray[np.uint8],
    depth_m: NDArray[np.float32],
    jpeg_quality: int,
) -> int:
    """Both files, each complete or not there; the colour image last, so that it vouches for both.

    Args:
        color: (H, W, 3) uint8, RGB.
        depth_m: (H, W) float32, metres; what is beyond 65.535 m becomes 0, not measured.

    Returns:
        How many bytes were written.

    Raises:
        OSError: the disk is full, the folder is gone or not writable.
    """
    storable = (depth_m > 0.0) & (depth_m <= _LARGEST_M)
    depth_mm = np.rint(np.where(storable, depth_m, 0.0) * 1000.0).astype(np.uint16)
    # OpenCV's defaults are its fastest; naming a level, even level 1, takes twice as long.
    _, png = cv2.imencode(".png", depth_mm)
    bgr = cv2.cvtColor(color, cv2.COLOR_RGB2BGR)
    _, jpeg = cv2.imencode(".jpg", bgr, (cv2.IMWRITE_JPEG_QUALITY, jpeg_quality))
    _write_whole(depth_path(folder, number), png)
    _write_whole(color_path(folder, number), jpeg)
    return int(png.nbytes + jpeg.nbytes)


def read_jpeg(folder: Path, number: int) -> bytes:
    """The colour image as it is stored.

    Raises:
        SceneMemoryError: there is no such frame.
    """
    try:
        return color_path(folder, number).read_bytes()
    except OSError as error:
        raise SceneMemoryError(f"frame {number} has no stored image: {error.strerror}") from error


def read_color(folder: Path, number: int) -> NDArray[np.uint8]:
    """(H, W, 3) uint8, RGB.

    Raises:
        SceneMemoryError: there is no such frame, or its file is damaged.
    """
    data = np.frombuffer(read_jpeg(folder, number), np.uint8)
    bgr = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    if bgr is None:
        raise SceneMemoryError(f"{color_path(folder, number)} is damaged: no JPEG image")
    rgb: NDArray[np.uint8] = cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB)
    return rgb


def read_depth(folder: Path, number: int) -> NDArray[np.float32]:
    """(H, W) float32, metres; 0 where nothing was measured.

    Raises:
        SceneMemoryError: there is no such frame, or its file is damaged.
    """
    path = depth_path(folder, number)
    try:
        data = np.fromfile(path, np.uint8)
    except OSError as error:
        raise SceneMemoryError(f"frame {number} has no stored depth: {error.strerror}") from error
    depth_mm = cv2.imdecode(data, cv2.IMREAD_UNCHANGED) if data.size else None
    if depth_mm is None or depth_mm.dtype != np.uint16:
        raise SceneMemoryError(f"{path} is damaged: no 16-bit PNG image")
    depth_m: NDArray[np.float32] = depth_mm.astype(np.float32) / np.float32(1000.0)
    return depth_m


def clean_up(folder: Path, keep_below: int) -> None:
    """Remove what a killed process left: half files, and images that no stored frame names.

    Args:
        keep_below: images with this number or a larger one go.
    """
    for path in folder.iterdir():
        if path.suffix == ".tmp" or (path.stem.isdigit() and int(path.stem) >= keep_below):
            path.unlink()


def _write_whole(path: Path, data: NDArray[np.uint8]) -> None:
    half = path.with_suffix(path.suffix + ".tmp")
    try:
        half.write_bytes(data.tobytes())
        os.replace(half, path)
    except OSError:
        half.unlink(missing_ok=True)
        raise
