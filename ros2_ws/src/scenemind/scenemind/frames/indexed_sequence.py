"""Recordings whose frames can be read in any order."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from scenemind.frames.errors import FrameError
from scenemind.frames.frame import DepthCalibration, SensorFrame
from scenemind.frames.unusable_frames import UnusableFrame, UnusableFrames
from scenemind.geometry import PinholeCamera, Pose

_log = logging.getLogger(__name__)

_T = TypeVar("_T")


class Entry(Protocol):
    """One frame: when it was taken and from where; its images are read when they are asked for.

    They may be read by several threads at once.
    """

    @property
    def name(self) -> str:
        """The frame, for people."""

    @property
    def stamp_ns(self) -> int: ...

    @property
    def world_T_camera(self) -> Pose: ...

    def read_color(self) -> tuple[bytes, NDArray[np.uint8]]:
        """The stored JPEG or PNG (empty where there is none), and (H, W, 3) uint8 RGB.

        Raises:
            FrameError: an image that cannot be read.
        """

    def read_depth(self) -> NDArray[np.float32]:
        """(h, w) float32 metres, 0 where nothing was measured.

        Raises:
            FrameError: an image that cannot be read.
        """


@dataclass(frozen=True, slots=True, eq=False)
class IndexedSequence:
    """A `RecordedSequence` of entries; no image is kept.

    A frame whose images cannot be read, or have another size than the camera's, is left out.

    Attributes:
        entries: the frames in the order of their stamps.
        world_T_recorded: how the recording's own world was turned on reading: z up, or along the
            walls.
        left_out: frames of the recording that are not among the entries, by cause.
    """

    name: str
    path: Path
    camera: PinholeCamera
    entries: Sequence[Entry]
    depth_calibration: DepthCalibration | None = None
    world_T_recorded: Pose = field(default_factory=Pose.identity)
    left_out: Mapping[str, int] = field(default_factory=dict)
    _unusable: UnusableFrames = field(default_factory=UnusableFrames, init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.entries:
            raise FrameError(f"{self.path} holds no usable frame; left out: {dict(self.left_out)}")
        if self.left_out:
            _log.warning("%s: frames left out: %s", self.path, dict(self.left_out))

    @property
    def drops(self) -> Mapping[str, int]:
        """`left_out`, and what the latest iteration (or `sort_out`) met, by cause."""
        return {**self.left_out, **self._unusable.counts}

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[SensorFrame]:
        """Raises FrameError where none of the frames, or of the first 30, can be used."""
        return self.sort_out(map(self.read, self.entries))

    def read(self, entry: Entry) -> SensorFrame | UnusableFrame:
        """The frame of an entry; for several threads at once."""
        depth_camera = self.depth_calibration.camera if self.depth_calibration else self.camera
        stream = "color"
        try:
            color_file, color = entry.read_color()
            if problem := _misfit(color, self.camera):
                return UnusableFrame("color_size", f"{entry.name}: colour {problem}")
            stream = "depth"
            depth_m = entry.read_depth()
            if problem := _misfit(depth_m, depth_camera):
                return UnusableFrame("depth_size", f"{entry.name}: depth {problem}")
        except FrameError as error:
            what = "missing" if isinstance(error.__cause__, FileNotFoundError) else "invalid"
            return UnusableFrame(f"{stream}_{what}", str(error))
        return SensorFrame(
            stamp_ns=entry.stamp_ns,
            color=color,
            depth_m=depth_m,
            world_T_camera=entry.world_T_camera,
            color_file=color_file,
        )

    def sort_out(
        self, frames: Iterable[_T | UnusableFrame], *, has_some: bool = False
    ) -> Iterator[_T]:
        """The usable ones of frames that `read` has read; the others are counted in `drops`.

        Args:
            has_some: frames in front of these were usable.

        Raises:
            FrameError: none is usable, or none of the first 30.
        """
        return self._unusable.sort_out(self.path, frames, has_some=has_some)

    def part(self, frames: slice) -> IndexedSequence:
        """Some of the frames.

        Raises:
            FrameError: none at all.
        """
        return replace(self, entries=self.entries[frames], left_out={})


def _misfit(image: NDArray[Any], camera: PinholeCamera) -> str:
    """What is wrong with the size of an image, if anything."""
    height, width = image.shape[:2]
    if (width, height) == (camera.width, camera.height):
        return ""
    return f"has {width}x{height} pixels, its camera {camera.width}x{camera.height}"
