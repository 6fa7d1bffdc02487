"""PLY files as another reader sees them."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
import trimesh

from scenemind.exchange import object_rgb, objects_to_ply
from tests.unit.memory.things import surface_points, thing

POINTS = surface_points((1.0, 2.0, 0.4), (1.2, 0.8, 0.8), 50, seed=0)
TABLE = replace(thing(3, "table", (1.0, 2.0, 0.4), (1.2, 0.8, 0.8)), points=POINTS)
CRATE = thing(8, "crate", (-3.0, 0.0, 0.5), (1.0, 2.0, 1.0))


def read(*objects) -> trimesh.Geometry:
    return trimesh.load(
        io.BytesIO(objects_to_ply(objects)), file_type="ply", process=False, skip_materials=True
    )


def test_points_lie_where_they_are_in_the_colour_of_their_object() -> None:
    cloud = read(TABLE)
    assert cloud.vertices == pytest.approx(POINTS)
    assert {tuple(color[:3]) for color in cloud.colors.tolist()} == {object_rgb(3)}


def test_what_has_no_points_is_its_box() -> None:
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


def test_nothing_is_an_empty_file() -> None:
    assert b"element vertex 0\n" in objects_to_ply([])
