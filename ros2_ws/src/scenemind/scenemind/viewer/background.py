"""The background of the 3D view: the place's surface, or its coloured points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scenemind.exchange.mesh_file import mesh_to_glb
from scenemind.surface import ColoredCloud, SurfaceMesh

if TYPE_CHECKING:
    import viser


_PIECE = 50_000  # points
_POINT_SIZE = 0.75  # of a voxel: neighbours nearly touch
_Z_UP_WXYZ = (0.5**0.5, 0.5**0.5, 0.0, 0.0)  # glTF is y up


class CloudLayer:
    """The cloud in the scene of one server, in pieces: those that are full are sent once.

    Not thread-safe.
    """

    def __init__(self, scene: viser.SceneApi) -> None:
        self._scene = scene
        self._parent = scene.add_frame("/cloud", show_axes=False)
        self._pieces: list[viser.PointCloudHandle] = []
        self._generation = 0
        self._drawn = 0

    def set_visible(self, visible: bool) -> None:
        self._parent.visible = visible

    def draw(self, cloud: ColoredCloud) -> None:
        """Send new points; after points were removed, all of them."""
        if cloud.generation != self._generation:
            self.clear()
            self._generation = cloud.generation
        full = self._drawn // _PIECE  # pieces that do not change any more
        for piece in self._pieces[full:]:
            piece.remove()
        del self._pieces[full:]
        for start in range(full * _PIECE, len(cloud.points), _PIECE):
            part = slice(start, start + _PIECE)
            self._pieces.append(
                self._scene.add_point_cloud(
                    f"/cloud/{start // _PIECE}",
                    cloud.points[part],
                    cloud.colors[part],
                    point_size=_POINT_SIZE * cloud.voxel_m,
                    point_shape="rounded",
                    precision="float32",
                )
            )
        self._drawn = len(cloud.points)

    def clear(self) -> None:
        """Take all points out of the scene."""
        for piece in self._pieces:
            piece.remove()
        self._pieces.clear()
        self._drawn = 0


class SurfaceLayer:
    """The surface in the scene of one server. Not thread-safe.

    Its triangles are seen from their front alone: a look from outside goes through walls.
    """

    def __init__(self, scene: viser.SceneApi) -> None:
        self._scene = scene
        self._parent = scene.add_frame("/surface", show_axes=False)

    def set_visible(self, visible: bool) -> None:
        self._parent.visible = visible

    def draw(self, mesh: SurfaceMesh) -> None:
        """Send a surface in place of the one before."""
        self._scene.add_glb(  # of one name: it replaces the one before
            "/surface/mesh",
            mesh_to_glb(mesh, is_unlit=True),
            wxyz=_Z_UP_WXYZ,
            cast_shadow=False,
            receive_shadow=False,
        )
