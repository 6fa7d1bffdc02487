"""Evidence of a recording or a live graph: streams, camera, poses and a sample of frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.doctor.findings import Finding
from scenemind.frames import DepthCalibration, FrameError, SensorFrame
from scenemind.geometry import PinholeCamera, Pose


@dataclass(frozen=True, slots=True)
class OfferedQos:
    """Offered QoS of a publisher."""

    reliable: bool
    latched: bool


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """One topic, or one kind of file.

    Attributes:
        name: topic, or what the files are.
        stamps_ns: (N,) int64, in the order of arrival.
        sizes: width and height of every size of image that came.
        encodings: every encoding that came; empty for files.
        offered_qos: of all its publishers; empty for files and where the bag does not say.
    """

    name: str
    stamps_ns: NDArray[np.int64]
    sizes: frozenset[tuple[int, int]] = frozenset()
    encodings: frozenset[str] = frozenset()
    offered_qos: tuple[OfferedQos, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CameraFacts:
    """A camera_info as sent, plausible or not.

    Attributes:
        distortion: the coefficients D.
    """

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    distortion: tuple[float, ...] = ()

    @classmethod
    def of(cls, camera: PinholeCamera) -> CameraFacts:
        return cls(camera.width, camera.height, camera.fx, camera.fy, camera.cx, camera.cy)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Evidence of a recording or a live graph.

    Attributes:
        source: path or `the live graph`.
        streams: by `color`, `depth`, `odometry`, `tf_static`; those that are there.
        camera: of colour; None: no camera_info.
        depth_calibration: of depth that is not aligned to colour, where it is known.
        positions, quaternions: (N, 3), (N, 4) x y z w of odometry as sent; (0, ...) for none.
        frames: a sample with poses in the world, depth as recorded.
        is_registered: depth of its own camera, but already aligned in `frames`.
        world_T_recorded: rotation of a recording's own world on reading.
        gravity_path: the file that says where down is in that world, or would; None: the format
            has none.
        found: findings of the collection itself, such as a missing topic.
    """

    source: str
    streams: Mapping[str, Stream]
    camera: CameraFacts | None
    depth_calibration: DepthCalibration | None
    positions: NDArray[np.float64]
    quaternions: NDArray[np.float64]
    frames: tuple[SensorFrame, ...]
    found: tuple[Finding, ...] = ()
    is_registered: bool = False
    world_T_recorded: Pose = field(default_factory=Pose.identity)
    gravity_path: Path | None = None


SAMPLE = 12  # frames whose pixels are looked at


def sample(frames: Iterable[SensorFrame], every: int) -> tuple[list[SensorFrame], list[Finding]]:
    """Every n-th frame (`every`), and the finding that ended the reading early."""
    taken: list[SensorFrame] = []
    try:
        for number, frame in enumerate(frames):
            if number % every == 0:
                taken.append(frame)
    except FrameError as error:
        fix = "the message says what to mend; frames before it are used"
        return taken, [Finding("frames", "fail", str(error), fix)]
    return taken, []
