"""MemTree3D and the frames that are kept, as they can be read from any thread."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.disk.memory_disk import MemoryDisk
from scenemind.memory.frame_index import FrameIndexer
from scenemind.memory.scene import Scene
from scenemind.memory.tree.key_frames import rank_frames
from scenemind.memory.tree.packed_location import PackedLocation
from scenemind.memory.tree.select_frames import rank_key_frames
from scenemind.memory.tree.tree_json import DEFAULT_TOKEN_BUDGET, TreeJson, TreeJsonWriter
from scenemind.memory.types import (
    DepthImage,
    FrameIndex,
    KeyFrame,
    LocationNode,
    MapObject,
    MemorySnapshot,
)


class TreeReader:
    """Where and when was what seen. The lock is held for as long as it takes to get values; what
    takes longer (nodes, text, images) is made of them afterwards, while frames go on."""

    def __init__(self, disk: MemoryDisk, scene: Scene) -> None:
        self._disk = disk
        self._scene = scene
        self._lock = threading.Lock()
        self._tree_text = TreeJsonWriter()
        self._tree_text_lock = threading.Lock()
        self._frame_indexer = FrameIndexer()
        self._frame_indexer_lock = threading.Lock()

    def snapshot(self) -> MemorySnapshot:
        """The scene graph now; the same value until something changes."""
        with self._lock:
            return self._scene.snapshot()

    @property
    def location_count(self) -> int:
        """Of the whole tree."""
        with self._lock:
            return self._scene.tree.location_count

    def tree(self, newest: int | None = None) -> tuple[LocationNode, ...]:
        """MemTree3D's locations and tracklets, oldest first; the open location is the last.

        An hour takes a second to build, though no frame waits for it.

        Args:
            newest: only so many of the newest locations.
        """
        locations, objects, shown_as = self._seen()
        first = 0 if newest is None else max(0, len(locations) - newest)
        return tuple(location.node(objects, shown_as) for location in locations[first:])

    def tree_json(self, token_budget: int = DEFAULT_TOKEN_BUDGET) -> TreeJson:
        """The tree as text for a language model; cheap to ask for again and again.

        Raises:
            SceneMemoryError: a budget below 1.
        """
        locations, objects, shown_as = self._seen()
        with self._tree_text_lock:
            return self._tree_text.write(locations, objects, token_budget, shown_as)

    def trajectory(self) -> NDArray[np.float32]:
        """(N, 3) float32, world: the camera's way, a place for every step of it
        (`StoreConfig.key_frame_translation_m`)."""
        with self._lock:
            return self._scene.path

    def key_frames_of(
        self, object_ids: Sequence[int], count: int, *, all_boxes: bool = False
    ) -> list[KeyFrame]:
        """Up to `count` stored frames that show the objects best, best first.

        Frames of different locations are preferred. A score is the sum over the objects of how
        well the frame shows each (`key_frames.view_scores`).

        Args:
            all_boxes: with the boxes of all objects in them, not only of those asked for.
        """
        wanted = self.snapshot().objects if all_boxes else object_ids
        with self._lock:
            views = [self._scene.views.of_object(i) for i in self._sources(object_ids)]
        found: list[KeyFrame] = []
        for number, score in rank_frames(views):
            if len(found) == count:
                break
            # An image may have gone since: the next best takes its place.
            key_frame = self._disk.evidence.find(number, self._object_of, wanted, score)
            if key_frame is not None:
                found.append(key_frame)
        return sorted(found, key=lambda key_frame: -key_frame.score)

    def select_key_frames(
        self,
        key_objects: Sequence[int],
        cue_objects: Sequence[int] = (),
        count: int = 3,
        locations: Sequence[int] | None = None,
    ) -> list[KeyFrame]:
        """One stored frame a location, best first, by MemTree3D's score (`select_frames`). Where an
        image is gone, the location's next best frame takes its place.

        Args:
            key_objects: ids of those that help to answer.
            cue_objects: of those that are near; they count a tenth.
            locations: those to choose from; None: all.
        """
        with self._lock:
            keys, cues = list(self._sources(key_objects)), list(self._sources(cue_objects))
            ranked = rank_key_frames(self._scene.views, keys, cues, count, locations)
        most = count if locations is None else min(count, len(set(locations)))
        wanted = (*key_objects, *cue_objects)
        found: dict[int, KeyFrame] = {}
        for location_id, number, score in ranked:
            if len(found) == most:
                break
            if location_id in found:
                continue
            key_frame = self._disk.evidence.find(number, self._object_of, wanted, score)
            if key_frame is not None:
                found[location_id] = key_frame
        return list(found.values())

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        """A stored frame with the boxes of the given objects; of all objects when none is given.

        Raises:
            SceneMemoryError: no image of this frame is stored.
        """
        wanted = object_ids or self.snapshot().objects
        return self._disk.evidence.get(frame_number, self._object_of, wanted)

    def stored_frames(self) -> list[int]:
        """Numbers of the frames that are stored, oldest first."""
        with self._lock:
            return self._scene.retention.frames()

    def frame_index(self) -> FrameIndex:
        """All stored frames with what was detected in them, without images; the same value until
        something changes. It grows from the one before, while frames go on.

        Objects are those that are there, as `key_frame` shows them. A frame whose image goes is in
        no later index.

        Raises:
            SceneMemoryError: the disk failed.
        """
        with self._frame_indexer_lock:
            while True:
                with self._lock:
                    indexer, stored = self._frame_indexer, self._scene.retention.frames()
                    seen = self._seen_now()
                index = indexer.refresh(stored, *seen, self._disk.evidence.columns)
                with self._lock:
                    if indexer is self._frame_indexer:  # else all was forgotten meanwhile
                        return index

    def depth_image(self, frame_number: int) -> DepthImage:
        """The depth of a stored frame, in the resolution and rounding in which it is stored.

        Raises:
            SceneMemoryError: no image of this frame is stored, or none of its depth
                (`StoreConfig.depth_every_px` was 0); or it cannot be read.
        """
        return self._disk.evidence.depth_image(frame_number)

    def view_count_of(self, object_id: int) -> int:
        """How many stored frames are among the best views of an object."""
        with self._lock:
            return sum(len(self._scene.views.of_object(i)) for i in self._sources([object_id]))

    def _seen(
        self,
    ) -> tuple[tuple[PackedLocation, ...], Mapping[int, MapObject], Mapping[int, int]]:
        with self._lock:
            return self._seen_now()

    def _seen_now(
        self,
    ) -> tuple[tuple[PackedLocation, ...], Mapping[int, MapObject], Mapping[int, int]]:
        """Locations, the objects that they may name, and of which of these others are part; with
        the lock held."""
        shown_as = self._scene.journal.sources.shown_as
        return self._scene.tree.locations(), self._scene.snapshot().objects, shown_as

    def _sources(self, object_ids: Iterable[int]) -> Iterable[int]:
        """The objects of perception behind those that people see."""
        of = self._scene.journal.sources.of
        return dict.fromkeys(source for i in object_ids for source in of.get(i, (i,)))

    def _object_of(self, location_id: int, track_id: int) -> int | None:
        with self._lock:
            perceived = self._scene.tree.object_of(location_id, track_id)
            if perceived is None:
                return None
            return self._scene.journal.sources.shown_as.get(perceived, perceived)
