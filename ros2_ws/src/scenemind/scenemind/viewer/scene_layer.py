"""What stands in the 3D view: the cloud, boxes, names, the camera's way, and what is marked."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Sequence

import numpy as np
import viser
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory import KeyFrame, MapObject, MemorySnapshot
from scenemind.viewer.colored_cloud import ColoredCloud
from scenemind.viewer.html import shown

# A browser lays names out one by one; of more objects those of the largest are shown.
_MOST_NAMES = 150
_MOST_RELATED = 30
_MARKED_RGB, _RELATED_RGB, _PATH_RGB = (255, 200, 0), (120, 120, 120), (60, 90, 220)
_FRUSTUM_SCALE = 0.25
_EDGES = np.array(
    [(0, 1), (1, 3), (3, 2), (2, 0), (4, 5), (5, 7), (7, 6), (6, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
)


class SceneLayer:
    """Of one server, for all who look. Drawing again replaces what was drawn."""

    def __init__(self, scene: viser.SceneApi) -> None:
        self._scene = scene
        self._names: dict[int, viser.LabelHandle] = {}
        self._frames: list[viser.CameraFrustumHandle] = []
        scene.set_up_direction("+z")

    def draw_cloud(self, cloud: ColoredCloud) -> None:
        if len(cloud.points):
            self._scene.add_point_cloud(
                "/cloud", cloud.points, cloud.colors, point_size=0.6 * cloud.voxel_m
            )

    def draw_path(self, path: NDArray[np.float32]) -> None:
        """(N, 3), world: the camera's way."""
        if len(path) > 1:
            steps = np.stack((path[:-1], path[1:]), axis=1)
            self._scene.add_line_segments("/path", steps, _PATH_RGB, line_width=2.0)

    def draw_objects(self, objects: Sequence[MapObject], with_names: bool) -> None:
        """Boxes in the colours of their kinds, and their names."""
        edges = [edges_of(thing.yaw_box) for thing in objects]
        colors = [np.tile(color_of(thing.label), (12, 2, 1)) for thing in objects]
        segments = np.concatenate(edges) if edges else np.zeros((0, 2, 3), np.float32)
        rgb = np.concatenate(colors) if colors else np.zeros((0, 2, 3), np.uint8)
        self._scene.add_line_segments("/boxes", segments, rgb, line_width=2.0)
        self._draw_names(objects if with_names else ())

    def draw_marked(self, thing: MapObject | None, scene: MemorySnapshot) -> None:
        """The marked object, and lines to what it is related to."""
        if thing is None or thing.object_id not in scene.objects:
            for name in ("/marked", "/related"):
                self._scene.remove_by_name(name)
            return
        self._scene.add_line_segments(
            "/marked", edges_of(thing.yaw_box), _MARKED_RGB, line_width=6.0
        )
        others = related_ids(thing.object_id, scene)[:_MOST_RELATED]
        ends = [(thing.box.center, scene.objects[i].box.center) for i in others]
        lines = np.array(ends, np.float32).reshape(-1, 2, 3)
        self._scene.add_line_segments("/related", lines, _RELATED_RGB, line_width=1.5)

    def draw_key_frames(self, frames: Sequence[KeyFrame]) -> None:
        """Where evidence was seen from."""
        for handle in self._frames:
            handle.remove()
        self._frames = [
            self._scene.add_camera_frustum(
                f"/evidence/{frame.frame_number}",
                fov=2.0 * float(np.arctan2(frame.camera.height / 2.0, frame.camera.fy)),
                aspect=frame.camera.width / frame.camera.height,
                scale=_FRUSTUM_SCALE,
                color=_MARKED_RGB,
                wxyz=quaternion_wxyz(frame.world_T_camera.rotation),
                position=tuple(frame.world_T_camera.translation.tolist()),
            )
            for frame in frames
        ]

    def _draw_names(self, objects: Sequence[MapObject]) -> None:
        largest = sorted(objects, key=lambda thing: -float(np.prod(thing.box.size)))[:_MOST_NAMES]
        wanted = {thing.object_id: thing for thing in largest}
        for object_id in [i for i in self._names if i not in wanted]:
            self._names.pop(object_id).remove()
        for object_id, thing in wanted.items():
            x, y, z = thing.box.center
            text = f"{shown(thing.label)} {object_id}"
            self._names[object_id] = self._scene.add_label(
                f"/names/{object_id}", text, position=(x, y, z + thing.box.size[2] / 2.0)
            )


def related_ids(object_id: int, scene: MemorySnapshot) -> list[int]:
    """Of the objects that the graph relates to one, each once."""
    ends = [
        (r.object_id if r.subject_id == object_id else r.subject_id)
        for r in scene.relations
        if object_id in (r.subject_id, r.object_id)
    ]
    return [i for i in dict.fromkeys(ends) if i in scene.objects and i != object_id]


def edges_of(box: Box3D) -> NDArray[np.float32]:
    """(12, 2, 3): its edges, world."""
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    x, y, z = (signs * np.asarray(box.size) / 2.0).T
    c, s = np.cos(box.yaw), np.sin(box.yaw)
    corners = np.column_stack((c * x - s * y, s * x + c * y, z)) + np.asarray(box.center)
    edges: NDArray[np.float32] = corners.astype(np.float32)[_EDGES]
    return edges


def color_of(label: str) -> NDArray[np.uint8]:
    """(3,) RGB: the same for a label everywhere."""
    hue = zlib.crc32(label.encode()) / 2.0**32
    return np.array([round(255 * v) for v in colorsys.hsv_to_rgb(hue, 0.75, 0.85)], np.uint8)


def quaternion_wxyz(rotation: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """As viser has it, of a (3, 3) rotation."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(rotation).as_quat().tolist()
    return (w, x, y, z)
