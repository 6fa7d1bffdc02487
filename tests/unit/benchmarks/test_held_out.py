"""`python -m benchmarks projection --sequence`: held-out frames, in a room whose truth is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.filmed_room import FilmedRoom, TrueMasks, film_room
from benchmarks.projection_recordings import as_box, every_second, held_against, write_pictures
from scenemind.config import VlmGrounderConfig
from scenemind.geometry import Box3D
from scenemind.reasoning.method import Asking
from scenemind.reasoning.vlm_grounder.projection import measure
from scenemind.reasoning.vlm_grounder.targets import StoredScene, Target
from scenemind.simulation import SimpleDepthNoise


@pytest.fixture(scope="module")
def room() -> FilmedRoom:
    return film_room(2, 6, SimpleDepthNoise())


def largest(room: FilmedRoom) -> tuple[int, Box3D]:
    """Row of the largest detection that lies in its picture as a whole, and its true box."""
    index = room.frame_index()
    x0, y0, x1, y1 = index.detection_boxes_px.T
    camera = index.cameras[0]
    inside = (x0 > 2) & (y0 > 2) & (x1 < camera.width - 2) & (y1 < camera.height - 2)
    row = int(np.argmax(np.where(inside, (x1 - x0) * (y1 - y0), 0.0)))
    instance = int(index.detection_objects[row])
    return row, next(item.box for item in room.room.objects if item.instance_id == instance)


def test_true_boxes_are_where_things_are_detected_and_wrong_ones_are_not(room: FilmedRoom) -> None:
    row, box = largest(room)
    moved = replace(box, center=np.array(box.center) + np.array([0.0, 0.0, 1.0]))
    held = held_against(box, moved, room.frame_index(), row)
    assert held.covered > 0.9
    assert held.iou > held.map_iou


def test_every_second_frame_keeps_its_own_detections(room: FilmedRoom) -> None:
    whole, half = room.frame_index(), every_second(room.frame_index())
    assert half.frame_numbers.tolist() == [0, 2, 4]
    for row in range(3):
        own = half.detection_objects[half.detection_frames == row]
        assert own.tolist() == whole.detection_objects[whole.detection_frames == 2 * row].tolist()


def test_held_out_frames_are_drawn(room: FilmedRoom, tmp_path: Path) -> None:
    row, box = largest(room)
    index = room.frame_index()
    frame = room.frames[int(index.detection_frames[row])].frame
    target = Target(frame, as_box(index.detection_boxes_px[row]))
    masks = TrueMasks(room.masks, "exact")
    measured = measure(
        target, StoredScene(room, index, room.snapshot()), masks, VlmGrounderConfig(), Asking()
    )
    found = [held_against(box, box, index, row)]
    write_pictures(tmp_path / "new", "a couch-1", measured, found, room, index)
    image = cv2.imread(str(tmp_path / "new" / "a-couch-1-held-out.jpg"))
    assert image.shape == (480, 640, 3)
