"""The scene in the 3D view: background, boxes, trails, camera path, marked objects, and clicks."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from scenemind.geometry import Box3D
from scenemind.memory import KeyFrame, MapObject, MemoryAccess, MemorySnapshot
from scenemind.memory.finding.reference import find_object_on_ray
from scenemind.surface import (
    ColoredCloud,
    OnProgress,
    SurfaceMesh,
    ceiling_cut_m,
    vacated_places,
)
from scenemind.viewer.background import CloudLayer, SurfaceLayer
from scenemind.viewer.colors import ClassColors
from scenemind.viewer.panels import related_ids

if TYPE_CHECKING:
    import viser


_MOST_RELATED = 30
_MARKED_RGB, _RELATED_RGB = (255, 0, 140), (90, 90, 90)
_PATH_RGB, _EVIDENCE_RGB = (20, 60, 230), (220, 20, 20)
_BOX_PX, _MARKED_PX, _RELATED_PX, _PATH_PX, _TRAIL_PX = 2.5, 7.0, 2.0, 2.5, 4.0
_DASHES = 12  # of a trail from one place to the next
_FRUSTUM_SCALE = 0.25
_FIRST_FRAMES, _MORE_FRAMES = 200, 12
_NEAR_M = 0.02  # a click hits surface points this close to its ray,
_SPREAD = 0.012  # plus this much for each metre of distance: about 12 pixels
_NO_LINES = np.zeros((0, 2, 3), np.float32)
_EDGES = np.array(
    [(0, 1), (1, 3), (3, 2), (2, 0), (4, 5), (5, 7), (7, 6), (6, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
)


class SceneLayer:
    """Lines and key frames in the scene of one server; unchanged parts are not sent again."""

    def __init__(self, scene: viser.SceneApi, colors: ClassColors) -> None:
        self._scene = scene
        self._colors = colors
        self._frames: dict[int, viser.CameraFrustumHandle] = {}
        self._edges: dict[int, tuple[MapObject, NDArray[np.float32]]] = {}
        self._boxes = self._add_lines("/boxes", _BOX_PX)
        self._marked = self._add_lines("/marked", _MARKED_PX)
        self._related = self._add_lines("/related", _RELATED_PX)
        self._path = self._add_lines("/path", _PATH_PX)
        self._trails = self._add_lines("/trails", _TRAIL_PX)

    def set_visible(self, *, boxes: bool, path: bool) -> None:
        self._boxes.visible = self._trails.visible = boxes
        self._path.visible = path

    def draw_path(self, positions: NDArray[np.float64]) -> None:
        """Draw the camera path; positions (N, 3), world."""
        path = np.asarray(positions, np.float32).reshape(-1, 3)
        _set_lines(self._path, np.stack((path[:-1], path[1:]), axis=1), _PATH_RGB)

    def draw_objects(self, objects: Sequence[MapObject]) -> None:
        """Draw boxes in the colours of their labels."""
        known, self._edges = self._edges, {}
        for thing in objects:
            before = known.get(thing.object_id)
            if before is None or before[0] is not thing:
                before = (thing, edges_of(thing.yaw_box))
            self._edges[thing.object_id] = before
        edges = [_NO_LINES, *(edges for _, edges in self._edges.values())]
        colors = [np.tile(self._colors.rgb(thing.label), (12, 2, 1)) for thing in objects]
        _set_lines(
            self._boxes,
            np.concatenate(edges),
            np.concatenate([np.zeros((0, 2, 3), np.uint8), *colors]),
        )
        trails = [(thing, trail_of(thing)) for thing in objects if thing.stays]
        _set_lines(
            self._trails,
            np.concatenate([_NO_LINES, *(dashes for _, dashes in trails)]),
            np.concatenate(
                [
                    np.zeros((0, 2, 3), np.uint8),
                    *(np.tile(self._colors.rgb(t.label), (len(d), 2, 1)) for t, d in trails),
                ]
            ),
        )

    def draw_marked(self, things: Sequence[MapObject], scene: MemorySnapshot) -> None:
        """Highlight objects; of a single one draw also lines to its related objects."""
        edges = [edges_of(thing.yaw_box) for thing in things]
        _set_lines(self._marked, np.concatenate(edges) if edges else _NO_LINES, _MARKED_RGB)
        ends = []
        if len(things) == 1:
            (thing,) = things
            others = related_ids(thing.object_id, scene)[:_MOST_RELATED]
            ends = [(thing.box.center, scene.objects[i].box.center) for i in others]
        _set_lines(self._related, np.array(ends, np.float32).reshape(-1, 2, 3), _RELATED_RGB)

    def draw_key_frames(self, frames: Sequence[KeyFrame]) -> None:
        """Draw the camera of each key frame."""
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
    """Replace lines; viser sends only differences."""
    colors = np.broadcast_to(np.asarray(rgb, np.uint8), segments.shape)
    handle.points = segments
    handle.colors = colors


def trail_of(thing: MapObject) -> NDArray[np.float32]:
    """Dashes from each earlier place of an object to the next, (N, 2, 3), world."""
    places = [stay.box.center for stay in thing.stays] + [thing.box.center]
    steps = np.linspace(0.0, 1.0, 2 * _DASHES)[:, None]
    ways = [np.asarray(a) + steps * (np.asarray(b) - np.asarray(a)) for a, b in pairwise(places)]
    dashes = np.array(ways, np.float32).reshape(-1, 2, 3)
    return dashes


def edges_of(box: Box3D) -> NDArray[np.float32]:
    """Edges of a box, (12, 2, 3), world."""
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    x, y, z = (signs * np.asarray(box.size) / 2.0).T
    c, s = np.cos(box.yaw), np.sin(box.yaw)
    corners = np.column_stack((c * x - s * y, s * x + c * y, z)) + np.asarray(box.center)
    edges: NDArray[np.float32] = corners.astype(np.float32)[_EDGES]
    return edges


def vertical_fov(frame: KeyFrame) -> float:
    """Vertical field of view of a frame's camera, radians."""
    return 2.0 * float(np.arctan2(frame.camera.height / 2.0, frame.camera.fy))


def quaternion_wxyz(rotation: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Quaternion of a (3, 3) rotation, in viser's order."""
    x, y, z, w = Rotation.from_matrix(rotation).as_quat().tolist()
    return (w, x, y, z)


def look_inside(server: viser.ViserServer, places: ArrayLike) -> None:
    """Set the first view of a browser: from above a corner of the scene.

    Args:
        places: (..., 3), world; nothing is changed where there are none.
    """
    points = np.asarray(places).reshape(-1, 3)
    if not len(points):
        return
    low, high = np.percentile(points, (1.0, 99.0), axis=0)  # without stray points
    middle, reach = (low + high) / 2.0, float((high - low)[:2].max())
    x, y, z = middle.tolist()
    camera = server.initial_camera
    camera.position = (x - 0.5 * reach, y - 0.5 * reach, z + 0.7 * reach)
    camera.look_at = (x, y, float(low[2]))
    camera.up = (0.0, 0.0, 1.0)


def find_object_at(
    objects: Sequence[MapObject], origin: ArrayLike, direction: ArrayLike
) -> MapObject | None:
    """The object whose surface points a ray hits first; without a hit, whose box it enters first.

    Boxes are larger than objects: a ray to the chair under a table enters the table's box first.

    Args:
        origin: (3,) world, metres.
        direction: (3,) world, any length but zero.
    """
    solid = [thing for thing in objects if len(thing.points)]
    if solid:
        start = np.asarray(origin, np.float32)
        way = np.asarray(direction, np.float32)
        way = way / np.linalg.norm(way)
        points = np.concatenate([thing.points for thing in solid]) - start
        along = points @ way
        beside = np.linalg.norm(points - along[:, None] * way, axis=1)
        is_hit = (along > 0.0) & (beside < _NEAR_M + _SPREAD * along)
        if is_hit.any():
            nearest = int(np.where(is_hit, along, np.inf).argmin())
            ends = np.cumsum([len(thing.points) for thing in solid])
            return solid[int(np.searchsorted(ends, nearest, side="right"))]
    found = find_object_on_ray(objects, origin, direction)
    return None if found is None else found[0]


class DrawnPlace:
    """The scene as one server draws it. Thread-safe, except for the cloud."""

    def __init__(
        self,
        server: viser.ViserServer,
        memory: MemoryAccess,
        cloud: ColoredCloud,
        colors: ClassColors,
    ) -> None:
        """
        Args:
            cloud: an empty one.
        """
        self._server = server
        self._memory = memory
        self._cloud = cloud
        server.scene.set_up_direction("+z")
        self._points = CloudLayer(server.scene)
        self._surface = SurfaceLayer(server.scene)
        self._is_covered = False  # the surface shows what the points would
        self._layer = SceneLayer(server.scene, colors)
        self._lock = threading.Lock()

    def set_visible(self, *, cloud: bool, boxes: bool, path: bool) -> None:
        """Show or hide whole layers."""
        with self._lock:
            self._points.set_visible(cloud)
            self._surface.set_visible(cloud)
            self._layer.set_visible(boxes=boxes, path=path)

    def read_cloud(self, on_progress: OnProgress | None) -> None:
        """Draw the cloud of the stored frames.

        Raises:
            SceneMemoryError: the memory does not answer.
        """
        self._grow(_FIRST_FRAMES, on_progress)

    def grow_cloud(self) -> None:
        """Add the frames that were stored since.

        Raises:
            SceneMemoryError: the memory does not answer.
        """
        self._grow(_MORE_FRAMES, None)

    def draw_objects(self, shown: Sequence[MapObject]) -> None:
        """Draw the boxes of objects, and where they were before."""
        with self._lock, self._server.atomic():
            self._layer.draw_objects(shown)

    def draw_marked(self, things: Sequence[MapObject], scene: MemorySnapshot) -> None:
        """Highlight objects; of a single one draw the relations too."""
        with self._lock, self._server.atomic():
            self._layer.draw_marked(things, scene)

    def cover(self, mesh: SurfaceMesh) -> None:
        """Draw the surface in place of the points; those of later frames are drawn besides it."""
        with self._lock, self._server.atomic():
            self._surface.draw(mesh)
            self._points.clear()
            self._is_covered = True

    def draw_key_frames(self, frames: Sequence[KeyFrame]) -> None:
        """Draw the cameras of key frames."""
        with self._lock:
            self._layer.draw_key_frames(frames)

    def _grow(self, most_frames: int, on_progress: OnProgress | None) -> None:
        scene = self._memory.snapshot()
        before = self._cloud.generation
        self._cloud.leave_out(vacated_places(scene))
        is_new = self._cloud.update(self._memory, most_frames, on_progress, ceiling_cut_m(scene))
        with self._lock:
            self._is_covered &= not is_new
            if is_new or (self._cloud.generation != before and not self._is_covered):
                self._points.draw(self._cloud)
        if is_new:
            self._layer.draw_path(self._memory.frame_index().world_T_camera[:, :3, 3])
            corners = [thing.box.corners() for thing in scene.objects.values()]
            has_cloud = len(self._cloud.points) > 0
            look_inside(self._server, self._cloud.points if has_cloud else corners)
