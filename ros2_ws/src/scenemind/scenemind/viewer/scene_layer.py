"""What stands in the 3D view beside the cloud: boxes, the camera path, what is marked, evidence."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Sequence

import numpy as np
import viser
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from scenemind.geometry import Box3D
from scenemind.memory import KeyFrame, MapObject, MemorySnapshot

_MOST_RELATED = 30
_MARKED_RGB, _RELATED_RGB = (255, 0, 140), (90, 90, 90)
_PATH_RGB, _EVIDENCE_RGB = (20, 60, 230), (220, 20, 20)
_BOX_PX, _MARKED_PX, _RELATED_PX, _PATH_PX = 2.5, 7.0, 2.0, 2.5
_FRUSTUM_SCALE = 0.25
_NO_LINES = np.zeros((0, 2, 3), np.float32)
_EDGES = np.array(
    [(0, 1), (1, 3), (3, 2), (2, 0), (4, 5), (5, 7), (7, 6), (6, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
)


class SceneLayer:
    """Of one server, for all who look. What is as it was is not sent again."""

    def __init__(self, scene: viser.SceneApi) -> None:
        self._scene = scene
        self._frames: dict[int, viser.CameraFrustumHandle] = {}
        self._edges: dict[int, tuple[MapObject, NDArray[np.float32]]] = {}
        self._boxes = self._add_lines("/boxes", _BOX_PX)
        self._marked = self._add_lines("/marked", _MARKED_PX)
        self._related = self._add_lines("/related", _RELATED_PX)
        self._path = self._add_lines("/path", _PATH_PX)

    def set_visible(self, *, boxes: bool, path: bool) -> None:
        self._boxes.visible = boxes
        self._path.visible = path

    def draw_path(self, positions: NDArray[np.float64]) -> None:
        """(N, 3), world: the camera's way."""
        path = np.asarray(positions, np.float32).reshape(-1, 3)
        _set_lines(self._path, np.stack((path[:-1], path[1:]), axis=1), _PATH_RGB)

    def draw_objects(self, objects: Sequence[MapObject]) -> None:
        """Boxes in the colours of their kinds."""
        known, self._edges = self._edges, {}
        for thing in objects:
            before = known.get(thing.object_id)
            if before is None or before[0] is not thing:
                before = (thing, edges_of(thing.yaw_box))
            self._edges[thing.object_id] = before
        edges = [_NO_LINES, *(edges for _, edges in self._edges.values())]
        colors = [np.tile(color_of(thing.label), (12, 2, 1)) for thing in objects]
        _set_lines(
            self._boxes,
            np.concatenate(edges),
            np.concatenate([np.zeros((0, 2, 3), np.uint8), *colors]),
        )

    def draw_marked(self, things: Sequence[MapObject], scene: MemorySnapshot) -> None:
        """What is marked; of a single thing also lines to what it is related to."""
        edges = [edges_of(thing.yaw_box) for thing in things]
        _set_lines(self._marked, np.concatenate(edges) if edges else _NO_LINES, _MARKED_RGB)
        ends = []
        if len(things) == 1:
            (thing,) = things
            others = related_ids(thing.object_id, scene)[:_MOST_RELATED]
            ends = [(thing.box.center, scene.objects[i].box.center) for i in others]
        _set_lines(self._related, np.array(ends, np.float32).reshape(-1, 2, 3), _RELATED_RGB)

    def draw_key_frames(self, frames: Sequence[KeyFrame]) -> None:
        """Where evidence was seen from."""
        wanted = {frame.frame_number: frame for frame in frames}
        for number in [number for number in self._frames if number not in wanted]:
            self._frames.pop(number).remove()
        for number in wanted.keys() - self._frames.keys():
            self._frames[number] = self._add_frustum(wanted[number])

    def _add_frustum(self, frame: KeyFrame) -> viser.CameraFrustumHandle:
        return self._scene.add_camera_frustum(
            f"/evidence/{frame.frame_number}",
            fov=vertical_fov(frame),
            aspect=frame.camera.width / frame.camera.height,
            scale=_FRUSTUM_SCALE,
            color=_EVIDENCE_RGB,
            wxyz=quaternion_wxyz(frame.world_T_camera.rotation),
            position=tuple(frame.world_T_camera.translation.tolist()),
        )

    def _add_lines(self, name: str, width_px: float) -> viser.LineSegmentsHandle:
        return self._scene.add_line_segments(
            name,
            _NO_LINES,
            np.zeros((0, 2, 3), np.uint8),
            thickness=width_px,
            thickness_units="screen",
        )


def _set_lines(
    handle: viser.LineSegmentsHandle,
    segments: NDArray[np.float32],
    rgb: NDArray[np.uint8] | tuple[int, int, int],
) -> None:
    """viser sends what differs."""
    colors = np.broadcast_to(np.asarray(rgb, np.uint8), segments.shape)
    handle.points = segments
    handle.colors = colors


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
    return np.array([round(255 * v) for v in colorsys.hsv_to_rgb(hue, 0.9, 0.75)], np.uint8)


def vertical_fov(frame: KeyFrame) -> float:
    """Radians."""
    return 2.0 * float(np.arctan2(frame.camera.height / 2.0, frame.camera.fy))


def quaternion_wxyz(rotation: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """As viser has it, of a (3, 3) rotation."""
    x, y, z, w = Rotation.from_matrix(rotation).as_quat().tolist()
    return (w, x, y, z)
