"""Confidence is a probability: it behaves as one, and comes true in rooms it was not fitted to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import SceneMindConfig
from scenemind.frames import read_sequence
from scenemind.geometry import iou_3d
from scenemind.mapping import Mapper
from scenemind.memory import MapObject, Memory
from scenemind.memory.objects.confidence import confidence
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.simulation import Room, simulate

HELD_OUT = (21, 22, 23)

votes = st.floats(0.01, 1e4)
counts = st.integers(0, 10**6)


@given(votes, votes, st.integers(1, 10**6), counts)
def test_it_is_a_probability_that_grows_with_evidence_and_agreement(
    won: float, others: float, observations: int, missed: int
) -> None:
    value = confidence(won, won + others, observations, missed)
    assert 0.0 <= value <= 1.0
    assert confidence(2.0 * won, 2.0 * (won + others), observations, missed) >= value
    assert confidence(won, won + 2.0 * others, observations, missed) <= max(
        value, confidence(won + 2.0 * others, won + 2.0 * others, observations, missed)
    )
    assert confidence(won, won + others, observations, missed + 1) <= value


def test_it_comes_true() -> None:
    """Expected calibration error over rooms that the formula has not seen."""
    said, came_true = [], []
    for seed in HELD_OUT:
        for thing, is_real in mapped_with_noise(seed):
            said.append(thing.confidence)
            came_true.append(is_real)
    assert len(said) > 200
    assert calibration_error(np.array(said), np.array(came_true)) <= 0.1


def test_the_calibration_error_of_a_known_case() -> None:
    said = np.repeat([0.05, 0.95], 100)
    came_true = np.concatenate((np.arange(100) < 5, np.arange(100) < 75))
    assert calibration_error(said, came_true) == pytest.approx(0.1)


def mapped_with_noise(seed: int) -> list[tuple[MapObject, bool]]:
    """The map's objects every 25 frames, and whether such a thing stands there."""
    drive = simulate(seed, frame_count=150, width=320, height=240)
    detector = NoisyDetector(InstanceCamera(drive.class_names, 20), DetectorNoise(), seed)
    found = []
    with Memory.create(None, SceneMindConfig()) as memory:
        mapper = Mapper(detector, memory, SceneMindConfig())
        for frame in read_sequence(drive):
            mapper.process(frame)
            if frame.number % 25 == 24:
                objects = memory.snapshot().objects.values()
                found += [(thing, is_real(thing, drive.room)) for thing in objects]
    return found


def is_real(thing: MapObject, room: Room) -> bool:
    return any(
        real.label == thing.label and iou_3d(real.box, thing.box) >= 0.25 for real in room.objects
    )


def calibration_error(said: np.ndarray, came_true: np.ndarray) -> float:
    """Mean distance of what was said to how often it came true, over ten bins of equal width."""
    bins = np.minimum((said * 10).astype(int), 9)
    errors = [
        abs(said[bins == b].mean() - came_true[bins == b].mean()) * np.mean(bins == b)
        for b in np.unique(bins)
    ]
    return float(np.sum(errors))
