"""rosbag2 recordings (mcap, db3) of a robot with an RGB-D camera and odometry.

The streams are put together as the live node does it, by the `Synchronizer`. The world is that of
the odometry, z-up by REP-103.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from scenemind.frames.bag import (
    BagFile,
    BagLayout,
    BagOptions,
    color_file_of,
    color_of,
    depth_of,
    pose_of,
    read_layout,
    stamp_ns,
)
from scenemind.frames.frame import DepthCalibration, FrameError, SensorFrame
from scenemind.frames.synchronizer import SyncedFrame, Synchronizer
from scenemind.geometry import GeometryError, PinholeCamera, Pose

_log = logging.getLogger(__name__)

DESCRIPTION = "rosbag2: a folder with metadata.yaml, or a .mcap or .db3 file"

_Synced = SyncedFrame[Any, Any, None]
_ValueT = TypeVar("_ValueT")


class RosbagSequence:
    """A `RecordedSequence` streamed from a bag; only matched images are decoded."""

    def __init__(self, path: Path, options: BagOptions) -> None:
        """Read the small topics: cameras and fixed transforms.

        Raises:
            FrameError: a damaged bag, a topic that is not in it, an uncalibrated camera, or no
                transform to the camera.
        """
        self._path = path
        self._options = options
        with BagFile(path) as bag:
            self._layout: BagLayout = read_layout(bag, options)
        self._sync: Synchronizer[Any, Any, None] = Synchronizer(options.sync)
        self._unusable: Counter[str] = Counter()
        self._first_problem = ""

    @property
    def name(self) -> str:
        path = self._path.resolve()
        return path.name if path.is_dir() else path.stem

    @property
    def path(self) -> Path:
        return self._path

    @property
    def camera(self) -> PinholeCamera:
        return self._layout.camera

    @property
    def depth_calibration(self) -> DepthCalibration | None:
        return self._layout.depth_calibration

    @property
    def world_T_recorded(self) -> Pose:
        """Rotation of the recording's own world when it was converted to this bag, or identity."""
        return self._layout.world_T_recorded

    @property
    def drops(self) -> Mapping[str, int]:
        """The synchronizer's counts, and `<stream>_invalid` for unusable messages."""
        counts = {**self._sync.counts, **self._unusable}
        return {cause: count for cause, count in counts.items() if count}

    def __len__(self) -> int:
        return self._layout.color_count

    def __iter__(self) -> Iterator[SensorFrame]:
        """Usable frames; raises FrameError at the end of a truncated bag."""
        usable = 0
        for synced in self._synced():
            frame = self._decode(synced)
            if frame is not None:
                usable += 1
                yield frame
        if not usable:
            raise self._nothing_usable()

    def ends(self) -> tuple[SensorFrame, SensorFrame]:
        """The first and the last frame, without decoding the images between.

        Raises:
            FrameError: one of them is unusable, or the bag is truncated.
        """
        synced = self._synced()
        first = next(synced, None)
        if first is None:
            raise self._nothing_usable()
        (last,) = deque(chain((first,), synced), maxlen=1)
        frames = self._decode(first), self._decode(last)
        if frames[0] is None or frames[1] is None:
            raise FrameError(
                f"{self._path}: its first or last frame cannot be used {self._first_problem}"
            )
        return frames[0], frames[1]

    def _nothing_usable(self) -> FrameError:
        return FrameError(
            f"{self._path}: no colour image has usable depth and a pose:"
            f" {dict(self.drops)} {self._first_problem}"
        )

    def _synced(self) -> Iterator[_Synced]:
        self._sync = Synchronizer(self._options.sync)
        self._unusable.clear()
        self._first_problem = ""
        topics = self._layout.topics
        add: dict[str, Callable[[Any], list[_Synced]]] = {
            topics.color: lambda message: self._sync.add_color(stamp_ns(message), message),
            topics.depth: lambda message: self._sync.add_depth(stamp_ns(message), message),
            topics.odometry: self._add_odometry,
        }
        with BagFile(self._path) as bag:
            for topic, message in bag.messages(add):
                yield from add[topic](message)
        yield from self._sync.finish()

    def _add_odometry(self, message: Any) -> list[_Synced]:
        world_T_base = self._usable("odometry", pose_of, message.pose.pose)
        return [] if world_T_base is None else self._sync.add_pose(stamp_ns(message), world_T_base)

    def _decode(self, synced: _Synced) -> SensorFrame | None:
        color = self._usable("color", color_of, synced.color)
        depth_m = self._usable("depth", depth_of, synced.depth)
        if color is None or depth_m is None:
            return None
        return SensorFrame(
            stamp_ns=synced.stamp_ns,
            color=color,
            depth_m=depth_m,
            world_T_camera=synced.pose @ self._layout.base_T_camera,
            color_file=color_file_of(synced.color),
        )

    def _usable(
        self, stream: str, convert: Callable[[Any], _ValueT], message: Any
    ) -> _ValueT | None:
        """The converted message; None where it is unusable, which is counted and logged once."""
        try:
            return convert(message)
        except (FrameError, GeometryError) as error:
            cause = f"{stream}_invalid"
            if not self._unusable[cause]:
                self._first_problem = f"(first {stream} that is unusable: {error})"
                _log.warning("%s: %s is left out: %s", self._path, stream, error)
            self._unusable[cause] += 1
            return None
