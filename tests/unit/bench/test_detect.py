"""The detector bench: measured models, and names of missing ones."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from scenemind.bench.candidates import Runtime, chosen
from scenemind.bench.detect import bench_detect, copies_of
from scenemind.bench.workload import RANDOM_MODELS, RandomWords, bench_sequence, random_detector
from scenemind.config import DetectorConfig
from scenemind.errors import UsageError
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


def test_an_unknown_runtime_is_an_error_that_names_those_here() -> None:
    with pytest.raises(UsageError, match=r"no runtime 'torch TPU' here; there are .*onnxruntime"):
        bench_detect(runtimes=["torch TPU"])
    assert [runtime.name for runtime in chosen(["onnxruntime"])] == ["onnxruntime"]


def test_copies_are_counted_by_direction_from_a_trace() -> None:
    def copy(way: str, size: int) -> dict[str, object]:
        return {"cat": "gpu_memcpy", "name": f"Memcpy {way} (..)", "args": {"bytes": size}}

    events = [copy("HtoD", 3_000_000), copy("DtoH", 1_000_000), copy("DtoH", 3_000_000)]
    events.append({"cat": "kernel", "name": "conv", "args": {}})
    assert copies_of(events, 2) == {
        "to_gpu": 0.5,
        "to_gpu_mb": 1.5,
        "to_host": 1.0,
        "to_host_mb": 2.0,
    }
    assert copies_of([], 2) == {}


@pytest.mark.extras
@pytest.mark.parametrize("model", list(RANDOM_MODELS))
def test_several_pictures_at_once_are_answered_like_each_alone(model: str) -> None:
    exact = Runtime("torch", {"device": "cpu", "precision": "float32"}, in_torch=True)
    pictures = np.random.default_rng(0).random((2, 3, 96, 128)).astype(np.float32)
    network, texts = exact.network(model, 2)
    alone = [[np.copy(part) for part in network.run(one[None], texts)] for one in pictures]
    for together, parts in zip(network.run(pictures, texts), zip(*alone, strict=True), strict=True):
        np.testing.assert_allclose(together, np.concatenate(parts), atol=1e-5)


@pytest.mark.extras
def test_a_file_in_half_precision_is_answered_as_in_single_precision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    processor = {"providers": ["CPUExecutionProvider"]}
    picture = np.random.default_rng(0).random((1, 3, 480, 640)).astype(np.float32)
    prototypes = []
    for half in (False, True):
        torch.manual_seed(0)  # the weights of both
        network, texts = Runtime("", processor, half=half).network("yoloe-26n-seg", 1)
        prototypes.append(np.copy(network.run(picture, texts)[1]))
    single, halved = prototypes
    np.testing.assert_allclose(halved, single, atol=0.02 * np.abs(single).max())
    assert not np.array_equal(halved, single)


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
