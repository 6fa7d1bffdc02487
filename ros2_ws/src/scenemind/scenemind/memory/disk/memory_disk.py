"""Files of an open memory: the folder, the store with its writer, and the stored key frames."""

from __future__ import annotations

import logging
import tempfile
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from scenemind.config import StoreConfig
from scenemind.errors import SceneMemoryError
from scenemind.frames import FrameError
from scenemind.memory.disk import images
from scenemind.memory.disk.changes import Changes, FrameRecord
from scenemind.memory.disk.connection import disk_error
from scenemind.memory.disk.folder import MemoryFolder, copy_image
from scenemind.memory.disk.frame_tables import FrameColumns
from scenemind.memory.disk.images import FrameStore, find_depth_image
from scenemind.memory.disk.store import Store, StoredMemory
from scenemind.memory.frames_first import give_way
from scenemind.memory.types import DepthImage, KeyFrame

_log = logging.getLogger(__name__)


class StoreWriter:
    """A thread that takes changes from the memory in order and commits them.

    Lock order: the writer's `lock` first, then the memory's, inside `take` and `give_back`.
    """

    def __init__(
        self,
        store: Store,
        take: Callable[[], Changes],
        give_back: Callable[[Changes], None],
        delete_images: Callable[[Sequence[int]], None],
        every_s: float,
    ) -> None:
        """
        Args:
            delete_images: called with the frames whose images no row names any more.
        """
        self._store = store
        self._take = take
        self._give_back = give_back
        self._delete_images = delete_images
        self._every_s = every_s
        self._failed_commits = 0
        self.lock = threading.RLock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="store writer", daemon=True)
        self._thread.start()

    @property
    def failed_commits(self) -> int:
        return self._failed_commits

    def commit(self) -> None:
        """Write all changes now, in one transaction.

        Raises:
            SceneMemoryError: the disk is full or failed, or a value cannot be stored; the changes
                are kept for the next commit.
        """
        with self.lock:
            give_way(to_long_step=True)
            changes = self._take()
            if not changes:
                return
            try:
                give_way()
                self._write(changes)
            except BaseException as error:
                if self._failed_commits == 0:
                    _log.error(
                        "%s; mapping continues in RAM and the next commit tries again", error
                    )
                self._failed_commits += 1
                self._give_back(changes)
                raise
            gone = [number for number, size in changes.images.items() if size == 0]
            if gone:
                self._delete_images(gone)

    def close(self) -> None:
        """Stop the thread. Changes since its last commit are not written: see `commit`."""
        self._stop.set()
        self._thread.join()

    def _write(self, changes: Changes) -> None:
        try:
            self._store.write(changes)
        except SceneMemoryError:
            raise
        except Exception as error:
            # One value that cannot be stored must not lose the other changes.
            raise SceneMemoryError(f"storing failed: {type(error).__name__}: {error}") from error

    def _run(self) -> None:
        while not self._stop.wait(self._every_s):
            # Counted and logged by `commit`; the changes wait for the next one.
            with suppress(SceneMemoryError):
                self.commit()


BoxPx = tuple[float, float, float, float]


ObjectsOf = Callable[[int, Sequence[int]], Sequence[int | None]]
"""The objects that tracks fed at a location; None for none."""


class KeyFrameReader:
    """Reads key frames back from disk, including those that are still queued."""

    def __init__(self, store: Store, images: FrameStore, commit: Callable[[], None]) -> None:
        """Args: commit: writes pending changes, which brings the newest frames into the store."""
        self._store = store
        self._images = images
        self._commit = commit
        self._failed_reads = 0

    def get(
        self,
        number: int,
        objects_of: ObjectsOf,
        wanted: Collection[int],
    ) -> KeyFrame:
        """A stored frame as `find` returns it.

        Raises:
            SceneMemoryError: no image of this frame is stored.
        """
        key_frame = self.find(number, objects_of, wanted)
        if key_frame is None:
            raise _not_stored(number)
        return key_frame

    def find(
        self,
        number: int,
        objects_of: ObjectsOf,
        wanted: Collection[int],
        score: float = 0.0,
    ) -> KeyFrame | None:
        """A stored frame; None if its image was deleted or is unreadable.

        Args:
            objects_of: location id and track ids -> object ids.
            wanted: objects whose boxes go with it.
        """
        record = self.find_record(number)
        jpeg = None if record is None else self._find_readable_jpeg(record)
        if record is None or jpeg is None:
            return None
        return KeyFrame(
            frame_number=number,
            stamp_ns=record.stamp_ns,
            location_id=record.location_id,
            camera=record.camera,
            world_T_camera=record.world_T_camera,
            jpeg=jpeg,
            score=score,
            boxes_px=_boxes_px(record, objects_of, wanted),
        )

    def depth_image(self, number: int) -> DepthImage:
        """The depth of a stored frame.

        Raises:
            SceneMemoryError: no image of this frame is stored, or none of its depth; or that cannot
                be read.
        """
        record = self.find_record(number)
        if record is None or not self._is_there(number):
            raise _not_stored(number)
        try:
            depth = find_depth_image(self._images.folder, number, record.camera)
        except (FrameError, OSError) as error:
            self._note_failed_read(number, error)
            raise SceneMemoryError(f"the depth of frame {number} is damaged: {error}") from error
        if depth is None:
            raise SceneMemoryError(
                f"frame {number} was stored without its depth: store.depth_every_px was 0"
            )
        return depth

    def columns(self, numbers: Sequence[int]) -> FrameColumns:
        """Frames with their detections, without images; including those not committed yet.

        Args:
            numbers: at least one, ascending.
        """
        if self._store.find_frame(numbers[-1]) is None:  # frames are committed in their order
            self._commit()
        return self._store.frame_columns(numbers)

    def find_record(self, number: int) -> FrameRecord | None:
        """A frame with its detections; pending changes are committed first where it is missing."""
        record = self._store.find_frame(number)
        if record is None:
            self._commit()
            record = self._store.find_frame(number)
        return record

    def _is_there(self, number: int) -> bool:
        path = images.color_path(self._images.folder, number)
        if not path.exists():
            self._images.flush()
        return path.exists()

    def _find_readable_jpeg(self, record: FrameRecord) -> bytes | None:
        try:
            return self._find_jpeg(record)
        except (FrameError, OSError) as error:
            self._note_failed_read(record.number, error)
            return None

    def _note_failed_read(self, number: int, error: Exception) -> None:
        if not self._failed_reads:
            _log.warning(
                "An image of frame %d cannot be read: %s; others are only counted", number, error
            )
        self._failed_reads += 1

    def _find_jpeg(self, record: FrameRecord) -> bytes | None:
        jpeg = images.find_jpeg(self._images.folder, record.number, record.camera)
        if jpeg is None:
            self._images.flush()
            jpeg = images.find_jpeg(self._images.folder, record.number, record.camera)
        return jpeg


def _not_stored(number: int) -> SceneMemoryError:
    return SceneMemoryError(f"frame {number} has no stored image: only key frames do")


def _boxes_px(
    record: FrameRecord, objects_of: ObjectsOf, wanted: Collection[int]
) -> Mapping[int, BoxPx]:
    """The box of each wanted object; of several detections, the one of highest score."""
    best: dict[int, tuple[float, BoxPx]] = {}
    object_ids = objects_of(record.location_id, record.track_ids)
    for node, object_id in zip(record.detections, object_ids, strict=True):
        if object_id is None or object_id not in wanted:
            continue
        if object_id not in best or node.score > best[object_id][0]:
            best[object_id] = (node.score, node.box_px)
    return {object_id: box for object_id, (_, box) in sorted(best.items())}


class MemoryDisk:
    """The folder with its lock, the database, the images and the two threads that write them.

    Attributes:
        store: the database.
        images: the key frames' files.
        writer: commits to the store; there after `start`.
        evidence: reads key frames back; there after `start`.
    """

    writer: StoreWriter
    evidence: KeyFrameReader

    def __init__(
        self,
        folder: MemoryFolder,
        store: Store,
        config: StoreConfig,
        is_temporary: bool,
        opened: ExitStack,
    ) -> None:
        """See `create` and `open`. Takes over the resources of `opened`."""
        self._folder = folder
        self._config = config
        self._is_temporary = is_temporary
        self.store = store
        self.images = FrameStore(folder.frames, config)
        self._opened = opened.pop_all()
        self._opened.callback(self.images.close)

    @classmethod
    def create(cls, path: Path | None, config: StoreConfig) -> MemoryDisk:
        """An empty memory in a folder; None: in a temporary one that `close` removes.

        Raises:
            SceneMemoryError: there is a memory already, or the folder cannot be written.
        """
        with ExitStack() as opened:
            is_temporary = path is None
            if path is None:
                temporary = tempfile.TemporaryDirectory(prefix="scenemind-")
                path = Path(opened.enter_context(temporary))
            folder = MemoryFolder.create(path, config)
            opened.callback(folder.close)
            try:
                store = Store.create(folder.database)
            except SceneMemoryError:
                folder.database.unlink(missing_ok=True)  # half of one is no memory
                raise
            opened.callback(store.close)
            return cls(folder, store, config, is_temporary, opened)

    @classmethod
    def open(cls, path: Path, config: StoreConfig, *, to_read: bool = False) -> MemoryDisk:
        """
        Args:
            to_read: beside others that only read, with nothing to commit.

        Raises:
            SceneMemoryError: missing, damaged, of another version, or open in another process.
        """
        with ExitStack() as opened:
            folder = MemoryFolder.open(path, to_read=to_read)
            opened.callback(folder.close)
            store = Store(folder.database, to_read=to_read)
            opened.callback(store.close)
            return cls(folder, store, config, False, opened)

    @property
    def path(self) -> Path:
        return self._folder.path

    def load(self) -> StoredMemory:
        """The last committed state. Leftovers of a killed process are cleaned up: files that no row
        names are deleted, and rows of missing files are corrected.

        Raises:
            SceneMemoryError: the disk failed.
        """
        stored = self.store.load()
        frames = self._folder.frames
        try:
            frames.mkdir(self._config.folder_mode, exist_ok=True)
            there = images.remove_unnamed(frames, stored.image_bytes)
        except OSError as error:
            raise disk_error(error, f"cannot clean up {frames}", frames) from error
        lost = stored.image_bytes.keys() - there.keys()
        self._tell_missing(len(lost))
        if lost:
            self.store.write_images(dict.fromkeys(lost, 0))
        return replace(stored, image_bytes=there)

    def load_to_read(self) -> StoredMemory:
        """The last committed state without stretches; nothing is cleaned up.

        Raises:
            SceneMemoryError: the disk failed.
        """
        stored = self.store.load(stretches=False)
        there = images.present_images(self._folder.frames, stored.image_bytes)
        self._tell_missing(len(stored.image_bytes) - len(there))
        return replace(stored, image_bytes=there)

    def _tell_missing(self, count: int) -> None:
        if count:
            _log.warning("%d images of %s are missing", count, self.path)

    def start(self, take: Callable[[], Changes], give_back: Callable[[Changes], None]) -> None:
        """Start the thread that commits the changes that `take` returns."""
        self.writer = StoreWriter(
            self.store, take, give_back, self.images.remove, self._config.commit_s
        )
        self._opened.callback(self.writer.close)
        self.evidence = KeyFrameReader(self.store, self.images, self.writer.commit)

    def flush(self) -> None:
        """Wait until all changes are on disk.

        Raises:
            SceneMemoryError: the disk failed; the next commit tries again.
        """
        self.images.flush()
        self.writer.commit()
        self.images.flush()

    def save_as(self, name: str) -> Path:
        """Copy the memory to a sibling folder; see `Memory.save_as`."""
        if self._is_temporary:
            raise SceneMemoryError("this memory is temporary: create it with a path to save it")
        with self.writer.lock:
            # No image is deleted while the lock is held.
            self.flush()
            return self._folder.copy_to_sibling(name, self.store)

    def take_images(self, other: MemoryDisk, numbers: Collection[int], shift: int) -> None:
        """Link or copy the images of another memory, to frame numbers that are larger by a shift.
        A row must name them soon: opening deletes others.

        Raises:
            SceneMemoryError: the disk is full or failed.
        """
        try:
            for number in numbers:
                for image in images.image_paths(other.images.folder, number):
                    target = images.renumbered_path(self.images.folder, image, number + shift)
                    images.remove_files(target)
                    copy_image(image, target)
        except OSError as error:
            raise SceneMemoryError(f"copying the images of {other.path} failed: {error}") from error

    def clear(self) -> None:
        """Delete all content.

        Raises:
            SceneMemoryError: the disk failed.
        """
        self.store.clear()
        try:
            self.images.clear()
        except OSError as error:
            raise disk_error(error, f"cannot clear {self.path}", self.path) from error

    def unlock(self) -> None:
        """Release the folder alone."""
        self._folder.close()

    def close(self) -> None:
        """Stop the threads and release the folder, without a last commit; a second call does
        nothing."""
        self._opened.close()
