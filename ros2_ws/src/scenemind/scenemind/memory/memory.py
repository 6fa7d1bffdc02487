"""The memory: one facade over the scene in RAM and the folder on disk."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame
from scenemind.memory.disk.changes import Changes
from scenemind.memory.disk.memory_disk import MemoryDisk
from scenemind.memory.frame_index import FrameIndexer
from scenemind.memory.garbage import no_garbage_collection
from scenemind.memory.graph.corrections import Replay
from scenemind.memory.graph.corrections.exchange import corrections_from_json
from scenemind.memory.graph.corrections.replay import preview as preview_replay
from scenemind.memory.graph.corrections.replay import replay
from scenemind.memory.reader import MemoryReader
from scenemind.memory.scene import Scene
from scenemind.memory.stopwatch import Stopwatch
from scenemind.memory.types import Correction, Description, Edit, Embedding
from scenemind.perception.text.similarity import LabelSimilarity, same_word
from scenemind.perception.types import Detections, Observation


class Memory(MemoryReader):
    """Safe to use from several threads: one lock, and readers get values. Is a `MemoryAccess`.

    A frame never waits for the disk: images and rows go there on two threads. A killed process
    loses what came after the last commit (`StoreConfig.commit_s`); a correction is on disk when
    `apply` returns.
    """

    def __init__(self, disk: MemoryDisk, config: SceneMindConfig) -> None:
        """See `create` and `open`."""
        super().__init__(disk, Scene(config))
        self._config = config
        with no_garbage_collection():
            self._scene.restore(disk.load())
        self._is_open = True
        disk.start(self._take, self._give_back)

    @classmethod
    def create(cls, path: Path | None, config: SceneMindConfig) -> Memory:
        """An empty memory in a folder; None: in a temporary one that `close` removes.

        Raises:
            SceneMemoryError: there is a memory already, or the folder cannot be written.
        """
        return cls(MemoryDisk.create(path, config.store), config)

    @classmethod
    def open(cls, path: Path, config: SceneMindConfig) -> Memory:
        """Go on with a stored memory; new frames, tracks and objects get new numbers.

        Raises:
            SceneMemoryError: missing, damaged, of another version, or open in another process.
        """
        disk = MemoryDisk.open(path, config.store)
        try:
            return cls(disk, config)
        except BaseException:
            disk.close()
            raise

    def begin_session(self) -> None:
        """A new recording or tracker, whose frames and tracks count from 0 again."""
        with self._lock:
            self._scene.begin_session()

    def integrate(
        self,
        frame: RGBDFrame,
        detections: Detections,
        track_ids: NDArray[np.int64],
        observations: Sequence[Observation],
        watch: Stopwatch | None = None,
        *,
        relations: bool = True,
        upkeep: bool = True,
        label_similarity: LabelSimilarity = same_word,
    ) -> frozenset[int]:
        """Remember one frame.

        Args:
            frame: its images must not change afterwards: they may wait for the disk.
            track_ids: (N,) int64 of the detections, -1 for none.
            observations: those of the detections that could be lifted.
            watch: gets the laps fuse, graph, tree and store.
            relations: bring them up to date before somebody asks.
            upkeep: look for duplicates, splits and emptied places among the objects.
            label_similarity: how alike two labels are, in [0, 1].

        Returns:
            Ids of objects that changed, came or went, tentative ones included.

        Raises:
            SceneMemoryError: the frame's number does not come after the last one's.
        """
        with self._lock:
            return self._scene.integrate(
                frame,
                detections,
                track_ids,
                observations,
                self._put_image,
                watch or Stopwatch(),
                relations,
                upkeep,
                label_similarity,
            )

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        """Write edits to the journal, all or none; they are on disk when this returns.

        Raises:
            SceneMemoryError: an edit makes no sense, or the disk failed; nothing was applied.
        """
        return self._correct(
            lambda scene: scene.journal.apply(
                edits,
                by,
                reason,
                scene.perceived(),
                time.time_ns(),
                scene.gone(),
                scene.structure(),
            )
        )

    def put_description(self, description: Description) -> bool:
        """Remember what a model said of an object; False when there is no such object (any more).

        Replaces what was said of it before. It is on disk after the next commit.
        """
        with self._lock:
            if not self._scene.knows(description.object_id):
                return False
            self._scene.descriptions.put(description)
            self._scene.touch()
            return True

    def put_embedding(self, embedding: Embedding) -> bool:
        """Remember an object's image vector, in place of the encoder's earlier one; see
        `put_description`."""
        with self._lock:
            if not self._scene.knows(embedding.object_id):
                return False
            self._scene.embeddings.put(embedding)
            return True

    def undo(self, correction_id: int | None = None) -> Correction:
        """Take back one correction; the newest that stands when no id is given.

        Raises:
            SceneMemoryError: there is none (left), or the disk failed; nothing was undone.
        """
        return self._correct(lambda scene: [scene.journal.undo(correction_id)])[0]

    def redo(self, correction_id: int | None = None) -> Correction:
        """Let a correction stand again; the one that was undone last when no id is given.

        Raises:
            SceneMemoryError: there is none, another one contradicts it, or the disk failed;
                nothing was done.
        """
        return self._correct(lambda scene: [scene.journal.redo(correction_id)])[0]

    def import_corrections(self, text: str, by: str = "", *, preview: bool = False) -> Replay:
        """Replay an exported journal of another map of this place; its objects are found by where
        they stood. What is not found, or not for sure, is left out and reported.

        Args:
            text: see `export_corrections`. by: who replays it. preview: only say what would be
                done.

        Raises:
            SceneMemoryError: it is no journal, or the disk failed; nothing was applied.
        """
        entries = corrections_from_json(text)
        if preview:
            with self._lock:
                scene = self._scene
                known = scene.journal.entries()
                there = scene.perceived(), scene.gone(), scene.structure()
            # On values: mapping goes on meanwhile.
            return preview_replay(known, entries, *there)
        done: list[Replay] = []

        def change(scene: Scene) -> list[Correction]:
            there = scene.perceived(), scene.gone(), scene.structure()
            done.append(replay(scene.journal, entries, *there, by))
            return list(done[0].applied)

        self._correct(change)
        return done[0]

    def save_as(self, name: str) -> Path:
        """Copy this memory, as it is now, to a folder of this name beside it.

        Raises:
            SceneMemoryError: the name could be a path or is taken; the memory is a temporary one;
                the disk is full.
        """
        return self._disk.save_as(name)

    def reset(self) -> None:
        """Forget everything, on disk too.

        Raises:
            SceneMemoryError: the disk failed.
        """
        with self._disk.writer.lock, self._lock:
            self._disk.clear()
            self._scene = Scene(self._config, revision=self._scene.snapshot().revision + 1)
            self._frame_indexer = FrameIndexer()

    def flush(self) -> None:
        """Return when everything so far is on disk.

        Raises:
            SceneMemoryError: the disk failed; it is tried again later.
        """
        self._disk.flush()

    def close(self) -> None:
        """Write what is left and free the folder; the second call does nothing.

        Raises:
            SceneMemoryError: the disk failed; what came after the last commit is lost.
        """
        if not self._is_open:
            return
        self._is_open = False
        try:
            self._disk.flush()
        finally:
            self._disk.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _correct(self, change: Callable[[Scene], list[Correction]]) -> list[Correction]:
        with self._disk.writer.lock:
            with self._lock:
                was_undone = {e.correction_id: e.undone_ns for e in self._scene.journal.entries()}
            try:
                with self._lock:
                    entries = change(self._scene)
                    self._scene.touch()
                self._disk.writer.commit()
            except BaseException:
                with self._lock:
                    if self._scene.journal.take_back(was_undone):
                        self._scene.touch()
                raise
        return entries

    def _put_image(self, number: int, frame: RGBDFrame) -> bool:
        return self._disk.images.put(number, frame.color, frame.depth_m)

    def _take(self) -> Changes:
        results = self._disk.images.take_results()
        with self._lock:
            self._scene.settle_images(results)
            return self._scene.pending.take()

    def _give_back(self, changes: Changes) -> None:
        with self._lock:
            self._scene.pending.give_back(changes)
