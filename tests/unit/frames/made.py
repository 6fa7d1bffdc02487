"""A short recording that exists only in memory, to be written in each format and read back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from scenemind.frames import DepthCalibration, RecordedSequence, SensorFrame
from scenemind.frames.bag_writer import WriteOptions, WrittenBag, plan_bag, write_bag
from scenemind.geometry import PinholeCamera, Pose

CAMERA = PinholeCamera(16, 12, 20.0, 20.0, 7.5, 5.5)


@dataclass(frozen=True)
class MadeSequence:
    """A recorded sequence that exists only in memory."""

    count: int = 6
    depth_calibration: DepthCalibration | None = None
    name: str = "made"
    path: Path = Path("made")
    camera: PinholeCamera = CAMERA
    drops: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[SensorFrame]:
        rng = np.random.default_rng(7)
        for i in range(self.count):
            yield SensorFrame(
                stamp_ns=2_000_000_000 + i * 100_000_000,
                color=rng.integers(0, 256, (12, 16, 3), dtype=np.uint8),
                depth_m=(rng.integers(0, 4000, (12, 16)) / 1000.0).astype(np.float32),
                world_T_camera=pose(i),
            )


def pose(i: int) -> Pose:
    """A camera that moves along x and turns."""
    turn = Rotation.from_euler("zyx", (0.1 * i, 0.05 * i, 0.3)).as_matrix()
    return Pose(turn, np.array([0.2 * i, -0.1, 1.0]))


def make_bag(
    sequence: RecordedSequence, out: Path, options: WriteOptions | None = None
) -> WrittenBag:
    """The sequence as a bag."""
    return write_bag(plan_bag(sequence, out, options))
