"""Crops of a simulated room, of which the renderer knows what each pixel shows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.describing.best_crops import Crop, DamagedFrames, best_crops, jpeg_of
from scenemind.frames import read_sequence
from scenemind.mapping import Mapper, map_all
from scenemind.memory import Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import simulate

Instances = dict[int, NDArray[np.int32]]


@pytest.fixture(scope="module")
def room() -> Iterator[tuple[Memory, Instances]]:
    """The first third of a drive, and the true instance images by frame."""
    sequence = simulate(1, 90, 320, 240)
    with Memory.create(None, SceneMindConfig()) as memory:
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, SceneMindConfig())
        frames = list(islice(read_sequence(sequence), 30))
        map_all(mapper, frames)
        memory.flush()
        yield memory, {f.number: f.instances for f in frames if f.instances is not None}


def test_nearly_every_crop_shows_its_object(room: tuple[Memory, Instances]) -> None:
    memory, instances = room
    objects = memory.snapshot().objects
    crops = {
        i: best_crops(memory, thing, objects, 3, DamagedFrames()) for i, thing in objects.items()
    }
    shown = [
        (crop.visible, _true_share(crop, memory, i, instances))
        for i, of_object in crops.items()
        for crop in of_object
    ]
    assert len(shown) >= len(objects) >= 10
    # Of crops that are said to be seen whole, the object fills its box as far as its form does.
    clear = [share for visible, share in shown if visible > 0.95]
    hidden = [share for visible, share in shown if visible < 0.5]
    assert np.median(clear) > 0.7
    assert len(hidden) < len(clear)
    assert not hidden or np.median(hidden) < np.median(clear)


def test_crops_come_best_first_from_different_frames(room: tuple[Memory, Instances]) -> None:
    memory, _ = room
    objects = memory.snapshot().objects
    for thing in objects.values():
        crops = best_crops(memory, thing, objects, 3, DamagedFrames())
        frames = [crop.frame_number for crop in crops]
        assert len(set(frames)) == len(frames) <= 3
        locations = [crop.location_id for crop in crops]
        distinct = len(set(locations))
        assert len(set(locations[:distinct])) == distinct, "a new location comes before a known one"


@pytest.mark.parametrize("damage", ["no image", "unreadable", "too small"])
def test_the_next_best_frame_takes_the_place_of_a_damaged_one(
    row: Memory, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    objects = row.snapshot().objects
    whole = best_crops(row, objects[1], objects, 3, DamagedFrames())
    best = row.path / "frames" / f"{whole[0].frame_number:06d}.jpg"
    if damage == "no image":
        best.write_bytes(bytes(best.stat().st_size))
    elif damage == "too small":
        best.write_bytes(jpeg_of(np.zeros((4, 4, 3), np.uint8), 4, 90))
    else:
        best.unlink()
        best.mkdir()
    damaged = DamagedFrames()
    for _ in range(2):
        left = best_crops(row, objects[1], objects, 3, damaged)
        assert left
        assert whole[0].frame_number not in [crop.frame_number for crop in left]
    assert damaged.count == (0 if damage == "unreadable" else 2)  # the memory tells of those
    assert len([r for r in caplog.records if f"frame {whole[0].frame_number} " in r.message]) == 1


def test_a_picture_is_made_smaller_and_never_larger() -> None:
    rgb = np.full((50, 200, 3), (200, 30, 30), np.uint8)
    small = cv2.imdecode(np.frombuffer(jpeg_of(rgb, 100, 90), np.uint8), cv2.IMREAD_COLOR)
    assert small.shape == (25, 100, 3)
    assert np.allclose(small[10, 50][::-1], (200, 30, 30), atol=6)
    same = cv2.imdecode(np.frombuffer(jpeg_of(rgb, 500, 90), np.uint8), cv2.IMREAD_COLOR)
    assert same.shape == rgb.shape


def _true_share(crop: Crop, memory: Memory, object_id: int, instances: Instances) -> float:
    """Share of the most frequent thing in the middle of the object's box: the object itself, unless
    something else is before it."""
    frame = memory.key_frame(crop.frame_number, [object_id])
    x0, y0, x1, y1 = (round(v) for v in frame.boxes_px[object_id])
    inside = instances[crop.frame_number][y0:y1, x0:x1]
    label_ids = np.bincount(inside[inside > 0])
    return float(label_ids.max() / inside.size)
