"""Pieces of the camera's way, short enough that odometry is right within each, and what the stored
key frames of a piece show: a cloud of points, depth images, and objects as landmarks.

A piece is known by its middle key frame, the anchor. All that it holds is in the anchor's frame, by
the odometry as it came, so corrections of poses leave it as it is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SceneMemoryError
from scenemind.geometry import PinholeCamera, Pose
from scenemind.geometry.points import voxel_keys
from scenemind.memory.objects.gone_objects import FARTHEST_M, NEAREST_M
from scenemind.memory.places.constellation import Landmarks
from scenemind.memory.reader import MemoryReader
from scenemind.memory.types import FrameIndex, MapObject

# Length of a piece; a camera that turns by a radian counts as one that drove a metre.
PIECE_M, TURN_M = 2.0, 1.0
LEAST_FRAMES = 3
_MOST_FRAMES = 8
_COLUMNS = 80  # of the grid of points that is taken from a depth image
VOXEL_M = 0.05
_SPARSE = 256
_KEPT_CLOUDS = 24  # some 300 kB each
# A landmark is measured in the middle of a detection's box.
_MIDDLE = 0.25
_LEAST_PIXELS = 12


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The depth of a key frame, by its number; `world_T_camera` in the frame of whoever made it."""

    frame: int
    camera: PinholeCamera
    world_T_camera: Pose
    depth_m: NDArray[np.float32]

    def moved(self, pose: Pose) -> View:
        return replace(self, world_T_camera=pose @ self.world_T_camera)


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A piece of the way.

    Attributes:
        frames: numbers of its key frames; anchor: the middle one. stamp_ns: of the anchor.
        odometry_T_anchor: as it came.
        way: from the start to the anchor, metres and radians that the camera turned.
        sparse: (K, 3) float32 of its points, anchor.
        landmarks: the objects that it shows, anchor.
    """

    frames: tuple[int, ...]
    anchor: int
    stamp_ns: int
    odometry_T_anchor: Pose
    anchor_T_cameras: tuple[Pose, ...]
    way: NDArray[np.float64]
    sparse: NDArray[np.float32]
    landmarks: Landmarks


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """What the key frames of a piece show, in the anchor's frame.

    Attributes:
        points: (P, 3) float32, one a voxel of 5 cm. views: the depth that it is from.
    """

    points: NDArray[np.float32]
    views: tuple[View, ...]


class Clouds:
    """Reads clouds of pieces from the stored depth, and keeps the latest."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, Cloud] = OrderedDict()

    def of(self, memory: MemoryReader, piece: Piece) -> Cloud:
        """The cloud of a piece; without points where no depth of it is stored any more."""
        found = self._kept.pop(piece.anchor, None) or read_cloud(
            memory, piece.frames, piece.anchor_T_cameras
        )
        self._kept[piece.anchor] = found
        if len(self._kept) > _KEPT_CLOUDS:
            self._kept.popitem(last=False)
        return found


def read_cloud(
    memory: MemoryReader, frames: tuple[int, ...], anchor_T_cameras: tuple[Pose, ...]
) -> Cloud:
    """The stored depth of some frames as a cloud."""
    views = []
    for number, pose in zip(frames, anchor_T_cameras, strict=True):
        try:
            image = memory.depth_image(number)
        except SceneMemoryError:  # deleted meanwhile, or stored without depth
            continue
        views.append(View(number, image.camera, pose, image.depth_m))
    clouds = [_points_of(view) for view in views]
    return Cloud(_thinned(np.concatenate((np.zeros((0, 3), np.float32), *clouds))), tuple(views))


def piece_of(
    memory: MemoryReader,
    index: FrameIndex,
    rows: NDArray[np.intp],
    odometry: Mapping[int, Pose],
    ways: Mapping[int, NDArray[np.float64]],
    objects: Mapping[int, MapObject],
) -> Piece | None:
    """The piece of the way of some rows of the index; None where no depth of them is stored.

    Args:
        odometry, ways: of the frames, by their numbers.
        objects: of the map, by id.
    """
    chosen = rows[np.unique(np.linspace(0, len(rows) - 1, _MOST_FRAMES).round().astype(int))]
    numbers = index.frame_numbers[chosen].tolist()
    anchor = numbers[len(numbers) // 2]
    anchor_T_odometry = odometry[anchor].inverse()
    poses = tuple(anchor_T_odometry @ odometry[number] for number in numbers)
    cloud = read_cloud(memory, tuple(numbers), poses)
    if not len(cloud.points):
        return None
    views = {view.frame: view for view in cloud.views}
    return Piece(
        tuple(numbers),
        anchor,
        int(index.stamps_ns[chosen[len(numbers) // 2]]),
        odometry[anchor],
        poses,
        ways[anchor],
        cloud.points[:: max(1, len(cloud.points) // _SPARSE)],
        _landmarks_of(views, index, objects),
    )


def joined(landmarks: Sequence[tuple[Landmarks, Pose]]) -> Landmarks:
    """Landmarks of several pieces in the world in which the anchors have these poses; an object
    that several pieces show is at the median place."""
    ids = np.concatenate([one.ids for one, _ in landmarks])
    centers = np.concatenate([pose.transform(one.centers) for one, pose in landmarks])
    sizes = np.concatenate([one.sizes for one, _ in landmarks])
    labels = [label for one, _ in landmarks for label in one.labels]
    colors = [color for one, _ in landmarks for color in one.colors]
    unique, newest = np.unique(ids[::-1], return_index=True)
    kept = len(ids) - 1 - newest
    places = [np.median(centers[ids == i], axis=0) for i in unique]
    return Landmarks(
        unique,
        np.array(places, np.float64).reshape(-1, 3),
        sizes[kept],
        tuple(labels[k] for k in kept.tolist()),
        tuple(colors[k] for k in kept.tolist()),
    )


def _landmarks_of(
    views: Mapping[int, View], index: FrameIndex, objects: Mapping[int, MapObject]
) -> Landmarks:
    """The objects that some frames show, each at the median of the places where these frames saw
    the middle of its surface; elsewhere than in the map, whose objects many frames made.

    Args:
        views: by the number of the frame; places are in the frame of their poses.
    """
    rows = np.flatnonzero(np.isin(index.frame_numbers, list(views)))
    wanted = np.isin(index.detection_frames, rows) & (index.detection_objects > 0)
    places: dict[int, list[NDArray[np.floating]]] = {}
    for row in np.flatnonzero(wanted).tolist():
        number = int(index.frame_numbers[index.detection_frames[row]])
        object_id = int(index.detection_objects[row])
        view = views[number]
        color = index.cameras[index.camera_indices[index.detection_frames[row]]]
        scale = view.camera.width / color.width
        place = _middle_of(view, index.detection_boxes_px[row] * scale)
        if object_id in objects and place is not None:
            places.setdefault(object_id, []).append(view.world_T_camera.transform(place))
    seen = [objects[object_id] for object_id in places]
    made = Landmarks.of(seen, None)
    centers = np.array([np.median(places[i], axis=0) for i in made.ids.tolist()], np.float64)
    return replace(made, centers=centers.reshape(-1, 3))


def shared(a: NDArray[np.float32], b: NDArray[np.float32], cell_m: float) -> float:
    """Share of the points a (N, 3) in whose cell are points b (M, 3), or beside it."""
    if not len(a) or not len(b):
        return 0.0
    around = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)])
    near = (b[:, None] + cell_m * around.astype(np.float32)).reshape(-1, 3)
    return float(np.isin(voxel_keys(a, cell_m), voxel_keys(near, cell_m)).mean())


def _points_of(view: View) -> NDArray[np.float32]:
    depth_m = view.depth_m
    step = max(1, round(depth_m.shape[1] / _COLUMNS))
    v, u = np.mgrid[step // 2 : depth_m.shape[0] : step, step // 2 : depth_m.shape[1] : step]
    z = depth_m[v, u]
    good = (z > NEAREST_M) & (z < FARTHEST_M)
    points = view.camera.unproject(u[good], v[good], z[good])
    return np.asarray(view.world_T_camera.transform(points), np.float32)


def _middle_of(view: View, box_px: NDArray[np.floating]) -> NDArray[np.float64] | None:
    """(3,), camera: the middle of the surface in the middle of a box; None where depth is
    missing."""
    x0, y0, x1, y1 = box_px.tolist()
    across, down = _MIDDLE * (x1 - x0), _MIDDLE * (y1 - y0)
    height, width = view.depth_m.shape
    left, right = max(0, int(x0 + across)), min(width, int(np.ceil(x1 - across)) + 1)
    top, bottom = max(0, int(y0 + down)), min(height, int(np.ceil(y1 - down)) + 1)
    part = view.depth_m[top:bottom, left:right]
    seen = part[(part > NEAREST_M) & (part < FARTHEST_M)]
    if len(seen) < _LEAST_PIXELS:
        return None
    u, v = np.array([(x0 + x1) / 2.0]), np.array([(y0 + y1) / 2.0])
    found = view.camera.unproject(u, v, np.array([np.median(seen)]))
    return np.asarray(found[0], np.float64)


def _thinned(points: NDArray[np.float32]) -> NDArray[np.float32]:
    """The mean of the points in each voxel."""
    if not len(points):
        return points
    _, voxel, count = np.unique(
        voxel_keys(points, VOXEL_M), return_inverse=True, return_counts=True
    )
    sums = [np.bincount(voxel.ravel(), axis) for axis in points.T]
    return np.asarray(np.stack(sums, axis=1) / count[:, None], np.float32)
