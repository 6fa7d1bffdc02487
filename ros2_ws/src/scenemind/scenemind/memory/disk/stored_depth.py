"""Depth of stored frames, read back."""

from __future__ import annotations

from pathlib import Path

from scenemind.frames import FrameError
from scenemind.frames.compressed_depth import PNG_FORMAT, decode_compressed_depth
from scenemind.geometry import PinholeCamera
from scenemind.memory.disk import frame_files
from scenemind.memory.types import DepthImage


def find_depth_image(folder: Path, number: int, camera: PinholeCamera) -> DepthImage | None:
    """The depth of a frame; None where none is stored.

    Args:
        camera: of its colour image.

    Raises:
        FrameError: the file is damaged, or of a size that the colour image cannot have in any
            resolution.
        OSError: it cannot be read.
    """
    png = frame_files.find_depth_png(folder, number)
    if png is None:
        return None
    depth_m = decode_compressed_depth(png, PNG_FORMAT)
    every_px = _every_px(depth_m.shape, camera)
    return DepthImage(depth_m, every_px, camera.subsampled(every_px))


def _every_px(shape: tuple[int, ...], camera: PinholeCamera) -> int:
    """Which n leaves so many rows and columns, when every n-th is kept: `depth_every_px` may have
    been another one when the frame was stored."""
    height, width = shape
    smallest = max(-(-camera.height // height), -(-camera.width // width))
    fits = [_shape(camera.subsampled(n)) == shape for n in (smallest, smallest + 1)]
    if fits != [True, False]:
        raise FrameError(
            f"depth of {width}x{height} pixels is not every n-th pixel of an image of"
            f" {camera.width}x{camera.height}, for one n"
        )
    return smallest


def _shape(camera: PinholeCamera) -> tuple[int, int]:
    return camera.height, camera.width
