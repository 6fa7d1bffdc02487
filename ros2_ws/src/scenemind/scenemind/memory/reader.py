"""What can be read from a memory, from any thread."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

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
from scenemind.memory.tree_reader import TreeReader
from scenemind.memory.types import Correction, Description, Edit, Embedding
from scenemind.perception.protocols import ImageTextEncoder, TextEncoder


class MemoryReader(TreeReader):
    """The reading half of `Memory`: the tree, and what is there and how it stands."""

    def __init__(self, disk: MemoryDisk, scene: Scene) -> None:
        super().__init__(disk, scene)
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

    def perceived_ids(self) -> frozenset[int]:
        """Of the objects that perception has: those that a model can be asked about. Of parts
        into which a person split one, that which keeps the id has what was said of the whole."""
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
