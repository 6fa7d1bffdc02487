"""Changes of a memory that are not on disk yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.descriptions import ObjectNotes
from scenemind.memory.disk.retention import Retention
from scenemind.memory.frame_corrections import FrameCorrections, pose_of
from scenemind.memory.graph.corrections import CorrectionsJournal
from scenemind.memory.objects.object_map import ObjectMap
from scenemind.memory.objects.object_record import ObjectRecord
from scenemind.memory.occupancy.occupancy_map import BlockRecord, OccupancyMap
from scenemind.memory.structure.structure_map import StructureMap
from scenemind.memory.tree.best_views import BestViews, ViewsRecord
from scenemind.memory.tree.mem_tree import MemTree, TreeChanges
from scenemind.memory.types import (
    Correction,
    Description,
    DetectionNode,
    Embedding,
    PoseCorrection,
)

# Frames that wait while the disk fails: a minute at 30 Hz. Older ones are dropped, and counted.
_MAX_WAITING_FRAMES = 1800


@dataclass(frozen=True, slots=True, eq=False)
class FrameRecord:
    """One integrated frame with its DetNodes: columns of equal length.

    Attributes:
        on_path: the camera had moved since the last such frame.
        track_ids: -1 for a detection without a track.
    """

    number: int
    stamp_ns: int
    location_id: int
    camera: PinholeCamera
    world_T_camera: Pose
    on_path: bool
    detections: tuple[DetectionNode, ...] = ()
    labels: tuple[str, ...] = ()
    track_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Values to write in one transaction: new frames, and the newest state of other changed rows.

    Attributes:
        images: frame -> size in bytes of its image, which is on disk; 0: to be deleted.
        structure: floor, walls and ceiling, packed by their estimator; None: unchanged.
        occupancy: blocks of floor that say something else now.
        seen_again: frames that are on disk, with detections that were added since.
        poses: corrections of the poses of frames that are on disk, oldest first.
        noted: what is remembered of these.
    """

    frames: tuple[FrameRecord, ...]
    images: Mapping[int, int]
    tree: TreeChanges
    views: tuple[ViewsRecord, ...]
    objects: tuple[ObjectRecord, ...]
    removed_objects: frozenset[int]
    corrections: tuple[Correction, ...]
    descriptions: tuple[Description, ...] = ()
    embeddings: tuple[Embedding, ...] = ()
    structure: bytes | None = None
    occupancy: tuple[BlockRecord, ...] = ()
    seen_again: tuple[FrameRecord, ...] = ()
    poses: tuple[FrameCorrections, ...] = ()
    noted: tuple[PoseCorrection, ...] = ()

    def __bool__(self) -> bool:
        tree = bool(self.tree.locations or self.tree.tracklets)
        objects = bool(self.objects or self.removed_objects)
        images = bool(self.images or self.views)
        said = bool(self.corrections or self.descriptions or self.embeddings)
        frames = bool(self.frames or self.seen_again or self.poses or self.noted)
        building = bool(self.structure or self.occupancy)
        return tree or objects or images or said or frames or building


NO_CHANGES = Changes((), {}, TreeChanges((), ()), (), (), frozenset(), ())


@dataclass(frozen=True, slots=True, eq=False)
class ChangeSources:
    """The parts of a memory that are stored, each of which knows its own changes."""

    journal: CorrectionsJournal
    tree: MemTree
    object_map: ObjectMap
    views: BestViews
    retention: Retention
    descriptions: ObjectNotes[Description]
    embeddings: ObjectNotes[Embedding]
    structure: StructureMap
    occupancy: OccupancyMap


class PendingChanges:
    """Collects changes under the memory's lock; `take` returns them as values for the writer.

    Attributes:
        lost_frames: rows that were dropped because the disk failed for too long.
    """

    def __init__(self, sources: ChangeSources) -> None:
        self._sources = sources
        self._frames: deque[FrameRecord] = deque(maxlen=_MAX_WAITING_FRAMES)
        self._changed: set[int] = set()
        self._removed: set[int] = set()
        self._seen_again: dict[int, FrameRecord] = {}
        self._poses: tuple[FrameCorrections, ...] = ()
        self._noted: tuple[PoseCorrection, ...] = ()
        self.lost_frames = 0

    def add_frame(self, record: FrameRecord) -> None:
        self.lost_frames += len(self._frames) == _MAX_WAITING_FRAMES
        self._frames.append(record)

    def put_detections(self, record: FrameRecord) -> None:
        """A stored frame has more detections now."""
        self._seen_again[record.number] = record

    def correct_poses(self, corrections: FrameCorrections) -> None:
        """Correct the poses of frames that are not on disk yet, and later of those that are."""
        waiting = tuple(self._frames)
        moves = corrections.of_frames([record.number for record in waiting])
        self._frames.clear()
        for record, move in zip(waiting, moves, strict=True):
            pose = pose_of(move) @ record.world_T_camera
            self._frames.append(replace(record, world_T_camera=pose))
        for number, record in self._seen_again.items():
            (move,) = corrections.of_frames([number])
            pose = pose_of(move) @ record.world_T_camera
            self._seen_again[number] = replace(record, world_T_camera=pose)
        self._poses = (*self._poses, corrections)

    def note_poses(self, noted: PoseCorrection) -> None:
        """Remember a correction of poses."""
        self._noted = (*self._noted, noted)

    def find_detections(self, number: int) -> FrameRecord | None:
        """A stored frame whose new detections are not on disk yet."""
        return self._seen_again.get(number)

    def add_objects(self, changed: Iterable[int], removed: Iterable[int]) -> None:
        self._changed.update(changed)
        self._removed.update(removed)
        self._changed -= self._removed

    def take(self) -> Changes:
        changes = Changes(
            tuple(self._frames),
            self._sources.retention.take_changes(),
            self._sources.tree.take_changes(),
            self._sources.views.take_changes(),
            tuple(self._sources.object_map.export(sorted(self._changed))),
            frozenset(self._removed),
            self._sources.journal.take_changes(),
            self._sources.descriptions.take_changes(),
            self._sources.embeddings.take_changes(),
            self._sources.structure.take_changes(),
            self._sources.occupancy.take_changes(),
            tuple(self._seen_again.values()),
            self._poses,
            self._noted,
        )
        self._poses, self._noted = (), ()
        self._frames.clear()
        self._seen_again.clear()
        self._changed.clear()
        self._removed.clear()
        return changes

    def give_back(self, changes: Changes) -> None:
        """Return changes that could not be written: the next `take` includes them."""
        newer = tuple(self._frames)
        self._poses = (*changes.poses, *self._poses)
        self._noted = (*changes.noted, *self._noted)
        self._frames.clear()
        for record in (*changes.frames, *newer):
            self.add_frame(record)
        self._seen_again = {r.number: r for r in changes.seen_again} | self._seen_again
        self._sources.tree.give_back(changes.tree)
        self._sources.views.give_back(changes.views)
        self._sources.retention.give_back(changes.images)
        self._sources.descriptions.give_back(changes.descriptions)
        self._sources.embeddings.give_back(changes.embeddings)
        self._sources.structure.give_back(changes.structure)
        self._sources.occupancy.give_back(changes.occupancy)
        self._sources.journal.give_back(changes.corrections)
        self._sources.object_map.give_back(changes.objects)
        self.add_objects((r.object_id for r in changes.objects), changes.removed_objects)
