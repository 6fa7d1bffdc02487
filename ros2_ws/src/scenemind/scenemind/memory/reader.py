"""The reading half of a memory: the tree, its key frames, objects, relations and corrections."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SceneMemoryError
from scenemind.memory.descriptions import corrected_vectors
from scenemind.memory.disk.memory_disk import MemoryDisk
from scenemind.memory.disk.store import StoredMemory
from scenemind.memory.finding import Found, ImageVectors, ObjectFinder
from scenemind.memory.frame_index import FrameIndexer
from scenemind.memory.graph.corrections import SimilarObject
from scenemind.memory.graph.corrections.replay import corrections_to_json
from scenemind.memory.graph.corrections.similar import find_similar
from scenemind.memory.history import SceneChanges, Visit
from scenemind.memory.history.history import MemoryHistory
from scenemind.memory.occupancy.approach import (
    ROBOT,
    ApproachPose,
    Purpose,
    Robot,
    approach_poses,
)
from scenemind.memory.occupancy.grid import OccupancyGrid
from scenemind.memory.state import MemoryState
from scenemind.memory.tree.key_frames import rank_frames, rank_key_frames
from scenemind.memory.tree.locations import PackedLocation
from scenemind.memory.tree.tree_json import DEFAULT_TOKEN_BUDGET, TreeJson, TreeJsonWriter
from scenemind.memory.types import (
    Correction,
    DepthImage,
    Description,
    Edit,
    Embedding,
    FrameIndex,
    KeyFrame,
    LocationNode,
    MapObject,
    MemorySnapshot,
    PoseCorrection,
)
from scenemind.perception.protocols import ImageTextEncoder, TextEncoder


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Sizes and failures of a memory, for diagnostics.

    Attributes:
        frames: the number of the next frame; at least the number of integrated frames.
        objects: confirmed and not deleted by a person.
        images: key frames with an image on disk or queued for it, of all sessions.
        images_removed: images deleted since opening, see `StoreConfig.retention`.
        images_dropped, images_failed: since opening: the queue was full; the disk failed.
        image_bytes: size of the images on disk.
        failed_commits: since opening; their changes wait for the next commit.
        lost_frames: frame rows dropped because commits failed for too long.
        descriptions, embeddings: of objects, by models; see `describing`.
        damaged: rows and files that were found damaged, and are left out.
    """

    frames: int
    objects: int
    locations: int
    images: int
    images_removed: int
    images_dropped: int
    images_failed: int
    image_bytes: int
    failed_commits: int
    lost_frames: int
    descriptions: int
    embeddings: int
    damaged: int


class TreeReader:
    """Reads MemTree3D and the stored frames, from any thread. The lock is held only while values
    are copied; nodes, text and images are made of them afterwards, while mapping continues."""

    def __init__(self, disk: MemoryDisk, state: MemoryState) -> None:
        self._disk = disk
        self._state = state
        self._lock = threading.Lock()
        self._tree_text = TreeJsonWriter()
        self._tree_text_lock = threading.Lock()
        self._frame_indexer = FrameIndexer()
        self._frame_indexer_lock = threading.Lock()

    def snapshot(self) -> MemorySnapshot:
        """The scene graph now; the same value until something changes."""
        with self._lock:
            return self._state.snapshot()

    @property
    def location_count(self) -> int:
        """The number of locations of the whole tree."""
        with self._lock:
            return self._state.tree.location_count

    def tree(self, newest: int | None = None) -> tuple[LocationNode, ...]:
        """MemTree3D's locations and tracklets, oldest first; the open location is the last.

        Building an hour of driving takes a second; no frame waits for it.

        Args:
            newest: return only this many of the newest locations.
        """
        locations, objects, shown_as = self._seen()
        first = 0 if newest is None else max(0, len(locations) - newest)
        return tuple(location.node(objects, shown_as) for location in locations[first:])

    def tree_json(self, token_budget: int = DEFAULT_TOKEN_BUDGET) -> TreeJson:
        """The tree as text for a language model; cheap to call repeatedly.

        Raises:
            SceneMemoryError: a budget below 1.
        """
        locations, objects, shown_as = self._seen()
        with self._tree_text_lock:
            return self._tree_text.write(locations, objects, token_budget, shown_as)

    def trajectory(self) -> NDArray[np.float32]:
        """(N, 3) float32, world: the camera's path, one place for each step
        (`StoreConfig.key_frame_translation_m`)."""
        with self._lock:
            return self._state.path

    def key_frames_of(
        self,
        object_ids: Sequence[int],
        count: int,
        *,
        all_boxes: bool = False,
        with_a_box: bool = False,
    ) -> list[KeyFrame]:
        """Up to `count` stored frames that show the objects best, best first.

        Frames that show an object where it stands now come before those of its earlier places;
        then frames of different locations are preferred. A score is the sum over the objects of
        how well the frame shows each (`key_frames.view_scores`).

        Args:
            all_boxes: include the boxes of all objects, not only of `object_ids`.
            with_a_box: only frames with the box of at least one of the objects: what a view shows
                may have become part of another object since.
        """
        objects = self.snapshot().objects
        wanted = objects if all_boxes else object_ids
        since_ns = {i: objects[i].here_since_ns or 0 for i in object_ids if i in objects}
        with self._lock:
            views = [self._state.views.of_object(i) for i in self._sources(object_ids)]
        found: list[KeyFrame] = []
        earlier: list[KeyFrame] = []
        for number, score in rank_frames(views):
            if len(found) == count:
                break
            # An image may have been deleted since: the next best takes its place.
            key_frame = self._disk.evidence.find(number, self._objects_of, wanted, score)
            if key_frame is None:
                continue
            shown = [since_ns.get(i, 0) for i in object_ids if i in key_frame.boxes_px]
            if shown or not with_a_box:
                is_of_now = key_frame.stamp_ns >= min(shown, default=0)
                (found if is_of_now else earlier).append(key_frame)
        found += earlier[: count - len(found)]
        is_earlier = {key_frame.frame_number for key_frame in earlier}
        return sorted(found, key=lambda one: (one.frame_number in is_earlier, -one.score))

    def select_key_frames(
        self,
        key_objects: Sequence[int],
        cue_objects: Sequence[int] = (),
        count: int = 3,
        locations: Sequence[int] | None = None,
    ) -> list[KeyFrame]:
        """One stored frame for each location, best first, by MemTree3D's score (`rank_key_frames`).
        If an image is deleted, the location's next best frame takes its place.

        Args:
            key_objects: ids of objects that help to answer.
            cue_objects: ids of objects near them; their weight is a tenth.
            locations: ids to choose from; None: all.
        """
        with self._lock:
            keys, cues = list(self._sources(key_objects)), list(self._sources(cue_objects))
            ranked = rank_key_frames(self._state.views, keys, cues, count, locations)
        most = count if locations is None else min(count, len(set(locations)))
        wanted = (*key_objects, *cue_objects)
        found: dict[int, KeyFrame] = {}
        for location_id, number, score in ranked:
            if len(found) == most:
                break
            if location_id in found:
                continue
            key_frame = self._disk.evidence.find(number, self._objects_of, wanted, score)
            if key_frame is not None:
                found[location_id] = key_frame
        return list(found.values())

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        """A stored frame with the boxes of the given objects; of all objects when none is given.

        Raises:
            SceneMemoryError: no image of this frame is stored.
        """
        wanted = object_ids or self.snapshot().objects
        return self._disk.evidence.get(frame_number, self._objects_of, wanted)

    def stored_frames(self) -> list[int]:
        """Numbers of the frames that are stored, oldest first."""
        with self._lock:
            return self._state.retention.frames()

    def frame_index(self) -> FrameIndex:
        """All stored frames with their detections, without images; the same value until something
        changes. It is extended from the previous one, while mapping continues.

        Objects are the present ones, as in `key_frame`. A frame whose image is deleted is in no
        later index.

        Raises:
            SceneMemoryError: the disk failed.
        """
        with self._frame_indexer_lock:
            while True:
                with self._lock:
                    indexer, stored = self._frame_indexer, self._state.retention.frames()
                    seen = self._seen_now()
                index = indexer.refresh(stored, *seen, self._disk.evidence.columns)
                with self._lock:
                    if indexer is self._frame_indexer:  # else the memory was reset meanwhile
                        return index

    def depth_image(self, frame_number: int) -> DepthImage:
        """The depth of a stored frame, in the resolution and rounding in which it is stored.

        Raises:
            SceneMemoryError: no image of this frame is stored, or none of its depth
                (`StoreConfig.depth_every_px` was 0); or it cannot be read.
        """
        return self._disk.evidence.depth_image(frame_number)

    def view_count_of(self, object_id: int) -> int:
        """The number of stored frames among the best views of an object."""
        with self._lock:
            return sum(len(self._state.views.of_object(i)) for i in self._sources([object_id]))

    def _seen(
        self,
    ) -> tuple[tuple[PackedLocation, ...], Mapping[int, MapObject], Mapping[int, int]]:
        with self._lock:
            return self._seen_now()

    def _seen_now(
        self,
    ) -> tuple[tuple[PackedLocation, ...], Mapping[int, MapObject], Mapping[int, int]]:
        """Locations, the objects that they may name, and ids of merged objects -> ids of the
        objects they are part of. Call with the lock held."""
        shown_as = self._state.journal.sources.shown_as
        return self._state.tree.locations(), self._state.snapshot().objects, shown_as

    def _sources(self, object_ids: Iterable[int]) -> Iterable[int]:
        """Ids of the perceived objects behind corrected ones."""
        of = self._state.journal.sources.of
        return dict.fromkeys(source for i in object_ids for source in of.get(i, (i,)))

    def _objects_of(self, location_id: int, track_ids: Sequence[int]) -> list[int | None]:
        with self._lock:
            shown_as = self._state.journal.sources.shown_as
            return [
                None if perceived is None else shown_as.get(perceived, perceived)
                for perceived in self._state.tree.objects_of(location_id, track_ids)
            ]


class MemoryReader(TreeReader):
    """The reading half of `Memory`: the tree, objects, relations, corrections and history."""

    def __init__(self, disk: MemoryDisk, state: MemoryState) -> None:
        super().__init__(disk, state)
        self._finder = ObjectFinder()
        self._finder_lock = threading.Lock()
        self._occupancy: tuple[tuple[int, int, float], OccupancyGrid] | None = None

    @property
    def path(self) -> Path:
        """The folder of the memory."""
        return self._disk.path

    def content(self) -> tuple[MemoryDisk, StoredMemory]:
        """All that is stored, with its disk, for `Memory.merge`; pending changes are written first.

        Raises:
            SceneMemoryError: the disk failed.
        """
        self._disk.flush()
        return self._disk, self._disk.store.load()

    @property
    def history(self) -> MemoryHistory:
        """Visits, earlier places of objects, and changes."""
        return MemoryHistory(
            self._disk.store, self._disk.writer.commit, self.snapshot, self.depth_image
        )

    def changes_since(self, stamp_ns: int | None = None) -> SceneChanges:
        """Changes up to now; see `MemoryHistory.changes_since`."""
        return self.history.changes_since(stamp_ns)

    def visits(self) -> tuple[Visit, ...]:
        """The visits of the camera; see `MemoryHistory.visits`."""
        return self.history.visits()

    def occupancy(self) -> OccupancyGrid:
        """What was seen of the floor: free, occupied, unknown; the same value until it changes.

        Raises:
            SceneMemoryError: no floor was seen yet.
        """
        with self._lock:
            floor_z, revision = self._state.floor_z, self._state.occupancy.revision
            if floor_z is None:
                raise SceneMemoryError(
                    "no floor was seen yet: map more, with the camera tilted down"
                )
            known = self._occupancy
            if known is None or known[0] != (id(self._state), revision, floor_z):
                grid = self._state.occupancy.grid(floor_z)
                known = self._occupancy = (id(self._state), revision, floor_z), grid
            return known[1]

    def approach_poses(
        self,
        object_id: int,
        purpose: Purpose = "look",
        stand_off_m: float | None = None,
        robot: Robot = ROBOT,
        count: int = 5,
    ) -> list[ApproachPose]:
        """Where a robot may stand to look at an object or to reach it, best first.

        Args:
            robot: without a camera, that of the newest frame; it is mounted as in that frame, above
                the robot's middle.

        Raises:
            ApproachError: no such pose is known; the message says why.
            SceneMemoryError: no such object, no floor was seen, or a number cannot be.
        """
        scene, grid = self.snapshot(), self.occupancy()
        if object_id not in scene.objects:
            ids = f"{min(scene.objects)} to {max(scene.objects)}" if scene.objects else "none yet"
            raise SceneMemoryError(f"there is no object {object_id} in the map; numbers: {ids}")
        index = self.frame_index()
        if robot.camera is None and len(index.camera_indices):
            robot = replace(robot, camera=index.cameras[index.camera_indices[-1]])
        if scene.world_T_camera is not None:
            robot = robot.looking_as(scene.world_T_camera, grid.floor_z)
        wanted, others = scene.objects[object_id], scene.objects.values()
        return approach_poses(wanted, others, grid, robot, purpose, stand_off_m, count)

    @property
    def last_frame_number(self) -> int:
        """The number of the newest integrated frame; -1 before the first."""
        with self._lock:
            return self._state.next_frame - 1

    def stats(self) -> MemoryStats:
        """Sizes and failures, for diagnostics."""
        images = self._disk.images.counts
        with self._lock:
            retention = self._state.retention
            return MemoryStats(
                frames=self._state.next_frame,
                objects=self._state.object_count(),
                locations=self._state.tree.location_count,
                images=retention.image_count,
                images_removed=retention.removed,
                images_dropped=images.dropped,
                images_failed=images.failed,
                image_bytes=retention.image_bytes,
                failed_commits=self._disk.writer.failed_commits,
                lost_frames=self._state.pending.lost_frames,
                descriptions=len(self._state.descriptions),
                embeddings=len(self._state.embeddings),
                damaged=len(self._disk.store.damage),
            )

    def perceived_ids(self) -> frozenset[int]:
        """Ids of the perceived objects, which models can describe. Of the parts of a split object,
        the one that keeps the id keeps the description."""
        with self._lock:
            return frozenset(self._state.perceived())

    def descriptions(self) -> dict[int, Description]:
        """Object id -> its description by a vision-language model."""
        with self._lock:
            return {d.object_id: d for d in self._state.descriptions}

    def embeddings(self, encoder_name: str) -> dict[int, Embedding]:
        """Object id -> its image vector by one encoder."""
        with self._lock:
            return {e.object_id: e for e in self._state.embeddings if e.encoder == encoder_name}

    def seen_embeddings(self, encoder_name: str) -> list[Embedding]:
        """Image vectors of the corrected objects, by one encoder; see `corrected_vectors`."""
        known = self.embeddings(encoder_name)
        with self._lock:
            sources, seen = self._state.journal.sources, self._state.snapshot().objects
        return corrected_vectors(known, seen, sources)

    def find_objects(
        self,
        words: str,
        count: int = 10,
        encoder: TextEncoder | None = None,
        image_encoder: ImageTextEncoder | None = None,
    ) -> tuple[Found, ...]:
        """Objects that match a few words, best first; see `ObjectFinder.find`.

        Args:
            encoder: also match labels of similar meaning.
            image_encoder: also match objects by their image vectors of this encoder.

        Raises:
            SceneMemoryError: no words, too many of them, or a count below 1.
            PerceptionError: an encoder cannot embed a word.
        """
        looks = None
        if image_encoder is not None:
            looks = ImageVectors(self.seen_embeddings(image_encoder.name), image_encoder)
        seen = self.snapshot().objects
        with self._finder_lock:
            self._finder.refresh(seen)
            return self._finder.find(words, count, encoder, looks)

    def corrections(self) -> list[Correction]:
        """The whole journal, oldest first, undone entries included."""
        with self._lock:
            return list(self._state.journal.entries())

    def pose_corrections(self) -> list[PoseCorrection]:
        """The corrections of poses so far, oldest first, and what objects turned out to be."""
        with self._lock:
            return list(self._state.pose_corrections)

    def export_corrections(self) -> str:
        """The whole journal as JSON, with the places of its objects; see `import_corrections`."""
        return corrections_to_json(self.corrections())

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        """Objects to which an edit may apply as well, best first; nothing is changed.

        Args:
            edit: about one object, applied or not. count: the largest number of objects.

        Raises:
            SceneMemoryError: the edit is not about single objects, or its object is missing.
        """
        with self._lock:
            perceived, seen = self._state.perceived(), self._state.snapshot().objects
            encoders = sorted({embedding.encoder for embedding in self._state.embeddings})
        by_encoder = ({e.object_id: e.vector for e in self.seen_embeddings(n)} for n in encoders)
        of_example = (vectors for vectors in by_encoder if vectors.keys() & edit.object_ids[:1])
        return find_similar(edit, perceived, seen, next(of_example, {}))[:count]
