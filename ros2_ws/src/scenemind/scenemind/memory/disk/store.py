"""The memory on disk: one SQLite file that survives a killed process."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SceneMemoryError
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory.disk import rows
from scenemind.memory.disk.changes import Changes, FrameRecord
from scenemind.memory.disk.connection import (
    connect,
    connect_to_read,
    is_cut_short,
    sqlite_errors,
    time_limit,
)
from scenemind.memory.disk.frame_tables import FRAME, FrameColumns, FrameTables
from scenemind.memory.disk.schema import Row, check_schema, create_tables, read_version, tables
from scenemind.memory.disk.sound_rows import Damage, DamageList, SoundRows, summary
from scenemind.memory.frame_corrections import FrameTable
from scenemind.memory.frames_first import in_batches
from scenemind.memory.objects.object_record import ObjectRecord, Stretch
from scenemind.memory.occupancy.occupancy_map import Block, BlockRecord, pack_block
from scenemind.memory.structure.structure_map import PackedStructure
from scenemind.memory.tree.best_views import ViewsRecord
from scenemind.memory.tree.locations import LocationRecord, TrackletRecord
from scenemind.memory.tree.mem_tree import TreeChanges
from scenemind.memory.types import Correction, Description, Embedding, PoseCorrection

_LOG_BYTES = 16 * 2**20
# Tables whose pages are checked at every opening; an hour's memory would take seconds with
# `detections`, whose rows are checked when they are read.
_CHECKED = tuple(name for name in tables() if name != "detections")
_UNREADABLE = (
    "{path} is no scene memory, or so damaged that nothing of it can be read ({error}): open"
    " another one, or move it away and map again"
)
_COUNTS = {
    "frames": f"SELECT COALESCE(SUM(LENGTH(packed)), 0) / {FRAME.itemsize} FROM frames",
    "locations": "SELECT COUNT(*) FROM locations",
    "objects": "SELECT COUNT(*) FROM objects WHERE json_valid(summary)"
    " AND json_extract(summary, '$.confirmed') AND json_extract(summary, '$.gone_ns') IS NULL",
    "corrections": "SELECT COUNT(*) FROM corrections WHERE NOT undone_ns",
}
COUNTED = tuple(_COUNTS)


def read_summary(path: Path, *, is_written: bool) -> tuple[str, dict[str, int]]:
    """Version, and counts of frames, locations, objects (confirmed and not gone) and standing
    corrections; none of them of another version.

    Args:
        is_written: another process has the memory open to write.

    Raises:
        SceneMemoryError: it is no memory, or a damaged one.
    """
    with _reading(path, is_written=is_written) as connection, _as_memory(path):
        version = read_version(connection, path)
        try:
            check_schema(connection, path)
        except SceneMemoryError:
            return version, {}
        count = connection.execute
        return version, {name: count(query).fetchone()[0] for name, query in _COUNTS.items()}


@contextmanager
def _reading(path: Path, *, is_written: bool = False) -> Iterator[sqlite3.Connection]:
    with (
        connect_to_read(path, is_written=is_written) as connection,
        time_limit(connection, path),
    ):
        yield connection


@contextmanager
def _as_memory(path: Path) -> Iterator[None]:
    """Translate SQLite's errors of a file that may be anything."""
    try:
        with sqlite_errors(path, "opening"):
            yield
    except SceneMemoryError as error:
        if type(error.__cause__) is sqlite3.DatabaseError:
            reason = error.__cause__
            raise SceneMemoryError(_UNREADABLE.format(path=path, error=reason)) from reason
        raise


@dataclass(frozen=True, slots=True, eq=False)
class StoredMemory:
    """The state to continue from, without images and DetNodes, which stay on disk.

    Attributes:
        last_frame: the newest frame, without its detections; None in an empty memory.
        image_bytes: frame -> size in bytes of its image, for frames that have one.
        path: (N, 3) float32, world: the camera's path. path_frames: (N,) int32, of its frames.
        largest_track_id: -1 before the first track.
        structure: None: nothing is known.
        occupancy: free and occupied floor, by block.
        damage: what is damaged, and therefore left out; of a memory that is only read.
    """

    last_frame: FrameRecord | None
    image_bytes: Mapping[int, int]
    path: NDArray[np.float32]
    path_frames: NDArray[np.int32]
    largest_track_id: int
    tree: TreeChanges
    views: tuple[ViewsRecord, ...]
    objects: tuple[ObjectRecord, ...]
    corrections: tuple[Correction, ...]
    descriptions: tuple[Description, ...]
    embeddings: tuple[Embedding, ...]
    structure: PackedStructure | None
    pose_corrections: tuple[PoseCorrection, ...]
    occupancy: Mapping[tuple[int, int], Block]
    damage: tuple[Damage, ...] = ()


class Store:
    """Reads and writes the SQLite file, from any thread, one at a time.

    All methods raise `SceneMemoryError` when SQLite fails; a failed write is rolled back.
    """

    def __init__(self, path: Path, *, to_read: bool = False) -> None:
        """Open an existing file.

        Args:
            to_read: change no file, and leave out what is damaged.

        Raises:
            SceneMemoryError: it is missing, no memory, of another version, or damaged: what is to
                be written must be whole.
        """
        self._path = path
        self._lock = threading.Lock()
        self._opened = ExitStack()
        self._to_read = to_read
        if not path.is_file():
            raise SceneMemoryError(f"there is no memory at {path}")
        self._damage = DamageList(path)
        if is_cut_short(path):
            size = path.stat().st_size
            self._damage.note(path.name, "", f"it ends after {size} bytes")
        if not to_read:
            self._refuse_damage()
        with ExitStack() as opened, _as_memory(path):
            opening = connect_to_read(path) if to_read else closing(connect(path))
            self._connection = opened.enter_context(opening)
            self._rows = SoundRows(self._connection, self._damage)
            self._frames = FrameTables(self._connection, self._rows)
            with time_limit(self._connection, path):
                check_schema(self._connection, path)
                self._rows.check_pages(*_CHECKED)
            if not to_read:
                self._refuse_damage()
                # With WAL this keeps the file undamaged in a power cut; only the last commits may
                # be lost.
                self._connection.execute("PRAGMA synchronous = NORMAL")
                # The log is 4 MB and grows while a copy is made; afterwards it shrinks again.
                self._connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
            self._connection.execute(f"PRAGMA query_only = {int(to_read)}")
            self._opened = opened.pop_all()

    @classmethod
    def create(cls, path: Path) -> Store:
        """A new memory in a file that is missing or empty."""
        create_tables(path)
        return cls(path)

    def write(self, changes: Changes) -> None:
        """Write all changes in one transaction."""
        with self._transaction("storing"):
            for corrections in changes.poses:
                self._frames.correct(corrections)
            self._put("pose_corrections", map(rows.pose_correction_row, changes.noted))
            self._frames.write(changes.frames)
            self._frames.write_detections(changes.seen_again)
            self._frames.write_images(changes.images)
            self._write_tree(changes.tree)
            self._write_views(changes.views)
            self._write_objects(changes)
            self._write_said(changes)
            self._write_floor(changes.occupancy)

    def write_images(self, image_bytes: Mapping[int, int]) -> None:
        """Frame -> bytes of its image; 0: it has none any more."""
        with self._transaction("storing"):
            self._frames.write_images(image_bytes)

    def load(self, *, is_told: bool = True, stretches: bool = True) -> StoredMemory:
        """The last committed state; of a damaged memory what is whole.

        Args:
            is_told: log what is damaged.
            stretches: with those of objects, for who corrects, maps on or merges; without them only
                their checksums are looked at.

        Raises:
            SceneMemoryError: it cannot be read; or it is damaged and was opened to write.
        """
        with (
            self._lock,
            sqlite_errors(self._path, "reading"),
            time_limit(self._connection, self._path),
        ):
            stored = self._load(stretches=stretches)
        if not self._to_read:
            self._refuse_damage()
        if is_told:
            self._damage.tell()
        return stored

    def _load(self, *, stretches: bool) -> StoredMemory:
        all_of = self._rows.all_of
        frames = self._frames.all()
        self._frames.check_detections(frames)
        locations = without_lost(all_of("locations", rows.location_of))
        tracklets = all_of("tracklets", rows.tracklet_of, rows.check_tracklets)
        tracklets = self._at_known(locations, tracklets)
        by_object: dict[int, tuple[Stretch, ...]] = {}
        if stretches:
            by_object = dict(all_of("stretches", rows.stretches_of))
        else:
            all_of("stretches", _unread)
        objects = [
            replace(record, stretches=by_object[record.object_id])
            if record.object_id in by_object
            else record
            for record in all_of("objects", rows.object_of)
        ]
        structure = all_of("structure", rows.structure_of)
        tracks = (record.tracklet.track_id for record in tracklets)
        on_path = frames["on_path"] > 0
        of_objects = (track_id for record in objects for track_id in record.track_ids)
        return StoredMemory(
            last_frame=self._frames.find_newest(frames),
            image_bytes=self._frames.image_bytes(),
            path=frames["pose"][on_path, :3].astype(np.float32),
            path_frames=frames["number"][on_path].astype(np.int32),
            largest_track_id=max((*tracks, *of_objects), default=-1),
            tree=TreeChanges(tuple(locations), tuple(tracklets)),
            views=tuple(all_of("views", rows.views_of, rows.check_views)),
            objects=tuple(objects),
            corrections=tuple(all_of("corrections", rows.correction_of)),
            descriptions=tuple(all_of("descriptions", rows.description_of)),
            embeddings=tuple(all_of("embeddings", rows.embedding_of)),
            structure=structure[0] if structure else None,
            pose_corrections=tuple(all_of("pose_corrections", rows.pose_correction_of)),
            occupancy=dict(all_of("occupancy", rows.block_of_floor)),
            damage=self._damage.all(),
        )

    def find_frame(self, number: int) -> FrameRecord | None:
        """A frame with its detections; None when it is not stored (yet)."""
        with self._lock, sqlite_errors(self._path, f"reading frame {number}"):
            return self._frames.find(number)

    def frame_columns(self, numbers: Sequence[int]) -> FrameColumns:
        """The stored ones of some frames, with their detections."""
        with self._lock, sqlite_errors(self._path, "reading"):
            return self._frames.columns(numbers)

    def frame_table(self) -> FrameTable:
        """The poses of all frames."""
        with self._lock, sqlite_errors(self._path, "reading"):
            return self._frames.table()

    def frame_stamps(self) -> NDArray[np.int64]:
        """(N, 2) int64: number and stamp of every frame, by ascending number."""
        with self._lock, sqlite_errors(self._path, "reading"):
            frames = self._frames.all()
        return np.column_stack((frames["number"], frames["stamp_ns"])).astype(np.int64)

    def views(self, first_ns: int, last_ns: int) -> list[tuple[int, Pose, PinholeCamera]]:
        """Number, `world_T_camera` and camera of frames between two stamps, one for each place of
        the camera's path; all key frames are among them."""
        with self._lock, sqlite_errors(self._path, "reading"):
            return self._frames.views(first_ns, last_ns)

    def image_numbers(self) -> list[int]:
        """Frames whose image is on disk, ascending."""
        with self._lock, sqlite_errors(self._path, "reading"):
            return list(self._frames.image_bytes())

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy of the committed state, while writing continues."""
        with sqlite_errors(path, "copying the memory"), ExitStack() as opened:
            source = self._connection
            if not self._to_read:
                source = opened.enter_context(connect_to_read(self._path, is_written=True))
            source.backup(opened.enter_context(closing(sqlite3.connect(path))))

    def clear(self) -> None:
        """Delete all content."""
        with self._transaction("clearing"):
            for table in tables():
                self._connection.execute(f"DELETE FROM {table}")
        self._frames.forget()

    @property
    def rows(self) -> SoundRows:
        """The rows of the file, for its examination on one thread."""
        return self._rows

    @property
    def damage(self) -> tuple[Damage, ...]:
        """What was found damaged so far."""
        return self._damage.all()

    def close(self) -> None:
        with self._lock:
            self._opened.close()

    @contextmanager
    def _transaction(self, doing: str) -> Iterator[None]:
        with self._lock, sqlite_errors(self._path, doing):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._frames.forget()
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _write_tree(self, tree: TreeChanges) -> None:
        self._put("locations", rows.location_rows(tree.locations))
        self._put("tracklets", map(rows.tracklet_row, tree.tracklets))

    def _write_views(self, views: Sequence[ViewsRecord]) -> None:
        self._put("views", ((v.location_id, v.object_id, v.packed) for v in views if v.packed))
        gone = [(v.location_id, v.object_id) for v in views if not v.packed]
        self._connection.executemany(
            "DELETE FROM views WHERE location_id = ? AND object_id = ?", gone
        )

    def _write_objects(self, changes: Changes) -> None:
        self._put("objects", map(rows.object_row, changes.objects))
        by_stretch = [r for r in changes.objects if r.stretches is not None]
        self._put("stretches", (rows.stretches_row(r) for r in by_stretch if r.stretches))
        gone = [(object_id,) for object_id in changes.removed_objects]
        self._connection.executemany("DELETE FROM objects WHERE id = ?", gone)
        whole = [(record.object_id,) for record in by_stretch if not record.stretches]
        self._connection.executemany("DELETE FROM stretches WHERE object_id = ?", whole)
        for table in ("descriptions", "embeddings", "stretches"):
            self._connection.executemany(f"DELETE FROM {table} WHERE object_id = ?", gone)

    def _write_said(self, changes: Changes) -> None:
        """Write corrections, descriptions, vectors and structure."""
        self._put("corrections", map(rows.correction_row, changes.corrections))
        self._put("descriptions", map(rows.description_row, changes.descriptions))
        self._put("embeddings", map(rows.embedding_row, changes.embeddings))
        if changes.structure is not None:
            self._put("structure", [(0, changes.structure)])

    def _write_floor(self, blocks: Sequence[BlockRecord]) -> None:
        self._put("occupancy", ((b.x, b.y, pack_block(b.block)) for b in blocks if b.block))
        gone = [(b.x, b.y) for b in blocks if not b.block]
        self._connection.executemany("DELETE FROM occupancy WHERE x = ? AND y = ?", gone)

    def _put(self, table: str, values: Iterable[Row]) -> None:
        for some in in_batches(values):
            tables()[table].insert(self._connection, some)

    def _refuse_damage(self) -> None:
        if len(self._damage):
            raise SceneMemoryError(summary(self._path, self._damage.all()))

    def _at_known(
        self, locations: Sequence[LocationRecord], tracklets: Sequence[TrackletRecord]
    ) -> list[TrackletRecord]:
        """The tracklets of locations that are there."""
        known = {record.location_id for record in locations}
        for record in tracklets:
            if record.location_id not in known:
                key = f"{record.location_id}, {record.tracklet.track_id}"
                self._damage.note("tracklets", key, "its location is missing")
        return [record for record in tracklets if record.location_id in known]


def _unread(_: Row) -> None:
    """A row whose values nobody needs."""


def without_lost(locations: Sequence[LocationRecord]) -> list[LocationRecord]:
    """The same locations; none is a visit to one that was lost."""
    known = {None, *(record.location_id for record in locations)}
    return [r if r.revisit_of in known else replace(r, revisit_of=None) for r in locations]
