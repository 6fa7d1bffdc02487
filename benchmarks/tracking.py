"""Identity switches and time of the tracker by source of the camera's motion, and of BoT-SORT, on
the same detections."""

from __future__ import annotations

import importlib.util
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from benchmarks.mapping import find_recordings
from benchmarks.tracking_truth import (
    SwitchCounter,
    TrackedFrame,
    idf1,
    recorded_frames,
    simulated_frames,
    timed_frames,
)
from scenemind.bench.machine import machine, versions
from scenemind.config import TrackerConfig
from scenemind.errors import UsageError
from scenemind.frames import RGBDFrame
from scenemind.perception.torchvision_shim import ensure_torchvision
from scenemind.perception.tracker import Tracker
from scenemind.perception.types import Detections
from scenemind.report.terminal import progress_console

# The values of the package's botsort.yaml.
_SETTINGS = {
    "track_high_thresh": 0.25,
    "track_low_thresh": 0.1,
    "new_track_thresh": 0.25,
    "track_buffer": 30,
    "match_thresh": 0.8,
    "fuse_score": True,
    "proximity_thresh": 0.5,
    "appearance_thresh": 0.8,
    "with_reid": False,
    "model": "auto",
}


class UltralyticsBotSort:
    """Adapter of an ultralytics tracker to the interface of `perception.tracker`.

    A new track has the id -1 in its first frame, and its own id from the second on.
    """

    def __init__(self, motion: str) -> None:
        """Create a tracker.

        Args:
            motion: `gmc_method` of the package: sparseOptFlow or none.
        """
        ensure_torchvision()
        from ultralytics.trackers.bot_sort import BOTSORT

        self._tracker: Any = BOTSORT(SimpleNamespace(**_SETTINGS, gmc_method=motion))
        self._codes: dict[str, int] = {}

    def update(self, detections: Detections, frame: RGBDFrame) -> NDArray[np.int64]:
        """Track ids (N,), -1 for none."""
        codes = self._codes
        classes = [codes.setdefault(label, len(codes)) for label in detections.labels]
        boxes = _Boxes(detections.boxes_px, detections.scores, np.array(classes, np.float32))
        rows = np.asarray(self._tracker.update(boxes, frame.color)).reshape(-1, 8)
        ids = np.full(len(detections), -1, dtype=np.int64)
        ids[rows[:, 7].astype(int)] = rows[:, 4].astype(np.int64)
        return ids


class _Boxes:
    """The part of the package's `Boxes` that its trackers read."""

    def __init__(
        self,
        xyxy: NDArray[np.float32],
        conf: NDArray[np.float32],
        cls: NDArray[np.float32],
    ) -> None:
        self.xyxy, self.conf, self.cls = xyxy, conf, cls

    @property
    def xywh(self) -> NDArray[np.float32]:
        low, high = self.xyxy[:, :2], self.xyxy[:, 2:]
        return np.concatenate(((low + high) / 2, high - low), axis=1)

    def __len__(self) -> int:
        return len(self.conf)

    def __getitem__(self, rows: NDArray[np.bool_]) -> _Boxes:
        return _Boxes(self.xyxy[rows], self.conf[rows], self.cls[rows])


PEERS = {
    "ultralytics_botsort_flow": "sparseOptFlow",
    "ultralytics_botsort_none": "none",
}


class FrameTracker(Protocol):
    """Interface of a tracker under test; `perception.tracker.Tracker` is one."""

    def update(self, detections: Detections, frame: RGBDFrame) -> NDArray[np.int64]: ...


def variants() -> Mapping[str, Callable[[], FrameTracker]]:
    """Trackers by name; those of ultralytics only if it and `lap` are installed."""
    own: dict[str, Callable[[], FrameTracker]] = {
        "pose": lambda: Tracker(TrackerConfig(camera_motion="pose")),
        "optical_flow": lambda: Tracker(TrackerConfig(camera_motion="optical_flow")),
        "none": lambda: Tracker(TrackerConfig(camera_motion="none")),
    }
    if not all(map(importlib.util.find_spec, ("ultralytics", "lap"))):
        return own

    return {
        **own,
        "ultralytics_botsort_flow": lambda: UltralyticsBotSort(PEERS["ultralytics_botsort_flow"]),
        "ultralytics_botsort_none": lambda: UltralyticsBotSort(PEERS["ultralytics_botsort_none"]),
    }


_COUNTS = (10, 20, 30)  # detections in a timed frame
_HEADLINE = 20
_ENOUGH = 0.9  # limits of detections: frames with fewer are tracked, but not timed


def bench_tracking(rooms: int = 3, frames: int = 300, timed: int = 90) -> dict[str, Any]:
    """Identity switches (`SwitchCounter`, summed over all scenes) and CPU time (medians).

    By variant: `ms_10`, `ms_20` and `ms_30` for that many detections with masks, and `ms`, equal to
    `ms_20`; `id_switches` and `in_view` (those of objects that the frame before showed),
    `idf1`, `fragmentations`, `missed` (detections without an id), `tracks`, and the switches scene
    by scene. Recordings have no true identities (see `GeometricTruth`), and are not in `idf1`.

    Args:
        rooms: number of simulated rooms.
        frames: of each drive; fewer make the robot faster.
        timed: number of timed frames.
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
            except UsageError as error:
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
    """Scores of every variant on every scene."""

    def __init__(self) -> None:
        self.frames: dict[str, int] = defaultdict(int)
        self._exact: set[str] = set()  # scenes with true identities over their whole length
        self._detections: dict[str, int] = defaultdict(int)
        self._counters: dict[tuple[str, str], list[SwitchCounter]] = defaultdict(list)
        self._tracks: dict[str, int] = defaultdict(int)

    def add_all(self, stream: Iterable[TrackedFrame], *, simulated: bool) -> None:
        """Run one drive or recording, which may interleave several scenes."""
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
    """Median milliseconds by variant; None if no frame had that many detections."""
    makers = variants()
    names = list(makers)
    trackers = {(name, count): makers[name]() for name in names for count in _COUNTS}
    seconds: dict[tuple[str, int], list[float]] = defaultdict(list)
    stream = timed_frames(_COUNTS, frame_count)
    total = frame_count * len(_COUNTS)
    rng = np.random.default_rng(0)
    for count, item in progress.track(stream, total, description="time"):
        # Shuffled order: no variant always runs on the caches of the same other one.
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
    """Limit OpenCV to one thread, because CPU time is that of the calling thread."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(threads)
