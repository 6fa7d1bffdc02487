"""Meshes of a place as PLY and GLB files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from scenemind.errors import ExchangeError
from scenemind.surface import SurfaceMesh

_LABEL_LENGTH = 60
_VERTEX = np.dtype(
    [
        *((axis, "<f4") for axis in "xyz"),
        *((channel, "u1") for channel in ("red", "green", "blue")),
        ("object_id", "<i4"),
    ]
)
_FACE = np.dtype([("count", "u1"), ("vertices", "<i4", (3,))])
_FLOAT, _UINT, _USHORT = 5126, 5125, 5123  # glTF 2.0, section 3.6.2.2
_VERTICES, _INDICES = 34962, 34963
_UNLIT = "KHR_materials_unlit"
_UPRIGHT = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]  # glTF is y up


def encode_mesh(mesh: SurfaceMesh, path: Path) -> bytes:
    """The content of a file, by its suffix: .ply or .glb.

    Raises:
        ExchangeError: another suffix.
    """
    return mesh_to_ply(mesh) if mesh_suffix(path) == ".ply" else mesh_to_glb(mesh)


def mesh_suffix(path: Path) -> str:
    """The suffix of a file of a mesh.

    Raises:
        ExchangeError: another suffix.
    """
    if path.suffix in (".ply", ".glb"):
        return path.suffix
    raise ExchangeError(f"{path.name} is no mesh file: a mesh is written as .ply or .glb")


def mesh_to_ply(mesh: SurfaceMesh) -> bytes:
    """Binary PLY, little-endian: position, colour and `object_id` of each vertex, triangles.

    A comment names the label of each id.
    """
    rows = np.empty(len(mesh.vertices), _VERTEX)
    for axis, name in enumerate("xyz"):
        rows[name] = mesh.vertices[:, axis]
    for channel, name in enumerate(("red", "green", "blue")):
        rows[name] = mesh.rgb[:, channel]
    rows["object_id"] = mesh.object_ids
    faces = np.empty(len(mesh.triangles), _FACE)
    faces["count"], faces["vertices"] = 3, mesh.triangles
    header = [
        "ply",
        "format binary_little_endian 1.0",
        "comment metres, world, z up",
        *(f"comment object {i} {json.dumps(t[:_LABEL_LENGTH])}" for i, t in mesh.labels.items()),
        f"element vertex {len(rows)}",
        *(f"property float {axis}" for axis in "xyz"),
        *(f"property uchar {channel}" for channel in ("red", "green", "blue")),
        "property int object_id",
        f"element face {len(faces)}",
        "property list uchar int vertex_indices",
        "end_header\n",
    ]
    return "\n".join(header).encode("ascii") + rows.tobytes() + faces.tobytes()


def mesh_to_glb(mesh: SurfaceMesh, *, is_unlit: bool = False) -> bytes:
    """Binary glTF 2.0, y up by its node: position, linear colour and `_OBJECT_ID` of each vertex.

    `extras.labels` of the mesh has the label of each id.

    Args:
        is_unlit: to be drawn in the colours that it was seen in, which hold the light of the place.
            Some programs (trimesh) do not read the colours of what has a material.
    """
    srgb = mesh.rgb / 255.0
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    rgba = np.full((len(srgb), 4), 65535, "<u2")
    rgba[:, :3] = np.rint(linear * 65535.0)
    low, high = mesh.vertices.min(axis=0).tolist(), mesh.vertices.max(axis=0).tolist()
    columns = [
        (mesh.vertices.astype("<f4"), _FLOAT, "VEC3", {"min": low, "max": high}),
        (rgba, _USHORT, "VEC4", {"normalized": True}),
        (mesh.object_ids.astype("<f4"), _FLOAT, "SCALAR", {}),
        (mesh.triangles.astype("<u4").ravel(), _UINT, "SCALAR", {}),
    ]
    views: list[dict[str, object]] = []
    accessors: list[dict[str, object]] = []
    start = 0
    for values, component, kind, more in columns:
        target = _INDICES if component == _UINT else _VERTICES
        size = values.nbytes
        views.append({"buffer": 0, "byteOffset": start, "byteLength": size, "target": target})
        accessors.append(
            {
                "bufferView": len(accessors),
                "componentType": component,
                "count": len(values),
                "type": kind,
                **more,
            }
        )
        start += size
    part: dict[str, object] = {
        "attributes": {"POSITION": 0, "COLOR_0": 1, "_OBJECT_ID": 2},
        "indices": 3,
    }
    labels = {str(number): label for number, label in mesh.labels.items()}
    document: dict[str, object] = {
        "asset": {"version": "2.0", "generator": "SceneMind"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "rotation": _UPRIGHT}],
        "meshes": [{"primitives": [part], "extras": {"labels": labels}}],
        "buffers": [{"byteLength": start}],
        "bufferViews": views,
        "accessors": accessors,
    }
    if is_unlit:
        part["material"] = 0
        document["materials"] = [{"extensions": {_UNLIT: {}}}]
        document["extensionsUsed"] = [_UNLIT]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    data = b"".join(values.tobytes() for values, *_ in columns)  # each a multiple of four bytes
    sizes = np.array([2, 28 + len(text) + len(data), len(text)], "<u4").tobytes()
    body = np.array([len(data)], "<u4").tobytes() + b"BIN\0" + data
    return b"glTF" + sizes + b"JSON" + text + body
