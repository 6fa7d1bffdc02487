"""Images of key frames on disk: a JPEG colour image, a 16-bit PNG depth image, and the thread that
writes them.

Depth noise takes most of the room: a whole 640x480 depth image in millimetres is five times as
large as its colour image. Therefore depth is kept of every n-th pixel of every n-th row (pixel (u,
v) of the PNG is pixel (n u, n v) of the colour image, not mixed with its neighbours), and in steps
of a power of two millimetres that are no coarser than twice the sensor's noise at that distance.
"""

from __future__ import annotations

import logging
import os
import queue
import struct
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.config import StoreConfig
from scenemind.frames import FrameError
from scenemind.frames.images import (
    DEPTH_PNG_FORMAT,
    check_file,
    decode_compressed_depth,
    depth_to_mm,
    encode_color_file,
    find_file_size,
)
from scenemind.geometry import PinholeCamera
from scenemind.memory.types import DepthImage
from scenemind.untrusted import is_regular, open_folder, open_regular, read_regular

_LARGEST_MM = 65534  # 65535 means "not measured"
_MM_PER_M = 1000.0
_COMMENT, _SEAL = b"\xff\xfe\x00\x0ccrc32:", struct.Struct(">10sI")
MOST_IMAGE_BYTES = 64 * 2**20  # of a file


def color_path(folder: Path, number: int) -> Path:
    return folder / f"{number:06d}.jpg"


def depth_path(folder: Path, number: int) -> Path:
    return folder / f"{number:06d}.png"


def renumbered_path(folder: Path, image: Path, number: int) -> Path:
    """Where an image of a frame would be as that of another frame, in another folder."""
    of_color = image.suffix == color_path(folder, number).suffix
    return color_path(folder, number) if of_color else depth_path(folder, number)


def image_paths(folder: Path, number: int) -> list[Path]:
    """The files of a stored frame; it may have no depth."""
    return [p for p in (color_path(folder, number), depth_path(folder, number)) if is_regular(p)]


def write_frame(
    folder: Path,
    number: int,
    color: NDArray[np.uint8],
    depth_m: NDArray[np.float32],
    config: StoreConfig,
) -> int:
    """Write both files, each complete or absent; the colour image last, as a sign for both.

    Args:
        color: (H, W, 3) uint8, RGB.
        depth_m: (H, W) float32, metres; depths beyond 65.534 m become 0, not measured.

    Returns:
        The number of bytes written.

    Raises:
        OSError: the disk is full, the folder is gone or not writable.
        FrameError: an image that no JPEG can hold.
    """
    size = 0
    if config.depth_every_px:
        png = encode_depth(depth_m, config.depth_every_px, config.depth_error_1m_m)
        _write_whole(depth_path(folder, number), png, config.file_mode)
        size += len(png)
    jpeg = _sealed(encode_color_file(color, config.jpeg_quality))
    try:
        _write_whole(color_path(folder, number), jpeg, config.file_mode)
    except OSError:
        remove_files(depth_path(folder, number))
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


def find_jpeg(folder: Path, number: int, camera: PinholeCamera) -> bytes | None:
    """The stored colour image; None if it is missing, or empty after a power cut.

    Args:
        camera: the image's, which bounds what decoding it takes.

    Raises:
        FrameError: it is no image, or not of the camera's size.
        OSError: it cannot be read, or is no regular file.
    """
    path = color_path(folder, number)
    try:
        jpeg = _read(path)
    except FileNotFoundError:
        return None
    if not jpeg:
        return None
    size = check_file(jpeg, str(path))
    if size != (camera.width, camera.height):
        raise FrameError(
            f"{path} has the size {size}, its camera {camera.width}x{camera.height}: it is damaged"
        )
    if not _is_whole(jpeg):
        raise FrameError(f"{path} is damaged: its checksum is another one")
    return jpeg


def present_images(folder: Path, named: Mapping[int, int]) -> dict[int, int]:
    """The named frames whose image is on disk, with its size."""
    return {n: size for n, size in named.items() if is_regular(color_path(folder, n))}


def remove_frame(folder: Path, number: int) -> None:
    """Delete both files, if they exist; the colour image first, as it is the sign for both.

    Raises:
        OSError: the folder is not writable.
    """
    remove_files(color_path(folder, number), depth_path(folder, number))


def remove_files(*paths: Path) -> None:
    """Delete files of one folder, if they exist.

    Raises:
        OSError: the folder is not writable, or a link.
    """
    with open_folder(paths[0].parent) as opened:
        for path in paths:
            with suppress(FileNotFoundError):
                os.unlink(path.name, dir_fd=opened)


def remove_unnamed(folder: Path, named: Mapping[int, int]) -> dict[int, int]:
    """Delete partial files, which a killed process left, and images that no row names.

    Args:
        named: frames that have an image, with its size.

    Returns:
        The named frames whose image is on disk.

    Raises:
        OSError: the folder cannot be read or written, or is a link.
    """
    found = set()
    with open_folder(folder) as opened, os.scandir(opened) as entries:
        for entry in entries:
            stem, _, suffix = entry.name.partition(".")
            is_image = stem.isdigit() and suffix in ("jpg", "png")
            if suffix.endswith("tmp") or (is_image and int(stem) not in named):
                os.unlink(entry.name, dir_fd=opened)
            elif is_image and suffix == "jpg" and entry.is_file(follow_symlinks=False):
                found.add(int(stem))
    return {number: size for number, size in named.items() if number in found}


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


def _read(path: Path) -> bytes:
    with open_folder(path.parent) as opened:
        return read_regular(path, MOST_IMAGE_BYTES, folder=opened)


def _write_whole(path: Path, data: bytes, mode: int) -> None:
    half = path.with_suffix(path.suffix + ".tmp")
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open_folder(path.parent) as opened:
        with suppress(FileNotFoundError):  # else of a killed process
            os.unlink(half.name, dir_fd=opened)
        try:
            with open(open_regular(half, new, mode=mode, folder=opened), "wb") as file:
                file.write(data)
            os.replace(half.name, path.name, src_dir_fd=opened, dst_dir_fd=opened)
        except OSError:
            with suppress(FileNotFoundError):
                os.unlink(half.name, dir_fd=opened)
            raise


def _sealed(jpeg: bytes) -> bytes:
    """A JPEG with its own checksum in a comment. Readers of JPEGs ignore comments, and do not see
    damage; a PNG has checksums anyway."""
    return b"".join((jpeg[:2], _SEAL.pack(_COMMENT, crc32(jpeg)), jpeg[2:]))


def _is_whole(jpeg: bytes) -> bool:
    end = 2 + _SEAL.size
    if len(jpeg) < end:
        return False
    comment, checksum = _SEAL.unpack_from(jpeg, 2)
    return bool(comment == _COMMENT and checksum == crc32(memoryview(jpeg)[end:], crc32(jpeg[:2])))


def find_depth_image(folder: Path, number: int, camera: PinholeCamera) -> DepthImage | None:
    """The depth of a frame; None if none is stored.

    Args:
        camera: of its colour image.

    Raises:
        FrameError: the file is damaged, or of a size that the colour image cannot have in any
            resolution.
        OSError: it cannot be read.
    """
    path = depth_path(folder, number)
    try:
        png = _read(path)
    except FileNotFoundError:
        return None
    size = find_file_size(png)
    if size is None:
        raise FrameError(f"{path} is no PNG")
    every_px = _every_px(size[::-1], camera)
    depth_m = decode_compressed_depth(png, DEPTH_PNG_FORMAT)
    return DepthImage(depth_m, every_px, camera.subsampled(every_px))


def _every_px(shape: tuple[int, ...], camera: PinholeCamera) -> int:
    """The step n for which every n-th row and column gives this shape. It is inferred because
    `depth_every_px` may have changed since the frame was stored."""
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


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FrameStoreCounts:
    """Image counts since opening: `dropped` when the queue was full, `failed` on disk errors."""

    written: int = 0
    dropped: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class ImageResults:
    """Results of writing images: frame -> size in bytes on disk, and the frames that failed."""

    written: dict[int, int] = field(default_factory=dict)
    failed: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True, eq=False)
class _Image:
    number: int
    color: NDArray[np.uint8]
    depth_m: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Removal:
    numbers: tuple[int, ...]


class FrameStore:
    """A folder of images by frame number, with one writer thread and a bounded queue."""

    def __init__(self, folder: Path, config: StoreConfig) -> None:
        self._folder = folder
        self._config = config
        self._queue: queue.Queue[_Image | _Removal | threading.Event | None] = queue.Queue(
            config.queue_size
        )
        self._counts = FrameStoreCounts()
        self._results = ImageResults()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="frame store", daemon=True)
        self._thread.start()

    @property
    def folder(self) -> Path:
        return self._folder

    @property
    def counts(self) -> FrameStoreCounts:
        with self._lock:
            return self._counts

    def put(self, number: int, color: NDArray[np.uint8], depth_m: NDArray[np.float32]) -> bool:
        """Queue a frame for writing; the arrays must not change afterwards.

        Returns:
            False if the queue is full and the frame was dropped.
        """
        try:
            self._queue.put_nowait(_Image(number, color, depth_m))
        except queue.Full:
            self._count(dropped=1)
            return False
        return True

    def remove(self, numbers: Sequence[int]) -> None:
        """Queue images for deletion, after frames queued before; may wait for room in the queue."""
        self._queue.put(_Removal(tuple(numbers)))

    def take_results(self) -> ImageResults:
        """Results of the images written since the last call."""
        with self._lock:
            results, self._results = self._results, ImageResults()
        return results

    def flush(self) -> None:
        """Wait until all queued frames have been written, or have failed."""
        reached = threading.Event()
        self._queue.put(reached)
        reached.wait()

    def close(self) -> None:
        self._queue.put(None)
        self._thread.join()

    def clear(self) -> None:
        """Remove all images."""
        self.flush()
        self.take_results()
        remove_unnamed(self._folder, {})

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            if isinstance(job, threading.Event):
                job.set()
            elif isinstance(job, _Removal):
                self._remove(job.numbers)
            else:
                self._write(job)

    def _write(self, image: _Image) -> None:
        try:
            written = write_frame(
                self._folder, image.number, image.color, image.depth_m, self._config
            )
        except (OSError, FrameError, cv2.error) as error:
            if self.counts.failed == 0:
                _log.error(
                    "key frame %d was not stored (%s); mapping continues without its image:"
                    " free space at %s",
                    image.number,
                    error,
                    self._folder,
                )
            self._count(failed=1)
            with self._lock:
                self._results.failed.add(image.number)
        else:
            self._count(written=1)
            with self._lock:
                self._results.written[image.number] = written

    def _remove(self, numbers: Sequence[int]) -> None:
        try:
            for number in numbers:
                remove_frame(self._folder, number)
        except OSError as error:
            # No row names them any more: they are deleted when the memory is opened next.
            _log.warning("images that are no longer needed stay for now: %s", error)

    def _count(self, **more: int) -> None:
        with self._lock:
            now = self._counts
            self._counts = replace(now, **{key: getattr(now, key) + n for key, n in more.items()})
