"""Frames a second from the camera into memory: in one process, and over DDS between two."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from scenemind.bench.candidates import Runtime, chosen
from scenemind.bench.machine import machine, run_module, versions
from scenemind.bench.workload import (
    RANDOM_MODELS,
    RATE_HZ,
    bench_sequence,
    endless,
)
from scenemind.config import DetectorConfig, SceneMindConfig
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.mapping import Governor, LatestSlot, Mapper, MapperReport, MappingPipeline, map_all
from scenemind.mapping.pipeline import as_it_is
from scenemind.memory import Memory
from scenemind.perception import PerceptionError
from scenemind.perception.backends import make_detector
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.protocols import Detector
from scenemind.perception.types import Detections
from scenemind.ros_environment import private_domain, ros_environment

_log = logging.getLogger(__name__)
SIMULATED = "simulated"
_FASTEST = "yoloe-26n-seg"
_WARM_UP = 60  # frames: the network's first runs are slow, and the room's objects get confirmed
_PENDING = 2  # frames that wait for the mapper at camera rate, as in the node


@dataclass(frozen=True, slots=True)
class WithoutMeaning:
    """Runs a network for its time and returns what the instance camera sees."""

    network: Detector
    camera: InstanceCamera

    @property
    def name(self) -> str:
        return f"{self.network.name}; mapped is what the {self.camera.name} sees"

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return self.camera.vocabulary

    def detect(self, frame: RGBDFrame) -> Detections:
        self.network.detect(frame)
        return self.camera.detect(frame)


def bench_pipeline(name: str = "", seconds: float = 20.0, runtime: str = "") -> dict[str, Any]:
    """Measure at full speed and at camera rate, for some seconds each.

    Args:
        name: of the detector: `simulated`, one of `RANDOM_MODELS`, or an exported file; empty: the
            fastest of the models, or the simulated one where no model can run.
        runtime: one of `candidates.runtimes`; empty: the first that can run it, those of GPUs
            before others.

    Raises:
        PerceptionError: the detector cannot be used; says what is missing.
        UsageError: an unknown runtime.
    """
    config = SceneMindConfig()
    sequence = bench_sequence()
    frames = endless(list(read_sequence(sequence)))
    detector = _detector(name, runtime, InstanceCamera(sequence.class_names))
    with Memory.create(None, config) as memory:
        mapper = Mapper(detector, memory, config)
        map_all(mapper, islice(frames, _WARM_UP))
        start, before = time.perf_counter(), memory.last_frame_number
        map_all(mapper, _until(frames, start + seconds))
        fps = (memory.last_frame_number - before) / (time.perf_counter() - start)
        live = _at_camera_rate(mapper, frames, config, round(seconds * RATE_HZ))
        stages = mapper.timings.stats()
        return {
            "fps": fps,
            **live,
            "stages_ms": {name: stage.median_ms for name, stage in stages.items()},
            "objects": memory.stats().objects,
            "detector": detector.name,
            "machine": machine(),
            "versions": versions(),
        }


def _detector(name: str, runtime: str, camera: InstanceCamera) -> Detector:
    if name == SIMULATED:
        return camera
    of_name = chosen([runtime] if runtime else [])
    if name and name not in RANDOM_MODELS:
        config = of_name[0].config() if runtime else DetectorConfig()
        return make_detector(config.model_copy(update={"weights": name}))
    try:
        network = _first(name or _FASTEST, of_name)
    except PerceptionError:
        if name or runtime:
            raise
        return camera
    return WithoutMeaning(network, camera)


def _first(model: str, runtimes: tuple[Runtime, ...]) -> Detector:
    """The model in the first runtime that can run it."""
    *others, last = runtimes
    for runtime in others:
        try:
            return runtime.detector(model)
        except PerceptionError as error:
            _log.warning("%s: %s", runtime.name, error)
    return last.detector(model)


def _until(frames: Iterator[RGBDFrame], end: float) -> Iterator[RGBDFrame]:
    while time.perf_counter() < end:
        yield next(frames)


@dataclass(slots=True)
class _Arrivals:
    """Times at which frames were given, by stamp, and their latencies until they were in memory."""

    given: dict[int, float] = field(default_factory=dict)
    latency_ms: list[float] = field(default_factory=list)
    put_off: int = 0

    def give(self, frame: RGBDFrame) -> RGBDFrame:
        self.given[frame.stamp_ns] = time.perf_counter()
        return frame

    def note(self, report: MapperReport) -> None:
        self.latency_ms.append((time.perf_counter() - self.given[report.stamp_ns]) * 1e3)
        self.put_off += bool(report.put_off)


def _at_camera_rate(
    mapper: Mapper, frames: Iterator[RGBDFrame], config: SceneMindConfig, count: int
) -> dict[str, float]:
    arrivals = _Arrivals()
    slot: LatestSlot[RGBDFrame] = LatestSlot(_PENDING)
    pipeline = MappingPipeline(mapper, slot, Governor(config.mapper), as_it_is, arrivals.note)
    pipeline.start()
    start = time.perf_counter()
    for number in range(count):
        time.sleep(max(0.0, start + number / RATE_HZ - time.perf_counter()))
        slot.put(arrivals.give(next(frames)))
    pipeline.stop()
    return {
        "sent": count,
        "dropped": slot.dropped,
        "latency_ms": float(np.median(arrivals.latency_ms)),
        "latency_ms_p99": float(np.percentile(arrivals.latency_ms, 99)),
        "frames_with_work_put_off": arrivals.put_off,
    }


_MORE_S = 180.0  # for starting, waiting and stopping


def bench_transport(seconds: float = 60.0, rate_hz: float = 30.0) -> dict[str, Any]:
    """Measure with two processes on a ROS domain of their own.

    Raises:
        UsageError: the child failed.
        RosEnvironmentError: the workspace is not built.
    """
    result = run_module(
        "scenemind_ros.commands.bench_transport",
        [str(seconds), str(rate_hz)],
        {**ros_environment(), **private_domain()},
        timeout_s=seconds + _MORE_S,
    )
    return {**result, "machine": machine(), "versions": versions()}
