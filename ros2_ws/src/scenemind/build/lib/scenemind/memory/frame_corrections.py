"""How poses of frames were corrected, frame by frame, and what follows for what hangs on them.

A SLAM system corrects the poses of some moments. The correction of a moment, corrected pose times
the inverse of the old one, is interpolated over time between them (linear in translation, slerp in
rotation), and held before the first and after the last. What was seen in a stretch of frames moves
by their mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from scenemind.errors import SceneMemoryError
from scenemind.geometry import Box3D, Pose
from scenemind.geometry.pose import matrices_of, poses_of

if TYPE_CHECKING:
    from scenemind.memory.disk.changes import FrameRecord

# An old pose is only known near frames: between two that are farther apart in time, within this
# time of one of them.
_LONGEST_GAP_NS = 1_000_000_000
_NEAREST_NS = 100_000_000
# A correction that moves nothing by more is none.
_STILL_M, _STILL_RAD = 1e-4, 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """The poses of all frames, by ascending number.

    Attributes:
        numbers: (N,) int64. stamps_ns: (N,) int64, which may begin anew with a recording.
        world_T_camera: (N, 4, 4) float64.
    """

    numbers: NDArray[np.int64]
    stamps_ns: NDArray[np.int64]
    world_T_camera: NDArray[np.float64]

    def followed_by(self, records: Sequence[FrameRecord]) -> FrameTable:
        """With more frames, whose numbers are larger."""
        poses = [record.world_T_camera.matrix() for record in records]
        return FrameTable(
            np.concatenate((self.numbers, [r.number for r in records])).astype(np.int64),
            np.concatenate((self.stamps_ns, [r.stamp_ns for r in records])).astype(np.int64),
            np.concatenate((self.world_T_camera, np.reshape(poses, (-1, 4, 4)))),
        )


class FrameCorrections:
    """The correction of each frame.

    Attributes:
        numbers: (N,) int64, ascending. matrices: (N, 4, 4), `corrected_T_old`, world to world.
        count: of frames whose pose changes.
        largest_m, largest_rad: the farthest that a camera moved, and turned.
        is_merge: the frames from some on are of another memory, whose objects may double those of
            this one even where nothing moves.
    """

    is_merge = False

    def __init__(
        self, frames: FrameTable, first: int, stamps_ns: NDArray[np.int64], new: Sequence[Pose]
    ) -> None:
        """See `of_stamps`: corrections of the frames from row `first` on, where stamps ascend."""
        old = frames.world_T_camera[first:]
        times = frames.stamps_ns[first:]
        rows, fraction = _places_in(times, stamps_ns)
        known = rows >= 0
        if not known.any():
            raise SceneMemoryError(
                f"none of the {len(stamps_ns)} corrected poses is of a moment that was mapped"
            )
        corrected = np.array([pose.matrix() for pose in new])[known]
        rows, fraction, at_ns = rows[known], fraction[known], stamps_ns[known]
        before = _between(old[rows], old[np.minimum(rows + 1, len(old) - 1)], fraction)
        steps = corrected @ np.linalg.inv(before)
        self.numbers = frames.numbers
        self.matrices = np.broadcast_to(np.eye(4), frames.world_T_camera.shape).copy()
        self.matrices[first:] = _interpolated(at_ns, steps, times)
        self._finish(frames)

    @classmethod
    def of_stamps(
        cls, frames: FrameTable, stamps_ns: ArrayLike, world_T_camera: Sequence[Pose]
    ) -> FrameCorrections:
        """Corrections of all frames from corrected poses at some moments.

        Where stamps begin anew, as with recordings that are mapped one after the other, the
        corrections are of the newest run of frames that has these moments, and those after it.

        Args:
            stamps_ns: (K,), strictly ascending. world_T_camera: as many corrected poses.

        Raises:
            SceneMemoryError: no frames or moments, moments out of order, or none that was mapped.
        """
        stamps = np.asarray(stamps_ns)
        if stamps.ndim != 1 or len(stamps) != len(world_T_camera) or not len(stamps):
            raise SceneMemoryError(
                f"corrected poses need a stamp each, and there must be one at least: {stamps.shape}"
                f" stamps, {len(world_T_camera)} poses"
            )
        if not np.issubdtype(stamps.dtype, np.integer):
            raise SceneMemoryError(f"stamps are integer nanoseconds, not {stamps.dtype}")
        stamps = stamps.astype(np.int64)
        if (np.diff(stamps) <= 0).any():
            raise SceneMemoryError("the stamps of corrected poses must ascend")
        for pose in world_T_camera:
            if not (np.isfinite(pose.translation).all() and np.isfinite(pose.rotation).all()):
                raise SceneMemoryError("a corrected pose holds NaN or infinity")
        if not len(frames.numbers):
            raise SceneMemoryError("nothing has been mapped yet: there is no pose to correct")
        starts = np.flatnonzero(np.diff(frames.stamps_ns) < 0) + 1
        starts = np.concatenate(([0], starts, [len(frames.numbers)])).tolist()
        for first, end in reversed(list(pairwise(starts))):
            if stamps[0] <= frames.stamps_ns[end - 1] and stamps[-1] >= frames.stamps_ns[first]:
                run = FrameTable(
                    frames.numbers[:end], frames.stamps_ns[:end], frames.world_T_camera[:end]
                )
                found = cls(run, first, stamps, world_T_camera)
                return found._held_to(frames)
        raise SceneMemoryError(
            f"none of the {len(stamps)} corrected poses is of a moment that was mapped"
        )

    @classmethod
    def from_frame(cls, frames: FrameTable, first: int, move: Pose) -> FrameCorrections:
        """One correction of all frames from row `first` on, which are of another world."""
        found = cls.__new__(cls)
        found.numbers = frames.numbers
        found.matrices = np.broadcast_to(np.eye(4), frames.world_T_camera.shape).copy()
        found.matrices[first:] = move.matrix()
        found.is_merge = True
        found._finish(frames)
        return found

    @property
    def moves_anything(self) -> bool:
        """False if every correction is the identity."""
        return self.count > 0

    @property
    def largest_deg(self) -> float:
        return math.degrees(self.largest_rad)

    def of_frames(self, numbers: ArrayLike) -> NDArray[np.float64]:
        """(M, 4, 4): the corrections of frames; of unknown ones that of the frame before."""
        return self.matrices[self._rows(numbers)]

    def of_stretches(self, first: ArrayLike, last: ArrayLike) -> NDArray[np.float64]:
        """(M, 4, 4): the mean corrections of frames from `first` to `last`, both included."""
        a, b = self._rows(first), self._rows(last) + 1
        mean = (self._sums[b] - self._sums[a]) / (b - a)[:, None]
        matrices = np.broadcast_to(np.eye(4), (len(a), 4, 4)).copy()
        matrices[:, :3, :] = mean.reshape(-1, 3, 4)
        u, _, vt = np.linalg.svd(matrices[:, :3, :3])
        matrices[:, :3, :3] = u @ vt
        return matrices

    def at_places(self, points: NDArray[np.floating]) -> NDArray[np.float64]:
        """(M, 4, 4): for places (M, 3) of which no frame is known, in the world as it was, the
        corrections of the frames whose camera was nearest."""
        _, rows = self._near.query(points)
        return self.matrices[rows]

    def frames_at(self, stamps_ns: ArrayLike) -> NDArray[np.int64]:
        """(M,): numbers of the last frames up to some moments, of the newest run that has them."""
        wanted = np.asarray(stamps_ns, np.int64)
        row = np.searchsorted(self._ascending_ns, wanted, side="right") - 1
        return self.numbers[np.maximum(row, 0)]

    @property
    def newest(self) -> Pose:
        """The correction of the last frame, in which new frames go on."""
        return pose_of(self.matrices[-1])

    def _rows(self, numbers: ArrayLike) -> NDArray[np.intp]:
        rows = np.searchsorted(self.numbers, np.asarray(numbers), side="right") - 1
        return np.maximum(rows, 0)

    def _held_to(self, frames: FrameTable) -> FrameCorrections:
        """With the last correction for the frames of later recordings."""
        more = len(frames.numbers) - len(self.numbers)
        if more:
            self.numbers = frames.numbers
            held = np.broadcast_to(self.matrices[-1], (more, 4, 4))
            self.matrices = np.concatenate((self.matrices, held))
            self._finish(frames)
        return self

    def _finish(self, frames: FrameTable) -> None:
        rows = self.matrices[:, :3, :].reshape(-1, 12)
        self._sums = np.concatenate((np.zeros((1, 12)), np.cumsum(rows, axis=0)))
        places = frames.world_T_camera[:, :3, 3]
        moved = np.einsum("nij,nj->ni", self.matrices[:, :3, :3], places) + self.matrices[:, :3, 3]
        shifts = np.linalg.norm(moved - places, axis=1)
        self.largest_m = float(shifts.max(initial=0.0))
        cosine = (np.trace(self.matrices[:, :3, :3], axis1=1, axis2=2) - 1.0) / 2.0
        # A sine is exact near zero, where a cosine is not.
        skew = self.matrices[:, :3, :3] - self.matrices[:, :3, :3].transpose(0, 2, 1)
        sine = np.sqrt((skew**2).sum(axis=(1, 2)) / 8.0)
        turns = np.arctan2(sine, cosine)
        self.largest_rad = float(turns.max(initial=0.0))
        self.count = int(np.count_nonzero((shifts > _STILL_M) | (turns > _STILL_RAD)))
        self._near = scipy.spatial.cKDTree(places)
        self._ascending_ns = np.maximum.accumulate(frames.stamps_ns)


def pose_of(matrix: NDArray[np.float64]) -> Pose:
    """A pose of a correction (4, 4), whose rotation is one."""
    return Pose(matrix[:3, :3].copy(), matrix[:3, 3].copy())


def moved_points(points: NDArray[np.float32], matrix: NDArray[np.float64]) -> NDArray[np.float32]:
    """Points (N, 3) moved by a correction (4, 4)."""
    return (points @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)


def moved_box(box: Box3D, matrix: NDArray[np.float64]) -> Box3D:
    """A box moved and turned about z by a correction (4, 4)."""
    x, y, z = (matrix[:3, :3] @ np.asarray(box.center) + matrix[:3, 3]).tolist()
    return Box3D((x, y, z), box.size, box.yaw + yaw_of(matrix))


def yaw_of(matrix: NDArray[np.float64]) -> float:
    """The turn about z of a correction (4, 4), radians."""
    return float(np.arctan2(matrix[1, 0], matrix[0, 0]))


def _places_in(
    times_ns: NDArray[np.int64], at_ns: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Rows (K,) of the last frames up to some moments, and the fractions of the way to the next
    frames; row -1: no frame is near."""
    rows = np.clip(np.searchsorted(times_ns, at_ns, side="right") - 1, 0, len(times_ns) - 1)
    following = np.minimum(rows + 1, len(times_ns) - 1)
    gap = times_ns[following] - times_ns[rows]
    since, until = at_ns - times_ns[rows], times_ns[following] - at_ns
    fraction = np.clip(since / np.maximum(gap, 1), 0.0, 1.0)
    inside = (since >= 0) & (until >= 0) & (gap <= _LONGEST_GAP_NS)
    near = np.minimum(np.abs(since), np.abs(until)) <= _NEAREST_NS
    fraction = np.where(inside, fraction, np.where(np.abs(until) < np.abs(since), 1.0, 0.0))
    return np.where(inside | near, rows, -1), fraction


def _between(
    a: NDArray[np.float64], b: NDArray[np.float64], fraction: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Poses (K, 4, 4) between others: see `Pose.interpolate`."""
    rotations = scipy.spatial.transform.Rotation
    start = rotations.from_matrix(a[:, :3, :3])
    turn = (start.inv() * rotations.from_matrix(b[:, :3, :3])).as_rotvec()
    between = np.broadcast_to(np.eye(4), a.shape).copy()
    step = rotations.from_rotvec(turn * fraction[:, None])
    between[:, :3, :3] = (start * step).as_matrix()
    between[:, :3, 3] = a[:, :3, 3] + (b[:, :3, 3] - a[:, :3, 3]) * fraction[:, None]
    return between


def _interpolated(
    at_ns: NDArray[np.int64], steps: NDArray[np.float64], times_ns: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(N, 4, 4): corrections (K, 4, 4) of some moments for all times, held beyond them."""
    rows = np.clip(np.searchsorted(at_ns, times_ns, side="right") - 1, 0, len(at_ns) - 1)
    following = np.minimum(rows + 1, len(at_ns) - 1)
    gap = np.maximum(at_ns[following] - at_ns[rows], 1)
    fraction = np.clip((times_ns - at_ns[rows]) / gap, 0.0, 1.0)
    return _between(steps[rows], steps[following], fraction)


def corrected_rows(
    poses: NDArray[np.float64], corrections: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Poses (N, 7) as they are stored, corrected by matrices (N, 4, 4)."""
    return poses_of(corrections @ matrices_of(poses))
