"""What is remembered, in RAM: one frame at a time goes in, values come out. No disk, no threads."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Pose
from scenemind.memory.descriptions.laid_over import DescribedObjects
from scenemind.memory.descriptions.object_notes import ObjectNotes
from scenemind.memory.disk.changes import FrameRecord, PendingChanges
from scenemind.memory.disk.frame_store import ImageResults
from scenemind.memory.disk.retention import Retention
from scenemind.memory.disk.store import StoredMemory
from scenemind.memory.graph.corrections import CorrectionsJournal, Seen
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.memory.numbering import Numbering
from scenemind.memory.objects.object_map import ObjectMap
from scenemind.memory.stopwatch import Stopwatch
from scenemind.memory.structure.structure_map import StructureMap
from scenemind.memory.tree.best_views import BestViews
from scenemind.memory.tree.key_frames import KeyFrameSelector, view_scores
from scenemind.memory.tree.tree import FrameInTree, MemTree
from scenemind.memory.types import (
    Description,
    Embedding,
    MapObject,
    MemorySnapshot,
    Relation,
    StructurePlane,
)
from scenemind.perception.text.similarity import LabelSimilarity
from scenemind.perception.types import Detections, Observation

# Frames between two looks at the relations, which are also looked at when somebody asks: an object
# in view changes with every frame, and its relations hardly ever.
_RELATE_EVERY = 5


class Scene:
    """The mutable state of a memory: its owner's lock guards it.

    Attributes:
        journal: what people said. Call `touch` after changing it.
        views: the frames that show each object best.
        descriptions, embeddings: what models said of objects. Call `touch` after the former.
        retention: which images are stored, and which of them stay.
        pending: what is not on disk yet.
    """

    def __init__(self, config: SceneMindConfig, revision: int = 0) -> None:
        self._objects = ObjectMap(config.object_map)
        self.journal = CorrectionsJournal(self._objects.ids.take)
        self._graph = SceneGraph(config.relations)
        self._structure = StructureMap(config.depth)
        self.tree = MemTree(config.tree)
        self.views = BestViews(config.store.views_per_object)
        self.retention = Retention(config.store, self.views)
        self.descriptions = ObjectNotes[Description](lambda _: "")
        self.embeddings = ObjectNotes[Embedding](lambda embedding: embedding.encoder)
        self._described = DescribedObjects(self.descriptions)
        self.pending = PendingChanges(
            self.journal,
            self.tree,
            self._objects,
            self.views,
            self.retention,
            self.descriptions,
            self.embeddings,
            self._structure,
        )
        self._selector = KeyFrameSelector(config.store)
        self._numbers = Numbering()
        self._path = array("f")  # x, y, z of one place after the other
        self._revision = revision
        self._stamp_ns = 0
        self._world_T_camera: Pose | None = None
        self._seen = Seen({}, {})
        self._is_seen = True
        self._snapshot: MemorySnapshot | None = None

    def restore(self, stored: StoredMemory) -> None:
        """Fill an empty scene with what is on disk and begin a session."""
        self._objects.restore(stored.objects)
        self.journal.restore(stored.corrections, self._objects.objects())
        self._objects.ids.skip(self.journal.largest_id)
        self.tree.restore(stored.tree)
        self.views.restore(stored.views)
        self.descriptions.restore(stored.descriptions)
        self.embeddings.restore(stored.embeddings)
        self.retention.restore(stored.image_bytes)
        self._structure.restore(stored.structure)
        self._path.extend(stored.path.ravel().tolist())
        newest = stored.last_frame
        if newest is not None:
            self._stamp_ns, self._world_T_camera = newest.stamp_ns, newest.world_T_camera
        self._numbers = Numbering(
            next_frame=0 if newest is None else newest.number + 1,
            next_track=stored.largest_track_id + 1,
        )
        self.touch()

    def begin_session(self) -> None:
        """A new recording or tracker: frames and tracks that count from 0 again."""
        self._numbers.begin_session()
        self.tree.close_location()

    @property
    def next_frame(self) -> int:
        return self._numbers.next_frame

    @property
    def path(self) -> NDArray[np.float32]:
        """(N, 3) float32, world: the camera's way, a place for every step of it."""
        return np.array(self._path, np.float32).reshape(-1, 3)

    def integrate(
        self,
        frame: RGBDFrame,
        detections: Detections,
        track_ids: NDArray[np.int64],
        observations: Sequence[Observation],
        put_image: Callable[[int, RGBDFrame], bool],
        watch: Stopwatch,
        relations: bool,
        upkeep: bool,
        label_similarity: LabelSimilarity,
    ) -> frozenset[int]:
        """See `Memory.integrate`; `put_image` says whether the image will be stored."""
        number = self._numbers.frame(frame.number)
        track_ids = self._numbers.tracks(track_ids)
        observations = self._numbers.observations(observations)
        were_gone = self._objects.gone()
        update = self._objects.update(
            observations, frame, upkeep, label_similarity, self.journal.spoken_of
        )
        gone_or_changed = update.changed | update.removed | update.retired
        if update.merged:
            self.journal.follow(update.merged, were_gone)
        if gone_or_changed:
            self.touch()
        watch.lap("fuse")
        if relations and number % _RELATE_EVERY == 0:
            self._relate()
        watch.lap("graph")
        in_tree = self.tree.add_frame(
            number,
            frame.stamp_ns,
            frame.world_T_camera,
            detections,
            track_ids,
            {o.track_id: o.box.center for o in observations},
            update.object_of_track,
        )
        self.tree.follow(update.merged, update.removed)
        self.views.follow(update.merged, update.removed)
        self.descriptions.follow(update.merged, update.removed)
        self.embeddings.follow(update.merged, update.removed)
        watch.lap("tree")
        on_path = self._keep_image(number, frame, detections, in_tree, put_image)
        self.pending.add_frame(
            FrameRecord(
                number,
                frame.stamp_ns,
                in_tree.location_id,
                frame.camera,
                frame.world_T_camera,
                on_path,
                in_tree.detections,
                detections.labels,
                tuple(track_ids.tolist()),
            )
        )
        self.pending.add_objects(update.changed | update.retired, update.removed)
        self._stamp_ns, self._world_T_camera = frame.stamp_ns, frame.world_T_camera
        self._snapshot = None
        watch.lap("store")
        if upkeep and (self._structure.add(frame) if on_path else self._structure.stand_still()):
            self.touch()
        watch.lap("graph")
        return gone_or_changed

    def touch(self) -> None:
        """Objects, relations, corrections or the building changed."""
        self._revision += 1
        self._is_seen = False
        self._snapshot = None

    def perceived(self) -> Mapping[int, MapObject]:
        """Objects as perception alone has them."""
        return self._objects.objects()

    def gone(self) -> Mapping[int, MapObject]:
        """Objects that are no longer there, as perception alone has them."""
        return self._objects.gone()

    def structure(self) -> dict[int, StructurePlane]:
        """Floor, walls and ceiling by id."""
        return {plane.plane_id: plane for plane in self._structure.planes}

    def knows(self, object_id: int) -> bool:
        """Whether there is, or was, such an object: confirmed, and not merged into another."""
        return object_id in self._objects.objects() or object_id in self._objects.gone()

    def snapshot(self) -> MemorySnapshot:
        """The same value until something changes."""
        if self._snapshot is None:
            self._relate()
            structure = self.structure()
            relations, levels = self._stated(structure)
            self._snapshot = MemorySnapshot(
                self._revision,
                self._stamp_ns,
                self._seen.objects,
                relations,
                self._world_T_camera,
                self._seen.gone,
                structure,
                levels,
            )
        return self._snapshot

    def _stated(self, structure: Collection[int]) -> tuple[tuple[Relation, ...], Mapping[int, int]]:
        """Relations and levels with what people said: what they say carries a thing puts it, and
        what it carries, on other levels, whose relations are others."""
        objects, computed = self._seen.objects, self._graph.levels()
        relations = self.journal.relations(self._graph.relations(), objects, structure)
        levels = self.journal.levels(computed, relations, objects)
        if levels != computed:
            at_levels = self._graph.relations_at(levels)
            relations = self.journal.relations(at_levels, objects, structure)
        return relations, levels

    def _relate(self) -> None:
        """Lay descriptions and corrections over perception, and relate what differs since then.

        Relations are those of what people see: a thing that was renamed, merged or deleted has
        others.
        """
        if self._is_seen:
            return
        perceived, gone = self._objects.objects(), self._objects.gone()
        self.journal.find_again(perceived, gone)
        described = self._described.lay_over(perceived), self._described.lay_over(gone)
        before, self._seen = self._seen.objects, self.journal.lay_over(*described)
        seen = self._seen.objects
        changed = [i for i, thing in seen.items() if before.get(i) is not thing]
        vanished = before.keys() - seen.keys()
        self._graph.refresh(seen, [*changed, *vanished], self._structure.planes)
        self._is_seen = True

    def settle_images(self, results: ImageResults) -> None:
        """Take in what the frame store did, and decide which images go."""
        self.retention.settle(results, self.journal.spoken_of)

    def _keep_image(
        self,
        number: int,
        frame: RGBDFrame,
        detections: Detections,
        in_tree: FrameInTree,
        put_image: Callable[[int, RGBDFrame], bool],
    ) -> bool:
        """Whether the camera had moved, or its image was worth storing from where it was."""
        scores = view_scores(detections, frame.camera)
        pose = frame.world_T_camera
        moved = self._selector.has_moved(pose)
        if self._selector.wants(moved, in_tree, scores, self.views, self._objects.is_confirmed):
            if not put_image(number, frame):
                return False  # the next frame is asked again
            self.retention.note_put(number)
            self.views.add(
                in_tree.location_id, number, in_tree.object_ids(), scores, detections.boxes_px
            )
        elif not moved:
            return False
        self._selector.note_place(pose)
        self._path.extend(pose.translation.tolist())
        return True
