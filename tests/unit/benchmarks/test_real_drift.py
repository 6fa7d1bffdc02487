"""Maps of recordings with drift: what the bench refuses and compares, and that a frame is detected
once."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from benchmarks import real_drift
from scenemind.config import SceneMindConfig
from scenemind.errors import SceneMindError
from scenemind.frames import RecordedSequence, RGBDFrame
from scenemind.geometry import Box3D
from scenemind.geometry.open3d import MissingOpen3DError
from scenemind.memory.loops.closing import LoopReport
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
    found = real_drift.bench_real_drift(origins=2)["kitchen"]
    assert counting.frames == list(range(len(sequence)))
    assert found["drifted"]["mean_iou"] == 1.0  # of a map without objects
    assert found["drift_m"] > 0.0


def test_overlap_is_of_boxes_matched_one_to_one() -> None:
    table, beside = Box3D((0.0, 0.0, 0.5), (1.0, 1.0, 1.0)), Box3D((0.5, 0.0, 0.5), (1.0, 1.0, 1.0))
    cup = Box3D((5.0, 0.0, 0.5), (0.1, 0.1, 0.1))
    assert real_drift.mean_iou([table], [beside]) == pytest.approx(1.0 / 3.0)
    assert real_drift.mean_iou([table, cup], [cup, table, beside]) == pytest.approx(1.0)
    assert real_drift.mean_iou([table, cup], [table]) == pytest.approx(0.5)
    assert real_drift.mean_iou([table], []) == 0.0


def test_a_map_is_compared_with_those_of_other_origins() -> None:
    loops = LoopReport(0, 3, 0, {"too far": 1}, None, 1, 0.0, 0.0, 0, "")
    boxes = [Box3D((x, 0.0, 0.5), (1.0, 1.0, 1.0)) for x in (0.0, 0.5, 0.5)]
    maps = [real_drift.Map([box], loops) for box in boxes]
    found = real_drift.compared(maps, maps)
    third = 1.0 / 3.0  # overlap of the first with each of the others, which are the same
    assert found["mean_iou"] == pytest.approx((third + 2.0 * (third + 1.0) / 2.0) / 3.0)
    assert found["least_iou"] == pytest.approx(third)
    assert (found["loops"], found["applied"], found["refused"]) == (3.0, 1.0, {"too far": 3})


@pytest.fixture
def sequence() -> RecordedSequence:
    return simulate(1, 20)
