"""Recordings of an RGB-D camera with poses, of any format: read in order, or by index."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from scenemind.frames.frame import DepthCalibration, FrameError, RGBDFrame, SensorFrame
from scenemind.frames.registration import DepthRegistrar
from scenemind.geometry import PinholeCamera, Pose

_log = logging.getLogger(__name__)

# First stamp of frames without a clock; not 0, which ROS reads as "no stamp".
_FIRST_STAMP_NS = 1_000_000_000
_T = TypeVar("_T")
# Unusable frames at the start after which the whole recording is rejected.
_MOST_UNUSABLE = 30


class RecordedSequence(Protocol):
    """A recording of an RGB-D camera with poses; iterating yields frames in order of their stamps.

    Each iteration starts anew. The world is z-up and right-handed, turned on reading where needed.
    """

    @property
    def name(self) -> str:
        """Short name for people."""

    @property
    def path(self) -> Path:
        """The folder or file that it was read from."""

    @property
    def camera(self) -> PinholeCamera:
        """Intrinsics of the colour images."""

    @property
    def depth_calibration(self) -> DepthCalibration | None:
        """Calibration of depth to colour; None where depth is aligned already."""

    @property
    def drops(self) -> Mapping[str, int]:
        """Frames left out by the latest iteration so far, by cause."""

    def __len__(self) -> int:
        """Number of recorded frames; iterating yields at most these."""

    def __iter__(self) -> Iterator[SensorFrame]: ...


def read_sequence(sequence: RecordedSequence) -> Iterator[RGBDFrame]:
    """The frames of a recording with depth aligned to colour, numbered from 0.

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


def counted_stamp_ns(number: int, rate_hz: float) -> int:
    """Stamp of a frame number (from 0) in a sequence without a clock."""
    return _FIRST_STAMP_NS + round(number * 1e9 / rate_hz)


@dataclass(frozen=True, slots=True)
class UnusableFrame:
    """Stands for a frame whose images cannot be used.

    Attributes:
        cause: `<stream>_<error>`, with streams color and depth and errors `missing` (no such
            file), `invalid` (cannot be decoded) and `size` (not that of the camera).
        problem: message that names the image.
    """

    cause: str
    problem: str


class UnusableFrames:
    """Filter that removes, counts and logs unusable frames; `counts` is of the latest pass."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._told: set[str] = set()

    def sort_out(
        self, path: Path, frames: Iterable[_T | UnusableFrame], *, has_some: bool = False
    ) -> Iterator[_T]:
        """The usable frames, in order; the first unusable one of each cause is logged.

        Args:
            path: of the recording.
            has_some: whether frames before these were usable.

        Raises:
            FrameError: none is usable, or none of the first 30.
        """
        self.counts.clear()
        first_problem = ""
        for frame in frames:
            if not isinstance(frame, UnusableFrame):
                has_some = True
                yield frame
                continue
            first_problem = first_problem or frame.problem
            self._count(path, frame)
            if not has_some and self.counts.total() == _MOST_UNUSABLE:
                break
        if first_problem and not has_some:
            raise FrameError(
                f"{path}: none of the first {self.counts.total()} frames is usable:"
                f" {dict(self.counts)} (first: {first_problem}). Copy or download the recording"
                " again, or set its intrinsics and calibration to the size of its images"
            )

    def _count(self, path: Path, frame: UnusableFrame) -> None:
        if frame.cause not in self._told:
            self._told.add(frame.cause)
            _log.warning("%s: a frame is left out (%s): %s", path, frame.cause, frame.problem)
        self.counts[frame.cause] += 1


class Entry(Protocol):
    """One frame's stamp and pose; its images are read on demand, by any thread."""

    @property
    def name(self) -> str:
        """Name of the frame for people."""

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
    """A `RecordedSequence` whose frames can be read in any order; no image is kept.

    A frame whose images cannot be read, or differ in size from the camera's, is left out.

    Attributes:
        entries: the frames in the order of their stamps.
        world_T_recorded: rotation of the recording's own world on reading: z up, or along walls.
        left_out: frames of the recording that are not among the entries, by cause.
        gravity_path: the file that says where down is, or would; None: the format has none.
        assumed: what the recording does not say and the reader assumes, in sentences.
    """

    name: str
    path: Path
    camera: PinholeCamera
    entries: Sequence[Entry]
    depth_calibration: DepthCalibration | None = None
    world_T_recorded: Pose = field(default_factory=Pose.identity)
    left_out: Mapping[str, int] = field(default_factory=dict)
    gravity_path: Path | None = None
    assumed: tuple[str, ...] = ()
    _unusable: UnusableFrames = field(default_factory=UnusableFrames, init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.entries:
            raise FrameError(f"{self.path} holds no usable frame; left out: {dict(self.left_out)}")
        if self.left_out:
            _log.warning("%s: frames left out: %s", self.path, dict(self.left_out))
        for remark in self.assumed:
            _log.warning("%s", remark)

    @property
    def drops(self) -> Mapping[str, int]:
        """`left_out`, and frames skipped by the latest iteration or `sort_out`, by cause."""
        return {**self.left_out, **self._unusable.counts}

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[SensorFrame]:
        """Usable frames. Raises FrameError where none, or none of the first 30, is usable."""
        return self.sort_out(map(self.read, self.entries))

    def read(self, entry: Entry) -> SensorFrame | UnusableFrame:
        """The frame of an entry. Thread-safe."""
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
        """The usable frames among those from `read`; the others are counted in `drops`.

        Args:
            has_some: whether frames before these were usable.

        Raises:
            FrameError: none is usable, or none of the first 30.
        """
        return self._unusable.sort_out(self.path, frames, has_some=has_some)

    def part(self, frames: slice) -> IndexedSequence:
        """Some of the frames.

        Raises:
            FrameError: none at all.
        """
        return replace(self, entries=self.entries[frames], left_out={}, assumed=())


def _misfit(image: NDArray[Any], camera: PinholeCamera) -> str:
    """Error text for an image of a wrong size; empty where it fits the camera."""
    height, width = image.shape[:2]
    if (width, height) == (camera.width, camera.height):
        return ""
    return f"has {width}x{height} pixels, its camera {camera.width}x{camera.height}"
