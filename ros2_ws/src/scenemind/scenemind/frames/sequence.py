"""A recording of an RGB-D camera with poses, whatever format it is stored in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

from scenemind.frames.frame import DepthCalibration, RGBDFrame, SensorFrame
from scenemind.frames.registration import DepthRegistrar
from scenemind.geometry import PinholeCamera

# Frames without a clock start here and not at 0, which ROS takes for "no stamp".
_FIRST_STAMP_NS = 1_000_000_000


class RecordedSequence(Protocol):
    """Frames in the order of their stamps; iterating again starts again.

    The world is z-up and right-handed, turned on reading where the recording's is not.
    """

    @property
    def name(self) -> str:
        """A short name for people."""

    @property
    def path(self) -> Path:
        """The folder or file that it was read from."""

    @property
    def camera(self) -> PinholeCamera:
        """Intrinsics of the colour images."""

    @property
    def depth_calibration(self) -> DepthCalibration | None:
        """How depth stands to colour; None where depth is aligned to colour already."""

    @property
    def drops(self) -> Mapping[str, int]:
        """What the latest iteration left out so far, by cause."""

    def __len__(self) -> int:
        """Frames that are recorded; iterating yields at most these."""

    def __iter__(self) -> Iterator[SensorFrame]: ...


def counted_stamp_ns(number: int, rate_hz: float) -> int:
    """The stamp of the frame with this number, from 0, in a sequence that has no clock."""
    return _FIRST_STAMP_NS + round(number * 1e9 / rate_hz)


def read_sequence(sequence: RecordedSequence) -> Iterator[RGBDFrame]:
    """The frames ready to use: depth aligned to colour, numbered from 0.

    Raises:
        FrameError: an image that cannot be read or does not fit the camera.
    """
    registrar = None
    if sequence.depth_calibration is not None:
        registrar = DepthRegistrar(sequence.depth_calibration, sequence.camera)
    for number, frame in enumerate(sequence):
        depth_m = frame.depth_m if registrar is None else registrar.register(frame.depth_m)
        yield RGBDFrame(
            number=number,
            stamp_ns=frame.stamp_ns,
            color=frame.color,
            depth_m=depth_m,
            camera=sequence.camera,
            world_T_camera=frame.world_T_camera,
            instances=frame.instances,
        )
