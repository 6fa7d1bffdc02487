"""Errors of the noisy instance camera against its configured rates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scenemind.frames import RGBDFrame
from scenemind.frames.sequence import read_sequence
from scenemind.geometry import iou_matrix_2d
from scenemind.perception import PerceptionError
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import (
    DetectorNoise,
    NoisyDetector,
    confusable_labels,
)
from scenemind.perception.types import BoxMask, Detections
from scenemind.simulation import Sensors, simulate

SEQUENCE = simulate(1, 3, Sensors(320, 240))
FRAMES = list(read_sequence(SEQUENCE))
EXACT = InstanceCamera(SEQUENCE.class_names)
NONE = DetectorNoise(
    miss=0.0,
    miss_small=0.0,
    wrong_label=0.0,
    false_positives=0.0,
    jitter=0.0,
    mask_shift_px=0.0,
    mask_raggedness=0.0,
    min_score=0.0,
)


def many(noise: DetectorNoise, count: int = 100) -> list[Detections]:
    """The same picture again and again, under new frame numbers."""
    detector = NoisyDetector(EXACT, noise, seed=5)
    return [detector.detect(replace(FRAMES[0], number=number)) for number in range(count)]


def same(a: Detections, b: Detections) -> bool:
    masks = all(
        isinstance(m, BoxMask) and isinstance(n, BoxMask) and np.array_equal(m.bits, n.bits)
        for m, n in zip(a.masks, b.masks, strict=True)
    )
    return a.labels == b.labels and np.array_equal(a.boxes_px, b.boxes_px) and masks


def area_ratios(noise: DetectorNoise) -> list[float]:
    """Pixels of the largest object's mask, as a share of the true ones, over many frames."""
    (exact,) = (EXACT.detect(FRAMES[0]).masks[0],)
    assert exact is not None
    found = [max(int(m.bits.sum()) for m in d.masks if m is not None) for d in many(noise, 60)]
    return [pixels / int(exact.bits.sum()) for pixels in found]


def test_without_noise_only_scores_differ() -> None:
    exact = EXACT.detect(FRAMES[0])
    (found,) = many(NONE, 1)
    assert sorted(found.labels) == sorted(exact.labels)
    assert sorted(map(tuple, found.boxes_px)) == sorted(map(tuple, exact.boxes_px))
    assert (np.diff(found.scores) <= 0).all()


def test_the_same_frame_gives_the_same_errors_in_any_order() -> None:
    one, other = (NoisyDetector(EXACT, DetectorNoise(), seed=3) for _ in range(2))
    forth = [one.detect(frame) for frame in FRAMES]
    back = [other.detect(frame) for frame in reversed(FRAMES)]
    assert all(same(a, b) for a, b in zip(forth, reversed(back), strict=True))
    third = NoisyDetector(EXACT, DetectorNoise(), seed=4)
    assert not all(same(a, third.detect(f)) for a, f in zip(forth, FRAMES, strict=True))


@pytest.mark.parametrize("rate", [0.1, 0.4])
def test_misses_come_at_their_rate(rate: float) -> None:
    found = many(replace(NONE, miss=rate))
    share = 1.0 - np.mean([len(d) for d in found]) / len(EXACT.detect(FRAMES[0]))
    assert share == pytest.approx(rate, abs=0.06)


def test_small_objects_are_missed_more_often_and_score_less() -> None:
    exact = EXACT.detect(FRAMES[0])
    found = many(replace(NONE, miss_small=1.0, small_px=40.0))
    sides = np.sqrt(np.prod(exact.boxes_px[:, 2:] - exact.boxes_px[:, :2], axis=1))
    small, large = exact.boxes_px[np.argmin(sides)], exact.boxes_px[np.argmax(sides)]
    counts, scores = [], []
    for box in (small, large):
        hits = [d.scores[(d.boxes_px == box).all(axis=1)] for d in found]
        counts.append(sum(len(hit) for hit in hits))
        scores.append(float(np.mean(np.concatenate(hits))))
    assert counts[0] < 0.8 * counts[1]
    assert scores[0] < scores[1]


def test_wrong_names_are_those_of_look_alikes_and_last_for_a_while() -> None:
    exact = EXACT.detect(FRAMES[0])
    found = many(replace(NONE, wrong_label=0.3, persistence=10))
    row = next(i for i, label in enumerate(exact.labels) if exact.labels.count(label) == 1)
    box, label = exact.boxes_px[row], exact.labels[row]
    said = [d.labels[int(np.argmax((d.boxes_px == box).all(axis=1)))] for d in found]
    wrong = np.array([name != label for name in said])
    assert set(said) <= {label, *confusable_labels(label)}
    assert 0.1 < wrong.mean() < 0.5
    # White noise would change the label in 42 % of the frames.
    assert np.mean(wrong[1:] != wrong[:-1]) < 0.08


def test_false_positives_come_at_their_rate_inside_the_image() -> None:
    detector = NoisyDetector(EXACT, replace(NONE, false_positives=0.5, persistence=4), seed=5)
    empty = replace(FRAMES[0], instances=np.zeros((240, 320), np.int32))
    found = [detector.detect(replace(empty, number=number)) for number in range(500)]
    assert np.mean([len(d) for d in found]) == pytest.approx(0.5, abs=0.15)
    boxes = np.concatenate([d.boxes_px for d in found])
    assert (boxes >= 0).all()
    assert (boxes <= [320, 240, 320, 240]).all()


def test_boxes_are_off_by_the_jitter_but_keep_to_the_border() -> None:
    exact = EXACT.detect(FRAMES[0]).boxes_px
    found = many(replace(NONE, jitter=0.03))
    errors, at_border = [], exact <= 0
    for d in found:
        nearest = iou_matrix_2d(exact, d.boxes_px).argmax(axis=1)
        moved = d.boxes_px[nearest] - exact
        assert (moved[at_border] == 0).all()
        size = np.tile(exact[:, 2:] - exact[:, :2], 2)
        inner = (exact > 20) & (exact < 220)
        errors.append((moved / size)[inner])
    assert np.std(np.concatenate(errors)) == pytest.approx(0.03, rel=0.2)


def test_masks_are_eroded_and_dilated_and_ragged() -> None:
    smooth, shifted = area_ratios(NONE), area_ratios(replace(NONE, mask_shift_px=2.0))
    assert np.std(smooth) < 1e-6
    assert smooth[0] == pytest.approx(1.0, abs=0.03)
    assert min(shifted) < smooth[0] < max(shifted)
    assert np.std(shifted) > 0.002
    assert np.std(area_ratios(replace(NONE, mask_raggedness=2.0))) > 1e-4


def test_name_and_vocabulary() -> None:
    detector = NoisyDetector(EXACT, DetectorNoise(miss=0.1), seed=1)
    assert detector.name.startswith("simulated instance camera with noise (misses 10%")
    assert set(EXACT.vocabulary) < set(detector.vocabulary)
    for frame in FRAMES:
        assert set(detector.detect(frame).labels) <= set(detector.vocabulary)


def test_empty_frame_gives_no_detections() -> None:
    frame: RGBDFrame = replace(FRAMES[0], instances=np.zeros((240, 320), np.int32))
    assert len(NoisyDetector(EXACT, NONE, seed=1).detect(frame)) == 0


@pytest.mark.parametrize("bad", [{"miss": 1.5}, {"jitter": -0.1}, {"persistence": 0}])
def test_impossible_rates_are_errors_that_name_them(bad: dict[str, float]) -> None:
    with pytest.raises(PerceptionError, match=next(iter(bad))):
        DetectorNoise(**bad)  # type: ignore[arg-type]
