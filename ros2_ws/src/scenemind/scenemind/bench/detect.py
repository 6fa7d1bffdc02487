"""Time of detectors for a 640x480 frame, decoding and masks included."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import onnxruntime

from scenemind.bench.machine import machine, versions
from scenemind.bench.workload import RANDOM_MODELS, bench_sequence, random_detector
from scenemind.composition import data_beside_the_repository
from scenemind.config import DetectorConfig
from scenemind.errors import install_line
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.perception import PerceptionError
from scenemind.perception.backends import make_detector

_REAL_MODELS = ("yolox_nano", "yolov8n-seg_deq640")
_FRAMES = 8  # different rendered images
_WARM_UP = 3
_MIN_RUNS = 10
_STAGES = ("pre", "network", "post")


@dataclass(frozen=True, slots=True)
class _Candidate:
    model: str
    runtime: str
    make: partial[Any]


def bench_detect(seconds: float = 3.0) -> dict[str, Any]:
    """Measure every model in every installed runtime, for some seconds each.

    Milliseconds are medians of wall time; `cpu` is what all threads together used for a frame,
    which also holds where other programs share the cores. What is missing is listed with the way
    to it.
    """
    frames = list(read_sequence(bench_sequence(_FRAMES)))
    missing = _missing_runtimes()
    fps: dict[str, dict[str, float]] = {}
    split: dict[str, dict[str, dict[str, float]]] = {}
    detectors: list[str] = []
    for candidate in _candidates(missing):
        where = f"{candidate.model}, {candidate.runtime}"
        try:
            name, result = _measure(candidate, frames, seconds)
        except PerceptionError as error:
            missing[where] = str(error)
            continue
        fps.setdefault(candidate.model, {})[candidate.runtime] = 1e3 / result["total"]
        split.setdefault(candidate.model, {})[candidate.runtime] = result
        detectors.append(name)
    return {
        "fps": fps,
        "ms": split,
        "missing": missing,
        "detectors": detectors,
        "frames": f"{frames[0].color.shape[1]}x{frames[0].color.shape[0]}",
        "machine": machine(),
        "versions": versions(),
    }


def _candidates(missing: dict[str, str]) -> Iterator[_Candidate]:
    runtimes = _exported_runtimes()
    for model in _REAL_MODELS:
        path = data_beside_the_repository(f"weights/{model}.onnx")
        if path is None:
            missing[model] = "no shared/data/weights beside the repository"
            continue
        for runtime, settings in runtimes.items():
            config = DetectorConfig.model_validate({"weights": str(path), **settings})
            yield _Candidate(model, runtime, partial(make_detector, config))
    for model in RANDOM_MODELS:
        for runtime, settings in {**runtimes, **_torch_runtimes(model)}.items():
            config = DetectorConfig.model_validate(settings)
            make = partial(random_detector, model, config)
            yield _Candidate(f"{model} (random weights)", runtime, make)


def _exported_runtimes() -> dict[str, Mapping[str, Any]]:
    runtimes: dict[str, Mapping[str, Any]] = {
        "onnxruntime": {"providers": ["CPUExecutionProvider"]},
    }
    if _installed("openvino"):
        runtimes["openvino"] = {"runtime": "openvino"}
    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        runtimes["onnxruntime CUDA"] = {
            "providers": ["CUDAExecutionProvider", "CPUExecutionProvider"]
        }
    return runtimes


def _torch_runtimes(model: str) -> dict[str, Mapping[str, Any]]:
    if not _installed("torch"):
        return {}
    import torch

    backend = "yolo_world" if "world" in model else "yoloe"
    runtimes: dict[str, Mapping[str, Any]] = {"torch": {"backend": backend, "device": "cpu"}}
    if torch.cuda.is_available():
        runtimes["torch CUDA"] = {"backend": backend, "device": "cuda"}
    return runtimes


def _missing_runtimes() -> dict[str, str]:
    missing = {
        name: f"not installed: {install_line(extra)}"
        for name, extra in (("openvino", "openvino"), ("torch", "ultralytics"))
        if not _installed(name)
    }
    if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
        missing["onnxruntime CUDA"] = "no CUDA in this ONNX Runtime: pip install onnxruntime-gpu"
    return missing


def _measure(
    candidate: _Candidate, frames: list[RGBDFrame], seconds: float
) -> tuple[str, dict[str, float]]:
    """The detector's name, and milliseconds by stage."""
    detector = candidate.make()
    for frame in frames[:_WARM_UP]:
        detector.detect(frame)
    wall_ms: list[float] = []
    stage_ms: list[list[float]] = []
    found: list[int] = []
    cpu, end = time.process_time(), time.perf_counter() + seconds
    while len(wall_ms) < _MIN_RUNS or time.perf_counter() < end:
        start = time.perf_counter()
        detections = detector.detect(frames[len(wall_ms) % len(frames)])
        wall_ms.append((time.perf_counter() - start) * 1e3)
        stage_ms.append([detector.stage_ms[stage] for stage in _STAGES])
        found.append(len(detections))
    cpu_ms = (time.process_time() - cpu) * 1e3 / len(wall_ms)
    return detector.name, {
        "total": float(np.median(wall_ms)),
        **dict(zip(_STAGES, np.median(stage_ms, axis=0).tolist(), strict=True)),
        "cpu": cpu_ms,
        "detections": float(np.median(found)),
    }


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None
