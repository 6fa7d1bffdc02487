"""Detections from images of instance ids."""

from __future__ import annotations

import numpy as np
import pytest

from scenemind.frames import RGBDFrame
from scenemind.frames.sequence import read_sequence
from scenemind.geometry import PinholeCamera, Pose
from scenemind.perception import PerceptionError
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.simulation import Sensors, simulate

CAMERA = PinholeCamera(width=40, height=30, fx=30.0, fy=30.0, cx=19.5, cy=14.5)


def frame_with(instances: np.ndarray | None) -> RGBDFrame:
    return RGBDFrame(
        number=7,
        stamp_ns=1,
        color=np.zeros((30, 40, 3), np.uint8),
        depth_m=np.ones((30, 40), np.float32),
        camera=CAMERA,
        world_T_camera=Pose.identity(),
        instances=instances,
    )


def test_a_rectangle_of_ids_becomes_its_box_and_mask():
    instances = np.zeros((30, 40), np.int32)
    instances[5:15, 10:30] = 4
    instances[5:8, 10:12] = 0
    instances[20:30, 0:3] = 9
    found = InstanceCamera({4: "Chair", 9: "cup"}, min_pixels=10).detect(frame_with(instances))
    assert found.labels == ("chair", "cup")
    assert found.boxes_px.tolist() == [[10, 5, 30, 15], [0, 20, 3, 30]]
    mask = found.masks[0]
    assert (mask.x_px, mask.y_px) == (10, 5)
    np.testing.assert_array_equal(mask.bits, instances[5:15, 10:30] == 4)
    assert (found.scores < 1.0).all()


def test_specks_walls_and_ids_without_a_name_are_skipped():
    instances = np.full((30, 40), -1, np.int32)
    instances[0:5] = 0
    instances[5:10] = 3
    instances[10:20] = 70_000
    instances[25, 0:5] = 4
    found = InstanceCamera({0: "wall", 4: "cup"}, min_pixels=10).detect(frame_with(instances))
    assert len(found) == 0


def test_every_detection_of_a_rendered_frame_covers_its_object():
    sequence = simulate(1, 3, Sensors(160, 120))
    camera = InstanceCamera(sequence.class_names, min_pixels=20)
    for frame in read_sequence(sequence):
        found = camera.detect(frame)
        ids, counts = np.unique(frame.instances, return_counts=True)
        assert len(found) == np.sum((ids > 0) & (counts >= 20))
        sizes = [int(mask.bits.sum()) for mask in found.masks]
        assert sizes == sorted(sizes, reverse=True)
        for label, mask in zip(found.labels, found.masks, strict=True):
            height, width = mask.bits.shape
            window = frame.instances[mask.y_px : mask.y_px + height, mask.x_px :][:, :width]
            (instance,) = np.unique(window[mask.bits])
            assert sequence.class_names[int(instance)] == label
            assert mask.bits.sum() == np.sum(frame.instances == instance)


def test_name_and_vocabulary():
    camera = InstanceCamera({1: "chair", 2: "cup", 3: "chair"})
    assert "simulated" in camera.name
    assert camera.vocabulary == ("chair", "cup")


def test_frame_without_instance_ids_is_an_error():
    with pytest.raises(PerceptionError, match=r"frame 7 .*only simulated .*backend: onnx"):
        InstanceCamera({1: "chair"}).detect(frame_with(None))


def test_impossible_ids_are_an_error():
    with pytest.raises(PerceptionError, match="-3"):
        InstanceCamera({-3: "chair"})
