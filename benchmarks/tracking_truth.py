"""Ground truth and scores of tracking: known identities, recordings, identity switches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from benchmarks.detection_truth import true_instances
from scenemind.composition import choose_detector
from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame, open_sequence, read_sequence
from scenemind.geometry import PinholeCamera, Pose
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.perception.types import Detections
from scenemind.simulation import Sensors, simulate

_SAMPLES = 300  # minimum pixels of a detection
_SHARE = 0.5  # minimum share of the samples on the other detection
_TOLERANCE_M, _TOLERANCE_SHARE = 0.06, 0.04  # tolerance of matching depth
_FEWEST, _FEWEST_SHARE = (
    20,
    0.2,
)  # minimum samples visible in the other frame; with fewer there is no verdict


class GeometricTruth:
    """Identities of detections in a recording: each is a chain of mutual overlaps."""

    def __init__(self) -> None:
        self._previous: tuple[RGBDFrame, Detections, NDArray[np.int64]] | None = None
        self._next_id = 1

    def add(self, frame: RGBDFrame, detections: Detections) -> NDArray[np.int64]:
        """Identities (N,), from 1; that of the frame before if exactly one continues."""
        ids = np.zeros(len(detections), dtype=np.int64)
        if self._previous is not None:
            before, earlier, earlier_ids = self._previous
            forth = _shares(before, earlier, frame, detections)
            back = _shares(frame, detections, before, earlier).T
            a, b = np.nonzero((forth > _SHARE) & (back > _SHARE))
            # If three overlap mutually (an object detected twice), the match is ambiguous.
            single = (np.bincount(a, minlength=len(earlier))[a] == 1) & (
                np.bincount(b, minlength=len(detections))[b] == 1
            )
            ids[b[single]] = earlier_ids[a[single]]
        new = np.flatnonzero(ids == 0)
        ids[new] = self._next_id + np.arange(len(new))
        self._next_id += len(new)
        self._previous = (frame, detections, ids)
        return ids


def _shares(
    source: RGBDFrame, found: Detections, target: RGBDFrame, candidates: Detections
) -> NDArray[np.float64]:
    """Overlap (N, M): share of each detection's surface on each candidate in the other frame.

    Only surface that the other frame can show counts; surface out of its view or hidden there does
    not.
    """
    shares = np.zeros((len(found), len(candidates)))
    motion = target.world_T_camera.inverse() @ source.world_T_camera
    for row in range(len(found)):
        u, v, samples = _carried(source, found, row, motion, target)
        if len(u) >= max(_FEWEST, _FEWEST_SHARE * samples):
            for column in range(len(candidates)):
                shares[row, column] = _lies_on(candidates, column, u, v).mean()
    return shares


def _carried(
    source: RGBDFrame, found: Detections, row: int, motion: Pose, target: RGBDFrame
) -> tuple[NDArray[np.intp], NDArray[np.intp], int]:
    """Pixels u (K,), v (K,) of the target that show a detection's samples; number of samples."""
    u, v = _pixels(found, row)
    depth = source.depth_m[v, u]
    measured = depth > 0.0
    points = source.camera.unproject(u[measured], v[measured], depth[measured])
    pixels, z = target.camera.project(motion.transform(points))
    size = (target.camera.width, target.camera.height)
    ahead = z > 0.0
    at = np.rint(pixels[ahead]).astype(np.intp)
    inside = ((at >= 0) & (at < size)).all(axis=1)
    at, z = at[inside], z[ahead][inside]
    there = target.depth_m[at[:, 1], at[:, 0]]
    same = np.abs(there - z) < _TOLERANCE_M + _TOLERANCE_SHARE * z
    return at[same, 0], at[same, 1], len(u)


def _pixels(found: Detections, row: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pixels of a detection, evenly thinned: from its mask, or from the middle of its box."""
    mask = found.masks[row]
    if mask is not None:
        v, u = np.nonzero(mask.bits)
        u, v = u + mask.x_px, v + mask.y_px
    else:
        low, high = found.boxes_px[row, :2], found.boxes_px[row, 2:]
        low, high = 0.8 * low + 0.2 * high, 0.2 * low + 0.8 * high
        columns, rows = (np.arange(int(a), int(b) + 1) for a, b in zip(low, high, strict=True))
        u, v = (grid.ravel() for grid in np.meshgrid(columns, rows))
    step = max(1, len(u) // _SAMPLES)
    return u[::step], v[::step]


def _lies_on(
    candidates: Detections, column: int, u: NDArray[np.intp], v: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Whether each pixel (K,) is in a detection's mask, or in its box without a mask."""
    mask = candidates.masks[column]
    if mask is None:
        x0, y0, x1, y1 = candidates.boxes_px[column]
        return np.asarray((u >= x0) & (u < x1) & (v >= y0) & (v < y1))
    height, width = mask.bits.shape
    x, y = u - mask.x_px, v - mask.y_px
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    hit = np.zeros(len(u), dtype=np.bool_)
    hit[inside] = mask.bits[y[inside], x[inside]]
    return hit


STRIDES = {30: 1, 10: 3, 5: 6}  # camera rate in Hz: stride in frames of 30 Hz
_RECORDING_STRIDES = (1, 2)
_TIMED_SEED, _TIMED_OBJECTS, _TIMED_MIN_PIXELS, _DRIVE = 2, 60, 30, 300
_WIDE_CAMERA = PinholeCamera(640, 480, 220.0, 220.0, 319.5, 239.5)  # 111 degrees wide


@dataclass(frozen=True, slots=True, eq=False)
class TrackedFrame:
    """A frame of one scene, with its detections and their true identities.

    Attributes:
        scene: its conditions; every scene has trackers of its own.
        true_ids: (N,), from 1; 0 for false positives.
    """

    scene: str
    frame: RGBDFrame
    detections: Detections
    true_ids: NDArray[np.integer]


def simulated_frames(seed: int, frame_count: int) -> Iterator[TrackedFrame]:
    """One drive, at three camera rates.

    "exact" has perfect detections and poses; "noisy" has a detector that errs and a good odometry.
    """
    sequence = simulate(seed, frame_count, Sensors(odometry_noise=1.0))
    exact = InstanceCamera(sequence.class_names)
    noisy = NoisyDetector(exact, DetectorNoise(), seed)
    for frame, true_pose in zip(read_sequence(sequence), sequence.true_poses, strict=True):
        rates = [rate for rate, stride in STRIDES.items() if frame.number % stride == 0]
        assert frame.instances is not None
        for words, detector, pose in (
            ("exact", exact, true_pose),
            ("noisy", noisy, frame.world_T_camera),
        ):
            detections = detector.detect(frame)
            true_ids = true_instances(detections, frame.instances)
            posed = replace(frame, world_T_camera=pose)
            for rate in rates:
                yield TrackedFrame(f"sim {words} {rate} Hz", posed, detections, true_ids)


def recorded_frames(path: Path) -> Iterator[TrackedFrame]:
    """A recording, every frame and every second one; detections once, by the network at hand.

    Raises:
        UsageError: no network is at hand.
    """
    sequence = open_sequence(path)
    _, detector = choose_detector(SceneMindConfig(), sequence, None)
    truths = {stride: GeometricTruth() for stride in _RECORDING_STRIDES}
    for frame in read_sequence(sequence):
        detections = detector.detect(frame)
        for stride, truth in truths.items():
            if frame.number % stride == 0:
                scene = f"{path.name} every {stride}." if stride > 1 else path.name
                yield TrackedFrame(scene, frame, detections, truth.add(frame, detections))


def timed_frames(counts: Iterable[int], frame_count: int) -> Iterator[tuple[int, TrackedFrame]]:
    """A drive through a crowded room, as seen by trackers limited to the largest 10, 20, ...
    objects.

    Yields:
        the limit of detections, and the frame.
    """
    drive = simulate(_TIMED_SEED, _DRIVE, objects=_TIMED_OBJECTS)
    sequence = replace(drive, camera=_WIDE_CAMERA, true_poses=drive.true_poses[:frame_count])
    detector = InstanceCamera(sequence.class_names, _TIMED_MIN_PIXELS)
    for frame in read_sequence(sequence):
        found = detector.detect(frame)
        for count in counts:
            some = found.select(range(min(count, len(found))))
            yield count, TrackedFrame(f"{count}", frame, some, np.zeros(len(some), np.int64))


class SwitchCounter:
    """Comparison of track ids with true identities, frame by frame.

    An identity switch (Bernardin and Stiefelhagen 2008, "mismatch") is a true object that is seen
    with another track id than the last time it had one, however long ago that was. Where two
    detections show one object, the one that continues its track counts, else the first. Detections
    without a track are misses and no switches; a fragmentation is a tracked object that has
    detections without a track and is tracked again.

    A tracker that gives fewer ids has fewer switches. `idf1` (Ristani et al. 2016) does not
    reward that: the share of detections that carry the one id that fits their object best.

    Attributes:
        switches: all of them.
        in_view: those of objects that were tracked in the frame before.
        fragmentations: see above.
        tracked: detections of true objects that had a track.
        missed: detections of true objects that had none.
    """

    def __init__(self) -> None:
        self.switches = self.in_view = self.fragmentations = 0
        self.tracked = self.missed = 0
        self._frame = 0
        self._last: dict[int, tuple[int, int]] = {}
        self._interrupted: set[int] = set()
        self._together: Counter[tuple[int, int]] = Counter()

    def add(self, true_ids: NDArray[np.integer], track_ids: NDArray[np.integer]) -> None:
        """Score one frame.

        Args:
            true_ids: (N,) identity of each detection, 0 where it shows no true object.
            track_ids: (N,) from the tracker, -1 for no track.
        """
        self._frame += 1
        seen: dict[int, list[int]] = {}
        for true_id, track_id in zip(true_ids.tolist(), track_ids.tolist(), strict=True):
            if true_id > 0:
                seen.setdefault(true_id, []).append(track_id)
        for true_id, candidates in seen.items():
            self._add_object(true_id, [track for track in candidates if track >= 0])

    def _add_object(self, true_id: int, tracks: list[int]) -> None:
        last = self._last.get(true_id)
        if not tracks:
            self.missed += 1
            if last is not None:
                self._interrupted.add(true_id)
            return
        self.tracked += 1
        track = tracks[0]
        if last is not None and last[0] in tracks:
            track = last[0]
        elif last is not None:
            self.switches += 1
            self.in_view += last[1] == self._frame - 1
        self.fragmentations += true_id in self._interrupted
        self._interrupted.discard(true_id)
        self._last[true_id] = (track, self._frame)
        self._together[true_id, track] += 1

    def identified(self) -> int:
        """Number of detections with their object's id, for the best one-to-one match of objects and
        ids."""
        if not self._together:
            return 0
        rows, row = np.unique([true for true, _ in self._together], return_inverse=True)
        columns, column = np.unique([track for _, track in self._together], return_inverse=True)
        table = np.zeros((len(rows), len(columns)), dtype=np.int64)
        table[row, column] = list(self._together.values())
        return int(table[linear_sum_assignment(table, maximize=True)].sum())


def idf1(counters: Iterable[SwitchCounter]) -> float:
    """IDF1 of several drives together, in [0, 1]; ids on false positives do not count."""
    counted = list(counters)
    detections = sum(2 * c.tracked + c.missed for c in counted)
    return 2 * sum(c.identified() for c in counted) / detections if detections else 1.0
