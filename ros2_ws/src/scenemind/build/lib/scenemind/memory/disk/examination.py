"""A memory examined in full, and repaired: what is whole is kept, all else is named."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scenemind.frames import FrameError
from scenemind.geometry import PinholeCamera
from scenemind.memory.disk import images, rows
from scenemind.memory.disk.connection import connect, sqlite_errors
from scenemind.memory.disk.folder import DATABASE, MemoryFolder
from scenemind.memory.disk.frame_tables import DETECTION, FRAME, block_of, can_be, detections_of
from scenemind.memory.disk.schema import Row, create_tables, tables
from scenemind.memory.disk.sound_rows import Damage
from scenemind.memory.disk.store import Store, without_lost
from scenemind.untrusted import open_regular

_DECODE: dict[str, Callable[[Row], Any]] = {
    "cameras": rows.camera_of,
    "frames": block_of,
    "images": rows.image_of,
    "locations": rows.location_of,
    "tracklets": rows.tracklet_of,
    "views": rows.views_of,
    "detections": detections_of,
    "labels": rows.label_of,
    "objects": rows.object_of,
    "stretches": rows.stretches_of,
    "pose_corrections": rows.pose_correction_of,
    "corrections": rows.correction_of,
    "descriptions": rows.description_of,
    "embeddings": rows.embedding_of,
    "structure": rows.structure_of,
    "occupancy": rows.block_of_floor,
}
_CHECK = {"tracklets": rows.check_tracklets, "views": rows.check_views}
_NEW = f"{DATABASE}.repaired"
_FRAMES_A_ROW = 100


@dataclass(frozen=True, slots=True)
class Repair:
    """What was done.

    Attributes:
        damage: what was left out; nothing: the memory was whole, and nothing was changed.
        original: the memory as it was; None: nothing was changed.
    """

    damage: tuple[Damage, ...]
    original: Path | None = None


def check(path: Path) -> tuple[Damage, ...]:
    """All that is damaged in a memory, which is only read: rows of every table, what they name,
    and the files of key frames.

    Raises:
        SceneMemoryError: there is none, it is open to write, of another version, not a memory's
            files and folders, or nothing of it can be read.
    """
    with closing(MemoryFolder.open(path, to_read=True)) as folder:
        return _Examination(folder).damage


def repair(path: Path) -> Repair:
    """Keep what is whole of a memory that no process has open, and a copy of the original.

    Raises:
        SceneMemoryError: as `check`, or the disk is full or failed; the memory is as it was.
    """
    with closing(MemoryFolder.open(path)) as folder:
        found = _Examination(folder)
        if not found.damage:
            return Repair(())
        original = folder.copy_unread()
        new = folder.path / _NEW
        new.unlink(missing_ok=True)
        mode = stat.S_IMODE(folder.database.stat().st_mode)
        os.close(open_regular(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode=mode))
        try:
            with sqlite_errors(new, "writing what is whole"):
                create_tables(new)
                with closing(connect(new)) as connection:
                    connection.execute("BEGIN")
                    for name, kept in found.kept.items():
                        tables()[name].insert(connection, kept)
                    connection.execute("COMMIT")
            folder.replace_database(new)
        finally:
            for suffix in ("", "-wal", "-shm"):
                folder.path.joinpath(f"{_NEW}{suffix}").unlink(missing_ok=True)
        return Repair(found.damage, original)


class _Examination:
    """Everything in a memory's folder, read once.

    Attributes:
        damage: what is damaged.
        kept: table -> its whole rows, without checksums and without what names lost rows.
    """

    def __init__(self, folder: MemoryFolder) -> None:
        self._folder = folder
        self.kept: dict[str, list[Row]] = {}
        with closing(Store(folder.database, to_read=True)) as store:
            self._store = store
            self._damage = store.rows.damage
            with sqlite_errors(folder.database, "reading"):
                self._read()
            self.damage = store.damage

    def _read(self) -> None:
        self._store.load(is_told=False)  # notes what names a row that is missing
        self._store.rows.check_pages("detections")
        values = {name: dict(self._whole(name)) for name in tables()}
        self.kept = {name: list(found) for name, found in values.items()}
        cameras, labels = dict(values["cameras"].values()), dict(values["labels"].values())
        self._keep_frames(cameras)
        self._keep_detections(list(labels))
        self._keep_known(values)
        self._keep_images(cameras)

    def _whole(self, name: str) -> Iterator[tuple[Row, Any]]:
        """The rows of a table without their checksums, with their values."""

        def both(row: Row) -> tuple[Row, Any]:
            return row, _DECODE[name](row)

        return iter(self._store.rows.all_of(name, both, _CHECK.get(name)))

    def _keep_frames(self, cameras: dict[int, PinholeCamera]) -> None:
        """Keep the frames that can be and whose camera is there."""
        frames = np.frombuffer(b"".join(packed for _, packed in self.kept["frames"]), FRAME)
        known = np.isin(frames["camera"], list(cameras))
        for number in frames["number"][~known].tolist():
            self._damage.note("frames", number, "its camera is missing")
        sound = frames[known & can_be(frames)]
        starts = range(0, len(sound), _FRAMES_A_ROW)
        blocks = [sound[start : start + _FRAMES_A_ROW] for start in starts]
        self.kept["frames"] = [(int(block["number"][0]), block.tobytes()) for block in blocks]

    def _keep_detections(self, labels: list[int]) -> None:
        kept = []
        blocks = self.kept["frames"]
        last = np.frombuffer(blocks[-1][1], FRAME)["number"][-1] if blocks else -1
        for number, packed in self.kept["detections"]:
            if not (blocks and blocks[0][0] <= number <= last):
                continue
            seen = np.frombuffer(packed, DETECTION)
            known = np.isin(seen["label"], labels)
            if not known.all():
                self._damage.note("detections", number, "a label that is missing")
            kept.append((number, seen[known].tobytes()))
        self.kept["detections"] = kept

    def _keep_known(self, values: dict[str, dict[Row, Any]]) -> None:
        """Leave out what names lost locations and objects: new ones would inherit it."""
        locations = without_lost(list(values["locations"].values()))
        objects = {record.object_id for record in values["objects"].values()}
        there = {record.location_id for record in locations}
        self.kept["locations"] = rows.location_rows(locations)
        self.kept["tracklets"] = [
            row if row[3] is None or row[3] in objects else (*row[:3], None, *row[4:])
            for row in self.kept["tracklets"]
            if row[0] in there
        ]
        self.kept["views"] = [
            row for row in self.kept["views"] if row[0] in there and row[1] in {0, *objects}
        ]
        for name in ("descriptions", "embeddings", "stretches"):
            self.kept[name] = [row for row in self.kept[name] if row[0] in objects]

    def _keep_images(self, cameras: dict[int, PinholeCamera]) -> None:
        """Keep the images that can be read in full."""
        camera_of = {
            number: cameras[camera]
            for _, packed in self.kept["frames"]
            for number, camera in np.frombuffer(packed, FRAME)[["number", "camera"]].tolist()
        }
        whole = []
        for number, size in self.kept["images"]:
            problem = "its frame is lost"
            if number in camera_of:
                problem = _problem_of_image(self._folder.frames, number, camera_of[number])
            if problem:
                name = images.color_path(self._folder.frames, number).name
                self._damage.note(f"frames/{name}", "", problem)
            else:
                whole.append((number, size))
        self.kept["images"] = whole


def _problem_of_image(folder: Path, number: int, camera: PinholeCamera) -> str:
    """What is wrong with the files of a key frame; empty: nothing."""
    try:
        if images.find_jpeg(folder, number, camera) is None:
            return "the file is missing or empty"
        images.find_depth_image(folder, number, camera)
    except FrameError as error:
        return str(error)
    except OSError as error:
        return error.strerror or str(error)
    return ""
