"""True objects of detections, by hand and on rendered frames."""

from __future__ import annotations

import numpy as np

from benchmarks.detection_truth import true_instances
from scenemind.frames.sequence import read_sequence
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.perception.types import BoxMask, Detections
from scenemind.simulation import Sensors, simulate

IMAGE = np.zeros((30, 40), np.int32)
IMAGE[5:15, 10:20] = 3
IMAGE[5:15, 20:30] = 7


def boxes(*rows: tuple[float, float, float, float]) -> Detections:
    count = len(rows)
    return Detections(
        ("thing",) * count, np.ones(count, np.float32), np.array(rows, np.float32), (None,) * count
    )


def test_boxes_enclose_their_objects() -> None:
    found = boxes((10, 5, 20, 15), (11, 4, 22, 15), (19, 5, 30, 16), (0, 20, 10, 30))
    assert true_instances(found, IMAGE).tolist() == [3, 3, 7, 0]


def test_too_small_a_share_is_a_false_positive() -> None:
    half = boxes((10, 5, 15, 15))
    assert true_instances(half, IMAGE, min_iou=0.45).tolist() == [3]
    assert true_instances(half, IMAGE, min_iou=0.55).tolist() == [0]


def test_the_mask_decides_where_there_is_one() -> None:
    bits = np.zeros((10, 20), np.bool_)
    bits[:, 12:] = True
    both = Detections(
        ("thing",),
        np.ones(1, np.float32),
        np.array([(10, 5, 30, 15)], np.float32),
        (BoxMask(10, 5, bits),),
    )
    assert true_instances(both, IMAGE).tolist() == [7]


def test_no_detections_and_no_objects() -> None:
    assert true_instances(Detections.empty(), IMAGE).shape == (0,)
    nothing = np.zeros((30, 40), np.int32)
    assert true_instances(boxes((1, 1, 9, 9)), nothing).tolist() == [0]


def test_exact_detections_show_the_objects_of_their_masks() -> None:
    sequence = simulate(2, 6, Sensors(160, 120))
    camera = InstanceCamera(sequence.class_names, min_pixels=20)
    for frame in read_sequence(sequence):
        assert frame.instances is not None
        found = camera.detect(frame)
        shown = true_instances(found, frame.instances)
        for label, mask, instance in zip(found.labels, found.masks, shown, strict=True):
            assert mask is not None
            assert sequence.class_names[int(instance)] == label
            assert mask.bits.sum() == np.sum(frame.instances == instance)


def test_most_noisy_detections_have_their_object_whatever_the_label() -> None:
    sequence = simulate(1, 10, Sensors(320, 240))
    noise = DetectorNoise(wrong_label=1.0, false_positives=0.0)
    detector = NoisyDetector(InstanceCamera(sequence.class_names, min_pixels=200), noise, seed=1)
    shown = []
    for frame in read_sequence(sequence):
        assert frame.instances is not None
        shown += true_instances(detector.detect(frame), frame.instances).tolist()
    assert np.mean(np.array(shown) > 0) > 0.95
