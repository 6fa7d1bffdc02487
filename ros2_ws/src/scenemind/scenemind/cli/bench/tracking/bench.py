"""Our tracker with each source of the camera's motion, and BoT-SORT, on the same detections."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import cv2
import numpy as np
from rich.progress import Progress

from scenemind.cli.bench.machine import machine, versions
from scenemind.cli.bench.tracking.scenes import (
    TrackedFrame,
    recorded_frames,
    simulated_frames,
    timed_frames,
)
from scenemind.cli.bench.tracking.switches import SwitchCounter, idf1
from scenemind.cli.bench.tracking.variants import PEERS, FrameTracker, variants
from scenemind.cli.detector import find_recordings
from scenemind.cli.errors import CommandError
from scenemind.cli.output import progress_console

_COUNTS = (10, 20, 30)  # detections in a frame at which time is taken
_HEADLINE = 20
_ENOUGH = 0.9  # of that many: frames with fewer are tracked, but not timed


def bench_tracking(rooms: int = 3, frames: int = 300, timed: int = 90) -> dict[str, Any]:
    """Identity switches (`SwitchCounter`, summed over all scenes) and CPU time (medians).

    By variant: `ms_10`, `ms_20` and `ms_30` for that many detections with masks, and `ms`, which is
    `ms_20`; `id_switches` and `in_view` (those of objects that were there in the frame before),
    `idf1`, `fragmentations`, `missed` (detections without an id), `tracks`, and the switches scene
    by scene. Recordings have no true identities (see `GeometricTruth`), and are not in `idf1`.

    Args:
        rooms: how many simulated ones.
        frames: of each drive; fewer make the robot faster.
        timed: frames for the time.
    """
    progress = Progress(console=progress_console(), transient=True)
    with progress, _one_thread():
        scores = _Scores()
        notes = []
        for seed in progress.track(range(1, rooms + 1), description="simulated rooms"):
            scores.add_all(simulated_frames(seed, frames), simulated=True)
        for path in progress.track(find_recordings(), description="recordings"):
            try:
                scores.add_all(recorded_frames(path), simulated=False)
            except CommandError as error:
                notes.append(f"{path.name} left out: {error}")
        ms = _measure_time(progress, timed)
    if not find_recordings():
        notes.append("no recordings beside the repository")
    result: dict[str, Any] = {name: {**ms[name], **scores.of(name)} for name in variants()}
    for name in PEERS:
        result.setdefault(name, "ultralytics and lap are not installed")
    result["frames"] = dict(scores.frames)
    result["detections_per_frame"] = scores.detections_per_frame()
    result["notes"] = "; ".join(notes) or "none"
    return {**result, "machine": machine(), "versions": versions()}


class _Scores:
    """Every variant on every scene."""

    def __init__(self) -> None:
        self.frames: dict[str, int] = defaultdict(int)
        self._exact: set[str] = set()  # scenes with true identities over all their length
        self._detections: dict[str, int] = defaultdict(int)
        self._counters: dict[tuple[str, str], list[SwitchCounter]] = defaultdict(list)
        self._tracks: dict[str, int] = defaultdict(int)

    def add_all(self, stream: Iterable[TrackedFrame], *, simulated: bool) -> None:
        """One drive or recording, which may interleave several scenes."""
        runs: dict[str, dict[str, tuple[FrameTracker, SwitchCounter, set[int]]]] = {}
        for item in stream:
            if item.scene not in runs:
                runs[item.scene] = {
                    name: (make(), SwitchCounter(), set()) for name, make in variants().items()
                }
            self.frames[item.scene] += 1
            self._detections[item.scene] += len(item.detections)
            for tracker, counter, seen in runs[item.scene].values():
                ids = tracker.update(item.detections, item.frame)
                counter.add(item.true_ids, ids)
                seen.update(ids[ids >= 0].tolist())
        self._exact |= runs.keys() if simulated else set()
        for scene, run in runs.items():
            for name, (_, counter, seen) in run.items():
                self._counters[name, scene].append(counter)
                self._tracks[name] += len(seen)

    def of(self, variant: str) -> dict[str, float]:
        """Sums over all scenes."""
        counters = [
            c for (name, _), some in self._counters.items() if name == variant for c in some
        ]
        return {
            "id_switches": sum(c.switches for c in counters),
            "in_view": sum(c.in_view for c in counters),
            "idf1": idf1(c for scene in self._exact for c in self._counters[variant, scene]),
            "fragmentations": sum(c.fragmentations for c in counters),
            "missed": sum(c.missed for c in counters),
            "tracks": self._tracks[variant],
            **{
                f"id_switches {scene}": sum(c.switches for c in self._counters[variant, scene])
                for scene in self.frames
            },
        }

    def detections_per_frame(self) -> dict[str, float]:
        return {scene: self._detections[scene] / n for scene, n in self.frames.items()}


def _measure_time(progress: Progress, frame_count: int) -> Mapping[str, dict[str, float | None]]:
    """Medians in milliseconds by variant; None where no frame showed so much."""
    makers = variants()
    names = list(makers)
    trackers = {(name, count): makers[name]() for name in names for count in _COUNTS}
    seconds: dict[tuple[str, int], list[float]] = defaultdict(list)
    stream = timed_frames(_COUNTS, frame_count)
    total = frame_count * len(_COUNTS)
    rng = np.random.default_rng(0)
    for count, item in progress.track(stream, total, description="time"):
        # In any order, so that none always finds caches as another one leaves them.
        for name in rng.permutation(names):
            start = time.thread_time()
            trackers[name, count].update(item.detections, item.frame)
            if len(item.detections) >= _ENOUGH * count:
                seconds[name, count].append(time.thread_time() - start)
    medians = {key: float(np.median(values)) * 1e3 for key, values in seconds.items()}
    return {
        name: {
            "ms": medians.get((name, _HEADLINE)),
            **{f"ms_{count}": medians.get((name, count)) for count in _COUNTS},
        }
        for name in names
    }


@contextmanager
def _one_thread() -> Iterator[None]:
    """CPU time is taken of the calling thread: OpenCV must not give work to others."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(threads)
