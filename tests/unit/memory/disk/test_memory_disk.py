"""The folder of an open memory: key frames read back, and what a killed process left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from scenemind.config import StoreConfig
from scenemind.geometry import Pose
from scenemind.memory.disk.changes import NO_CHANGES, FrameRecord
from scenemind.memory.disk.memory_disk import KeyFrameReader, MemoryDisk
from scenemind.memory.types import DetectionNode
from tests.unit.memory import walk


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[MemoryDisk]:
    with closing(MemoryDisk.create(tmp_path / "row", StoreConfig())) as disk:
        yield disk


def write(disk: MemoryDisk, *frames: FrameRecord) -> None:
    """Rows that name an image of 100 bytes each."""
    images = {frame.number: 100 for frame in frames}
    disk.store.write(replace(NO_CHANGES, frames=frames, images=images))


def put_image(disk: MemoryDisk, number: int) -> None:
    frame = walk.frame(number)
    disk.images.put(number, frame.color, frame.depth_m)
    disk.images.flush()


def test_box_of_an_object_is_that_of_its_surest_detection(disk: MemoryDisk) -> None:
    """Three tracks of one chair, and one of a table that nobody asked for."""
    scores = {1: 0.5, 2: 0.9, 3: 0.7, 4: 0.95}
    record = FrameRecord(
        number=0,
        stamp_ns=0,
        location_id=0,
        camera=walk.CAMERA,
        world_T_camera=Pose.identity(),
        on_path=True,
        detections=tuple(DetectionNode(0, 0, s, (t, t, 60, 80)) for t, s in scores.items()),
        labels=("chair", "chair", "chair", "table"),
        track_ids=tuple(scores),
    )
    write(disk, record)
    put_image(disk, 0)
    reader = KeyFrameReader(disk.store, disk.images, commit=lambda: None)
    key_frame = reader.get(
        0, lambda _, track_ids: [8 if track_id == 4 else 7 for track_id in track_ids], wanted=[7]
    )
    assert key_frame.boxes_px == {7: (2, 2, 60, 80)}


def test_rows_of_images_that_are_missing_are_corrected(disk: MemoryDisk) -> None:
    write(disk, *(FrameRecord(n, n, 0, walk.CAMERA, Pose.identity(), True) for n in range(2)))
    put_image(disk, 1)
    assert disk.store.image_numbers() == [0, 1]
    assert disk.load_to_read().image_bytes == {1: 100}
    assert disk.store.image_numbers() == [0, 1]
    assert disk.load().image_bytes == {1: 100}
    assert disk.store.image_numbers() == [1]
