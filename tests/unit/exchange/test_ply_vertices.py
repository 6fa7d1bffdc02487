"""Vertices of PLY files, as others write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from scenemind.exchange.errors import ExchangeError
from scenemind.exchange.ply_vertices import read_vertices

from .scannet_scan import VERTICES, mesh


@pytest.mark.parametrize("encoding", ["binary", "ascii"])
def test_what_trimesh_writes(tmp_path: Path, encoding: str) -> None:
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    colors = np.arange(32, dtype=np.uint8).reshape(8, 4)
    box.visual = trimesh.visual.ColorVisuals(box, vertex_colors=colors)
    box.export(tmp_path / "box.ply", encoding=encoding, vertex_normal=True)
    found = read_vertices(tmp_path / "box.ply")
    assert np.allclose(found.points, box.vertices)
    assert np.array_equal(found.rgb, colors[:, :3])


def test_big_endian(tmp_path: Path) -> None:
    data = mesh(VERTICES)
    header, _, _ = data.partition(b"end_header\n")
    kind = [*((name, ">f4") for name in "xyz"), *((name, "u1") for name in "rgba")]
    rows = np.array([(*vertex, 255) for vertex in VERTICES], kind)
    swapped = header.replace(b"little", b"big") + b"end_header\n" + rows.tobytes()
    (tmp_path / "a.ply").write_bytes(swapped)
    found = read_vertices(tmp_path / "a.ply")
    assert np.array_equal(found.points, [vertex[:3] for vertex in VERTICES])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"ply\n", b"off\n", 'does not begin with "ply"'),
        (b"binary_little_endian", b"binary_mixed", "its format is 'binary_mixed'"),
        (b"end_header\n", b"", "its header has no end"),
        (b"element vertex", b"element edge", "vertices are not its first element"),
        (b"property uchar red\n", b"property uchar rot\n", "vertices have no red"),
        (b"property float x", b"property list uchar int x", "the property 'list uchar int x'"),
        (b"element vertex 6", b"element vertex 60", "cut short"),
        (b"element vertex 6", b"element vertex six", "invalid literal"),
    ],
)
def test_what_is_no_such_file(tmp_path: Path, old: bytes, new: bytes, words: str) -> None:
    (tmp_path / "a.ply").write_bytes(mesh(VERTICES).replace(old, new, 1))
    with pytest.raises(ExchangeError, match=words):
        read_vertices(tmp_path / "a.ply")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match="cannot be read"):
        read_vertices(tmp_path / "a.ply")
