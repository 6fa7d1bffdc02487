"""One key frame on disk: a JPEG colour image and a 16-bit PNG depth image in millimetres."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.frames.encodings import depth_to_mm, encode_color_file
from scenemind.memory.errors import SceneMemoryError


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
        depth_m: (H, W) float32, metres; what is beyond 65.534 m becomes 0, not measured.

    Returns:
        How many bytes were written.

    Raises:
        OSError: the disk is full, the folder is gone or not writable.
        FrameError: an image that no JPEG can hold.
    """
    # OpenCV's defaults are its fastest; naming a level, even level 1, takes twice as long.
    _, encoded = cv2.imencode(".png", depth_to_mm(depth_m))
    png, jpeg = encoded.tobytes(), encode_color_file(color, jpeg_quality)
    _write_whole(depth_path(folder, number), png)
    _write_whole(color_path(folder, number), jpeg)
    return len(png) + len(jpeg)


def read_jpeg(folder: Path, number: int) -> bytes:
    """The colour image as it is stored.

    Raises:
        SceneMemoryError: there is no such frame.
    """
    try:
        return color_path(folder, number).read_bytes()
    except OSError as error:
        raise SceneMemoryError(f"frame {number} has no stored image: {error.strerror}") from error


def clean_up(folder: Path, keep_below: int) -> None:
    """Remove what a killed process left: half files, and images that no stored frame names.

    Args:
        keep_below: images with this number or a larger one go.
    """
    for path in folder.iterdir():
        if path.suffix == ".tmp" or (path.stem.isdigit() and int(path.stem) >= keep_below):
            path.unlink()


def _write_whole(path: Path, data: bytes) -> None:
    half = path.with_suffix(path.suffix + ".tmp")
    try:
        half.write_bytes(data)
        os.replace(half, path)
    except OSError:
        half.unlink(missing_ok=True)
        raise
