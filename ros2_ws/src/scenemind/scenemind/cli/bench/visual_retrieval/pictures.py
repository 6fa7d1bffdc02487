"""Photographs that blocks and ids are drawn on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

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
        return _checked({path.name: _read(path) for path in _some(paths)}, f"folder {name}")
    with read_memory(name, root, config) as memory:
        numbers = _some(memory.stored_frames())
        files = {f"frame {number}": memory.key_frame(number).jpeg for number in numbers}
        return _checked(files, f"memory {name}")


def _read(path: Path) -> bytes:
    """
    Raises:
        CommandError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from error


def _checked(files: Mapping[str, bytes], source: str) -> Pictures:
    """All are looked at before a model is asked about the first.

    Args:
        files: by what each is called.

    Raises:
        CommandError: there are none, or one that cannot be used.
    """
    if not files:
        raise CommandError(f"{source} has no pictures ({', '.join(_SUFFIXES)} in a folder)")
    sizes_px: list[tuple[int, int]] = []
    for name, file in files.items():
        try:
            height, width = decode_picture(file).shape[:2]
        except EvaluationError as error:
            raise CommandError(f"{source}, {name}: {error}") from error
        sizes_px.append((width, height))
    return Pictures(tuple(files.values()), source, sizes_px[0])


def _some(every: Sequence[Item]) -> list[Item]:
    chosen = np.linspace(0, len(every) - 1, min(len(every), _MOST)).round().astype(int)
    return [every[place] for place in chosen]


def _simulated() -> dict[str, bytes]:
    return {
        f"view {number} of room {seed}": encode_color_file(frame.color)
        for seed in range(1, _ROOMS + 1)
        for number, frame in enumerate(simulate(seed, _VIEWS), start=1)
    }
