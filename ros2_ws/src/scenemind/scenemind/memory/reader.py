"""What can be read from a memory, from any thread."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.descriptions.matching import WordMatches, match_words
from scenemind.memory.descriptions.seen_vectors import seen_vectors
from scenemind.memory.disk.memory_disk import MemoryDisk
from scenemind.memory.finding import Found, Looks, ObjectFinder
from scenemind.memory.graph.corrections import SimilarObject
from scenemind.memory.graph.corrections.exchange import corrections_to_json
from scenemind.memory.graph.corrections.similar import find_similar
from scenemind.memory.history import SceneChanges
from scenemind.memory.history.history import MemoryHistory
from scenemind.memory.scene import Scene
from scenemind.memory.stats import MemoryStats
from scenemind.memory.tree.key_frames import rank_frames
from scenemind.memory.tree.packed_location import PackedLocation
from scenemind.memory.tree.select_frames import select_key_frames
from scenemind.memory.tree.tree_json import DEFAULT_TOKEN_BUDGET, TreeJson, TreeJsonWriter
from scenemind.memory.types import (
    Correction,
    Description,
    Edit,
    Embedding,
    KeyFrame,
    LocationNode,
    MapObject,
    MemorySnapshot,
)
from scenemind.perception.protocols import ImageTextEncoder, TextEncoder


class MemoryReader:
    """The reading half of `Memory`. The lock is held for as long as it takes to get values; what
    takes longer (nodes, text, images) is made of them afterwards, while frames go on."""

    def __init__(self, disk: MemoryDisk, scene: Scene) -> None:
        self._disk = disk
        self._scene = scene
        self._lock = threading.Lock()
        self._tree_text = TreeJsonWriter()
        self._tree_text_lock = threading.Lock()
        self._finder = ObjectFinder()
        self._finder_lock = threading.Lock()

    @property
    def path(self) -> Path:
        """The folder."""
        return self._disk.path

    @property
    def history(self) -> MemoryHistory:
        """Visits, where something was, and what changed."""
        return MemoryHistory(self._disk.store, self._disk.writer.commit, self.snapshot)

    def changes_since(self, stamp_ns: int | None = None) -> SceneChanges:
        """What is different now; see `MemoryHistory.changes_since`."""
        return self.history.changes_since(stamp_ns)

    @property
    def last_frame_number(self) -> int:
        """Of the newest integrated frame; -1 before the first."""
        with self._lock:
            return self._scene.next_frame - 1

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

    def stats(self) -> MemoryStats:
        """Sizes and what the disk could not take, for diagnostics."""
        images = self._disk.images.counts
        with self._lock:
            retention = self._scene.retention
            return MemoryStats(
                frames=self._scene.next_frame,
                objects=len(self._scene.snapshot().objects),
                locations=self._scene.tree.location_count,
                images=retention.image_count,
                images_removed=retention.removed,
                images_dropped=images.dropped,
                images_failed=images.failed,
                image_bytes=retention.image_bytes,
                image_bytes_written=images.bytes_written,
                failed_commits=self._disk.writer.failed_commits,
                lost_frames=self._scene.pending.lost_frames,
                descriptions=len(self._scene.descriptions),
                embeddings=len(self._scene.embeddings),
            )

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
        """One stored frame a location, best first, by MemTree3D's score (`select_frames`).

        Args:
            key_objects: ids of those that help to answer.
            cue_objects: of those that are near; they count a tenth.
            locations: those to choose from; None: all.
        """
        with self._lock:
            keys, cues = list(self._sources(key_objects)), list(self._sources(cue_objects))
            selected = select_key_frames(self._scene.views, keys, cues, count, locations)
        wanted = (*key_objects, *cue_objects)
        found = (
            self._disk.evidence.find(frame.frame_number, self._object_of, wanted, frame.score)
            for frame in selected
        )
        return [key_frame for key_frame in found if key_frame is not None]

    def key_frame(self, frame_number: int, object_ids: Sequence[int] = ()) -> KeyFrame:
        """A stored frame with the boxes of the given objects; of all objects when none is given.

        Raises:
            SceneMemoryError: no image of this frame is stored.
        """
        wanted = object_ids or self.snapshot().objects
        return self._disk.evidence.get(frame_number, self._object_of, wanted)

    def view_count_of(self, object_id: int) -> int:
        """How many stored frames are among the best views of an object."""
        with self._lock:
            return sum(len(self._scene.views.of_object(i)) for i in self._sources([object_id]))

    def perceived_ids(self) -> frozenset[int]:
        """Of the objects that perception has: those that a model can be asked about. Parts into
        which a person split one have what was said of the whole."""
        with self._lock:
            return frozenset(self._scene.perceived())

    def descriptions(self) -> dict[int, Description]:
        """Object id -> what a vision-language model said of it."""
        with self._lock:
            return {d.object_id: d for d in self._scene.descriptions}

    def embeddings(self, encoder_name: str) -> dict[int, Embedding]:
        """Object id -> its image vector by one encoder."""
        with self._lock:
            return {e.object_id: e for e in self._scene.embeddings if e.encoder == encoder_name}

    def seen_embeddings(self, encoder_name: str) -> list[Embedding]:
        """Image vectors by one encoder of the objects that people see; see `seen_vectors`."""
        known = self.embeddings(encoder_name)
        with self._lock:
            sources, seen = self._scene.journal.sources, self._scene.snapshot().objects
        return seen_vectors(known, seen, sources)

    def match_words(self, words: Sequence[str], encoder: ImageTextEncoder) -> WordMatches:
        """How well the objects that are there look like what words say.

        Raises:
            PerceptionError: the encoder cannot be had.
        """
        return match_words(self.seen_embeddings(encoder.name), words, encoder)

    def find_objects(
        self,
        words: str,
        count: int = 10,
        encoder: TextEncoder | None = None,
        image_encoder: ImageTextEncoder | None = None,
    ) -> tuple[Found, ...]:
        """Objects that a few words mean, best first; see `ObjectFinder.find`.

        Args:
            encoder: also take labels that mean something like the words to it.
            image_encoder: also take objects that look like the words, of those that have its
                image vector.

        Raises:
            SceneMemoryError: no words, too many of them, or a count below 1.
            PerceptionError: an encoder cannot embed a word.
        """
        looks = None
        if image_encoder is not None:
            looks = Looks(self.seen_embeddings(image_encoder.name), image_encoder)
        seen = self.snapshot().objects
        with self._finder_lock:
            self._finder.refresh(seen)
            return self._finder.find(words, count, encoder, looks)

    def corrections(self) -> list[Correction]:
        """The whole journal, oldest first, undone entries included."""
        with self._lock:
            return list(self._scene.journal.entries())

    def export_corrections(self) -> str:
        """The whole journal as JSON, with where its objects stood: see `import_corrections`."""
        return corrections_to_json(self.corrections())

    def find_similar(self, edit: Edit, count: int = 20) -> list[SimilarObject]:
        """Objects for which an edit may hold as well, best first: a preview, nothing is changed.

        Args:
            edit: about one object, applied or not. count: at most so many.

        Raises:
            SceneMemoryError: the edit is not about single objects, or its object is not there.
        """
        with self._lock:
            perceived, seen = self._scene.perceived(), self._scene.snapshot().objects
            encoders = sorted({embedding.encoder for embedding in self._scene.embeddings})
        by_encoder = ({e.object_id: e.vector for e in self.seen_embeddings(n)} for n in encoders)
        of_example = (vectors for vectors in by_encoder if vectors.keys() & edit.object_ids[:1])
        return find_similar(edit, perceived, seen, next(of_example, {}))[:count]

    def _seen(
        self,
    ) -> tuple[tuple[PackedLocation, ...], Mapping[int, MapObject], Mapping[int, int]]:
        """Locations, the objects that they may name, and of which of these others are part."""
        with self._lock:
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
