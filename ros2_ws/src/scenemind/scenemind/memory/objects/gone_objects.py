"""Objects that are no longer where they were: places seen through, and things found elsewhere.

An object that is in view and was not observed is compared with the depth image. A point of its
surface is seen through where the depth measured there, and all around it as far as poses may be
wrong, lies clearly behind it. A missing detection alone is no evidence: detectors miss things.

Ghosts are kept here too, as what was shown once is never forgotten without a record: a ghost that
is detected again at its place goes on under its id.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.objects.box_table import BoxTable, compare_boxes
from scenemind.memory.objects.carriers import NO_CARRIERS
from scenemind.memory.objects.map_entry import SAME_PLACE, MapEntry, Sight
from scenemind.memory.objects.plausible_labels import WallPlanes
from scenemind.memory.types import MapObject

# Objects checked in a frame, in turns, and points of each, which bounds the cost.
MOST_OBJECTS = 4
MOST_POINTS = 64
# Tolerated pose error, for which thin things are not taken to be seen through.
POSE_ERROR_M = 0.05
# Depth is behind a point beyond this margin: twice a map voxel, and three standard deviations of a
# stereo camera's noise, which grows with the square of the distance.
BEHIND_M = 0.06
BEHIND_AT_1M = 0.006
# Beyond this range a camera's noise is as large as things are.
FARTHEST_M = 5.0
NEAREST_M = 0.3
# Share of the points that must be decided, and shares of decided points for either verdict.
DECIDED_SHARE = 0.3
THROUGH_SHARE = 0.6
THERE_SHARE = 0.4
# Steps of the window around a point, in units of the pose error.
_AROUND = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)])
_LEAST_MEASURED = 5  # of the window


def objects_in_view(
    boxes: BoxTable,
    entries: Mapping[int, MapEntry],
    observed: Container[int],
    frame: RGBDFrame,
    after: int,
) -> list[int]:
    """A few confirmed objects whose centre is in view and that this frame did not observe.

    Args:
        after: the last id of the previous frame; objects take turns in the order of ids.
    """
    ids, centers = boxes.centers()
    pixels, depth_m = frame.camera.project(frame.world_T_camera.inverse().transform(centers))
    with np.errstate(invalid="ignore"):
        inside = (pixels >= 0.0).all(axis=1)
        inside &= (pixels[:, 0] < frame.camera.width) & (pixels[:, 1] < frame.camera.height)
    inside &= (depth_m > NEAREST_M) & (depth_m < FARTHEST_M)
    unseen = [i for i in ids[inside].tolist() if i not in observed and entries[i].confirmed]
    unseen.sort(key=lambda i: (i <= after, i))
    return unseen[:MOST_OBJECTS]


class DepthView(Protocol):
    """Depth from a pose: a frame, or the stored depth of one."""

    @property
    def camera(self) -> PinholeCamera: ...
    @property
    def world_T_camera(self) -> Pose: ...
    @property
    def depth_m(self) -> NDArray[np.float32]: ...


def lines_of_sight(surfaces: Sequence[NDArray[np.float32]], view: DepthView) -> list[Sight]:
    """The verdict of a depth image on surfaces (M, 3), M > 0, world: seen through, there, or
    unclear."""
    samples = [_sample(surface) for surface in surfaces]
    if not samples:
        return []
    through, there = compare_points(np.concatenate(samples), view)
    sights: list[Sight] = []
    start = 0
    for sample in samples:
        part = slice(start, start + len(sample))
        start += len(sample)
        decided = np.count_nonzero(through[part] | there[part])
        if decided < DECIDED_SHARE * len(sample):
            sights.append("unclear")
        elif np.count_nonzero(there[part]) >= THERE_SHARE * decided:
            sights.append("there")
        elif np.count_nonzero(through[part]) >= THROUGH_SHARE * decided:
            sights.append("through")
        else:
            sights.append("unclear")
    return sights


def compare_points(
    points: NDArray[np.float32], view: DepthView
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Two masks (P,) of points (P, 3), world: seen through, and still there."""
    pixels, expected_m = view.camera.project(view.world_T_camera.inverse().transform(points))
    in_front = expected_m > NEAREST_M
    safe_m = np.where(in_front, expected_m, 1.0)
    window_px = view.camera.fx * POSE_ERROR_M / safe_m
    around = np.nan_to_num(pixels[:, None], nan=-1e6) + window_px[:, None, None] * _AROUND
    column, row = np.rint(around).astype(np.int64).transpose(2, 0, 1)
    height, width = view.depth_m.shape
    valid = (column >= 0) & (column < width) & (row >= 0) & (row < height) & in_front[:, None]
    depth_m = view.depth_m[np.where(valid, row, 0), np.where(valid, column, 0)]
    valid &= depth_m > 0.0
    behind_m = np.where(valid, depth_m - expected_m[:, None], np.inf)
    margin_m = BEHIND_M + BEHIND_AT_1M * safe_m**2
    measured = valid.sum(axis=1) >= _LEAST_MEASURED
    through: NDArray[np.bool_] = measured & (behind_m.min(axis=1) > margin_m)
    there = np.any(np.abs(behind_m) <= margin_m[:, None], axis=1)
    return through, np.asarray(there)


def _sample(points: NDArray[np.float32]) -> NDArray[np.float32]:
    step = -(-len(points) // MOST_POINTS)
    return points[::step]


# Of two views of a thing from different sides the shorter diagonal has at least this share.
SAME_SIZE = 0.6
# Share of the colour histograms that coincides.
SAME_COLOURS = 0.6


def find_origin(appeared: MapEntry, gone: Iterable[MapEntry]) -> MapEntry | None:
    """The gone object that a new one is; the most similar, then the oldest; None without one.

    A ghost is only found where it was.
    """
    scored = [
        (-(_in_place if old.is_ghost else _likeness)(appeared, old), old.object_id, old)
        for old in gone
    ]
    able = [entry for entry in scored if entry[0] < 0.0 and _came_later(appeared, entry[2])]
    return min(able, key=lambda entry: entry[:2])[2] if able else None


def find_new_place(vanished: MapEntry, others: Iterable[MapEntry]) -> MapEntry | None:
    """The younger object that a vanished one is; the most similar; None without one."""
    scored = [(-_likeness(vanished, new), new.object_id, new) for new in others]
    able = [
        entry
        for entry in scored
        if entry[0] < 0.0 and entry[1] > vanished.object_id and _came_later(entry[2], vanished)
    ]
    return min(able, key=lambda entry: entry[:2])[2] if able else None


def _likeness(a: MapEntry, b: MapEntry) -> float:
    """Similarity in [0, 1]; 0 if they cannot be one thing: other labels, sizes or colours."""
    if a.label != b.label or b.looks.appearance is None:
        return 0.0
    diagonals = sorted(float(np.linalg.norm(entry.box.size)) for entry in (a, b))
    size = diagonals[0] / max(diagonals[1], 1e-9)
    colours = a.looks.likeness(b.looks.appearance)
    return size * colours if size >= SAME_SIZE and colours >= SAME_COLOURS else 0.0


def _in_place(a: MapEntry, b: MapEntry) -> float:
    """How far a box of the same label lies within the other one, in [0, 1]; 0 for too little."""
    if a.label != b.label:
        return 0.0
    compared = compare_boxes(np.array([a.box.extent()]), np.array([b.box.extent()]))
    share = float(compared.share[0])
    return share if share >= SAME_PLACE else 0.0


def is_at_place(a: MapEntry, b: MapEntry) -> bool:
    """True if two things of one kind are at one place."""
    return _in_place(a, b) > 0.0


def _came_later(new: MapEntry, old: MapEntry) -> bool:
    """True if the new object was first seen after the old one was last seen, and never moved."""
    return new.first_seen_ns > old.last_seen_ns and not new.stays


# The number of gone objects that are remembered; the one gone longest is forgotten first.
MOST_GONE = 512


class GoneObjects:
    """The entries of gone objects, with their values."""

    def __init__(self) -> None:
        self._entries: dict[int, MapEntry] = {}
        self._values: dict[int, MapObject] = {}
        self._walls = WallPlanes()

    def add(self, entry: MapEntry) -> None:
        """Add an object whose `gone_ns` is set."""
        self._entries[entry.object_id] = entry
        entry.carriers = NO_CARRIERS  # what carried it may be gone too
        value = entry.to_object(self._walls)
        self._values = dict(sorted({**self._values, entry.object_id: value}.items()))

    def note_walls(self, walls: WallPlanes) -> None:
        """Weigh labels beside these walls."""
        self._walls = walls
        for object_id, entry in self._entries.items():
            if entry.label_probabilities(walls) != self._values[object_id].label_probabilities:
                self._values = {**self._values, object_id: entry.to_object(walls)}

    def take_oldest(self, edited_ids: Set[int]) -> set[int]:
        """Forget the ghosts, then the objects gone longest beyond the limit, except corrected ones;
        their ids."""
        spare = len(self._entries) - MOST_GONE
        if spare <= 0:
            return set()
        able = (entry for entry in self._entries.values() if entry.object_id not in edited_ids)
        by_time = sorted(able, key=lambda e: (not e.is_ghost, e.gone_ns or 0, e.object_id))
        forgotten = {entry.object_id for entry in by_time[:spare]}
        for object_id in forgotten:
            self.take(object_id)
        return forgotten

    def take(self, object_id: int) -> MapEntry:
        """Remove and return an object that is back."""
        self._values = {i: value for i, value in self._values.items() if i != object_id}
        return self._entries.pop(object_id)

    def entries(self) -> list[MapEntry]:
        return list(self._entries.values())

    def find(self, object_id: int) -> MapEntry | None:
        return self._entries.get(object_id)

    def find_origin(self, appeared: MapEntry) -> MapEntry | None:
        """The object that this new one is; see the function."""
        return find_origin(appeared, self._entries.values()) if self._entries else None

    def values(self) -> Mapping[int, MapObject]:
        """The gone objects by ascending id; constant afterwards."""
        return MappingProxyType(self._values)
