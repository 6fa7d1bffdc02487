"""The detector bench: measured models, and names of missing ones."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from scenemind.bench.detect import bench_detect
from scenemind.bench.workload import RANDOM_MODELS, RandomWords, bench_sequence, random_detector
from scenemind.config import DetectorConfig
from scenemind.frames import read_sequence
from scenemind.perception.weights import CACHE_VARIABLE


@pytest.mark.slow
def test_every_model_is_measured_or_named_as_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scenemind.bench.detect._MIN_RUNS", 2)
    # Random models need the extra and a minute: see `make bench`.
    monkeypatch.setattr("scenemind.bench.detect.RANDOM_MODELS", {})
    result = bench_detect(seconds=0.0)
    for model in ("yolox_nano", "yolov8n-seg_deq640"):
        assert (model in result["fps"]) != (model in result["missing"])
    for model, runtimes in result["fps"].items():
        for runtime, fps in runtimes.items():
            parts = result["ms"][model][runtime]
            assert fps == pytest.approx(1e3 / parts["total"])
            assert parts["network"] < parts["total"]
            assert parts["cpu"] > 0.0
    openvino = importlib.util.find_spec("openvino") is not None
    assert ("openvino" in result["missing"]) != openvino
    assert result["frames"] == "640x480"
    assert {"machine", "versions"} <= result.keys()


def test_random_words_are_the_same_every_time_and_of_unit_length() -> None:
    vectors = RandomWords().encode(["chair", "table", "chair"])
    np.testing.assert_array_equal(vectors[0], vectors[2])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-6)
    assert abs(vectors[0] @ vectors[1]) < 0.3


def test_random_models_are_named_as_architectures() -> None:
    assert set(RANDOM_MODELS) == {"yolo-world-s", "yoloe-26n-seg"}
    assert all(architecture.endswith(".yaml") for architecture in RANDOM_MODELS.values())


@pytest.mark.extras
def test_a_random_model_reports_a_crowded_frame_with_masks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    detector = random_detector("yoloe-26n-seg", DetectorConfig(runtime="openvino"))
    assert detector.name.startswith("yoloe-26n-seg with random weights (OpenVINO, CPU")
    frame = next(iter(read_sequence(bench_sequence(1))))
    found = detector.detect(frame)
    assert len(found) == 20
    assert all(mask is not None for mask in found.masks)
