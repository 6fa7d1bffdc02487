"""The memory: one facade over its state in RAM and its folder on disk, to write to or to read
only.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.errors import SceneMemoryError
from scenemind.frames import RGBDFrame
from scenemind.garbage import no_garbage_collection
from scenemind.geometry import Pose
from scenemind.geometry.pose import matrices_of
from scenemind.memory.disk.changes import NO_CHANGES, Changes, FrameRecord
from scenemind.memory.disk.memory_disk import MemoryDisk
from scenemind.memory.frame_corrections import FrameCorrections, pose_of
from scenemind.memory.frame_index import FrameIndexer
from scenemind.memory.frames_first import Way
from scenemind.memory.graph.corrections import Replay
from scenemind.memory.graph.corrections.replay import corrections_from_json, replay
from scenemind.memory.graph.corrections.replay import preview as preview_replay
from scenemind.memory.merging import Merge, Shift, as_changes, joined
from scenemind.memory.pose_migration import migrate
from scenemind.memory.reader import MemoryReader
from scenemind.memory.state import (
    FULL_INTEGRATION,
    IntegrationOptions,
    MemoryState,
    PerceivedFrame,
    Stopwatch,
)
from scenemind.memory.types import Correction, Description, Edit, Embedding, PoseCorrection
from scenemind.perception.types import Detections, Observation


class Memory(MemoryReader):
    """A memory to write to, a `MemoryAccess`. Safe to use from several threads.

    A frame never waits for the disk: two threads write images and rows. A killed process loses
    the changes since the last commit (`StoreConfig.commit_s`); a correction is on disk when `apply`
    returns.
    """

    def __init__(self, disk: MemoryDisk, config: SceneMindConfig) -> None:
        """See `create` and `open`."""
        super().__init__(disk, MemoryState(config))
        self._config = config
        with no_garbage_collection():
            self._state.restore(disk.load())
        self._is_open = True
        self._way = Way()
        self._world_T_input = Pose.identity()
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
        """Continue a stored memory; new frames, tracks and objects get new numbers.

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
        """Begin a new recording or tracker, whose frames and tracks count from 0 again."""
        with self._lock:
            self._state.begin_session()
            self._world_T_input = Pose.identity()

    def integrate(
        self,
        frame: RGBDFrame,
        detections: Detections,
        track_ids: NDArray[np.int64],
        observations: Sequence[Observation],
        watch: Stopwatch | None = None,
        options: IntegrationOptions = FULL_INTEGRATION,
    ) -> frozenset[int]:
        """Add one frame to the memory.

        Args:
            frame: its images must not change afterwards: they may wait for the disk.
            track_ids: (N,) int64 of the detections, -1 for none.
            observations: of the detections that could be lifted.
            watch: receives the laps fuse, graph, tree and store.

        Returns:
            Ids of objects that were added, changed or removed, tentative ones included.

        Raises:
            SceneMemoryError: the frame's number is not larger than the last one's.
        """
        perceived = PerceivedFrame(frame, detections, track_ids, observations)
        with self._way.taken(), self._lock:
            return self._state.integrate(perceived, self._put_image, watch or Stopwatch(), options)

    def floor_z(self) -> float | None:
        """Height of the floor, world, metres; None until it was found."""
        with self._lock:
            return self._state.floor_z

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:
        """Write edits to the journal, all or none; they are on disk when this returns.

        Raises:
            SceneMemoryError: an edit is refused, or the disk failed; nothing was applied.
        """
        return self._correct(
            lambda state: state.journal.apply(
                edits, by, reason, state.perceived_map(), time.time_ns()
            )
        )

    def add_named(self, label: str, views: Sequence[tuple[int, Observation]], by: str) -> int:
        """Add an object that a model named in stored frames: to the map, the tree and the
        detections of these frames. It is on disk when this returns.

        A person may correct it, mapping may confirm or merge it, and it is retired where depth
        looks through its place; that no detector finds it says nothing against it. Its attribute
        `NAMED_BY` names the model.

        Args:
            views: frame numbers, ascending, with the thing as it was lifted from each.
            by: the model.

        Returns:
            Its id.

        Raises:
            SceneMemoryError: a frame is not stored any more, or the disk failed.
        """
        with self._disk.writer.lock:
            stored = [(self._stored_frame(number), seen) for number, seen in views]
            with self._lock:
                object_id = self._state.add_named(label, stored, by, time.time_ns())
                self._frame_indexer = FrameIndexer()  # it knows newer frames only
            self._disk.writer.commit()
        return object_id

    def steady_world(self) -> AbstractContextManager[None]:
        """A context in which no correction of poses takes effect, such as from the pose of a frame
        to its place in the memory. Corrections wait for it, also between their steps, so it should
        be short."""
        return self._way.taken()

    @property
    def world_T_input(self) -> Pose:
        """What is put before the poses of new frames: the identity, except after
        `correct_poses` with `keeps_odometry`, until the next session begins."""
        return self._world_T_input

    def correct_poses(
        self,
        stamps_ns: NDArray[np.int64],
        world_T_camera: Sequence[Pose],
        *,
        keeps_odometry: bool = False,
        least_m: float = 0.0,
        least_deg: float = 0.0,
    ) -> PoseCorrection | None:
        """Move the memory as poses that were corrected afterwards, such as by SLAM; see
        `frame_corrections`. It is on disk when this returns, all of it or nothing.

        All that hangs on frames moves: observations and objects, floor and walls, key frames,
        locations, earlier places, relations. Ids, labels, corrections and history stay; things that
        drift had doubled become the older one. Frames that come afterwards are in the corrected
        world.

        Args:
            stamps_ns: (N,) moments, strictly ascending; between them corrections are interpolated,
                before the first and after the last they are held.
            world_T_camera: the corrected poses of the camera at these moments.
            keeps_odometry: frames go on to have the poses of an odometry that knows of no
                correction: the mapper puts the last one before them (`world_T_input`). Else they
                come in the corrected world.
            least_m, least_deg: a correction that moves no camera so far, and turns none so much, is
                left to a later one.

        Returns:
            What was corrected; None: nothing moves, and nothing was changed.

        Raises:
            SceneMemoryError: no moments, moments out of order, or none that was mapped; nothing was
                changed. Or the disk failed: the next commit tries again.
        """
        with self._disk.writer.lock, self._way.yielded():
            self._disk.writer.commit()
            frames = self._disk.store.frame_table()
            corrections = FrameCorrections.of_stamps(frames, stamps_ns, world_T_camera)
            if not corrections.moves_anything:
                return None
            if corrections.largest_m < least_m and corrections.largest_deg < least_deg:
                return None

            def swapped() -> None:
                self._frame_indexer = FrameIndexer()
                if keeps_odometry:
                    self._world_T_input = corrections.newest @ self._world_T_input

            noted = migrate(
                self._state, self._lock, self._way, corrections, time.time_ns(), swapped
            )
            self._disk.writer.commit()
        return noted

    def poses_at(self, stamps_ns: Sequence[int]) -> list[Pose]:
        """The poses of the camera at some moments, as they are now: those of the last frames up to
        them.

        Raises:
            SceneMemoryError: nothing has been mapped yet, or the disk failed.
        """
        with self._disk.writer.lock, self._way.yielded():
            self._disk.writer.commit()
            frames = self._disk.store.frame_table()
        if not len(frames.numbers):
            raise SceneMemoryError("nothing has been mapped yet: there is no pose")
        rows = np.searchsorted(frames.stamps_ns, np.asarray(stamps_ns, np.int64), side="right") - 1
        return [pose_of(matrix) for matrix in matrices_of(frames.poses[np.maximum(rows, 0)])]

    def merge(self, other: MemoryReader, world_T_other: Pose) -> Merge:
        """Add another memory of the place, which stays as it is: its frames, locations, objects,
        corrections and key frames. Things that both have become one, under the id of this memory.
        All of it is on disk when this returns; frames wait meanwhile.

        Args:
            world_T_other: where its world lies in this one; both are z-up. See `places.locate`.

        Raises:
            SceneMemoryError: the disk failed, or the other memory is this one; nothing was changed.
        """
        if other.path == self.path:
            raise SceneMemoryError(f"{self.path} cannot be merged with itself")
        disk, theirs = other.content()
        self._disk.flush()
        with self._disk.writer.lock, self._lock:
            self._write_pending()
            ours = self._disk.store.load()
            shift = Shift.after(ours, self._state.next_frame, self._state.largest_object_id)
            added = shift.memory(theirs)
            records = [
                shift.frame(record)
                for number in disk.store.frame_stamps()[:, 0].tolist()
                if (record := disk.store.find_frame(number)) is not None
            ]
            state = MemoryState(self._config, revision=self._state.snapshot().revision + 1)
            state.restore(joined(ours, added))
            state.pending.give_back(as_changes(added))
            mine = self._disk.store.frame_table()
            corrections = FrameCorrections.from_frame(
                mine.followed_by(records), len(mine.numbers), world_T_other
            )
            noted = migrate(
                state,
                threading.Lock(),
                Way(),
                corrections,
                time.time_ns(),
                lambda: None,
            )
            if theirs.structure is not None:
                state.absorb_structure(shift.structure(theirs.structure), corrections)
            changes = state.pending.take()
            moved = tuple(
                replace(record, world_T_camera=world_T_other @ record.world_T_camera)
                for record in records
            )
            self._disk.take_images(disk, theirs.image_bytes, shift.frames)
            self._disk.store.write(replace(changes, frames=moved))
            self._state, self._frame_indexer = state, FrameIndexer()
        same = dict(noted.same)
        ids = {
            record.object_id - shift.objects: same.get(record.object_id, record.object_id)
            for record in added.objects
            if record.confirmed
        }
        known = frozenset(object_id for object_id, now in ids.items() if now <= shift.objects)
        return Merge(ids, known, len(moved))

    def _write_pending(self) -> None:
        """Commit without giving the lock away."""
        self._state.settle_images(self._disk.images.take_results())
        changes = self._state.pending.take()
        try:
            self._disk.store.write(changes)
        except BaseException:
            self._state.pending.give_back(changes)
            raise

    def settle_label(self, object_id: int, label: str, by: str) -> bool:
        """Give a label that a model chose as much weight as all that detectors said of an object;
        False if there is no such object. What a person said still stands above it.

        Args:
            by: the model.
        """
        with self._lock:
            return self._state.settle_label(object_id, label, by, time.time_ns())

    def _stored_frame(self, number: int) -> FrameRecord:
        with self._lock:
            pending = self._state.pending.find_detections(number)
        found = pending or self._disk.evidence.find_record(number)
        if found is None:
            raise SceneMemoryError(f"frame {number} is not stored any more")
        return found

    def put_description(self, description: Description) -> bool:
        """Store a model's description of an object in place of its previous one; False if there is
        no such object. It is on disk after the next commit.
        """
        with self._lock:
            if not self._state.knows(description.object_id):
                return False
            self._state.descriptions.put(description)
            self._state.touch()
            return True

    def put_embedding(self, embedding: Embedding) -> bool:
        """Store an object's image vector in place of the encoder's previous one; see
        `put_description`."""
        with self._lock:
            if not self._state.knows(embedding.object_id):
                return False
            self._state.embeddings.put(embedding)
            return True

    def undo(self, *correction_ids: int) -> list[Correction]:
        """Undo corrections, all or none; without a number, all that the newest sentence wrote.
        The entries as they are now, oldest first.

        Raises:
            SceneMemoryError: there is none (left), or the disk failed; nothing was undone.
        """
        return self._correct(lambda state: state.journal.undo(*correction_ids))

    def redo(self, *correction_ids: int) -> list[Correction]:
        """Redo undone corrections, all or none; without a number, the sentence that
        was undone last. The entries as they are now, oldest first.

        Raises:
            SceneMemoryError: there is none, another entry contradicts it, or the disk failed;
                nothing was changed.
        """
        return self._correct(lambda state: state.journal.redo(*correction_ids))

    def import_corrections(self, text: str, by: str = "", *, preview: bool = False) -> Replay:
        """Replay an exported journal of another map of this place. Its objects are found by their
        places; entries whose objects are not found, or are ambiguous, are left out and reported.

        Args:
            text: as `export_corrections` returns it. by: who replays it.
            preview: only report the result; change nothing.

        Raises:
            SceneMemoryError: it is no journal, or the disk failed; nothing was applied.
        """
        entries = corrections_from_json(text)
        if preview:
            with self._lock:
                known = self._state.journal.entries()
                perceived = self._state.perceived_map()
            # Outside the lock, on values: mapping continues meanwhile.
            return preview_replay(known, entries, perceived)
        done: list[Replay] = []

        def change(state: MemoryState) -> list[Correction]:
            done.append(replay(state.journal, entries, state.perceived_map(), by))
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
            self._state = MemoryState(self._config, revision=self._state.snapshot().revision + 1)
            self._frame_indexer = FrameIndexer()

    def flush(self) -> None:
        """Wait until all changes are on disk.

        Raises:
            SceneMemoryError: the disk failed; the next commit tries again.
        """
        self._disk.flush()

    def close(self) -> None:
        """Write the last changes and release the folder; a second call does nothing.

        Raises:
            SceneMemoryError: the disk failed; changes since the last commit are lost.
        """
        if not self._is_open:
            return
        self._is_open = False
        try:
            with self._lock:
                self._state.seal()
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

    def _correct(self, change: Callable[[MemoryState], list[Correction]]) -> list[Correction]:
        with self._disk.writer.lock:
            with self._lock:
                was_undone = {e.correction_id: e.undone_ns for e in self._state.journal.entries()}
            try:
                with self._lock:
                    entries = change(self._state)
                    self._state.touch()
                self._disk.writer.commit()
            except BaseException:
                with self._lock:
                    if self._state.journal.take_back(was_undone):
                        self._state.touch()
                raise
        return entries

    def _put_image(self, number: int, frame: RGBDFrame) -> bool:
        return self._disk.images.put(number, frame.color, frame.depth_m)

    def _take(self) -> Changes:
        results = self._disk.images.take_results()
        with self._lock:
            self._state.settle_images(results)
            return self._state.pending.take()

    def _give_back(self, changes: Changes) -> None:
        with self._lock:
            self._state.pending.give_back(changes)


class ReadOnlyMemory(MemoryReader):
    """A memory to read only, a `MemoryAccess` that refuses corrections. Any number of processes may
    open it at once, while none has it open to write."""

    def __init__(self, disk: MemoryDisk, config: SceneMindConfig) -> None:
        """See `open`."""
        super().__init__(disk, MemoryState(config))
        with no_garbage_collection():
            self._state.restore(disk.load_to_read())
        disk.start(lambda: NO_CHANGES, _keep_nothing)

    @classmethod
    def open(cls, path: Path, config: SceneMindConfig) -> ReadOnlyMemory:
        """Open a stored memory to read.

        Raises:
            SceneMemoryError: missing, damaged, of another version, or open to write in another
                process.
        """
        disk = MemoryDisk.open(path, config.store, to_read=True)
        try:
            return cls(disk, config)
        except BaseException:
            disk.close()
            raise

    def apply(self, edits: Sequence[Edit], by: str, reason: str) -> list[Correction]:  # noqa: ARG002
        """
        Raises:
            SceneMemoryError: always.
        """
        raise self.refusal()

    def undo(self, *correction_ids: int) -> list[Correction]:  # noqa: ARG002
        """
        Raises:
            SceneMemoryError: always.
        """
        raise self.refusal()

    def redo(self, *correction_ids: int) -> list[Correction]:  # noqa: ARG002
        """
        Raises:
            SceneMemoryError: always.
        """
        raise self.refusal()

    def unlock(self) -> None:
        """Let other processes write from now on. What was read stays; who reads the disk again
        locks the folder and sees to it that nothing has changed."""
        self._disk.unlock()

    def close(self) -> None:
        """Release the folder; a second call does nothing."""
        self._disk.close()

    def __enter__(self) -> ReadOnlyMemory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def refusal(self) -> SceneMemoryError:
        """What is raised where it should be changed, with the way out."""
        return SceneMemoryError(
            f"{self.path} is open to be read only, and cannot be changed: close it, and open it"
            " without read_only"
        )


def _keep_nothing(changes: Changes) -> None:
    assert not changes, "a memory that is open to read has no changes"
