"""Maps of recordings with drift: what the bench refuses, and that a frame is detected once."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from benchmarks import real_drift
from scenemind.config import SceneMindConfig
from scenemind.errors import SceneMindError
from scenemind.frames import RecordedSequence, RGBDFrame
from scenemind.geometry.open3d import MissingOpen3DError
from scenemind.perception.protocols import Detector
from scenemind.perception.types import Detections
from scenemind.simulation import simulate


class Counting:
    """Finds nothing, and counts the frames in which it looked."""

    name, vocabulary = "counting", ("chair",)

    def __init__(self) -> None:
        self.frames: list[int] = []

    def detect(self, frame: RGBDFrame) -> Detections:
        self.frames.append(frame.number)
        return Detections((), np.zeros(0, np.float32), np.zeros((0, 4), np.float32), ())


def test_without_open3d_nothing_is_mapped(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "open3d" else find_spec(name)
    )
    with pytest.raises(MissingOpen3DError, match="pip install"):
        real_drift.bench_real_drift()


def test_an_unknown_recording_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_drift, "load_open3d", lambda _: None)
    monkeypatch.setattr(real_drift, "find_recordings", lambda: [Path("somewhere/kitchen")])
    with pytest.raises(SceneMindError, match="kitchn; there are: kitchen"):
        real_drift.bench_real_drift(only=["kitchn"])


def test_each_frame_is_detected_once(
    monkeypatch: pytest.MonkeyPatch, sequence: RecordedSequence
) -> None:
    counting = Counting()

    def chosen(*_: object) -> tuple[SceneMindConfig, Detector]:
        return SceneMindConfig(), counting

    monkeypatch.setattr(real_drift, "load_open3d", lambda _: None)
    monkeypatch.setattr(real_drift, "find_recordings", lambda: [Path("somewhere/kitchen")])
    monkeypatch.setattr(real_drift, "open_sequence", lambda _: sequence)
    monkeypatch.setattr(real_drift, "choose_detector", chosen)
    found = real_drift.bench_real_drift()["kitchen"]
    assert counting.frames == list(range(len(sequence)))
    assert found["drifted"]["mean_iou"] == 1.0  # of a map without objects
    assert found["drift_m"] > 0.0


@pytest.fixture
def sequence() -> RecordedSequence:
    return simulate(1, 20)
