"""One key frame on disk: a JPEG colour image and a 16-bit PNG depth image in millimetres.

Depth noise is what takes the room: a whole 640x480 depth image in millimetres is five times as
large as its colour image. So depth is kept of every n-th pixel of every n-th row (pixel (u, v) of
the PNG is pixel (n u, n v) of the colour image, not mixed with its neighbours), and in steps of a
power of two millimetres that are no coarser than twice the sensor's noise at that distance.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import StoreConfig
from scenemind.frames.encodings import depth_to_mm, encode_color_file

_LARGEST_MM = 65534  # 65535 means "not measured"
_MM_PER_M = 1000.0


def color_path(folder: Path, number: int) -> Path:
    return folder / f"{number:06d}.jpg"


def depth_path(folder: Path, number: int) -> Path:
    return folder / f"{number:06d}.png"


def paths(folder: Path, number: int) -> list[Path]:
    """The files of a stored frame; it may have no depth."""
    return [p for p in (color_path(folder, number), depth_path(folder, number)) if p.exists()]


def write_frame(
    folder: Path,
    number: int,
    color: NDArray[np.uint8],
    depth_m: NDArray[np.float32],
    config: StoreConfig,
) -> int:
    """Both files, each complete or not there; the colour image last, so that it vouches for both.

    Args:
        color: (H, W, 3) uint8, RGB.
        depth_m: (H, W) float32, metres; what is beyond 65.534 m becomes 0, not measured.

    Returns:
        How many bytes were written.

    Raises:
        OSError: the disk is full, the folder is gone or not writable.
        FrameError: an image that no JPEG can hold.
    """
    size = 0
    if config.depth_every_px:
        png = encode_depth(depth_m, config.depth_every_px, config.depth_error_1m_m)
        _write_whole(depth_path(folder, number), png)
        size += len(png)
    jpeg = encode_color_file(color, config.jpeg_quality)
    try:
        _write_whole(color_path(folder, number), jpeg)
    except OSError:
        depth_path(folder, number).unlink(missing_ok=True)
        raise
    return size + len(jpeg)


def encode_depth(depth_m: NDArray[np.float32], every_px: int, error_1m_m: float) -> bytes:
    """Depth (H, W) in metres as a PNG of whole millimetres.

    Args:
        every_px: 1 keeps all pixels, 2 every second of every second row, ...
        error_1m_m: largest rounding error at 1 m; it grows with the distance squared, as a depth
            camera's noise does, and is half a millimetre where that is more.
    """
    kept = np.ascontiguousarray(depth_m[::every_px, ::every_px])
    # OpenCV's defaults are its fastest; naming a level, even level 1, takes twice as long.
    _, encoded = cv2.imencode(".png", _rounding(error_1m_m)[depth_to_mm(kept)])
    return encoded.tobytes()


def find_jpeg(folder: Path, number: int) -> bytes | None:
    """The colour image as it is stored; None when it is not, or is cut short by a power cut."""
    try:
        return color_path(folder, number).read_bytes() or None
    except FileNotFoundError:
        return None


def find_depth_png(folder: Path, number: int) -> bytes | None:
    """The depth image as it is stored; None when it is not."""
    try:
        return depth_path(folder, number).read_bytes()
    except FileNotFoundError:
        return None


def present(folder: Path, named: Mapping[int, int]) -> dict[int, int]:
    """Those of the named frames whose image is there, with its size."""
    return {n: size for n, size in named.items() if color_path(folder, n).exists()}


def remove_frame(folder: Path, number: int) -> None:
    """Both files, if they are there; the colour image first, since it vouches for both.

    Raises:
        OSError: the folder is not writable.
    """
    color_path(folder, number).unlink(missing_ok=True)
    depth_path(folder, number).unlink(missing_ok=True)


def remove_others(folder: Path, named: Mapping[int, int]) -> dict[int, int]:
    """Remove what a killed process left: half files, and images that no row names.

    Args:
        named: frames that have an image, with its size.

    Returns:
        Those of them whose image is there.
    """
    present = set()
    for entry in os.scandir(folder):
        stem, _, suffix = entry.name.partition(".")
        if suffix.endswith("tmp"):
            os.unlink(entry.path)
        elif stem.isdigit() and suffix in ("jpg", "png"):
            if int(stem) not in named:
                os.unlink(entry.path)
            elif suffix == "jpg":
                present.add(int(stem))
    return {number: size for number, size in named.items() if number in present}


@lru_cache(maxsize=4)
def _rounding(error_1m_m: float) -> NDArray[np.uint16]:
    """(65536,) uint16: millimetres -> the nearest that are stored."""
    mm = np.arange(_LARGEST_MM + 1)
    coarsest_mm = 2.0 * error_1m_m * (mm / _MM_PER_M) ** 2 * _MM_PER_M
    step_mm = 2 ** np.floor(np.log2(np.maximum(coarsest_mm, 1.0)))
    rounded = np.rint(mm / step_mm) * step_mm
    table = np.zeros(1 << 16, np.uint16)
    table[mm] = np.where(rounded > _LARGEST_MM, rounded - step_mm, rounded)
    return table


def _write_whole(path: Path, data: bytes) -> None:
    half = path.with_suffix(path.suffix + ".tmp")
    try:
        half.write_bytes(data)
        os.replace(half, path)
    except OSError:
        half.unlink(missing_ok=True)
        raise
