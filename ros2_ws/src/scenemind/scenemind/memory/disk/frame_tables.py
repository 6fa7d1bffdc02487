"""The tables of frames and their detections (DetNodes).

The frames of a commit are packed into one row, because all of them are scanned at every opening;
the detections of a frame into another one, because an hour of driving has two million of them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from scenemind.errors import SceneMemoryError
from scenemind.geometry import PinholeCamera, Pose
from scenemind.geometry.pose import POSE_NUMBERS, matrices_of
from scenemind.memory.disk import rows
from scenemind.memory.disk.changes import FrameRecord
from scenemind.memory.disk.schema import Row, tables
from scenemind.memory.disk.sound_rows import SoundRows
from scenemind.memory.frame_corrections import FrameCorrections, FrameTable
from scenemind.memory.frames_first import in_steps
from scenemind.memory.types import DetectionNode

# One frame as it is stored: `camera` is a row of `cameras`, `pose` x y z, quaternion x y z w, and
# `on_path` says that the camera had moved since the last such frame.
FRAME = np.dtype(
    [
        *(("number", "<i4"), ("location", "<i4"), ("camera", "<u2"), ("on_path", "<u2")),
        *(("stamp_ns", "<i8"), ("pose", "<f8", (POSE_NUMBERS,))),
    ]
)
# One detection as it is stored; track -1: it was seen, but not tracked; `label` is a row of
# `labels`.
DETECTION = np.dtype(
    [("track", "<i4"), ("label", "<u2"), ("score", "<f4"), ("box_px", "<f4", (4,))]
)
_NORM_TOLERANCE, _FARTHEST_M = 0.01, 1e6  # of a pose's quaternion and translation
_NO_FRAMES = np.zeros(0, FRAME)
_NO_DETECTIONS = np.zeros(0, DETECTION)
_BESIDE = 200  # rows; a page holds up to a hundred
_FRAMES_A_ROW, _ROWS_AT_ONCE = 512, 16  # when poses are corrected
_MOST_KEPT = 64  # frames; the views of what a conversation is about


@dataclass(frozen=True, slots=True, eq=False)
class FrameColumns:
    """N frames with M detections; the arrays are read-only.

    Attributes:
        numbers: (N,) int32, ascending. stamps_ns: (N,) int64.
        location_ids: (N,) int32, never falling.
        world_T_camera: (N, 4, 4) float64.
        camera_ids: (N,) int32, keys of `cameras`.
        frame_rows: (M,) int32, rows of the columns above, never falling.
        track_ids: (M,) int32, -1 for a detection without a track.
        label_ids: (M,) int32, keys of `labels`.
        scores: (M,) float32. boxes_px: (M, 4) float32, x0, y0, x1, y1.
    """

    numbers: NDArray[np.int32]
    stamps_ns: NDArray[np.int64]
    location_ids: NDArray[np.int32]
    world_T_camera: NDArray[np.float64]
    camera_ids: NDArray[np.int32]
    frame_rows: NDArray[np.int32]
    track_ids: NDArray[np.int32]
    label_ids: NDArray[np.int32]
    scores: NDArray[np.float32]
    boxes_px: NDArray[np.float32]
    cameras: Mapping[int, PinholeCamera] = field(default_factory=dict)
    labels: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (*_OF_FRAMES, *_OF_DETECTIONS):
            getattr(self, name).flags.writeable = False

    def __len__(self) -> int:
        return len(self.numbers)

    @classmethod
    def of(
        cls,
        frames: NDArray[np.void] = _NO_FRAMES,
        detections: Mapping[int, NDArray[np.void]] = MappingProxyType({}),
        cameras: Mapping[int, PinholeCamera] = MappingProxyType({}),
        labels: Mapping[int, str] = MappingProxyType({}),
    ) -> FrameColumns:
        """
        Args:
            frames: (N,) of `FRAME`, by ascending number.
            detections: of `DETECTION`, by the number of their frame.
        """
        found = [detections.get(number, _NO_DETECTIONS) for number in frames["number"].tolist()]
        seen = np.concatenate((_NO_DETECTIONS, *found))
        counts = np.array([len(of_frame) for of_frame in found], np.intp)
        return cls(
            frames["number"].astype(np.int32),
            frames["stamp_ns"].astype(np.int64),
            frames["location"].astype(np.int32),
            matrices_of(frames["pose"]),
            frames["camera"].astype(np.int32),
            np.repeat(np.arange(len(frames), dtype=np.int32), counts),
            np.ascontiguousarray(seen["track"]),
            seen["label"].astype(np.int32),
            np.ascontiguousarray(seen["score"]),
            np.ascontiguousarray(seen["box_px"]),
            cameras,
            labels,
        )

    def followed_by(self, newer: FrameColumns) -> FrameColumns:
        """These frames followed by newer ones, whose numbers are larger."""
        joined = {
            name: np.concatenate((getattr(self, name), getattr(newer, name)))
            for name in (*_OF_FRAMES, *_OF_DETECTIONS)
        }
        joined["frame_rows"][len(self.frame_rows) :] += np.int32(len(self))
        return FrameColumns(**joined, cameras=newer.cameras, labels=newer.labels)

    def only(self, kept: NDArray[np.bool_]) -> FrameColumns:
        """The frames of a mask (N,), with their detections."""
        kept_detections = kept[self.frame_rows]
        left = {name: getattr(self, name)[kept] for name in _OF_FRAMES}
        left |= {name: getattr(self, name)[kept_detections] for name in _OF_DETECTIONS}
        left["frame_rows"] = (np.cumsum(kept, dtype=np.int32) - 1)[left["frame_rows"]]
        return FrameColumns(**left, cameras=self.cameras, labels=self.labels)


_COLUMNS = [column.name for column in fields(FrameColumns)]
_OF_FRAMES, _OF_DETECTIONS = _COLUMNS[:5], _COLUMNS[5:10]


class FrameTables:
    """Reads and writes the tables on a connection whose owner locks it, opens transactions and
    translates errors. Damaged rows are left out, and noted by the reader of rows."""

    def __init__(self, connection: sqlite3.Connection, sound: SoundRows) -> None:
        self._connection = connection
        self._sound = sound
        self._cameras: dict[int, PinholeCamera] | None = None
        self._labels: dict[int, str] | None = None
        self._camera_ids: dict[PinholeCamera, int] = {}
        self._label_ids: dict[str, int] = {}
        self._kept: dict[int, FrameRecord] = {}
        self._kept_at: object = None  # what the file had been through by then

    def forget(self) -> None:
        """Drop cached ids after a rollback, as their rows may be missing."""
        self._cameras = self._labels = None

    def write(self, frames: Sequence[FrameRecord]) -> None:
        """Write new frames, by ascending number, whose images are not on disk yet."""
        if not frames:
            return
        packed = np.zeros(len(frames), FRAME)
        for row, frame in zip(packed, frames, strict=True):
            row["number"], row["stamp_ns"] = frame.number, frame.stamp_ns
            row["location"], row["on_path"] = frame.location_id, frame.on_path
            row["camera"] = self._camera_id(frame.camera)
            row["pose"] = rows.pose_values(frame.world_T_camera)
        seen = [(f.number, self._pack(f).tobytes()) for f in frames if f.detections]
        self._insert("frames", [(frames[0].number, packed.tobytes())])
        self._insert("detections", seen)

    def correct(self, corrections: FrameCorrections) -> None:
        """Correct the poses of all frames that are there. Rows become one where they were written
        frame by frame: the next correction has fewer to read."""
        blocks = self._sound.all_of("frames", _numbered_block)
        # A row of frames that is damaged stands between others: these stay apart.
        (count,) = self._connection.execute("SELECT COUNT(*) FROM frames").fetchone()
        parts = _parts(blocks, _FRAMES_A_ROW if count == len(blocks) else 0)
        largest = -1
        for at in range(0, len(parts), _ROWS_AT_ONCE):
            some = parts[at : at + _ROWS_AT_ONCE]
            own = blocks[some[0].start : some[-1].stop]
            frames = np.frombuffer(b"".join(packed for _, packed in own), FRAME).copy()
            possible = can_be(frames) & (frames["number"] > largest)
            largest = max(largest, int(frames["number"].max()))
            numbers, before = frames["number"][possible], frames["pose"][possible]
            after = corrections.of_poses(numbers, before)
            if (after == before).all():
                continue
            frames["pose"][possible] = after
            firsts, joined, end = [], [], 0
            for part in some:
                start, end = end, end + sum(len(blocks[i][1]) for i in part) // FRAME.itemsize
                joined.append((blocks[part.start][0], frames[start:end].tobytes()))
                firsts += [(blocks[i][0],) for i in part[1:]]
            self._connection.executemany("DELETE FROM frames WHERE first = ?", firsts)
            self._insert("frames", joined)

    def write_detections(self, frames: Sequence[FrameRecord]) -> None:
        """Write the detections of frames that are on disk in place of those there."""
        self._insert("detections", [(f.number, self._pack(f).tobytes()) for f in frames])

    def write_images(self, image_bytes: Mapping[int, int]) -> None:
        """Set the size in bytes of images by frame; 0: the frame has none."""
        self._insert("images", [(n, size) for n, size in image_bytes.items() if size])
        self._connection.executemany(
            "DELETE FROM images WHERE frame = ?",
            [(number,) for number, size in image_bytes.items() if not size],
        )

    def find(self, number: int) -> FrameRecord | None:
        """A frame with its detections; the last ones are kept until the file changes."""
        (others,) = self._connection.execute("PRAGMA data_version").fetchone()
        now = self._connection.total_changes, others
        if now != self._kept_at or len(self._kept) >= _MOST_KEPT:
            self._kept, self._kept_at = {}, now
        if number not in self._kept and (found := self._read(number)) is not None:
            self._kept[number] = found
        return self._kept.get(number)

    def _read(self, number: int) -> FrameRecord | None:
        clause = "WHERE first <= ? ORDER BY first DESC LIMIT 1"
        found = self._joined(self._sound.some_of("frames", block_of, clause, (number,)))
        rows_of_number = found[found["number"] == number]
        if not len(rows_of_number):
            return None
        seen = self._detections("WHERE frame = ?", (number,))
        self._check_order({number} - seen.keys())
        return self._record(rows_of_number[0], seen.get(number, _NO_DETECTIONS))

    def table(self) -> FrameTable:
        """The poses of all frames."""
        frames = self.all()
        return FrameTable(
            frames["number"].astype(np.int64),
            frames["stamp_ns"].astype(np.int64),
            np.ascontiguousarray(frames["pose"]),
        )

    def check_detections(self, frames: NDArray[np.void]) -> None:
        """Note detections of no frame that was ever there: nobody asks for them, so their checksums
        are not looked at.

        Args:
            frames: all frames.
        """
        first, last = (int(frames["number"][end]) for end in (0, -1)) if len(frames) else (0, -1)
        outside = self._connection.execute(
            "SELECT frame FROM detections WHERE frame < ? OR frame > ? LIMIT 1", (first, last)
        )
        for (number,) in outside:
            self._sound.damage.note("detections", number, "its frame is missing")

    def find_newest(self, frames: NDArray[np.void]) -> FrameRecord | None:
        """The last one of all frames, without its detections."""
        return self._record(frames[-1], _NO_DETECTIONS) if len(frames) else None

    def columns(self, numbers: Sequence[int]) -> FrameColumns:
        """The stored ones of some frames, with their detections; numbers ascend."""
        before = "SELECT MAX(first) FROM frames WHERE first <= ?"
        clause = f"WHERE first BETWEEN COALESCE(({before}), 0) AND ? ORDER BY first"
        ends = numbers[0], numbers[-1]
        frames = self._joined(self._sound.some_of("frames", block_of, clause, ends))
        seen = self._detections(
            "WHERE frame IN (SELECT value FROM json_each(?))", (json.dumps(numbers),)
        )
        self._check_order(set(frames["number"].tolist()).intersection(numbers) - seen.keys())
        cameras, labels = self._known()
        frames = frames[np.isin(frames["number"], numbers)]
        return FrameColumns.of(
            frames[np.isin(frames["camera"], list(cameras))], seen, cameras, labels
        )

    def image_bytes(self) -> dict[int, int]:
        """Frame -> size in bytes of its image, of all that have one."""
        return dict(self._sound.all_of("images", rows.image_of))

    def all(self) -> NDArray[np.void]:
        """(N,) of `FRAME`: every frame, by ascending number."""
        return self._joined(self._sound.all_of("frames", block_of))

    def views(self, first_ns: int, last_ns: int) -> list[tuple[int, Pose, PinholeCamera]]:
        """Number, `world_T_camera` and camera of frames between two stamps, one for each place of
        the camera's path; all key frames are among them."""
        frames, (cameras, _) = self.all(), self._known()
        stamps = frames["stamp_ns"]
        wanted = (frames["on_path"] > 0) & (stamps >= first_ns) & (stamps <= last_ns)
        return [
            (int(frame["number"]), _pose(frame), cameras[int(frame["camera"])])
            for frame in frames[wanted]
            if int(frame["camera"]) in cameras
        ]

    def _joined(self, blocks: Iterable[bytes]) -> NDArray[np.void]:
        """(N,) of `FRAME`: the frames that can be."""
        frames = np.frombuffer(b"".join(blocks), FRAME)
        possible = can_be(frames)
        if possible.all():
            return frames
        for number in frames["number"][~possible].tolist():
            self._sound.damage.note("frames", number, "its number or pose cannot be")
        return frames[possible]

    def _known(self) -> tuple[dict[int, PinholeCamera], dict[int, str]]:
        """Cameras and labels by id."""
        if self._cameras is None or self._labels is None:
            self._cameras = dict(self._sound.all_of("cameras", rows.camera_of))
            self._labels = dict(self._sound.all_of("labels", rows.label_of))
            self._camera_ids = {camera: number for number, camera in self._cameras.items()}
            self._label_ids = {label: number for number, label in self._labels.items()}
        return self._cameras, self._labels

    def _detections(self, clause: str, parameters: Sequence[object]) -> dict[int, NDArray[np.void]]:
        """Detections by the number of their frame; of labels that are known."""
        _, labels = self._known()
        found = dict(self._sound.some_of("detections", detections_of, clause, parameters))
        for number, seen in found.items():
            known = np.array([label in labels for label in seen["label"].tolist()], bool)
            if not known.all():
                self._sound.damage.note("detections", number, "a label that is missing")
                found[number] = seen[known]
        return found

    def _check_order(self, numbers: Iterable[int]) -> None:
        """Note those frames whose detections were not found because a key beside theirs is damaged:
        a search goes astray there, and finds nothing, as for a frame that shows nothing."""
        for number in numbers:
            first = number - _BESIDE // 2
            query = "SELECT frame FROM detections WHERE frame >= ? ORDER BY frame LIMIT ?"
            keys = [key for (key,) in self._connection.execute(query, (first, _BESIDE))]
            if any(key <= before for before, key in pairwise([first - 1, *keys])):
                self._sound.damage.note("detections", number, "keys beside it are damaged")

    def _record(self, frame: np.void, seen: NDArray[np.void]) -> FrameRecord | None:
        cameras, labels = self._known()
        number, stamp_ns = int(frame["number"]), int(frame["stamp_ns"])
        camera = cameras.get(int(frame["camera"]))
        if camera is None:
            self._sound.damage.note("frames", number, "its camera is missing")
            return None
        return FrameRecord(
            number,
            stamp_ns,
            int(frame["location"]),
            camera,
            _pose(frame),
            bool(frame["on_path"]),
            tuple(_nodes(number, stamp_ns, seen)),
            tuple(labels[label_id] for label_id in seen["label"].tolist()),
            tuple(seen["track"].tolist()),
        )

    def _pack(self, frame: FrameRecord) -> NDArray[np.void]:
        packed = np.empty(len(frame.detections), DETECTION)
        packed["track"] = frame.track_ids
        packed["label"] = [self._label_id(label) for label in frame.labels]
        packed["score"] = [node.score for node in frame.detections]
        packed["box_px"] = [node.box_px for node in frame.detections]
        return packed

    def _camera_id(self, camera: PinholeCamera) -> int:
        cameras, _ = self._known()
        if camera not in self._camera_ids:
            number = max(cameras, default=0) + 1
            self._insert("cameras", [rows.camera_row(number, camera)])
            cameras[number], self._camera_ids[camera] = camera, number
        return self._camera_ids[camera]

    def _label_id(self, label: str) -> int:
        _, labels = self._known()
        if label not in self._label_ids:
            number = max(labels, default=0) + 1
            self._insert("labels", [(number, label)])
            labels[number], self._label_ids[label] = label, number
        return self._label_ids[label]

    def _insert(self, table: str, values: Sequence[Row]) -> None:
        tables()[table].insert(self._connection, values)


def block_of(row: Row) -> bytes:
    """The packed frames of a row of `frames`.

    Raises:
        SceneMemoryError: their length or first number cannot be.
    """
    first, packed = row
    if not packed or len(packed) % FRAME.itemsize:
        raise SceneMemoryError(f"frames of {len(packed)} bytes")
    if first < 0 or int.from_bytes(packed[:4], "little") != first:
        raise SceneMemoryError("its first frame is another one")
    return packed


def _parts(blocks: Sequence[tuple[int, bytes]], most: int) -> list[range]:
    """Blocks that follow each other, by their places, which have together no more than so many
    frames where they are several."""
    parts, own, length = [], 0, 0
    for at, (_, packed) in enumerate(blocks):
        count = len(packed) // FRAME.itemsize
        if at > own and length + count > most:
            parts.append(range(own, at))
            own, length = at, 0
        length += count
    return [*parts, range(own, len(blocks))] if blocks else []


def _numbered_block(row: Row) -> tuple[int, bytes]:
    return row[0], block_of(row)


def detections_of(row: Row) -> tuple[int, NDArray[np.void]]:
    """The frame's number and its detections, of a row of `detections`.

    Raises:
        SceneMemoryError: they cannot be.
    """
    number, packed = row
    seen = np.frombuffer(packed, DETECTION)
    if not (np.isfinite(seen["score"]).all() and np.isfinite(seen["box_px"]).all()):
        raise SceneMemoryError("its detections cannot be")
    return number, seen


def can_be(frames: NDArray[np.void]) -> NDArray[np.bool_]:
    """(N,): frames whose number is larger than those before, and whose pose is one."""
    possible = np.empty(len(frames), bool)
    largest = np.maximum.accumulate(frames["number"])
    for some in in_steps(len(frames)):
        columns = frames["pose"][some].T.copy()
        length = np.sqrt(np.square(columns[3:]).sum(axis=0))
        possible[some] = np.abs(length - 1.0) <= _NORM_TOLERANCE
        possible[some] &= (np.abs(columns[:3]) < _FARTHEST_M).all(axis=0)  # NaN is not
    possible[1:] &= frames["number"][1:] > largest[:-1]
    return possible


def _pose(frame: np.void) -> Pose:
    values = frame["pose"]
    return Pose.from_quaternion(values[:3], values[3:])


def _nodes(number: int, stamp_ns: int, seen: NDArray[np.void]) -> list[DetectionNode]:
    columns = zip(seen["score"].tolist(), seen["box_px"].tolist(), strict=True)
    return [DetectionNode(number, stamp_ns, score, tuple(box)) for score, box in columns]
