"""Time of detectors for a 640x480 frame, decoding and masks included."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from scenemind.bench.candidates import Runtime, chosen, has_torch_cuda, missing
from scenemind.bench.machine import machine, versions
from scenemind.bench.workload import RANDOM_MODELS, bench_sequence
from scenemind.composition import data_beside_the_repository
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.perception import PerceptionError
from scenemind.perception.backends import make_detector

_REAL_MODELS = ("yolox_nano", "yolov8n-seg_deq640")
_FRAMES = 8  # different rendered images
_WARM_UP = 3
_MIN_RUNS = 10
_STAGES = ("pre", "network", "post")
_COUNTED = 16  # frames in which copies are counted


@dataclass(frozen=True, slots=True)
class _Candidate:
    model: str
    runtime: Runtime
    make: Callable[[], Any]

    @property
    def where(self) -> str:
        return f"{self.model}, {self.runtime.name}"


def bench_detect(
    seconds: float = 3.0, batch: int = 1, runtimes: Sequence[str] = ()
) -> dict[str, Any]:
    """Measure every model in every installed runtime, for some seconds each.

    Milliseconds are medians of wall time; `cpu` is what all threads together used for a frame,
    which also holds where other programs share the cores. What is missing is listed with the way
    to it.

    Args:
        batch: more than one: the networks are measured with that many pictures at once, too
            (`batch_ms`, of each picture).
        runtimes: names; empty: all.

    Raises:
        UsageError: an unknown runtime.
    """
    frames = list(read_sequence(bench_sequence(_FRAMES)))
    absent = missing()
    fps: dict[str, dict[str, float]] = {}
    split: dict[str, dict[str, dict[str, float]]] = {}
    copies: dict[str, dict[str, dict[str, float]]] = {}
    detectors: list[str] = []
    here = chosen(runtimes)
    for candidate in _candidates(here, absent):
        model, runtime = candidate.model, candidate.runtime.name
        try:
            detector = candidate.make()
            result = _measure(detector, frames, seconds)
        except PerceptionError as error:
            absent[candidate.where] = str(error)
            continue
        fps.setdefault(model, {})[runtime] = 1e3 / result["total"]
        split.setdefault(model, {})[runtime] = result
        detectors.append(detector.name)
        if candidate.runtime.on_gpu:
            counted = _copies(detector, frames)
            if isinstance(counted, str):
                absent[f"copies of {candidate.where}"] = counted
            else:
                copies.setdefault(model, {})[runtime] = counted
    return {
        "fps": fps,
        "ms": split,
        "copies_a_frame": copies,
        "batch_ms": _batches(here, frames, batch, seconds, absent) if batch > 1 else {},
        "missing": absent,
        "detectors": detectors,
        "frames": f"{frames[0].color.shape[1]}x{frames[0].color.shape[0]}",
        "machine": machine(),
        "versions": versions(),
    }


def _candidates(here: Sequence[Runtime], absent: dict[str, str]) -> Iterator[_Candidate]:
    for model in _REAL_MODELS:
        path = data_beside_the_repository(f"weights/{model}.onnx")
        if path is None:
            absent[model] = "no shared/data/weights beside the repository"
            continue
        for runtime in here:
            if runtime.in_torch or runtime.half:  # these files are single precision
                continue
            config = runtime.config().model_copy(update={"weights": str(path)})
            yield _Candidate(model, runtime, partial(make_detector, config))
    for model in RANDOM_MODELS:
        for runtime in here:
            yield _Candidate(f"{model} (random weights)", runtime, partial(runtime.detector, model))


def _measure(detector: Any, frames: list[RGBDFrame], seconds: float) -> dict[str, float]:
    """Milliseconds by stage."""
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
    return {
        "total": float(np.median(wall_ms)),
        "total_p99": float(np.percentile(wall_ms, 99)),
        **dict(zip(_STAGES, np.median(stage_ms, axis=0).tolist(), strict=True)),
        "cpu": cpu_ms,
        "detections": float(np.median(found)),
    }


def _copies(detector: Any, frames: list[RGBDFrame]) -> dict[str, float] | str:
    """Copies between processor and GPU a frame, and their megabytes, as CUDA's own tracing sees
    them, whatever runtime makes them; else why they cannot be counted."""
    if not has_torch_cuda():
        return "torch with CUDA is needed, whose profiler counts them"
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        for count in range(_COUNTED):
            detector.detect(frames[count % len(frames)])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        trace.export_chrome_trace(str(path))
        events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    return copies_of(events, _COUNTED) or "CUDA's tracing saw no copy: it is not permitted here"


def copies_of(events: Sequence[dict[str, Any]], frames: int) -> dict[str, float]:
    """Copies a frame and their megabytes, from events of a Chrome trace; empty: there are none."""
    moved = [event for event in events if event.get("cat") == "gpu_memcpy"]
    if not moved:
        return {}
    counts: dict[str, float] = {}
    for way, mark in (("to_gpu", "HtoD"), ("to_host", "DtoH")):
        its = [event for event in moved if mark in event["name"]]
        counts[way] = len(its) / frames
        counts[f"{way}_mb"] = sum(event["args"]["bytes"] for event in its) / frames / 1e6
    return counts


def _batches(
    here: Sequence[Runtime],
    frames: list[RGBDFrame],
    batch: int,
    seconds: float,
    absent: dict[str, str],
) -> dict[str, dict[str, dict[str, float]]]:
    """Model -> runtime -> milliseconds of the network for a picture, alone and of `batch`."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    pictures = [cv2.dnn.blobFromImage(frame.color, scalefactor=1 / 255) for frame in frames]
    for model in RANDOM_MODELS:
        for runtime in here:
            times = {}
            for count in (1, batch):
                images = np.concatenate([pictures[i % len(pictures)] for i in range(count)])
                try:
                    network, texts = runtime.network(model, count)
                    run = partial(network.run, images, texts)
                    times[f"of {count}"] = _median_ms(run, seconds) / count
                except PerceptionError as error:
                    absent[f"{model} (random weights), {runtime.name}, {count} at once"] = str(
                        error
                    )
            if times:
                found.setdefault(f"{model} (random weights)", {})[runtime.name] = times
    return found


def _median_ms(run: Callable[[], object], seconds: float) -> float:
    for _ in range(_WARM_UP):
        run()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < _MIN_RUNS or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return float(np.median(times))
