"""Latency of frames while the poses of all earlier ones are corrected."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scenemind.bench.machine import machine, versions
from scenemind.bench.workload import RATE_HZ, bench_sequence, endless, prefill
from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame, read_sequence
from scenemind.garbage import settle_garbage
from scenemind.geometry import Pose
from scenemind.mapping import Mapper
from scenemind.memory import Memory
from scenemind.memory.types import PoseCorrection
from scenemind.perception.backends.instance_camera import InstanceCamera

_MOMENT_EVERY = round(RATE_HZ)  # frames between two corrected poses
_DRIFT_M, _DRIFT_RAD = 1.0, np.deg2rad(5.0)  # at the end of the drive
_QUIET = round(10 * RATE_HZ)  # frames that are timed before
_AFTER = round(2 * RATE_HZ)  # and after the correction


def bench_late_correction(
    hours: float = 1.0, objects: int = 200, corrections: int = 3
) -> dict[str, Any]:
    """Map hours of frames of 640x480 as fast as they can be, then go on at 30 Hz while a drift of
    the whole drive is taken out of its poses on another thread, and put back.

    Milliseconds are from the moment at which the camera has a frame until it is in memory, with the
    simulated instance camera as the detector: a frame that waits for the one before is late as
    well. `before_ms` is of ten seconds without a correction, `during_ms` of all corrections and the
    two seconds after each.
    """
    config = SceneMindConfig()
    sequence = bench_sequence()
    rendered = list(read_sequence(sequence))
    stream = endless(rendered)
    with Memory.create(None, config) as memory:
        spare = objects - len(sequence.room.objects)
        prefill(memory, spare, rendered[0], config.object_map.confirm_observations)
        mapper = Mapper(InstanceCamera(sequence.class_names), memory, config)
        stamps = _drive(mapper, stream, round(hours * 3600 * RATE_HZ))
        memory.flush()
        settle_garbage()
        before = _paced(mapper, stream, lambda count: count < _QUIET)
        during, took_s, notes = [], [], []
        for number in range(corrections):
            correcting = _Correcting(memory, stamps, sign=1 if number % 2 == 0 else -1)
            correcting.start()
            during.append(_paced(mapper, stream, correcting.goes_on))
            correcting.join()
            took_s.append(correcting.seconds)
            notes.append(correcting.result())
        stats = memory.stats()
    late = np.concatenate(during)
    return {
        "frames": len(stamps),
        "objects": stats.objects,
        "corrected_frames": [noted.frames for noted in notes],
        "largest_m": max(noted.largest_m for noted in notes),
        "correction_s": took_s,
        "before_ms": _summary(before),
        "during_ms": _summary(late),
        "frames_before": len(before),
        "above_33_ms_before": _late(before),
        "frames_during": len(late),
        "above_33_ms_during": _late(late),
        "machine": machine(),
        "versions": versions(),
    }


def _drive(mapper: Mapper, stream: Iterator[RGBDFrame], count: int) -> NDArray[np.int64]:
    """Map frames; their stamps."""
    stamps = np.empty(count, np.int64)
    for number, frame in enumerate(islice(stream, count)):
        mapper.process(frame)
        stamps[number] = frame.stamp_ns
        if number % round(RATE_HZ) == 0:
            mapper.memory.flush()
    return stamps


def _paced(
    mapper: Mapper, stream: Iterator[RGBDFrame], goes_on: Callable[[int], bool]
) -> NDArray[np.float64]:
    """Latencies in milliseconds of frames at 30 Hz, while `goes_on` of their number holds."""
    found: list[float] = []
    period_s, start = 1.0 / RATE_HZ, time.perf_counter()
    while goes_on(len(found)):
        due = start + len(found) * period_s
        time.sleep(max(0.0, due - time.perf_counter()))
        mapper.process(next(stream))
        found.append(1e3 * (time.perf_counter() - due))
    return np.array(found)


class _Correcting(threading.Thread):
    """One correction of all poses.

    Attributes:
        seconds: that it took.
    """

    def __init__(self, memory: Memory, stamps: NDArray[np.int64], sign: int) -> None:
        super().__init__(name="correction", daemon=True)
        self._memory = memory
        self._stamps = stamps[_MOMENT_EVERY - 1 :: _MOMENT_EVERY]
        poses = memory.poses_at(self._stamps.tolist())
        shares = np.linspace(0.0, sign, len(poses)).tolist()
        self._moved = [_drift(share) @ pose for share, pose in zip(shares, poses, strict=True)]
        self._noted: PoseCorrection | None = None
        self._ended_at: int | None = None
        self.seconds = 0.0

    def run(self) -> None:
        start = time.perf_counter()
        self._noted = self._memory.correct_poses(self._stamps, self._moved, keeps_odometry=True)
        self.seconds = time.perf_counter() - start

    def goes_on(self, count: int) -> bool:
        """Until some frames after it has ended."""
        if self._ended_at is None and not self.is_alive():
            self._ended_at = count
        return self._ended_at is None or count < self._ended_at + _AFTER

    def result(self) -> PoseCorrection:
        """What was corrected.

        Raises:
            RuntimeError: it failed; its traceback was printed.
        """
        if self._noted is None:
            raise RuntimeError("the correction failed")
        return self._noted


def _drift(share: float) -> Pose:
    angle = share * _DRIFT_RAD
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)])
    return Pose(turn, np.array([share * _DRIFT_M, 0.0, 0.0]))


def _late(ms: NDArray[np.float64]) -> int:
    return int((ms > 1e3 / RATE_HZ).sum())


def _summary(ms: NDArray[np.float64]) -> dict[str, float]:
    return {
        "median": float(np.median(ms)),
        "p99": float(np.percentile(ms, 99)),
        "max": float(ms.max()),
    }
