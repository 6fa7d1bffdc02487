"""A coloured surface, and coarser ones of it."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.surface import SurfaceMesh

SIDE = 41  # vertices, 2.5 cm apart: 1 m


def plane() -> SurfaceMesh:
    """A metre of floor, red on the left and an object's on the right."""
    x, y = (axis.ravel() for axis in np.meshgrid(np.linspace(0, 1, SIDE), np.linspace(0, 1, SIDE)))
    vertices = np.column_stack((x, y, np.zeros(SIDE * SIDE))).astype(np.float32)
    at = (np.arange(SIDE - 1)[:, None] * SIDE + np.arange(SIDE - 1)).ravel()
    triangles = np.concatenate(
        [
            np.column_stack((at, at + 1, at + SIDE + 1)),
            np.column_stack((at, at + SIDE + 1, at + SIDE)),
        ]
    )
    right = x > 0.5
    rgb = np.where(right[:, None], (0, 0, 255), (255, 0, 0)).astype(np.uint8)
    ids = np.where(right, 7, -1).astype(np.int32)
    return SurfaceMesh(
        vertices, triangles.astype(np.int32), rgb, ids, {7: "rug", -1: "floor"}, 0.02
    )


def area_m2(mesh: SurfaceMesh) -> float:
    a, b, c = mesh.vertices[mesh.triangles].transpose(1, 0, 2)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0)


@pytest.mark.parametrize("most", [2000, 500, 100])
def test_thinned_surface_is_the_same_place_with_fewer_triangles(most: int) -> None:
    mesh = plane().thinned(most)
    assert 0 < len(mesh.triangles) <= most
    assert area_m2(mesh) == pytest.approx(1.0, abs=0.3)
    assert np.abs(mesh.vertices[:, 2]).max() == 0.0
    a, b, c = mesh.vertices[mesh.triangles].transpose(1, 0, 2)
    assert (np.cross(b - a, c - a)[:, 2] > 0.0).all(), "all still face up"
    assert dict(mesh.labels) == {7: "rug", -1: "floor"}
    left = mesh.vertices[:, 0] < 0.5 - mesh.voxel_m
    assert (mesh.object_ids[left] == -1).all()
    assert (mesh.rgb[left] == (255, 0, 0)).all()


def test_surface_that_is_small_enough_stays() -> None:
    mesh = plane()
    assert mesh.thinned(len(mesh.triangles)) is mesh


def test_normals_point_to_the_side_from_which_triangles_turn_left() -> None:
    assert np.allclose(plane().normals(), (0.0, 0.0, 1.0), atol=1e-6)


def test_a_part_has_the_triangles_between_kept_vertices() -> None:
    mesh = plane()
    right = mesh.part(mesh.vertices[:, 0] > 0.5)
    assert area_m2(right) == pytest.approx(0.5 - 1 / 40, abs=1e-3)
    assert (right.vertices[:, 0] > 0.5).all()
    assert dict(right.labels) == {7: "rug"}
    assert len(mesh.part(np.zeros(len(mesh.vertices), np.bool_)).triangles) == 0
