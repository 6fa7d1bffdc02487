"""What has changed in memory and is not on disk yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.descriptions.object_notes import ObjectNotes
from scenemind.memory.disk.retention import Retention
from scenemind.memory.graph.corrections import CorrectionsJournal
from scenemind.memory.objects.object_map import ObjectMap
from scenemind.memory.objects.object_record import ObjectRecord
from scenemind.memory.structure.structure_map import StructureMap
from scenemind.memory.tree.best_views import BestViews
from scenemind.memory.tree.tree import MemTree, TreeChanges
from scenemind.memory.tree.views import ViewsRecord
from scenemind.memory.types import Correction, Description, DetectionNode, Embedding

# Frames that wait while the disk fails: a minute at 30 Hz. Older ones are given up, and counted.
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
    """Values to write in one transaction: new frames, and the newest state of all the rest.

    Attributes:
        images: frame -> bytes of its image, which is on disk; 0: it is to be deleted.
        structure: floor, walls and ceiling as their estimator packs them; None: unchanged.
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

    def __bool__(self) -> bool:
        tree = bool(self.tree.locations or self.tree.tracklets)
        objects = bool(self.objects or self.removed_objects)
        images = bool(self.images or self.views)
        said = bool(self.corrections or self.descriptions or self.embeddings)
        return tree or objects or images or said or bool(self.frames or self.structure)


NO_CHANGES = Changes((), {}, TreeChanges((), ()), (), (), frozenset(), ())


class PendingChanges:
    """Collects under the memory's lock; `take` makes the values that the writer needs.

    Attributes:
        lost_frames: rows given up because the disk failed for too long.
    """

    def __init__(
        self,
        journal: CorrectionsJournal,
        tree: MemTree,
        object_map: ObjectMap,
        views: BestViews,
        retention: Retention,
        descriptions: ObjectNotes[Description],
        embeddings: ObjectNotes[Embedding],
        structure: StructureMap,
    ) -> None:
        self._journal = journal
        self._tree = tree
        self._views = views
        self._retention = retention
        self._object_map = object_map
        self._descriptions = descriptions
        self._embeddings = embeddings
        self._structure = structure
        self._frames: deque[FrameRecord] = deque(maxlen=_MAX_WAITING_FRAMES)
        self._changed: set[int] = set()
        self._removed: set[int] = set()
        self.lost_frames = 0

    def add_frame(self, record: FrameRecord) -> None:
        self.lost_frames += len(self._frames) == _MAX_WAITING_FRAMES
        self._frames.append(record)

    def add_objects(self, changed: Iterable[int], removed: Iterable[int]) -> None:
        self._changed.update(changed)
        self._removed.update(removed)
        self._changed -= self._removed

    def take(self) -> Changes:
        changes = Changes(
            tuple(self._frames),
            self._retention.take_changes(),
            self._tree.take_changes(),
            self._views.take_changes(),
            tuple(self._object_map.export(sorted(self._changed))),
            frozenset(self._removed),
            self._journal.take_changes(),
            self._descriptions.take_changes(),
            self._embeddings.take_changes(),
            self._structure.take_changes(),
        )
        self._frames.clear()
        self._changed.clear()
        self._removed.clear()
        return changes

    def give_back(self, changes: Changes) -> None:
        """They could not be written: the next `take` has them again."""
        newer = tuple(self._frames)
        self._frames.clear()
        for record in (*changes.frames, *newer):
            self.add_frame(record)
        self._tree.give_back(changes.tree)
        self._views.give_back(changes.views)
        self._retention.give_back(changes.images)
        self._descriptions.give_back(changes.descriptions)
        self._embeddings.give_back(changes.embeddings)
        self._structure.give_back(changes.structure)
        self._journal.give_back(changes.corrections)
        self.add_objects((r.object_id for r in changes.objects), changes.removed_objects)
