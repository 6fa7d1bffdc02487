"""Photographs that blocks and ids are drawn on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np

from scenemind.cli.errors import CommandError
from scenemind.cli.memories import read_memory
from scenemind.config import SceneMindConfig
from scenemind.simulation import simulate

Item = TypeVar("Item", int, Path)

_MOST = 200  # of a folder or a memory, evenly chosen
_ROOMS, _VIEWS = 4, 15
_SUFFIXES = (".jpg", ".jpeg", ".png")


@dataclass(frozen=True, slots=True, eq=False)
class Pictures:
    """
    Attributes:
        files: that OpenCV reads.
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
    if not name:
        return _checked(_simulated(), f"{_ROOMS} simulated rooms")
    folder = Path(name)
    if folder.is_dir():
        paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)
        return _checked([path.read_bytes() for path in _some(paths)], f"folder {name}")
    with read_memory(name, root, config) as memory:
        numbers = _some(memory.stored_frames())
        return _checked([memory.key_frame(n).jpeg for n in numbers], f"memory {name}")


def _checked(files: Sequence[bytes], source: str) -> Pictures:
    """
    Raises:
        CommandError: there are none, or one that cannot be decoded.
    """
    if not files:
        raise CommandError(f"{source} has no pictures ({', '.join(_SUFFIXES)} in a folder)")
    sizes: list[tuple[int, int]] = []
    for number, file in enumerate(files, start=1):
        flags = cv2.IMREAD_REDUCED_COLOR_8 if sizes else cv2.IMREAD_COLOR
        image = cv2.imdecode(np.frombuffer(file, np.uint8), flags) if file else None
        if image is None:
            raise CommandError(f"{source}: picture {number} of {len(files)} cannot be decoded")
        sizes.append((image.shape[1], image.shape[0]))
    return Pictures(tuple(files), source, sizes[0])


def _some(every: Sequence[Item]) -> list[Item]:
    chosen = np.linspace(0, len(every) - 1, min(len(every), _MOST)).round().astype(int)
    return [every[place] for place in chosen]


def _simulated() -> list[bytes]:
    return [
        cv2.imencode(".jpg", frame.color[..., ::-1])[1].tobytes()
        for seed in range(1, _ROOMS + 1)
        for frame in simulate(seed, _VIEWS)
    ]
