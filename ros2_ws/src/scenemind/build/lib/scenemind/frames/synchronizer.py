"""Colour, depth and poses from separate streams, paired by stamp."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from scenemind.config import SyncConfig
from scenemind.geometry import Pose

# Four seconds of odometry at 1 kHz: more than a camera's delay, less than a megabyte or two.
_CAPACITY = 4096
ColorT = TypeVar("ColorT")
DepthT = TypeVar("DepthT")
InstancesT = TypeVar("InstancesT")
PayloadT = TypeVar("PayloadT")


class NoPose(str, Enum):
    """Reason for a missing pose at a stamp; the values are its names in counts."""

    NOT_YET = "not_yet"
    TOO_EARLY = "no_pose"
    GAP = "odometry_gap"


@dataclass(frozen=True, slots=True, eq=False)
class SyncedFrame(Generic[ColorT, DepthT, InstancesT]):
    """Matched images, with the pose at the colour image's stamp.

    Attributes:
        stamp_ns: of the colour image.
        color, depth, instances: payloads as given; instances is None where not expected.
        pose: interpolated from the poses given to `add_pose`.
    """

    stamp_ns: int
    color: ColorT
    depth: DepthT
    instances: InstancesT | None
    pose: Pose


class Synchronizer(Generic[ColorT, DepthT, InstancesT]):
    """Matches colour to the depth nearest in time and to the pose interpolated at its stamp.

    Each `add_*` returns the frames that it completed, in order; the set of all frames does not
    depend on how the streams interleave. A colour image is decided once depth has passed it and
    odometry brackets it: nothing is extrapolated. Unusable messages are counted under
    `<stream>_<cause>`, with streams color, depth, instances, odometry and causes

    - `no_stamp`: the stamp is 0 (the driver never filled it);
    - `repeated`: the stamp of the message before;
    - `late`: older than the message before;
    - `unmatched`: nothing in the other streams within the tolerance,

    and under `no_pose` (older than all odometry, or odometry never came), `odometry_gap`
    (odometry on both sides, too far apart) and `clock_jump` (a stamp so far back that the streams
    started over, as a bag does that loops; what waited is gone).

    Not for several threads at once.
    """

    def __init__(self, config: SyncConfig, *, with_instances: bool = False) -> None:
        """Args: with_instances: expect an instance image with every frame."""
        self._tolerance_ns = round(config.tolerance_s * 1e9)
        self._jump_ns = round(config.jump_s * 1e9)
        self._size = config.queue_size
        self._color: _Stream[ColorT] = _Stream("color")
        self._depth: _Stream[DepthT] = _Stream("depth")
        self._instances: _Stream[InstancesT] = _Stream("instances")
        self._odometry: _Stream[None] = _Stream("odometry")
        self._with_instances = with_instances
        self._poses = PoseBuffer(round(config.odometry_gap_s * 1e9))
        self._paired: deque[tuple[int, ColorT, DepthT, InstancesT | None]] = deque()
        self._counts: Counter[str] = Counter()

    @property
    def counts(self) -> Mapping[str, int]:
        """Unusable messages since the start, by cause."""
        return self._counts

    def add_color(
        self, stamp_ns: int, color: ColorT
    ) -> list[SyncedFrame[ColorT, DepthT, InstancesT]]:
        """Add a colour image; returns the frames that are complete now."""
        return self._add(self._color, stamp_ns, color)

    def add_depth(
        self, stamp_ns: int, depth: DepthT
    ) -> list[SyncedFrame[ColorT, DepthT, InstancesT]]:
        """Add a depth image; returns the frames that are complete now."""
        return self._add(self._depth, stamp_ns, depth)

    def add_instances(
        self, stamp_ns: int, instances: InstancesT
    ) -> list[SyncedFrame[ColorT, DepthT, InstancesT]]:
        """Add an instance image; returns the frames that are complete now."""
        return self._add(self._instances, stamp_ns, instances)

    def add_pose(self, stamp_ns: int, pose: Pose) -> list[SyncedFrame[ColorT, DepthT, InstancesT]]:
        """Add a pose of odometry; returns the frames that are complete now."""
        if not self._admit(self._odometry, stamp_ns):
            return []
        self._poses.add(stamp_ns, pose)
        return self._complete(ended=False)

    def finish(self) -> list[SyncedFrame[ColorT, DepthT, InstancesT]]:
        """Decide all waiting images at the end of a recording; returns the last frames."""
        self._pair(ended=True)
        frames = self._complete(ended=True)
        self._counts["depth_unmatched"] += len(self._depth.waiting)
        self._start_over()
        return frames

    def _add(
        self, stream: _Stream[PayloadT], stamp_ns: int, payload: PayloadT
    ) -> list[SyncedFrame[ColorT, DepthT, InstancesT]]:
        if not self._admit(stream, stamp_ns):
            return []
        stream.waiting.append((stamp_ns, payload))
        self._pair(ended=False)
        if len(stream.waiting) > self._size:
            stream.waiting.popleft()
            self._counts[f"{stream.name}_unmatched"] += 1
        return self._complete(ended=False)

    def _admit(self, stream: _Stream[PayloadT], stamp_ns: int) -> bool:
        """Whether the stamp continues its stream; all streams restart after a clock jump back."""
        back_ns = stream.newest_ns - stamp_ns
        if stamp_ns <= 0:
            self._counts[f"{stream.name}_no_stamp"] += 1
            return False
        if back_ns >= self._jump_ns:
            self._counts["clock_jump"] += 1
            self._start_over()
        elif back_ns >= 0 and stream.newest_ns:
            self._counts[f"{stream.name}_{'late' if back_ns else 'repeated'}"] += 1
            return False
        stream.newest_ns = stamp_ns
        return True

    def _pair(self, *, ended: bool) -> None:
        """Pair the colour images that the other streams have passed."""
        passed_ns = self._depth.newest_ns
        if self._with_instances:
            passed_ns = min(passed_ns, self._instances.newest_ns)
        while self._color.waiting and (ended or self._color.waiting[0][0] <= passed_ns):
            stamp_ns, color = self._color.waiting.popleft()
            depth = self._take_nearest(self._depth, stamp_ns)
            instances = None
            if self._with_instances:
                instances = self._take_nearest(self._instances, stamp_ns)
            if depth is None or (self._with_instances and instances is None):
                self._counts["color_unmatched"] += 1
                continue
            self._paired.append((stamp_ns, color, depth[1], instances[1] if instances else None))

    def _take_nearest(
        self, stream: _Stream[PayloadT], stamp_ns: int
    ) -> tuple[int, PayloadT] | None:
        """The nearest image within the tolerance; older ones are dropped as unmatched."""
        waiting = stream.waiting
        while len(waiting) > 1 and abs(waiting[1][0] - stamp_ns) < abs(waiting[0][0] - stamp_ns):
            waiting.popleft()
            self._counts[f"{stream.name}_unmatched"] += 1
        if waiting and abs(waiting[0][0] - stamp_ns) <= self._tolerance_ns:
            return waiting.popleft()
        return None

    def _complete(self, *, ended: bool) -> list[SyncedFrame[ColorT, DepthT, InstancesT]]:
        """Frames of paired images whose pose is known; pairs that can have none are dropped."""
        frames = []
        while self._paired:
            stamp_ns, color, depth, instances = self._paired[0]
            pose = self._poses.at(stamp_ns)
            if pose is NoPose.NOT_YET and not ended and len(self._paired) <= self._size:
                break
            self._paired.popleft()
            if isinstance(pose, NoPose):
                cause = NoPose.TOO_EARLY if pose is NoPose.NOT_YET else pose
                self._counts[cause.value] += 1
                continue
            self._poses.forget_before(stamp_ns)
            frames.append(SyncedFrame(stamp_ns, color, depth, instances, pose))
        return frames

    def _start_over(self) -> None:
        for stream in (self._color, self._depth, self._instances, self._odometry):
            stream.waiting.clear()
            stream.newest_ns = 0
        self._paired.clear()
        self._poses.clear()


class _Stream(Generic[PayloadT]):
    """Waiting messages of one stream in the order of stamps, and its newest stamp."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.waiting: deque[tuple[int, PayloadT]] = deque()
        self.newest_ns = 0


class PoseBuffer:
    """Recent poses by stamp, with interpolation between two of them."""

    def __init__(self, largest_gap_ns: int) -> None:
        """Poses further apart than the gap are not interpolated across."""
        self._largest_gap_ns = largest_gap_ns
        self._stamps_ns: list[int] = []
        self._poses: list[Pose] = []

    def __len__(self) -> int:
        return len(self._stamps_ns)

    def add(self, stamp_ns: int, pose: Pose) -> None:
        """Append a pose that is newer than all others."""
        if len(self._stamps_ns) >= 2 * _CAPACITY:
            self._drop_first(_CAPACITY)
        self._stamps_ns.append(stamp_ns)
        self._poses.append(pose)

    def at(self, stamp_ns: int) -> Pose | NoPose:
        """The pose at a stamp, interpolated between its neighbours; else the reason."""
        after = bisect_left(self._stamps_ns, stamp_ns)
        if after == len(self._stamps_ns):
            return NoPose.NOT_YET
        if self._stamps_ns[after] == stamp_ns:
            return self._poses[after]
        if after == 0:
            return NoPose.TOO_EARLY
        start_ns, end_ns = self._stamps_ns[after - 1], self._stamps_ns[after]
        if end_ns - start_ns > self._largest_gap_ns:
            return NoPose.GAP
        fraction = (stamp_ns - start_ns) / (end_ns - start_ns)
        return self._poses[after - 1].interpolate(self._poses[after], fraction)

    def forget_before(self, stamp_ns: int) -> None:
        """Drop poses that are not needed for this stamp or later ones."""
        self._drop_first(bisect_left(self._stamps_ns, stamp_ns) - 1)

    def clear(self) -> None:
        self._drop_first(len(self._stamps_ns))

    def _drop_first(self, count: int) -> None:
        if count > 0:
            del self._stamps_ns[:count]
            del self._poses[:count]
