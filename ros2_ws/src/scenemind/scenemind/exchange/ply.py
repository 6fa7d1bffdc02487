"""The objects as a PLY file (binary, little-endian), each in a colour of its own.

What has surface points is drawn by them; what has none by the twelve triangles of its box. The
vertex property `object_id` says whose a vertex is, and comments in the header what it is.
"""

from __future__ import annotations

import colorsys
import json
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import MapObject

# Some readers take no longer lines in a header.
_LABEL_LENGTH = 60
_GOLDEN_ANGLE = 0.381966
# Name -> type as PLY calls it.
_PROPERTIES = {
    **dict.fromkeys("xyz", "float"),
    **dict.fromkeys(("red", "green", "blue"), "uchar"),
    "object_id": "int",
}
_TYPES = {"float": "<f4", "uchar": "u1", "int": "<i4"}
_VERTEX = np.dtype([(name, _TYPES[kind]) for name, kind in _PROPERTIES.items()])
_FACE = np.dtype([("count", "u1"), ("vertices", "<i4", (3,))])
# Of `Box3D.corners`, counter-clockwise from outside.
_BOX_TRIANGLES = np.array(
    [(0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7)]
    + [t for i, j in ((0, 1), (1, 2), (2, 3), (3, 0)) for t in ((i, j, j + 4), (i, j + 4, i + 4))],
    dtype="<i4",
)


def objects_to_ply(objects: Collection[MapObject]) -> bytes:
    """The file's content."""
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
    header = _header(objects, count, len(triangles))
    return b"".join([header.encode("ascii"), *(v.tobytes() for v in vertices), face_rows.tobytes()])


def object_rgb(object_id: int) -> tuple[int, int, int]:
    """The object's colour in the file: bright, and far from those of the ids before."""
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


def _header(objects: Collection[MapObject], vertices: int, faces: int) -> str:
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
