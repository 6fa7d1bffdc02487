"""Photographs that blocks and ids are drawn on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from scenemind.cli.errors import CommandError
from scenemind.cli.memories import read_memory
from scenemind.config import SceneMindConfig
from scenemind.evaluation import EvaluationError
from scenemind.evaluation.visual_retrieval import decode_picture
from scenemind.frames.encodings import encode_color_file
from scenemind.simulation import simulate

Item = TypeVar("Item", int, Path)

_MOST = 200  # of a folder or a memory, evenly chosen
_ROOMS, _VIEWS = 4, 15
_JPEG_QUALITY = 95
_SUFFIXES = (".jpg", ".jpeg", ".png")


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """
    Attributes:
        files: that OpenCV reads, no side of their pictures longer than a sheet's.
        source: where they come from, in words.
        size_px: width and height of the first.
    """

    files: tuple[bytes, ...]
    source: str
    size_px: tuple[int, int]


def open_pictures(name: str, root: Path | None, config: SceneMindConfig) -> Pictures:
    """Of a folder, of a memory, or, where none is named, of simulated rooms.

    Raises:
        CommandError: there is neither, or it has no pictures.
        SceneMemoryError: the memory is damaged, or somebody writes to it.
    """
    longest_px = config.vlm_grounder.longest_px
    if not name:
        return _checked(_simulated(), f"{_ROOMS} simulated rooms", longest_px)
    folder = Path(name)
    if folder.is_dir():
        paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)
        files = {path.name: _read(path) for path in _some(paths)}
        return _checked(files, f"folder {name}", longest_px)
    with read_memory(name, root, config) as memory:
        numbers = _some(memory.stored_frames())
        files = {f"frame {number}": memory.key_frame(number).jpeg for number in numbers}
        return _checked(files, f"memory {name}", longest_px)


def _read(path: Path) -> bytes:
    """
    Raises:
        CommandError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from error


def _checked(files: Mapping[str, bytes], source: str, longest_px: int) -> Pictures:
    """All are looked at before a model is asked about the first, and made as small as a sheet:
    hundreds of a phone's would take a minute and a gigabyte for each request.

    Args:
        files: by what each is called.

    Raises:
        CommandError: there are none, or one that cannot be used.
    """
    if not files:
        raise CommandError(f"{source} has no pictures ({', '.join(_SUFFIXES)} in a folder)")
    fitted: list[bytes] = []
    sizes_px: list[tuple[int, int]] = []
    for name, file in files.items():
        try:
            image = decode_picture(file)
        except EvaluationError as error:
            raise CommandError(f"{source}, {name}: {error}") from error
        scale = longest_px / max(image.shape[:2])
        small = image if scale >= 1.0 else _shrunk(image, scale)
        fitted.append(file if scale >= 1.0 else _jpeg(small))
        sizes_px.append((small.shape[1], small.shape[0]))
    return Pictures(tuple(fitted), source, sizes_px[0])


def _shrunk(image: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def _jpeg(image: NDArray[np.uint8]) -> bytes:
    """Of (H, W, 3) uint8, BGR."""
    _, jpeg = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY))
    return jpeg.tobytes()


def _some(every: Sequence[Item]) -> list[Item]:
    chosen = np.linspace(0, len(every) - 1, min(len(every), _MOST)).round().astype(int)
    return [every[place] for place in chosen]


def _simulated() -> dict[str, bytes]:
    return {
        f"view {number} of room {seed}": encode_color_file(frame.color)
        for seed in range(1, _ROOMS + 1)
        for number, frame in enumerate(simulate(seed, _VIEWS), start=1)
    }
