"""Recent poses by stamp, and the pose between two of them."""

from __future__ import annotations

from bisect import bisect_left
from enum import Enum

from scenemind.geometry import Pose

# Four seconds of odometry at 1 kHz: more than a camera's delay, less than a megabyte or two.
_CAPACITY = 4096


class NoPose(str, Enum):
    """Why there is no pose at a stamp; the values are the names under which it is counted."""

    NOT_YET = "not_yet"
    TOO_EARLY = "no_pose"
    GAP = "odometry_gap"


class PoseBuffer:
    """Poses in the order of their stamps, as many as a camera's delay needs."""

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
        """The pose at a stamp, interpolated between its neighbours; or why there is none."""
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
        """Drop what no stamp from this one on can need."""
        self._drop_first(bisect_left(self._stamps_ns, stamp_ns) - 1)

    def clear(self) -> None:
        self._drop_first(len(self._stamps_ns))

    def _drop_first(self, count: int) -> None:
        if count > 0:
            del self._stamps_ns[:count]
            del self._poses[:count]
