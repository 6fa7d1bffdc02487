"""A coloured surface whose vertices name the objects that they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from scenemind.geometry import Box3D
from scenemind.geometry.points import voxel_keys
from scenemind.memory import MemorySnapshot

_LEAST_CELL_M, _CELL_GROWTH = 0.01, 1.3  # of a grid in which vertices are joined
_REACH_M = 0.04  # of an object's surface sample, which has a point every 3 cm
_SLACK_M = 0.03  # boxes are that inexact
_ON_PLANE_M = 0.05  # of floor, wall and ceiling, whose boxes are thin


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceMesh:
    """
    Attributes:
        vertices: (N, 3) float32, world, metres, z up.
        triangles: (T, 3) int32, counter-clockwise from outside.
        rgb: (N, 3) uint8, sRGB.
        object_ids: (N,) int32: the object of a vertex; negative: floor, wall or ceiling; 0: none.
        labels: id -> label, of the ids above.
        voxel_m: edge length of the voxels that it was fused in.
    """

    vertices: NDArray[np.float32]
    triangles: NDArray[np.int32]
    rgb: NDArray[np.uint8]
    object_ids: NDArray[np.int32]
    labels: Mapping[int, str] = field(default_factory=dict)
    voxel_m: float = 0.0

    def normals(self) -> NDArray[np.float32]:
        """Unit normals of the triangles, (T, 3); 0 for one without an area."""
        a, b, c = self.vertices[self.triangles].transpose(1, 0, 2)
        across = np.cross(b - a, c - a)
        length = np.linalg.norm(across, axis=1, keepdims=True)
        unit: NDArray[np.float32] = across / np.maximum(length, np.float32(1e-12))
        return unit

    def part(self, kept: NDArray[np.bool_]) -> SurfaceMesh:
        """The triangles all of whose corners are among these vertices (N,)."""
        rank = np.cumsum(kept) - 1
        triangles = self.triangles[kept[self.triangles].all(axis=1)]
        ids = self.object_ids[kept]
        known = set(ids.tolist())
        return SurfaceMesh(
            self.vertices[kept],
            rank[triangles].astype(np.int32),
            self.rgb[kept],
            ids,
            {i: label for i, label in self.labels.items() if i in known},
            self.voxel_m,
        )

    def thinned(self, most_triangles: int) -> SurfaceMesh:
        """A coarser surface of at most so many triangles: vertices in one cell of a grid become
        one, and the cells grow until that is enough. `voxel_m` is then their edge length.

        Vertex clustering: Rossignac and Borrel, Multi-resolution 3D approximations for rendering
        complex scenes, 1993.
        """
        found, cell_m = self, self.voxel_m or _LEAST_CELL_M
        while len(found.triangles) > most_triangles:
            cell_m *= _CELL_GROWTH
            found = self._clustered(cell_m)
        return found

    def _clustered(self, cell_m: float) -> SurfaceMesh:
        keys = voxel_keys(self.vertices, cell_m)
        _, first, cell, count = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        middle = np.column_stack(
            [np.bincount(cell, axis, len(count)) / count for axis in self.vertices.T]
        )
        corners = np.sort(cell[self.triangles], axis=1)
        is_flat = (corners[:, 1:] == corners[:, :-1]).any(axis=1)
        _, kept = np.unique(corners[~is_flat], axis=0, return_index=True)
        triangles = cell[self.triangles][~is_flat][np.sort(kept)]
        ids = self.object_ids[first]
        return SurfaceMesh(
            middle.astype(np.float32),
            triangles.astype(np.int32),
            self.rgb[first],
            ids,
            {i: label for i, label in self.labels.items() if i in set(ids.tolist())},
            cell_m,
        )


def ids_of_vertices(vertices: NDArray[np.float32], scene: MemorySnapshot) -> NDArray[np.int32]:
    """(N,) int32: the object or plane of the building that each vertex (N, 3) lies on.

    A vertex belongs to the object whose surface sample is nearest, within its box; what is left, to
    the building. Where an object stands, its sample ends on the floor: the floor goes first.
    """
    ids = np.zeros(len(vertices), np.int32)
    for plane in scene.structure.values():
        ids[_inside(vertices, plane.box, _ON_PLANE_M)] = plane.plane_id
    floors = [p.plane_id for p in scene.structure.values() if p.kind == "floor"]
    free = np.flatnonzero(~np.isin(ids, floors))
    solid = [thing for thing in scene.objects.values() if len(thing.points)]
    if solid and len(free):
        points = np.concatenate([thing.points for thing in solid])
        owners = np.repeat([t.object_id for t in solid], [len(t.points) for t in solid])
        gaps, nearest = KDTree(points).query(vertices[free], distance_upper_bound=_REACH_M)
        close = np.isfinite(gaps)
        found, owner = free[close], owners[nearest[close]]
        for thing in solid:
            own = found[owner == thing.object_id]
            ids[own[_inside(vertices[own], thing.yaw_box, _SLACK_M)]] = thing.object_id
    return ids


def _inside(points: NDArray[np.float32], box: Box3D, slack_m: float) -> NDArray[np.bool_]:
    """(N,): points in an upright box that is larger by a slack on all sides."""
    away = points - np.asarray(box.center, np.float32)
    c, s = np.cos(box.yaw), np.sin(box.yaw)
    local = np.column_stack((c * away[:, 0] + s * away[:, 1], c * away[:, 1] - s * away[:, 0]))
    half = np.asarray(box.size) / 2.0 + slack_m
    inside = (np.abs(local) <= half[:2]).all(axis=1) & (np.abs(away[:, 2]) <= half[2])
    return np.asarray(inside)
