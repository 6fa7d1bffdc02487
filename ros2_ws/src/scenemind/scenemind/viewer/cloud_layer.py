"""The coloured cloud in the 3D view, in pieces: what was sent once is not sent again."""

from __future__ import annotations

import viser

from scenemind.viewer.colored_cloud import ColoredCloud

_PIECE = 50_000  # points
_POINT_SIZE = 0.75  # of a voxel: neighbours nearly touch


class CloudLayer:
    """Of one server, for all who look. For one thread."""

    def __init__(self, scene: viser.SceneApi) -> None:
        self._scene = scene
        self._parent = scene.add_frame("/cloud", show_axes=False)
        self._pieces: list[viser.PointCloudHandle] = []
        self._generation = 0
        self._drawn = 0

    def set_visible(self, visible: bool) -> None:
        self._parent.visible = visible

    def draw(self, cloud: ColoredCloud) -> None:
        """What is new in it; all of it where points have left."""
        if cloud.generation != self._generation:
            self._clear()
            self._generation = cloud.generation
        full = self._drawn // _PIECE  # pieces to which nothing comes any more
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

    def _clear(self) -> None:
        for piece in self._pieces:
            piece.remove()
        self._pieces.clear()
        self._drawn = 0
