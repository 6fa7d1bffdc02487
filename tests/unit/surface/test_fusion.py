"""The surface of a simulated room lies on its walls, and its vertices know their objects."""

from __future__ import annotations

import io
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import scenemind as sm
from scenemind.exchange import ExchangeError
from scenemind.exchange.mesh_file import mesh_to_glb, mesh_to_ply
from scenemind.geometry.open3d import MissingOpen3DError
from scenemind.simulation import simulate
from scenemind.surface import SurfaceError, SurfaceMesh

SEED, FRAMES = 1, 100


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("surface") / "room"
    with sm.map(simulate(SEED, FRAMES), folder) as scene:
        yield scene


@pytest.fixture(scope="module")
def mesh(open3d: ModuleType, scene: sm.Scene) -> SurfaceMesh:  # noqa: ARG001
    return scene.mesh()


@pytest.mark.extras
def test_vertices_lie_on_the_walls_and_the_floor(mesh: SurfaceMesh) -> None:
    """Closed form: within 6 cm of a plane of the room, the median distance is below a voxel."""
    half_x, half_y = (side / 2.0 for side in simulate(SEED, 1).room_at(0).size[:2])
    x, y, z = mesh.vertices.T
    gaps = {"floor": np.abs(z), "x": half_x - np.abs(x), "y": half_y - np.abs(y)}
    for name, gap in gaps.items():
        near = np.abs(gap[np.abs(gap) < 0.06])
        assert len(near) > 1000, name
        assert np.median(near) < mesh.voxel_m, name


@pytest.mark.extras
def test_vertices_of_an_object_lie_in_the_true_box_of_its_kind(
    scene: sm.Scene, mesh: SurfaceMesh
) -> None:
    true = simulate(SEED, 1).room_at(0).objects
    owned = mesh.object_ids[mesh.object_ids > 0]
    assert len(owned) > 5000
    right = 0
    for object_id in np.unique(owned).tolist():
        own = mesh.vertices[mesh.object_ids == object_id]
        assert mesh.labels[object_id] == scene.snapshot.objects[object_id].label
        inside = np.zeros(len(own), np.bool_)
        for item in true:
            if item.label == mesh.labels[object_id]:
                low, high = item.box.bounds()
                inside |= ((own > low - 0.05) & (own < high + 0.05)).all(axis=1)
        right += int(inside.sum())
    assert right / len(owned) > 0.9


@pytest.mark.extras
def test_the_same_memory_gives_the_same_surface(scene: sm.Scene, mesh: SurfaceMesh) -> None:
    again = scene.mesh()
    assert len(again.vertices) == len(mesh.vertices)
    assert np.abs(again.vertices - mesh.vertices).max() < 1e-4
    assert (again.triangles == mesh.triangles).all()


@pytest.mark.extras
def test_a_place_without_depth_has_no_surface(open3d: ModuleType) -> None:  # noqa: ARG001
    with sm.create() as empty, pytest.raises(SurfaceError, match="no stored frame has depth"):
        empty.mesh()


def test_without_open3d_the_error_says_what_to_type(
    scene: sm.Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingOpen3DError, match="-m pip install"):
        scene.mesh()


def test_another_suffix_is_refused_before_the_work(scene: sm.Scene, tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match=r"\.ply or \.glb"):
        scene.mesh(tmp_path / "room.obj")


@pytest.mark.parametrize("kind", ["ply", "glb"])
def test_files_open_in_another_program_with_colours_and_ids(kind: str) -> None:
    trimesh = pytest.importorskip("trimesh")
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)], np.float32)
    faces = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], np.int32)
    rgb = np.array([(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)], np.uint8)
    ids = np.array([0, 7, -1, 7], np.int32)
    mesh = SurfaceMesh(corners, faces, rgb, ids, {7: "cup", -1: "floor"}, 0.02)
    data = mesh_to_ply(mesh) if kind == "ply" else mesh_to_glb(mesh)
    read = trimesh.load(io.BytesIO(data), file_type=kind, process=False, force="mesh")
    y_up = corners if kind == "ply" else corners[:, [0, 2, 1]] * (1, 1, -1)
    assert np.allclose(read.vertices, y_up, atol=1e-6)
    assert len(read.faces) == 4
    colors = np.asarray(read.visual.vertex_colors)[:, :3]
    assert (colors / colors.max() == rgb / 255).all()  # full and empty channels: linear as in sRGB
    assert (b"object_id" if kind == "ply" else b"_OBJECT_ID") in data
