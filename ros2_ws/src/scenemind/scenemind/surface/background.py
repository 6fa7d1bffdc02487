"""The place behind drawings: its surface where Open3D is installed, else the points of frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry.open3d import MissingOpen3DError
from scenemind.memory import MemoryAccess
from scenemind.surface.cloud import ColoredCloud, ceiling_cut_m, vacated_places
from scenemind.surface.fusion import OnProgress, SurfaceError, fuse_surface
from scenemind.surface.mesh import SurfaceMesh

_VOXEL_M = 0.025
_MOST_POINTS = 400_000
_MOST_FRAMES = 300
# Of the unit normal of a triangle that is seen from above: walls are, undersides are not.
_LEAST_UP = -0.2


def clear_surface(
    memory: MemoryAccess, most_triangles: int, on_progress: OnProgress | None = None
) -> SurfaceMesh:
    """`fuse_surface` in at most so many triangles, without what stood where things have left.

    Raises: see `fuse_surface`.
    """
    mesh = fuse_surface(memory, _VOXEL_M, on_progress)
    is_left = np.zeros(len(mesh.vertices), np.bool_)
    for place in vacated_places(memory.snapshot()):
        is_left |= place.has(mesh.vertices, place.until_ns - 1)
    return mesh.part(~is_left | (mesh.object_ids != 0)).thinned(most_triangles)


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The place as coloured points that are seen from above, without its ceiling.

    Attributes:
        points: (N, 3) float32, world, metres.
        rgb: (N, 3) uint8.
        apart_m: about how far neighbouring points are apart.
        note: why these are the points of frames and no surface, with what to type; else empty.
    """

    points: NDArray[np.float32]
    rgb: NDArray[np.uint8]
    apart_m: float
    note: str = ""


def ground_of(memory: MemoryAccess) -> Ground | None:
    """The place from above; None where no frame with depth is stored.

    Raises:
        SceneMemoryError: the memory does not answer.
    """
    try:
        mesh = clear_surface(memory, 2 * _MOST_POINTS)
    except SurfaceError:
        return None
    except MissingOpen3DError as error:
        return _points_of(memory, str(error))
    seen = np.zeros(len(mesh.vertices), np.bool_)
    seen[mesh.triangles[mesh.normals()[:, 2] > _LEAST_UP]] = True
    return Ground(mesh.vertices[seen], mesh.rgb[seen], mesh.voxel_m)


def _points_of(memory: MemoryAccess, note: str) -> Ground | None:
    cloud, scene = ColoredCloud(_MOST_POINTS, _VOXEL_M), memory.snapshot()
    cloud.leave_out(vacated_places(scene))
    cloud.update(memory, _MOST_FRAMES, below_m=ceiling_cut_m(scene))
    if not len(cloud.points):
        return None
    return Ground(cloud.points, cloud.colors, cloud.voxel_m, note)
