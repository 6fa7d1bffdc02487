"""Hours of a robot's rounds through a building, as MemTree3D and the best views store them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import SimpleNamespace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from scenemind.config import StoreConfig, TreeConfig
from scenemind.geometry import Box3D, PinholeCamera, Pose
from scenemind.memory import FrameIndex, KeyFrame, MapObject, MemoryAccess, MemorySnapshot
from scenemind.memory.disk.memory_disk import MemoryDisk
from scenemind.memory.graph.corrections.overlay import Sources
from scenemind.memory.reader import TreeReader
from scenemind.memory.state import MemoryState
from scenemind.memory.tree.best_views import BestViews
from scenemind.memory.tree.key_frames import KeyFrameSelector, view_scores
from scenemind.memory.tree.mem_tree import MemTree, TrackedDetections
from scenemind.perception.types import Detections
from scenemind.simulation.trajectory import look

RATE_HZ = 30.0
DETECTIONS = 20  # detections in each frame
_FRAME_NS = round(1e9 / RATE_HZ)
CAMERA = PinholeCamera(640, 480, 525.0, 525.0, 319.5, 239.5)
ROUND_M = 90.0
_SPEED_M_S = 0.5
_SPACING_M = 0.15  # distance from one object to the next along the way
_KINDS = 40  # number of labels


class LongDrive:
    """A drive that grows with `go_on`.

    The robot goes round and round at 0.5 m/s past an object every 15 cm; each frame detects the 20
    that are next. A round of 90 m makes about 60 locations, and from the second one on all are
    revisits.

    Attributes:
        tree, views: as in a memory.
        objects: id -> object, of the map; constant.
        frames: their number.
        location_of: frame -> location, for stored frames.
    """

    def __init__(self, frames_per_second: float = RATE_HZ, round_m: float = ROUND_M) -> None:
        """Start a drive of length 0.

        Args:
        frames_per_second: a lower rate covers the same way in fewer frames."""
        self.tree = MemTree(TreeConfig())
        self.views = BestViews(StoreConfig().views_per_object)
        self._round_m = round_m
        count = round(round_m / _SPACING_M)
        self.objects = {i: _thing(i, _pose(i * _SPACING_M, round_m)) for i in range(1, count + 1)}
        self.frames = 0
        self.location_of: dict[int, int] = {}
        self._step_m = _SPEED_M_S / frames_per_second
        self._selector = KeyFrameSelector(StoreConfig())
        self._boxes = _boxes_px()
        self._rng = np.random.default_rng(0)
        self._stored: list[tuple[int, int, Pose, list[int], NDArray[np.float32]]] = []

    def frame_index(self) -> FrameIndex:
        """Of the stored frames, as a memory keeps it."""
        numbers, places, poses, ids, scores = zip(*self._stored, strict=True)
        shown = np.concatenate(ids).astype(np.int32)
        labels = sorted({thing.label for thing in self.objects.values()})
        row_of = {label: row for row, label in enumerate(labels)}
        label_of = np.zeros(len(self.objects) + 1, np.int32)
        for object_id, thing in self.objects.items():
            label_of[object_id] = row_of[thing.label]
        count = len(numbers)
        return FrameIndex(
            frame_numbers=np.array(numbers, np.int32),
            stamps_ns=np.array(numbers, np.int64) * _FRAME_NS,
            location_ids=np.array(places, np.int32),
            world_T_camera=np.stack([pose.matrix() for pose in poses]),
            camera_indices=np.zeros(count, np.int32),
            cameras=(CAMERA,),
            detection_frames=np.repeat(np.arange(count, dtype=np.int32), DETECTIONS),
            detection_labels=label_of[shown],
            detection_objects=shown,
            detection_scores=np.concatenate(scores),
            detection_boxes_px=np.tile(self._boxes, (count, 1)),
            labels=tuple(labels),
        )

    @property
    def key_frames(self) -> int:
        """Number of stored frames."""
        return len(self.location_of)

    @property
    def pose(self) -> Pose:
        """Camera pose."""
        return _pose(self._step_m * max(0, self.frames - 1), self._round_m)

    def go_on(self, frame_count: int) -> None:
        """Continue the drive for a number of frames."""
        for number in range(self.frames, self.frames + frame_count):
            self._add(number, self._step_m * number)
        self.frames += frame_count

    def _add(self, number: int, way_m: float) -> None:
        first = int(way_m / _SPACING_M)
        passed = range(first, first + DETECTIONS)  # counted on in every round, as track ids are
        ids = [place % len(self.objects) + 1 for place in passed]
        scores = self._rng.uniform(0.3, 0.95, DETECTIONS).astype(np.float32)
        labels = tuple(self.objects[object_id].label for object_id in ids)
        detections = Detections(labels, scores, self._boxes, (None,) * DETECTIONS)
        pose = _pose(way_m, self._round_m)
        frame = self.tree.add_frame(
            number,
            number * _FRAME_NS,
            pose,
            TrackedDetections(
                detections, np.fromiter(passed, np.int64), {}, dict(zip(passed, ids, strict=True))
            ),
        )
        moved = self._selector.has_moved(pose)
        shown = view_scores(detections.boxes_px, detections.scores, CAMERA).tolist()
        if self._selector.wants(moved, frame, shown, self.views, lambda _: True):
            self.location_of[number] = frame.location_id
            self._stored.append((number, frame.location_id, pose, ids, scores))
            self.views.add(frame.location_id, number, frame.object_ids(), shown, self._boxes)
        if moved:
            self._selector.note_place(pose)


def _pose(way_m: float, round_m: float) -> Pose:
    """Pose on the circle of a round, looking ahead."""
    angle_rad = 2.0 * np.pi * way_m / round_m
    radius_m = round_m / (2.0 * np.pi)
    x, y = radius_m * np.cos(angle_rad), radius_m * np.sin(angle_rad)
    return look(float(x), float(y), 1.2, float(angle_rad + np.pi / 2), 0.0)


def _boxes_px() -> NDArray[np.float32]:
    """Boxes (20, 4); the nearest object is largest."""
    half = 150.0 / (1.0 + 0.3 * np.arange(DETECTIONS))
    x, y = np.linspace(160.0, 480.0, DETECTIONS), 240.0
    return np.column_stack((x - half, y - half, x + half, y + half)).astype(np.float32)


def _thing(object_id: int, pose: Pose) -> MapObject:
    label = f"thing {object_id * 7 % _KINDS}"
    x, y, _ = pose.translation.tolist()
    return MapObject(
        object_id=object_id,
        label=label,
        perceived_label=label,
        attributes={},
        confidence=0.9,
        box=Box3D((x, y, 0.5), (0.4, 0.4, 0.6)),
        points=np.zeros((0, 3), np.float32),
        first_seen_ns=0,
        last_seen_ns=0,
        observation_count=10,
        track_ids=(object_id,),
    )


_WHOLE_IMAGE = 0.0, 0.0, float(CAMERA.width), float(CAMERA.height)


def memory_of(drive: LongDrive) -> MemoryAccess:
    """The part of a memory that a frame selector needs, by the code of a memory (`TreeReader`).

    Its scene has only the drive's tree, views and objects, and its disk gives frames at once
    instead of reading them. The index of frames is that of this moment.
    """
    snapshot = MemorySnapshot(0, 0, drive.objects, (), drive.pose)

    def find_unread(
        number: int,
        object_of: Callable[[int, int], int | None],  # noqa: ARG001
        wanted: Collection[int],
        score: float = 0.0,
    ) -> KeyFrame:
        boxes = dict.fromkeys(wanted, _WHOLE_IMAGE)
        place = drive.location_of[number]
        return KeyFrame(number, 0, place, CAMERA, drive.pose, b"", score, boxes)

    scene = SimpleNamespace(
        tree=drive.tree,
        views=drive.views,
        journal=SimpleNamespace(sources=Sources()),
        snapshot=lambda: snapshot,
        retention=SimpleNamespace(frames=lambda: list(drive.location_of)),
    )
    disk = SimpleNamespace(evidence=SimpleNamespace(find=find_unread))
    memory = TreeReader(cast(MemoryDisk, disk), cast(MemoryState, scene))
    index = drive.frame_index()
    vars(memory).update(
        frame_index=lambda: index, key_frame=lambda number: find_unread(number, lambda *_: None, ())
    )
    return cast(MemoryAccess, memory)
