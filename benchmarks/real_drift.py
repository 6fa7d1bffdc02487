"""Recordings with drift put into their poses: maps with and without closing of loops, compared with
the maps of the poses as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
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
from scenemind.memory import Memory
from scenemind.memory.loops.closing import LoopClosing, LoopReport
from scenemind.memory.places.constellation import yaw_of
from scenemind.perception.protocols import Detector
from scenemind.perception.types import Detections
from scenemind.report.terminal import progress_console
from scenemind.simulation import Drift
from scenemind.simulation.trajectory import drift_at_end, drifting_odometry

_ALONG, _DEG_PER_M = 0.01, 1.0
_ORIGIN_M = 0.1  # farther than any voxel is wide
_BY_LOOPS, _BY_TRUTH = "loops", "truth"
_AS_IT_IS = "as it is"
# Drives: whether their poses drift, and what corrects them.
_DRIVES = {
    _AS_IT_IS: (False, ""),
    "as it is, loops closed": (False, _BY_LOOPS),
    "drifted": (True, ""),
    "drifted, loops closed": (True, _BY_LOOPS),
    "drifted, true poses given back": (True, _BY_TRUTH),
}


def bench_real_drift(seed: int = 1, only: Collection[str] = (), origins: int = 4) -> dict[str, Any]:
    """Map each recording as it is and with drift: 1 % of the way and 1 degree a metre.

    Two maps of the same poses differ where their worlds begin a few millimetres from each other:
    other pixels share voxels then. So everything is mapped from several origins, and every map is
    compared with those of the poses as they are that begin elsewhere.

    Args:
        seed: of the directions of drift, and of the origins. only: names of recordings; none: all.
        origins: two or more.

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
        drift_m, drift_deg = drift_at_end(true, off)

        maps: dict[str, list[Map]] = {name: [] for name in _DRIVES}
        for place in rng.uniform(0.0, _ORIGIN_M, (origins, 3)):
            origin = Pose(np.eye(3), place)
            for name, (drifts, corrected) in _DRIVES.items():
                seen = [
                    replace(frame, world_T_camera=origin @ pose)
                    for frame, pose in zip(frames, off if drifts else true, strict=True)
                ]
                here = [origin @ pose for pose in true]
                found = _mapped(seen, here, detector, config, corrected)
                maps[name].append(found.moved(origin.inverse()))
        right = maps[_AS_IT_IS]
        result[path.name] = {
            "drift_m": drift_m,
            "drift_deg": drift_deg,
            **{name: compared(right, each) for name, each in maps.items()},
        }
    return {**result, "machine": machine()}


@dataclass(frozen=True, slots=True)
class Map:
    """The objects of a map, their boxes in the world of the true poses, and its loops."""

    boxes: list[Box3D]
    loops: LoopReport

    def moved(self, pose: Pose) -> Map:
        return replace(self, boxes=_moved(self.boxes, pose))


def compared(right: Sequence[Map], found: Sequence[Map]) -> dict[str, Any]:
    """What is told of the maps of one kind of drive, from each of the origins."""
    overlap = [
        [mean_iou(other.boxes, one.boxes) for there, other in enumerate(right) if there != here]
        for here, one in enumerate(found)
    ]
    refused: Counter[str] = Counter()
    for one in found:
        refused.update(one.loops.refused)
    return {
        "objects": float(np.mean([len(one.boxes) for one in found])),
        "mean_iou": float(np.mean(overlap)),
        "least_iou": float(np.mean(overlap, axis=1).min()),
        "loops": float(np.mean([one.loops.found for one in found])),
        "applied": float(np.mean([one.loops.applied for one in found])),
        "refused": dict(refused),
        "problem": found[0].loops.problem,
    }


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
    corrected: str,
) -> Map:
    """The map of some frames, whose true poses are known.

    Args:
        corrected: see `_DRIVES`.
    """
    loop_closure = LoopClosureConfig(enabled=corrected == _BY_LOOPS)
    own = config.model_copy(update={"loop_closure": loop_closure})
    stamps = [frame.stamp_ns for frame in frames]
    with (
        Memory.create(None, own) as memory,
        closing(LoopClosing(memory, own.loop_closure, patiently=True)) as loops,
    ):
        map_all(Mapper(detector, memory, own, loops=loops), frames)
        if corrected == _BY_TRUTH:
            memory.correct_poses(np.array(stamps), list(true))
        objects = list(memory.snapshot().objects.values())
        world_T_map = fitted(true, memory.poses_at(stamps))
        boxes = _moved([thing.box for thing in objects], world_T_map)
        return Map(boxes, loops.report())


def _moved(boxes: Sequence[Box3D], pose: Pose) -> list[Box3D]:
    """Boxes after a turn about z and a shift."""
    turn = yaw_of(pose)
    return [
        Box3D(tuple(pose.transform(np.asarray(box.center)).tolist()), box.size, box.yaw + turn)
        for box in boxes
    ]


def mean_iou(right: Sequence[Box3D], found: Sequence[Box3D]) -> float:
    """Mean over the boxes of a map of the overlap with their partners in another one, matched one
    to one; 0 for a box without a partner."""
    if not right:
        return 1.0
    overlap = np.array([[iou_3d(box, other) for other in found] for box in right])
    overlap = overlap.reshape(len(right), len(found))
    rows, columns = scipy.optimize.linear_sum_assignment(overlap, maximize=True)
    return float(overlap[rows, columns].sum() / len(right))
