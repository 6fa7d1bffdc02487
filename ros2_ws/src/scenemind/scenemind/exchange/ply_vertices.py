"""Vertices of a PLY file: places and colours, ascii or binary. Faces are not read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.exchange.errors import ExchangeError

_TYPES = {
    **dict.fromkeys(("char", "int8"), "i1"),
    **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"),
    **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"),
    **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"),
    **dict.fromkeys(("double", "float64"), "f8"),
}
_BYTE_ORDERS = {"ascii": "=", "binary_little_endian": "<", "binary_big_endian": ">"}
_LONGEST_HEADER = 1000  # lines
_NEEDED = ("x", "y", "z", "red", "green", "blue")


@dataclass(frozen=True, slots=True, eq=False)
class Vertices:
    """
    Attributes:
        points: (N, 3) float64, metres where the file has them.
        rgb: (N, 3) uint8.
    """

    points: NDArray[np.float64]
    rgb: NDArray[np.uint8]


def read_vertices(path: Path) -> Vertices:
    """
    Raises:
        ExchangeError: the file cannot be read, is no PLY file, was cut short, or its vertices have
            no place or no colour, or one that is not finite.
    """
    try:
        with path.open("rb") as file:
            rows = _rows(file)
    except OSError as error:
        raise ExchangeError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError) as error:
        raise ExchangeError(f"{path} is no PLY file with coloured vertices: {error}") from error
    points = np.stack([rows[name] for name in "xyz"], axis=-1).astype(np.float64)
    if not np.isfinite(points).all():
        raise ExchangeError(f"{path} is damaged: a vertex is at NaN or infinity")
    return Vertices(
        points,
        np.stack([rows[name] for name in ("red", "green", "blue")], axis=-1).astype(np.uint8),
    )


def _rows(file: BufferedReader) -> NDArray[np.void]:
    """The vertex element as a structured array."""
    lines = _header(file)
    layout = next((words[1] for words in lines if words[0] == "format"), "")
    if layout not in _BYTE_ORDERS:
        raise ValueError(f"its format is {layout!r}")
    count, kind = _vertex_element(lines, _BYTE_ORDERS[layout])
    if layout == "ascii":
        return np.atleast_1d(np.loadtxt(file, kind, max_rows=count)) if count else np.empty(0, kind)
    data = file.read(count * kind.itemsize)
    if len(data) != count * kind.itemsize:
        raise ValueError("it was cut short")
    return np.frombuffer(data, kind)


def _header(file: BufferedReader) -> list[list[str]]:
    """Its lines in words, those of comments aside."""
    if file.readline().strip() != b"ply":
        raise ValueError('it does not begin with "ply"')
    lines: list[list[str]] = []
    for _ in range(_LONGEST_HEADER):
        words = file.readline(_LONGEST_HEADER).decode("ascii", errors="replace").split()
        if words == ["end_header"]:
            return lines
        if len(words) > 1 and words[0] != "comment":
            lines.append(words)
    raise ValueError("its header has no end")


def _vertex_element(lines: list[list[str]], byte_order: str) -> tuple[int, np.dtype[np.void]]:
    """How many vertices there are, and what each is."""
    elements = [at for at, words in enumerate(lines) if words[0] == "element"]
    if not elements or lines[elements[0]][1:2] != ["vertex"]:
        raise ValueError("vertices are not its first element")
    end = elements[1] if len(elements) > 1 else len(lines)
    kind = np.dtype(list(_fields(lines[elements[0] + 1 : end], byte_order)))
    missing = [name for name in _NEEDED if name not in (kind.names or ())]
    if missing:
        raise ValueError(f"vertices have no {', '.join(missing)}")
    return int(lines[elements[0]][2]), kind


def _fields(lines: list[list[str]], byte_order: str) -> Iterator[tuple[str, str]]:
    for words in lines:
        if words[0] != "property":
            continue
        if len(words) != 3 or words[1] not in _TYPES:
            raise ValueError(f"vertices have the property {' '.join(words[1:])!r}")
        yield words[2], byte_order + _TYPES[words[1]]
