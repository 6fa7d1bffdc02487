"""Time of the mapper for a frame, on one core."""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, get_args

import cv2
import numpy as np
from rich.progress import track

from scenemind.bench.machine import machine, run_module, versions
from scenemind.bench.workload import RATE_HZ, STRETCH, bench_sequence, endless, prefill
from scenemind.config import SceneMindConfig, StoreConfig
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.garbage import settle_garbage
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.report.terminal import progress_console

# As `Mapper` names them, in the order in which they run.
DETECT = "detect"
STAGES = ("track", "lift", "fuse", "graph", "tree", "store")
_PARTS = 10


class FrameTimings:
    """Times of a fixed number of frames, in memory that does not grow while they are measured."""

    def __init__(self, frames: int) -> None:
        self._ms = np.full((frames, 1 + len(STAGES)), np.nan)
        self._cpu_ms = np.full(frames, np.nan)
        self._detections = np.full(frames, np.nan)
        self._count = 0

    def add(self, stage_ms: Mapping[str, float], cpu_ms: float, detections: int) -> None:
        """Add a frame: its stages, as in `MapperReport`, and its CPU time with the detector."""
        self._ms[self._count] = [stage_ms[stage] for stage in (DETECT, *STAGES)]
        self._cpu_ms[self._count] = cpu_ms
        self._detections[self._count] = detections
        self._count += 1

    def summary(self) -> dict[str, object]:
        """Summary by name: medians, where no percentile is named; the total excludes the detector.

        Where other programs share the core, `cpu_ms` says what the frame itself took, detector
        included. `total_ms_by_tenth` shows whether frames get slower as the map gets older.
        """
        ms = self._ms[: self._count]
        total_ms = ms[:, 1:].sum(axis=1)
        return {
            "detections": float(np.median(self._detections[: self._count])),
            "total_ms": float(np.median(total_ms)),
            "total_ms_p99": float(np.percentile(total_ms, 99)),
            "stages_ms": dict(zip(STAGES, np.median(ms[:, 1:], axis=0).tolist(), strict=True)),
            "detector_ms": float(np.median(ms[:, 0])),
            "cpu_ms": float(np.median(self._cpu_ms[: self._count])),
            "total_ms_by_tenth": [
                float(np.median(part)) for part in np.array_split(total_ms, _PARTS) if len(part)
            ],
        }


class GarbagePauses:
    """Pauses of the garbage collector while this context is open.

    Attributes:
        longest_ms, total_ms: of the collections, in CPU time of the thread that ran into them.
    """

    def __init__(self) -> None:
        self.longest_ms = 0.0
        self.total_ms = 0.0
        self._since = 0.0

    def __enter__(self) -> GarbagePauses:
        gc.callbacks.append(self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        gc.callbacks.remove(self._note)

    def _note(self, phase: Literal["start", "stop"], _info: dict[str, int]) -> None:
        if phase == "start":
            self._since = time.thread_time()
            return
        pause_ms = (time.thread_time() - self._since) * 1e3
        self.longest_ms = max(self.longest_ms, pause_ms)
        self.total_ms += pause_ms


_FRAMES_PER_MINUTE = round(60 * RATE_HZ)
_DEFAULT_RETENTION = StoreConfig().retention
_WARM_UP = 60  # frames: caches fill, the room's objects are confirmed
_SETTLE_EVERY = round(RATE_HZ)  # frames
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def bench_frame(objects: int = 200, frames: int = 600) -> dict[str, Any]:
    """Measure in child processes that have one core; see `measure`.

    The timings are those with the default retention of images. With the others a minute or less
    is mapped, for what goes to disk.

    Raises:
        UsageError: a child failed.
    """
    every = get_args(StoreConfig.model_fields["retention"].annotation)
    others = [retention for retention in every if retention != _DEFAULT_RETENTION]
    console = progress_console()
    runs = track(
        [_DEFAULT_RETENTION, *others],
        "mapping on one core, once for each retention",
        console=console,
        transient=True,
        disable=not console.is_terminal,
        auto_refresh=False,  # its thread would take time from what is measured
    )
    found = {
        retention: _measure_in_child(
            objects,
            frames if retention == _DEFAULT_RETENTION else min(frames, _FRAMES_PER_MINUTE),
            retention,
        )
        for retention in runs
    }
    disk = {retention: result["disk_mb_per_min"] for retention, result in found.items()}
    return {**found[_DEFAULT_RETENTION], "disk_mb_per_min_by_retention": disk}


def _measure_in_child(objects: int, frames: int, retention: str) -> dict[str, Any]:
    environment = {**os.environ, **dict.fromkeys(_THREADS, "1")}
    with _one_core():
        return run_module(__name__, [str(objects), str(frames), retention], environment)


def measure(
    objects: int, frames: int, retention: str = _DEFAULT_RETENTION, stretch: int = STRETCH
) -> dict[str, Any]:
    """Map `frames` frames with a map of about `objects` objects.

    The detector is the simulated instance camera; `total_ms` and `stages_ms` are without it.
    Images are written to disk as on a robot. Once a second of camera time the disk is waited for,
    untimed, since frames come faster here than from a camera. What the measurement itself keeps
    is allocated before, so `rss_growth_mb` is the mapper's; no cache is left out of it.

    Args:
        retention: `StoreConfig.retention`.
        stretch: frames to render at most; the camera goes back and forth on them.
    """
    config = SceneMindConfig.from_flat({"store.retention": retention})
    sequence = bench_sequence(min(stretch, _WARM_UP + frames))
    rendered = list(read_sequence(sequence))
    spare = objects - len(sequence.room.objects)
    with Memory.create(None, config) as memory:
        prefill(memory, spare, rendered[0], config.object_map.confirm_observations)
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, config)
        stream = endless(rendered)
        timings = FrameTimings(frames)
        _map(mapper, islice(stream, _WARM_UP), FrameTimings(_WARM_UP))
        settle_garbage()
        resident_mb, disk_mb = _resident_mb(), _folder_mb(memory.path)
        with GarbagePauses() as pauses:
            _map(mapper, islice(stream, frames), timings)
        stats = memory.stats()
        return {
            "frames": frames,
            "objects": stats.objects,
            **timings.summary(),
            "detector": mapper.detector.name,
            "rss_growth_mb": _resident_mb() - resident_mb,
            "disk_mb_per_min": (_folder_mb(memory.path) - disk_mb) / (frames / RATE_HZ / 60.0),
            "retention": retention,
            "images_dropped": stats.images_dropped,
            "garbage_ms_max": pauses.longest_ms,
            "garbage_ms_per_frame": pauses.total_ms / frames,
            "machine": machine(),
            "versions": versions(),
        }


def _map(mapper: Mapper, frames: Iterable[RGBDFrame], timings: FrameTimings) -> None:
    for count, frame in enumerate(frames, start=1):
        start = time.thread_time()
        report = mapper.process(frame)
        cpu_ms = (time.thread_time() - start) * 1e3
        timings.add(report.stage_ms, cpu_ms, len(report.detections))
        if count % _SETTLE_EVERY == 0:
            mapper.memory.flush()
    mapper.memory.flush()


@contextmanager
def _one_core() -> Iterator[None]:
    """Run threads and processes that are started meanwhile on one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def _folder_mb(path: Path) -> float:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) / 2**20


def main(objects: str, frames: str, retention: str) -> None:
    cv2.setNumThreads(1)
    print(json.dumps(measure(int(objects), int(frames), retention)))


if __name__ == "__main__":
    main(*sys.argv[1:])
