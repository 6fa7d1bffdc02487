"""What is tracked: drives through rooms with their truth, and recordings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.cli.bench.tracking.geometric_truth import GeometricTruth
from scenemind.cli.detector import choose_detector
from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame, open_sequence, read_sequence
from scenemind.geometry import PinholeCamera
from scenemind.perception.backends.instance_camera import InstanceCamera
from scenemind.perception.backends.noisy_detector import DetectorNoise, NoisyDetector
from scenemind.perception.types import Detections
from scenemind.simulation import simulate
from scenemind.simulation.detection_truth import true_instances

STRIDES = {30: 1, 10: 3, 5: 6}  # camera rate in Hz: every how many-th frame of 30 Hz
_RECORDING_STRIDES = (1, 2)
_TIMED_SEED, _TIMED_OBJECTS, _TIMED_MIN_PIXELS, _DRIVE = 2, 60, 30, 300
_WIDE_CAMERA = PinholeCamera(640, 480, 220.0, 220.0, 319.5, 239.5)  # 111 degrees across


@dataclass(frozen=True, slots=True, eq=False)
class TrackedFrame:
    """A frame of one scene, with its detections and who they are.

    Attributes:
        scene: which conditions it belongs to; every scene has trackers of its own.
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
    sequence = simulate(seed, frame_count, odometry_noise=1.0)
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
        CommandError: no network is at hand.
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
    """A drive through a crowded room, of which trackers see the largest 10, 20, ... objects.

    Yields:
        How many detections at most, and the frame.
    """
    drive = simulate(_TIMED_SEED, _DRIVE, objects=_TIMED_OBJECTS)
    sequence = replace(drive, camera=_WIDE_CAMERA, true_poses=drive.true_poses[:frame_count])
    detector = InstanceCamera(sequence.class_names, _TIMED_MIN_PIXELS)
    for frame in read_sequence(sequence):
        found = detector.detect(frame)
        for count in counts:
            some = found.select(range(min(count, len(found))))
            yield count, TrackedFrame(f"{count}", frame, some, np.zeros(len(some), np.int64))
