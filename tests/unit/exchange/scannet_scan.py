"""Files of a ScanNet scan's annotations, byte for byte as the data set's README describes them."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

HEADER = """ply
format {format} 1.0
comment VCGLIB generated
element vertex {count}
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
property uchar alpha
element face 1
property list uchar int vertex_indices
end_header
"""
# Vertices x, y, z, red, green, blue: a chair of two segments, a table of one, and one of neither.
VERTICES = [
    (0.0, 0.0, 0.0, 10, 20, 30),
    (1.0, 0.0, 0.0, 20, 30, 40),
    (0.0, 2.0, 0.5, 30, 40, 51),
    (4.0, 4.0, 1.0, 200, 100, 0),
    (5.0, 4.5, 1.0, 201, 100, 0),
    (9.0, 9.0, 9.0, 0, 0, 0),
]
SEGMENTS = [7, 7, 3, 12, 12, 40]
GROUPS = [
    {"id": 1, "objectId": 1, "segments": [12], "label": "coffee table"},
    {"id": 0, "objectId": 0, "segments": [3, 7], "label": "chair"},
]
# A quarter turn about z: x becomes y, y becomes -x; then 10 along x.
ALIGNMENT = "0.0 -1.0 0.0 10.0 1.0 0.0 0.0 0.0 0.0 0.0 1.0 0.0 0.0 0.0 0.0 1.0"


def mesh(vertices: list[tuple[Any, ...]], layout: str = "binary_little_endian") -> bytes:
    """A mesh with a face, which is not read."""
    header = HEADER.format(format=layout, count=len(vertices)).encode()
    if layout == "ascii":
        lines = [" ".join(map(str, (*vertex, 255))) for vertex in vertices]
        return header + "\n".join([*lines, "3 0 1 2"]).encode() + b"\n"
    rows = [struct.pack("<fffBBBB", *vertex, 255) for vertex in vertices]
    return header + b"".join(rows) + struct.pack("<Biii", 3, 0, 1, 2)


def write_scan(scans: Path, name: str = "scene0011_00", **changes: Any) -> Path:
    """A scan's folder; `changes` of `vertices`, `layout`, `segments`, `groups` or `alignment`."""
    folder = scans / name
    folder.mkdir(parents=True)
    data = mesh(changes.get("vertices", VERTICES), changes.get("layout", "binary_little_endian"))
    (folder / f"{name}_vh_clean_2.ply").write_bytes(data)
    segments = {
        "params": {"kThresh": "0.0001", "segMinVerts": "20"},
        "sceneId": name,
        "segIndices": changes.get("segments", SEGMENTS),
    }
    (folder / f"{name}_vh_clean_2.0.010000.segs.json").write_text(json.dumps(segments))
    aggregation = {
        "sceneId": f"scannet.{name}",
        "appId": "Aggregator.v2",
        "segGroups": changes.get("groups", GROUPS),
        "segmentsFile": f"scannet.{name}_vh_clean_2.0.010000.segs.json",
    }
    (folder / f"{name}.aggregation.json").write_text(json.dumps(aggregation))
    alignment = changes.get("alignment", ALIGNMENT)
    line = f"axisAlignment = {alignment} \n" if alignment else ""
    (folder / f"{name}.txt").write_text(f"{line}colorHeight = 968\nsceneType = Office\n")
    return folder
