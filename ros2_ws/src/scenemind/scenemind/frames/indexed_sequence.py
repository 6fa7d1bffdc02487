"""Recordings whose frames can be read in any order."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from scenemind.frames.errors import FrameError
from scenemind.frames.frame import DepthCalibration, SensorFrame
from scenemind.geometry import PinholeCamera, Pose

_log = logging.getLogger(__name__)


class Entry(Protocol):
    """One frame: when it was taken and from where; its images are read when they are asked for."""

    @property
    def stamp_ns(self) -> int: ...

    @property
    def world_T_camera(self) -> Pose: ...

    def read(self) -> SensorFrame:
        """The frame with its images; may be called by several threads at once.

        Raises:
            FrameError: an image that cannot be read.
        """


@dataclass(frozen=True, slots=True, eq=False)
class IndexedSequence:
    """A `RecordedSequence` of entries; no image is kept.

    Attributes:
        entries: the frames in the order of their stamps.
        world_T_recorded: how the recording's own world was turned on reading: z up, or along the
            walls.
        drops: frames of the recording that are not among the entries, by cause.
    """

    name: str
    path: Path
    camera: PinholeCamera
    entries: Sequence[Entry]
    depth_calibration: DepthCalibration | None = None
    world_T_recorded: Pose = field(default_factory=Pose.identity)
    drops: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.entries:
            raise FrameError(f"{self.path} holds no usable frame; left out: {dict(self.drops)}")
        if self.drops:
            _log.warning("%s: frames left out: %s", self.path, dict(self.drops))

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[SensorFrame]:
        """Raises FrameError for an image that cannot be read."""
        for entry in self.entries:
            yield entry.read()

    def part(self, frames: slice) -> IndexedSequence:
        """Some of the frames.

        Raises:
            FrameError: none at all.
        """
        return replace(self, entries=self.entries[frames], drops={})
