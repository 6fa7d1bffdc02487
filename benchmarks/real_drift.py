"""Recordings with drift put into their poses: maps with and without closing of loops, compared with
the maps of the poses as they are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import scipy
from rich.progress import track

from benchmarks.mapping import find_recordings, fitted
from scenemind.bench.machine import machine
from scenemind.composition import choose_detector
from scenemind.config import LoopClosureConfig, SceneMindConfig
from scenemind.errors import SceneMindError
from scenemind.frames import RGBDFrame, open_sequence, read_sequence
from scenemind.geometry import Box3D, Pose, iou_3d
from scenemind.geometry.open3d import load_open3d
from scenemind.mapping import Mapper, map_all
from scenemind.memory import MapObject, Memory
from scenemind.memory.loops.closing import LoopClosing, LoopReport
from scenemind.perception.protocols import Detector
from scenemind.perception.types import Detections
from scenemind.report.terminal import progress_console
from scenemind.simulation import Drift
from scenemind.simulation.trajectory import drift_at_end, drifting_odometry

_ALONG, _DEG_PER_M = 0.01, 1.0


def bench_real_drift(seed: int = 1, only: Collection[str] = ()) -> dict[str, Any]:
    """Map each recording as it is and with drift: 1 % of the way and 1 degree a metre.

    Args:
        seed: of the directions of drift. only: names of recordings; none: all.

    Raises:
        MissingOpen3DError: loops cannot be closed here.
        SceneMindError: there is no recording of such a name.
    """
    load_open3d("closing loops")
    rng = np.random.default_rng(seed)
    result: dict[str, Any] = {}
    known = {path.name: path for path in find_recordings()}
    if missing := sorted(set(only) - known.keys()):
        raise SceneMindError(f"no recording {', '.join(missing)}; there are: {', '.join(known)}")
    paths = [path for name, path in known.items() if not only or name in only]
    for path in track(paths, "recordings", console=progress_console()):
        sequence = open_sequence(path)
        config, model = choose_detector(SceneMindConfig(), sequence, None)
        detector = _DetectsOnce(model)
        frames = list(read_sequence(sequence))
        true = [frame.world_T_camera for frame in frames]
        along, turn = rng.choice((-1.0, 1.0), 2) * (_ALONG, _DEG_PER_M)
        off = drifting_odometry(true, 0.0, seed, Drift(float(along), float(turn)))
        drifted = [
            replace(frame, world_T_camera=pose) for frame, pose in zip(frames, off, strict=True)
        ]

        right, _, _ = _mapped(frames, true, detector, config, closes=False)
        drift_m, drift_deg = drift_at_end(true, off)
        found: dict[str, Any] = {"objects": len(right), "drift_m": drift_m, "drift_deg": drift_deg}
        for name, seen, closes in (
            ("as it is, loops closed", frames, True),
            ("drifted", drifted, False),
            ("drifted, loops closed", drifted, True),
        ):
            objects, world_T_map, report = _mapped(seen, true, detector, config, closes=closes)
            found[name] = {
                "objects": len(objects),
                "mean_iou": _mean_iou(right, objects, world_T_map),
                "loops": report.found,
                "applied": report.applied,
                "refused": dict(report.refused),
                "problem": report.problem,
            }
        result[path.name] = found
    return {**result, "machine": machine()}


class _DetectsOnce:
    """A detector that keeps what it found in each frame, which no pose changes."""

    def __init__(self, detector: Detector) -> None:
        self.name, self.vocabulary = detector.name, detector.vocabulary
        self._detector = detector
        self._found: dict[int, Detections] = {}

    def detect(self, frame: RGBDFrame) -> Detections:
        if frame.number not in self._found:
            self._found[frame.number] = self._detector.detect(frame)
        return self._found[frame.number]


def _mapped(
    frames: Sequence[RGBDFrame],
    true: Sequence[Pose],
    detector: Detector,
    config: SceneMindConfig,
    *,
    closes: bool,
) -> tuple[list[MapObject], Pose, LoopReport]:
    """The objects of the map, its place in the world of the true poses, and its loops."""
    own = config.model_copy(update={"loop_closure": LoopClosureConfig(enabled=closes)})
    with (
        Memory.create(None, own) as memory,
        closing(LoopClosing(memory, own.loop_closure, patiently=True)) as loops,
    ):
        map_all(Mapper(detector, memory, own, loops=loops), frames)
        poses = memory.poses_at([frame.stamp_ns for frame in frames])
        objects = list(memory.snapshot().objects.values())
        return objects, fitted(true, poses), loops.report()


def _mean_iou(right: Sequence[MapObject], found: Sequence[MapObject], world_T_map: Pose) -> float:
    """Mean over the objects of a map of the overlap with their partners in another one, matched
    one to one; 0 for an object without a partner."""
    if not right:
        return 1.0
    turn = float(np.arctan2(world_T_map.rotation[1, 0], world_T_map.rotation[0, 0]))
    boxes = []
    for thing in found:
        x, y, z = world_T_map.transform(np.asarray(thing.box.center)).tolist()
        boxes.append(Box3D((x, y, z), thing.box.size, thing.box.yaw + turn))
    overlap = np.array([[iou_3d(thing.box, box) for box in boxes] for thing in right])
    overlap = overlap.reshape(len(right), len(boxes))
    rows, columns = scipy.optimize.linear_sum_assignment(overlap, maximize=True)
    return float(overlap[rows, columns].sum() / len(right))
