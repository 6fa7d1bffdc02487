"""PLY files, written and read."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

from scenemind.errors import ExchangeError
from scenemind.exchange import object_rgb, objects_to_ply
from scenemind.exchange.ply import read_vertices
from tests.unit.exchange.scannet_scan import VERTICES, mesh
from tests.unit.memory.things import surface_points, thing

POINTS = surface_points((1.0, 2.0, 0.4), (1.2, 0.8, 0.8), 50, seed=0)
TABLE = replace(thing(3, "table", (1.0, 2.0, 0.4), (1.2, 0.8, 0.8)), points=POINTS)
CRATE = thing(8, "crate", (-3.0, 0.0, 0.5), (1.0, 2.0, 1.0))


def read(*objects) -> trimesh.Geometry:
    return trimesh.load(
        io.BytesIO(objects_to_ply(objects)), file_type="ply", process=False, skip_materials=True
    )


def test_points_have_their_places_and_the_colour_of_their_object() -> None:
    cloud = read(TABLE)
    assert cloud.vertices == pytest.approx(POINTS)
    assert {tuple(color[:3]) for color in cloud.colors.tolist()} == {object_rgb(3)}


def test_objects_without_points_are_written_as_boxes() -> None:
    mesh = read(CRATE)
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(CRATE.box.volume)  # negative where faces look inward
    assert mesh.bounds == pytest.approx(np.array(CRATE.box.bounds()))


def test_points_and_boxes_in_one_file() -> None:
    mesh = read(TABLE, CRATE)
    assert len(mesh.vertices) == len(POINTS) + 8
    assert mesh.triangles.reshape(-1, 3).min(axis=0) == pytest.approx(CRATE.box.bounds()[0])


def test_the_header_names_the_objects_in_ascii() -> None:
    header = objects_to_ply([replace(CRATE, label="caisse\né" + "x" * 10_000)]).split(b"end_header")
    lines = header[0].decode("ascii").splitlines()
    (comment,) = [line for line in lines if "object 8" in line]
    assert comment.startswith('comment object 8 "caisse\\n\\u00e9xx')
    assert max(map(len, lines)) < 200


def test_ids_differ_in_colour() -> None:
    colors = np.array([object_rgb(i) for i in range(12)], dtype=float)
    apart = np.linalg.norm(colors[:, None] - colors[None], axis=-1)
    assert apart[~np.eye(12, dtype=bool)].min() > 30.0


def test_empty_scene_is_an_empty_file() -> None:
    assert b"element vertex 0\n" in objects_to_ply([])


@pytest.mark.parametrize("encoding", ["binary", "ascii"])
def test_files_of_trimesh_are_read(tmp_path: Path, encoding: str) -> None:
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
def test_other_files_are_refused(tmp_path: Path, old: bytes, new: bytes, words: str) -> None:
    (tmp_path / "a.ply").write_bytes(mesh(VERTICES).replace(old, new, 1))
    with pytest.raises(ExchangeError, match=words):
        read_vertices(tmp_path / "a.ply")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match="cannot be read"):
        read_vertices(tmp_path / "a.ply")
