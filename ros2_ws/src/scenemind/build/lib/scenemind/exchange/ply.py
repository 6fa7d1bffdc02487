"""PLY files: writing the objects of a memory, reading the vertices of a mesh."""

from __future__ import annotations

import colorsys
import json
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import ExchangeError
from scenemind.memory import MapObject

# Some readers accept no longer lines in a header.
_LABEL_LENGTH = 60
_GOLDEN_ANGLE = 0.381966
# Name -> type as PLY calls it.
_PROPERTIES = {
    **dict.fromkeys("xyz", "float"),
    **dict.fromkeys(("red", "green", "blue"), "uchar"),
    "object_id": "int",
}
_WRITTEN_TYPES = {"float": "<f4", "uchar": "u1", "int": "<i4"}
_VERTEX = np.dtype([(name, _WRITTEN_TYPES[kind]) for name, kind in _PROPERTIES.items()])
_FACE = np.dtype([("count", "u1"), ("vertices", "<i4", (3,))])
# Of `Box3D.corners`, counter-clockwise from outside.
_BOX_TRIANGLES = np.array(
    [(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7)]
    + [t for i, j in ((0, 1), (1, 2), (2, 3), (3, 0)) for t in ((i, j, j + 4), (i, j + 4, i + 4))],
    dtype="<i4",
)
_READ_TYPES = {
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


def objects_to_ply(objects: Collection[MapObject]) -> bytes:
    """The content of a binary PLY file (little-endian) with the objects' points and boxes."""
    vertices, faces, count = [], [], 0
    for thing in objects:
        has_points = len(thing.points) > 0
        own = _vertices(thing, thing.points if has_points else thing.yaw_box.corners())
        if not has_points:
            faces.append(_BOX_TRIANGLES + count)
        vertices.append(own)
        count += len(own)
    triangles = np.concatenate(faces) if faces else np.zeros((0, 3), "<i4")
    face_rows = np.empty(len(triangles), _FACE)
    face_rows["count"], face_rows["vertices"] = 3, triangles
    header = _written_header(objects, count, len(triangles))
    return b"".join([header.encode("ascii"), *(v.tobytes() for v in vertices), face_rows.tobytes()])


def object_rgb(object_id: int) -> tuple[int, int, int]:
    """Colour of an object in the file: bright, and unlike those of the ids before it."""
    lightness = (0.45, 0.6)[object_id % 2]
    red, green, blue = colorsys.hls_to_rgb(object_id * _GOLDEN_ANGLE % 1.0, lightness, 0.75)
    return round(red * 255), round(green * 255), round(blue * 255)


def _vertices(thing: MapObject, places: NDArray[np.floating]) -> NDArray[np.void]:
    rows = np.empty(len(places), _VERTEX)
    for axis, name in enumerate("xyz"):
        rows[name] = places[:, axis]
    rows["red"], rows["green"], rows["blue"] = object_rgb(thing.object_id)
    rows["object_id"] = thing.object_id
    return rows


def _written_header(objects: Collection[MapObject], vertices: int, faces: int) -> str:
    lines = [
        "ply",
        "format binary_little_endian 1.0",
        "comment metres, world, z up",
        *(f"comment object {o.object_id} {json.dumps(o.label[:_LABEL_LENGTH])}" for o in objects),
        f"element vertex {vertices}",
        *(f"property {kind} {name}" for name, kind in _PROPERTIES.items()),
        f"element face {faces}",
        "property list uchar int vertex_indices",
        "end_header",
    ]
    return "\n".join(lines) + "\n"


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
    """Vertices of a PLY file, ascii or binary; faces are not read.

    Raises:
        ExchangeError: the file cannot be read, is no PLY file, is truncated, or its vertices have
            no position or colour, or one that is not finite.
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
    lines = _read_header(file)
    layout = next((words[1] for words in lines if words[0] == "format"), "")
    if layout not in _BYTE_ORDERS:
        raise ValueError(f"its format is {layout!r}")
    count, kind = _vertex_element(lines, _BYTE_ORDERS[layout])
    if not 0 <= count <= os.fstat(file.fileno()).st_size:  # a vertex takes some bytes
        raise ValueError(f"it cannot hold {count} vertices")
    if layout == "ascii":
        return np.atleast_1d(np.loadtxt(file, kind, max_rows=count)) if count else np.empty(0, kind)
    data = file.read(count * kind.itemsize)
    if len(data) != count * kind.itemsize:
        raise ValueError("it was cut short")
    return np.frombuffer(data, kind)


def _read_header(file: BufferedReader) -> list[list[str]]:
    """The lines of the header, split into words, without comments."""
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
    """The number of vertices, and the type of a vertex."""
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
        if len(words) != 3 or words[1] not in _READ_TYPES:
            raise ValueError(f"vertices have the property {' '.join(words[1:])!r}")
        yield words[2], byte_order + _READ_TYPES[words[1]]
