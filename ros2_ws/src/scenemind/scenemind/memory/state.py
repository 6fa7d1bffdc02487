"""The mutable state of a memory in RAM: one frame at a time goes in, values come out. No disk, no
threads.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.errors import SceneMemoryError
from scenemind.frames import RGBDFrame
from scenemind.geometry import Pose
from scenemind.memory.descriptions import DescribedObjects, ObjectNotes
from scenemind.memory.disk.changes import ChangeSources, FrameRecord, PendingChanges
from scenemind.memory.disk.images import ImageResults
from scenemind.memory.disk.retention import Retention
from scenemind.memory.disk.store import StoredMemory
from scenemind.memory.frame_corrections import FrameCorrections
from scenemind.memory.graph.corrections import CorrectedObjects, CorrectionsJournal, PerceivedMap
from scenemind.memory.graph.scene_graph import SceneGraph
from scenemind.memory.objects.corrected_objects import CorrectedObject
from scenemind.memory.objects.map_entry import View
from scenemind.memory.objects.object_map import ObjectMap, PoseUpdate
from scenemind.memory.objects.plausible_labels import WallPlanes
from scenemind.memory.objects.stretches import TURN_M
from scenemind.memory.occupancy.occupancy_map import OccupancyMap
from scenemind.memory.structure.structure_map import PackedStructure, StructureMap
from scenemind.memory.tree.best_views import BestViews
from scenemind.memory.tree.key_frames import KeyFrameSelector, view_scores
from scenemind.memory.tree.mem_tree import CorrectedTree, FrameInTree, MemTree, TrackedDetections
from scenemind.memory.types import (
    NAMED_BY,
    Description,
    DetectionNode,
    Embedding,
    MapObject,
    MemorySnapshot,
    PoseCorrection,
    Relation,
    StructurePlane,
)
from scenemind.perception.text.labels import LabelSimilarity, same_word
from scenemind.perception.types import Detections, Observation


class Numbering:
    """Unique numbers of frames over sessions, each of which counts from 0."""

    def __init__(self, next_frame: int = 0) -> None:
        self._next_frame = next_frame
        self.begin_session()

    @property
    def next_frame(self) -> int:
        return self._next_frame

    def begin_session(self) -> None:
        self._frame_offset = self._next_frame

    def frame(self, number: int) -> int:
        """The memory's number of a frame of this session.

        Raises:
            SceneMemoryError: it is not larger than that of the frame before.
        """
        own = number + self._frame_offset
        if own < self._next_frame:
            raise SceneMemoryError(
                f"frame {number} comes after frame {self._next_frame - 1 - self._frame_offset}:"
                " frames are numbered upwards; call begin_session() before a new recording"
            )
        self._next_frame = own + 1
        return own


class Stopwatch:
    """Laps by name.

    Attributes:
        stage_ms: stage -> milliseconds, in the order in which the stages ended.
    """

    __slots__ = ("_since", "stage_ms")

    def __init__(self) -> None:
        self.stage_ms: dict[str, float] = {}
        self._since = perf_counter()

    def lap(self, stage: str) -> None:
        """The time since the last lap (or the start) belongs to this stage."""
        now = perf_counter()
        self.stage_ms[stage] = self.stage_ms.get(stage, 0.0) + (now - self._since) * 1e3
        self._since = now


# Frames between two updates of the relations, which are also updated when they are read: an object
# in view changes with every frame, its relations hardly ever. A frame at a new place has other
# work, and leaves that to the next ones, up to twice as many.
_RELATE_EVERY = 5


@dataclass(frozen=True, slots=True, eq=False)
class PerceivedFrame:
    """One frame and what perception found in it.

    Attributes:
        track_ids: (N,) int64 of the detections, -1 for none.
        observations: of the detections that could be lifted.
    """

    frame: RGBDFrame
    detections: Detections
    track_ids: NDArray[np.int64]
    observations: Sequence[Observation]


@dataclass(frozen=True, slots=True)
class IntegrationOptions:
    """The optional work on one frame.

    Attributes:
        relations: update the relations now, before they are read.
        upkeep: look for duplicates, splits and emptied places among the objects.
        label_similarity: similarity of two labels, in [0, 1].
    """

    relations: bool = True
    upkeep: bool = True
    label_similarity: LabelSimilarity = same_word


FULL_INTEGRATION = IntegrationOptions()


@dataclass(frozen=True, slots=True, eq=False)
class PreparedPoses:
    """What was made for corrected poses while mapping went on: see `pose_migration`.

    Attributes:
        objects: by id. walls: beside which their labels were weighed.
    """

    objects: Mapping[int, CorrectedObject]
    walls: WallPlanes
    structure: StructureMap
    tree: CorrectedTree
    graph: SceneGraph
    seen: CorrectedObjects


SeenIn = tuple[FrameRecord, Observation]
"""A stored frame with its detections, and one more thing that it shows."""


class MemoryState:
    """The mutable state of a memory; its owner's lock guards it.

    Attributes:
        journal: corrections by people. Call `touch` after changing it.
        views: the frames that show each object best.
        descriptions, embeddings: of objects, from models. Call `touch` after changing descriptions.
        occupancy: free and occupied floor.
        retention: bookkeeping of the stored images.
        pending: changes that are not on disk yet.
        pose_corrections: what is remembered of each, oldest first.
    """

    def __init__(self, config: SceneMindConfig, revision: int = 0) -> None:
        self._objects = ObjectMap(config.object_map)
        self.journal = CorrectionsJournal(self._objects.ids.take)
        self._relations = config.relations
        self._graph = SceneGraph(config.relations)
        self._structure = StructureMap(config.depth)
        self.occupancy = OccupancyMap(config.depth)
        self.tree = MemTree(config.tree)
        self.views = BestViews(config.store.views_per_object)
        self.retention = Retention(config.store, self.views)
        self.descriptions = ObjectNotes[Description](lambda _: "")
        self.embeddings = ObjectNotes[Embedding](lambda embedding: embedding.encoder)
        self._described = DescribedObjects(self.descriptions)
        self.pending = PendingChanges(
            ChangeSources(
                journal=self.journal,
                tree=self.tree,
                object_map=self._objects,
                views=self.views,
                retention=self.retention,
                descriptions=self.descriptions,
                embeddings=self.embeddings,
                structure=self._structure,
                occupancy=self.occupancy,
            )
        )
        self._selector = KeyFrameSelector(config.store)
        self._numbers = Numbering()
        self._path = array("f")  # x, y, z of each place in turn
        self._path_frames = array("i")  # number of the frame of each place
        self._way_m = 0.0
        self.pose_corrections: list[PoseCorrection] = []
        self._revision = revision
        self._stamp_ns = 0
        self._world_T_camera: Pose | None = None
        self._seen = CorrectedObjects({}, {})
        self._is_seen = True
        self._is_graph_due = False
        self._to_relate: set[int] = set()  # ids that `_seen` has otherwise than the graph
        self._unrelated = 0  # frames since relations were updated
        self._snapshot: MemorySnapshot | None = None

    def restore(self, stored: StoredMemory) -> None:
        """Fill an empty state from disk and begin a session."""
        self._structure.restore(stored.structure)
        self.occupancy.restore(stored.occupancy)
        self._objects.restore(stored.objects, self.floor_z)
        self.journal.restore(stored.corrections)
        self._objects.ids.skip(self.journal.largest_id)
        self.tree.restore(stored.tree)
        self.views.restore(stored.views)
        self.descriptions.restore(stored.descriptions)
        self._objects.named_ids |= {
            d.object_id for d in stored.descriptions if NAMED_BY in d.attributes
        }
        self.embeddings.restore(stored.embeddings)
        self.retention.restore(stored.image_bytes)
        self._objects.note_walls(self._structure.planes)
        self._path.extend(stored.path.ravel().tolist())
        self._path_frames.extend(stored.path_frames.tolist())
        self.pose_corrections.extend(stored.pose_corrections)
        newest = stored.last_frame
        if newest is not None:
            self._stamp_ns, self._world_T_camera = newest.stamp_ns, newest.world_T_camera
        self._numbers = Numbering(0 if newest is None else newest.number + 1)
        self._objects.tracklet_ids.skip(stored.largest_track_id)
        self.touch()

    def begin_session(self) -> None:
        """Begin a new recording or tracker, whose frames and tracks count from 0 again."""
        self.seal()
        self._numbers.begin_session()
        self._objects.tracklet_ids.begin_session()
        self.tree.close_location()

    def seal(self) -> None:
        """End the stretches of all objects, so that what is stored has all that lets them move."""
        self.pending.add_objects(self._objects.seal(), ())

    @property
    def largest_object_id(self) -> int:
        """Of all objects that are or were there; 0 without one."""
        return self._objects.ids.largest

    @property
    def next_frame(self) -> int:
        return self._numbers.next_frame

    @property
    def path(self) -> NDArray[np.float32]:
        """(N, 3) float32, world: the camera's path, one place for each step."""
        return np.array(self._path, np.float32).reshape(-1, 3)

    def integrate(
        self,
        perceived: PerceivedFrame,
        put_image: Callable[[int, RGBDFrame], bool],
        watch: Stopwatch,
        options: IntegrationOptions,
    ) -> frozenset[int]:
        """See `Memory.integrate`.

        Args:
            put_image: hands an image to the disk; returns False if it will not be stored.
        """
        frame, detections = perceived.frame, perceived.detections
        number = self._numbers.frame(frame.number)
        self._drive_to(frame.world_T_camera)
        track_ids, observations = self._with_own_tracks(perceived)
        were_gone = self._objects.gone()
        update = self._objects.update(
            observations,
            frame,
            options.upkeep,
            options.label_similarity,
            self.journal.edited_ids,
            self.floor_z,
            number=number,
            way_m=self._way_m,
            shake_rad=self._structure.shake_rad,
        )
        gone_or_changed = update.changed | update.removed | update.retired
        if update.merged:
            self.journal.follow(update.merged, were_gone)
        if gone_or_changed:
            self.touch()
        watch.lap("fuse")
        watch.lap("graph")  # what follows below; stages keep their order
        tracklets = self._objects.tracklets(track_ids)
        tracklet_of = dict(zip(track_ids.tolist(), tracklets.tolist(), strict=True))
        centers = {tracklet_of.get(o.track_id, -1): o.box.center for o in observations}
        in_tree = self.tree.add_frame(
            number,
            frame.stamp_ns,
            frame.world_T_camera,
            TrackedDetections(detections, tracklets, centers, update.object_of_tracklet),
        )
        for part_id, (object_id, of_part) in update.split_off.items():
            self.tree.split(object_id, part_id, of_part)
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
                tuple(tracklets.tolist()),
            )
        )
        self.pending.add_objects(update.changed | update.retired, update.removed)
        self._stamp_ns, self._world_T_camera = frame.stamp_ns, frame.world_T_camera
        self._snapshot = None
        watch.lap("store")
        if options.upkeep:
            changed = (
                self._structure.add(frame, number) if on_path else self._structure.stand_still()
            )
            if on_path:
                self.occupancy.add(frame, number, self.floor_z)
            if changed:
                self._objects.note_walls(self._structure.planes)
                self.touch()
        self._unrelated += 1
        if options.relations and self._unrelated >= _RELATE_EVERY * (1 + on_path):
            self._relate_in_turn()
        watch.lap("graph")
        return gone_or_changed

    def _drive_to(self, pose: Pose) -> None:
        """Add to the way that the camera has come."""
        before = self._world_T_camera
        if before is not None:
            self._way_m += pose.distance_m(before) + TURN_M * pose.angle_rad(before)

    def correct_poses(self, corrections: FrameCorrections, prepared: PreparedPoses) -> PoseUpdate:
        """Move all that hangs on frames with them, but the floor: see `pose_migration`."""
        self._structure.take_over(prepared.structure, corrections)
        update = self._objects.correct(corrections, prepared.objects, prepared.walls, self.floor_z)
        self.journal.correct(corrections, update.moves)
        self.tree.correct(corrections, prepared.tree)
        for part_id, (object_id, track_ids) in update.split_off.items():
            self.tree.split(object_id, part_id, track_ids)
        moves = corrections.of_frames(np.array(self._path_frames, np.int64))
        moved = np.einsum("nij,nj->ni", moves[:, :3, :3], self.path) + moves[:, :3, 3]
        self._path = array("f", moved.astype(np.float32).tobytes())
        newest = corrections.newest
        self._selector.correct(newest)
        if self._world_T_camera is not None:
            self._world_T_camera = newest @ self._world_T_camera
        self.pending.correct_poses(corrections)
        self.pending.add_objects(update.changed, ())
        self._graph, self._seen = prepared.graph, prepared.seen
        self._to_relate, self._is_graph_due = set(), False
        self._unrelated = 0  # the next frames have other work
        self.touch()
        return update

    def join_doubles(self) -> PoseUpdate | None:
        """Merge some of the objects that drift had doubled; None: there are none left."""
        update = self._objects.join_doubles()
        if update is not None:
            self._follow_doubles(update, ())
        return update

    def return_unmoved(self) -> tuple[PoseUpdate, frozenset[int]]:
        """See `ObjectMap.return_unmoved`."""
        were_gone = self._objects.gone()
        update, returned = self._objects.return_unmoved()
        self._follow_doubles(update, were_gone)
        return update, returned

    def _follow_doubles(self, update: PoseUpdate, were_gone: Collection[int]) -> None:
        merged = update.merged
        if merged:
            self.journal.follow(merged, were_gone)
            for follower in (self.tree, self.views, self.descriptions, self.embeddings):
                follower.follow(merged, frozenset(merged))
        self.pending.add_objects(update.changed, frozenset(merged))
        self.touch()

    def note_poses(self, noted: PoseCorrection) -> None:
        """Remember a correction of poses."""
        self.pose_corrections.append(noted)
        self.pending.note_poses(noted)

    @property
    def object_map(self) -> ObjectMap:
        """The objects, for `pose_migration`."""
        return self._objects

    def frozen_structure(self) -> StructureMap:
        return self._structure.frozen()

    def relate_anew(
        self, objects: Mapping[int, MapObject], structure: Sequence[StructurePlane]
    ) -> tuple[SceneGraph, CorrectedObjects]:
        """The graph of other values of the objects; it needs no lock while none is corrected or
        described."""
        graph = SceneGraph(self._relations)
        graph.refresh(objects, objects.keys(), structure)
        return graph, CorrectedObjects(objects, {})

    def absorb_structure(self, other: PackedStructure, corrections: FrameCorrections) -> None:
        """Take over floor and walls of a memory that was merged, moved as its frames."""
        self._structure.absorb(other, corrections)
        self._objects.note_walls(self._structure.planes)
        self.touch()

    def _with_own_tracks(
        self, perceived: PerceivedFrame
    ) -> tuple[NDArray[np.int64], Sequence[Observation]]:
        """Track ids and observations of a frame, with the memory's ids of tracks."""
        of = self._objects.tracklet_ids.of
        named = of(np.array([o.track_id for o in perceived.observations], np.int64)).tolist()
        return of(perceived.track_ids), [
            o if o.track_id == own else o.of_track(own)
            for o, own in zip(perceived.observations, named, strict=True)
        ]

    def add_named(self, label: str, views: Sequence[SeenIn], by: str, now_ns: int) -> int:
        """See `Memory.add_named`; the id of the new object."""
        entry = self._objects.add(
            [(o, View(f.stamp_ns, f.world_T_camera.translation, f.number)) for f, o in views]
        )
        (track_id,) = entry.track_ids
        at: dict[int, list[tuple[DetectionNode, tuple[float, float, float]]]] = {}
        for frame, seen in views:
            x0, y0, x1, y1 = seen.box_px.tolist()
            node = DetectionNode(frame.number, frame.stamp_ns, seen.score, (x0, y0, x1, y1))
            at.setdefault(frame.location_id, []).append((node, seen.box.center))
            self.pending.put_detections(
                replace(
                    frame,
                    detections=(*frame.detections, node),
                    labels=(*frame.labels, label),
                    track_ids=(*frame.track_ids, track_id),
                )
            )
            box_px = seen.box_px[None]
            scores = view_scores(box_px, np.array([seen.score]), frame.camera).tolist()
            self.views.add(frame.location_id, frame.number, [entry.object_id], scores, box_px)
        for location_id, nodes in at.items():
            self.tree.add_tracklet(location_id, track_id, entry.object_id, label, nodes)
        self._note_naming(entry.object_id, label, by, now_ns, len(views))
        return entry.object_id

    def settle_label(self, object_id: int, label: str, by: str, now_ns: int) -> bool:
        """See `Memory.settle_label`."""
        if not self._objects.settle_label(object_id, label):
            return False
        count = self._objects.objects()[object_id].observation_count
        self._note_naming(object_id, label, by, now_ns, count)
        return True

    def _note_naming(self, object_id: int, label: str, by: str, now_ns: int, count: int) -> None:
        known = self.descriptions.find(object_id, "")
        said = {} if known is None else known.attributes
        attributes = {**said, NAMED_BY: by}
        self.descriptions.put(Description(object_id, attributes, by, label, now_ns, count))
        self.pending.add_objects((object_id,), ())
        self.touch()

    def touch(self) -> None:
        """Objects, relations, corrections or the building changed."""
        self._revision += 1
        self._is_seen = False
        self._snapshot = None

    def perceived_map(self) -> PerceivedMap:
        """Objects, gone objects and structure as perception alone has them."""
        return PerceivedMap(self._objects.objects(), self._objects.gone(), self.structure())

    def perceived(self) -> Mapping[int, MapObject]:
        """Objects as perception alone has them."""
        return self._objects.objects()

    def structure(self) -> dict[int, StructurePlane]:
        """Floor, walls and ceiling by id."""
        return {plane.plane_id: plane for plane in self._structure.planes}

    @property
    def floor_z(self) -> float | None:
        """Height of the floor, world, metres; None until it was found."""
        return self._structure.floor_z

    def knows(self, object_id: int) -> bool:
        """True for an object that is or was there: confirmed, and not merged into another."""
        return object_id in self._objects.objects() or object_id in self._objects.gone()

    def object_count(self) -> int:
        """The number of objects now, without the cost of their relations."""
        self._see()
        return len(self._seen.objects)

    def snapshot(self) -> MemorySnapshot:
        """The scene graph now; the same value until something changes."""
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
                self.journal.denied(self._seen.objects, structure),
            )
        return self._snapshot

    def _stated(self, structure: Collection[int]) -> tuple[tuple[Relation, ...], Mapping[int, int]]:
        """Relations and levels after corrections. A carrier that a person states moves an object,
        and all that it carries, to other levels, where other relations are stated."""
        objects, computed = self._seen.objects, self._graph.levels()
        relations = self.journal.relations(self._graph.relations(), objects, structure)
        levels = self.journal.levels(computed, relations, objects)
        if levels != computed:
            at_levels = self._graph.relations_at(levels)
            relations = self.journal.relations(at_levels, objects, structure)
        return relations, levels

    def _relate_in_turn(self) -> None:
        """Do half of what `_relate` does: the values of objects in one frame, what hangs on them in
        a later one."""
        if self._is_graph_due:
            self._refresh_graph()
            self._unrelated = 1
        else:
            self._see()

    def _relate(self) -> None:
        """Bring objects and relations up to date."""
        self._see()
        self._refresh_graph()
        self._unrelated = 0

    def _see(self) -> None:
        """Apply descriptions and corrections to perception, and note what changed.

        Relations are those of the corrected objects: renaming, merging or deleting an object
        changes them.
        """
        if self._is_seen:
            return
        perceived, gone = self._objects.objects(), self._objects.gone()
        self.journal.find_again(perceived, gone)
        described = self._described.describe(perceived), self._described.describe(gone)
        before, self._seen = self._seen.objects, self.journal.apply_to(*described)
        seen = self._seen.objects
        changed = [i for i, thing in seen.items() if before.get(i) is not thing]
        new_count = sum(i not in before for i in changed)
        is_any_gone = len(before) + new_count > len(seen)
        self._to_relate.update(changed, before.keys() - seen.keys() if is_any_gone else ())
        self._is_seen = self._is_graph_due = True

    def _refresh_graph(self) -> None:
        """Update the relations of what `_see` noted."""
        if not self._is_graph_due:
            return
        self._graph.refresh(self._seen.objects, self._to_relate, self._structure.planes)
        self._to_relate, self._is_graph_due = set(), False

    def settle_images(self, results: ImageResults) -> None:
        """Note which images were stored, and choose those that are deleted."""
        self.retention.settle(results, self.journal.edited_ids)

    def _keep_image(
        self,
        number: int,
        frame: RGBDFrame,
        detections: Detections,
        in_tree: FrameInTree,
        put_image: Callable[[int, RGBDFrame], bool],
    ) -> bool:
        """Store the image if it is a key frame; True if the frame is a new place on the path."""
        scores = view_scores(detections.boxes_px, detections.scores, frame.camera).tolist()
        pose = frame.world_T_camera
        moved = self._selector.has_moved(pose)
        if self._selector.wants(moved, in_tree, scores, self.views, self._objects.is_confirmed):
            if not put_image(number, frame):
                return False  # the next frame tries again
            self.retention.note_put(number)
            self.views.add(
                in_tree.location_id, number, in_tree.object_ids(), scores, detections.boxes_px
            )
        elif not moved:
            return False
        self._selector.note_place(pose)
        self._path.extend(pose.translation.tolist())
        self._path_frames.append(number)
        return True
