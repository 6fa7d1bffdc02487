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
from scenemind.geometry.pose import POSE_NUMBERS, matrices_of, poses_of, rotation_rows
from scenemind.memory.frames_first import in_steps

if TYPE_CHECKING:
    from scenemind.memory.disk.changes import FrameRecord

# An old pose is only known near frames: between two that are farther apart in time, within this
# time of one of them.
_LONGEST_GAP_NS = 1_000_000_000
_NEAREST_NS = 100_000_000
# A correction that moves nothing by more is none.
_STILL_M, _STILL_RAD = 1e-4, 1e-5
_SAME = 1e-12  # a rounding error of a matrix
_MOST_STEPS = 5  # to the rotation nearest to a mean of some that are alike
_SMALL_TURN = 1e-7  # between two quaternions, whose mean is as good
_IDENTITY = np.array([(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)]).T  # a pose as it is stored
_CONJUGATE = np.array([(-1.0, -1.0, -1.0, 1.0)]).T


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """The poses of all frames, by ascending number.

    Attributes:
        numbers: (N,) int64. stamps_ns: (N,) int64, which may begin anew with a recording.
        poses: (N, 7) float64, `world_T_camera` as it is stored: x, y, z, then a unit quaternion.
    """

    numbers: NDArray[np.int64]
    stamps_ns: NDArray[np.int64]
    poses: NDArray[np.float64]

    def __getitem__(self, rows: slice) -> FrameTable:
        return FrameTable(self.numbers[rows], self.stamps_ns[rows], self.poses[rows])

    def followed_by(self, records: Sequence[FrameRecord]) -> FrameTable:
        """With more frames, whose numbers are larger."""
        poses = np.array([record.world_T_camera.matrix() for record in records])
        return FrameTable(
            np.concatenate((self.numbers, [r.number for r in records])).astype(np.int64),
            np.concatenate((self.stamps_ns, [r.stamp_ns for r in records])).astype(np.int64),
            np.concatenate((self.poses, poses_of(poses.reshape(-1, 4, 4)))),
        )


class FrameCorrections:
    """The correction of each frame.

    Attributes:
        numbers: (N,) int64, ascending.
        count: of frames whose pose changes.
        largest_m, largest_rad: the farthest that a camera moved, and turned.
        is_merge: the frames from some on are of another memory, whose objects may double those of
            this one even where nothing moves.
    """

    is_merge = False

    def __init__(self, frames: FrameTable, by: NDArray[np.float64]) -> None:
        """See `of_stamps` and `from_frame`.

        Args:
            by: (7, N), the correction of each frame, `corrected_T_old`, world to world, as poses
                are stored.
        """
        count = len(frames.numbers)
        self.numbers, self._by = frames.numbers, by
        self._places = frames.poses[:, :3]
        self._near: scipy.spatial.cKDTree | None = None  # of the places; made when somebody asks
        self._sums = np.zeros((12, count + 1))
        self.count, self.largest_m, self.largest_rad = 0, 0.0, 0.0
        for rows in in_steps(count):
            part = by[:, rows]
            sums = self._sums[:, rows.start : rows.stop + 1]
            np.cumsum(_top_rows(part), axis=1, out=sums[:, 1:])
            sums[:, 1:] += sums[:, :1]
            places = np.ascontiguousarray(self._places[rows].T)
            shifts = np.sqrt(np.square(_moved_places(part, places) - places).sum(axis=0))
            # A sine is exact near zero, where a cosine is not.
            sine = np.sqrt(np.square(part[3:6]).sum(axis=0))
            turns = 2.0 * np.arctan2(sine, np.abs(part[6]))
            self.largest_m = max(self.largest_m, float(shifts.max()))
            self.largest_rad = max(self.largest_rad, float(turns.max()))
            self.count += int(np.count_nonzero((shifts > _STILL_M) | (turns > _STILL_RAD)))
        self._ascending_ns = np.maximum.accumulate(frames.stamps_ns)

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
        new = np.empty((POSE_NUMBERS, len(stamps)))
        for some in in_steps(len(stamps)):
            new[:, some] = _stored(world_T_camera[some])
        if not len(frames.numbers):
            raise SceneMemoryError("nothing has been mapped yet: there is no pose to correct")
        starts = np.flatnonzero(np.diff(frames.stamps_ns) < 0) + 1
        starts = np.concatenate(([0], starts, [len(frames.numbers)])).tolist()
        for first, end in reversed(list(pairwise(starts))):
            if stamps[0] <= frames.stamps_ns[end - 1] and stamps[-1] >= frames.stamps_ns[first]:
                by = np.empty((POSE_NUMBERS, len(frames.numbers)))
                by[:, :first] = _IDENTITY
                _correct(frames[first:end], stamps, new, by[:, first:end])
                by[:, end:] = by[:, end - 1 : end]  # held for later recordings
                return cls(frames, by)
        raise SceneMemoryError(
            f"none of the {len(stamps)} corrected poses is of a moment that was mapped"
        )

    @classmethod
    def from_frame(cls, frames: FrameTable, first: int, move: Pose) -> FrameCorrections:
        """One correction of all frames from row `first` on, which are of another world."""
        by = np.empty((POSE_NUMBERS, len(frames.numbers)))
        by[:, :first] = _IDENTITY
        by[:, first:] = poses_of(move.matrix()[None]).T
        found = cls(frames, by)
        found.is_merge = True
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
        return matrices_of(self._by.take(self._rows(numbers), axis=1).T)

    def of_poses(self, numbers: ArrayLike, poses: NDArray[np.float64]) -> NDArray[np.float64]:
        """(M, 7): poses of frames as they are stored, corrected; one that its correction does not
        move is the same to the last bit."""
        found = np.empty((len(poses), POSE_NUMBERS))
        every = self._rows(numbers)
        for rows in in_steps(len(poses)):
            by = self._by.take(every[rows], axis=1)
            columns = np.ascontiguousarray(poses[rows].T)
            moved = np.concatenate((_moved_places(by, columns[:3]), _product(by[3:], columns[3:])))
            length = np.sqrt(np.square(moved[3:]).sum(axis=0))
            moved[3:] *= np.where(moved[6] < 0.0, -1.0, 1.0) / length
            still = (np.abs(by[:6]) < _SAME).all(axis=0)
            found[rows] = np.where(still, columns, moved).T
        return found

    def of_stretches(self, first: ArrayLike, last: ArrayLike) -> NDArray[np.float64]:
        """(M, 4, 4): the mean corrections of frames from `first` to `last`, both included."""
        a, b = self._rows(first), self._rows(last) + 1
        mean = (self._sums.take(b, axis=1) - self._sums.take(a, axis=1)) / (b - a)
        matrices = np.broadcast_to(np.eye(4), (len(a), 4, 4)).copy()
        matrices[:, :3, :] = mean.T.reshape(-1, 3, 4)
        matrices[:, :3, :3] = _nearest_turns(matrices[:, :3, :3])
        return matrices

    def at_places(self, points: NDArray[np.floating]) -> NDArray[np.float64]:
        """(M, 4, 4): for places (M, 3) of which no frame is known, in the world as it was, the
        corrections of the frames whose camera was nearest."""
        self.note_places()
        assert self._near is not None
        _, rows = self._near.query(points)
        return matrices_of(self._by.take(rows, axis=1).T)

    def note_places(self) -> None:
        """Make ready for `at_places`, which takes a while with many frames."""
        if self._near is None:
            self._near = scipy.spatial.cKDTree(self._places)

    def frames_at(self, stamps_ns: ArrayLike) -> NDArray[np.int64]:
        """(M,): numbers of the last frames up to some moments, of the newest run that has them."""
        wanted = np.asarray(stamps_ns, np.int64)
        row = np.searchsorted(self._ascending_ns, wanted, side="right") - 1
        return self.numbers[np.maximum(row, 0)]

    @property
    def newest(self) -> Pose:
        """The correction of the last frame, in which new frames go on."""
        return pose_of(matrices_of(self._by[:, -1:].T)[0])

    def _rows(self, numbers: ArrayLike) -> NDArray[np.intp]:
        rows = np.searchsorted(self.numbers, np.asarray(numbers), side="right") - 1
        return np.maximum(rows, 0)


def _stored(poses: Sequence[Pose]) -> NDArray[np.float64]:
    """(7, K) of poses."""
    matrices = np.zeros((len(poses), 4, 4))
    matrices[:, :3, :3] = [pose.rotation for pose in poses]
    matrices[:, :3, 3] = [pose.translation for pose in poses]
    if not np.isfinite(matrices).all():
        raise SceneMemoryError("a corrected pose holds NaN or infinity")
    return poses_of(matrices).T


def _correct(
    frames: FrameTable,
    stamps_ns: NDArray[np.int64],
    new: NDArray[np.float64],
    by: NDArray[np.float64],
) -> None:
    """Fill in the corrections (7, N) of frames whose stamps ascend.

    Args:
        new: (7, K), the corrected poses of moments (K,).

    Raises:
        SceneMemoryError: none of the moments was mapped.
    """
    times = frames.stamps_ns
    steps = np.empty_like(new)
    known = np.empty(len(stamps_ns), bool)
    for some in in_steps(len(stamps_ns)):
        rows, fraction = _places_in(times, stamps_ns[some])
        known[some] = rows >= 0
        following = np.minimum(rows + 1, len(times) - 1)
        before = _slerped(frames.poses[rows].T, frames.poses[following].T, fraction)
        turns = _product(new[3:, some], before[3:] * _CONJUGATE)
        turns /= np.sqrt(np.square(turns).sum(axis=0))
        # What is left between the places once the turn has moved the old one.
        back = np.concatenate((np.zeros((3, len(rows))), turns))
        steps[:3, some] = new[:3, some] - _moved_places(back, before[:3])
        steps[3:, some] = turns
    if not known.any():
        raise SceneMemoryError(
            f"none of the {len(stamps_ns)} corrected poses is of a moment that was mapped"
        )
    steps, at_ns = steps[:, known], stamps_ns[known]
    for some in in_steps(len(times)):
        by[:, some] = _interpolated(at_ns, steps, times[some])


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


def _moved_places(by: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places (3, N) moved by poses (7, N), whose columns are those of stored ones."""
    shift, (x, y, z, w) = by[:3], by[3:]
    px, py, pz = places
    # Twice the cross product of the quaternion's vector and the place.
    cx, cy, cz = 2.0 * (y * pz - z * py), 2.0 * (z * px - x * pz), 2.0 * (x * py - y * px)
    return np.stack(
        (
            shift[0] + px + w * cx + y * cz - z * cy,
            shift[1] + py + w * cy + z * cx - x * cz,
            shift[2] + pz + w * cz + x * cy - y * cx,
        )
    )


def _product(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Products of quaternions (4, N) x, y, z, w: the turns of b, then those of a."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return np.stack(
        (
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        )
    )


def _nearest_turns(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rotations (M, 3, 3) nearest to means of rotations."""
    found = means
    for _ in range(_MOST_STEPS):  # Newton's, which doubles the digits
        square = found.transpose(0, 2, 1) @ found
        if np.abs(square - np.eye(3)).max(initial=0.0) < _SAME:
            return found
        found = found @ (3.0 * np.eye(3) - square) / 2.0
    u, _, vt = np.linalg.svd(means)
    return np.asarray(u @ vt)


def _top_rows(poses: NDArray[np.float64]) -> NDArray[np.float64]:
    """(12, N): the upper three rows of the matrices of poses (7, N), row by row."""
    (a, b, c), (d, e, f), (g, h, i) = rotation_rows(*poses[3:])
    x, y, z = poses[:3]
    return np.stack((a, b, c, x, d, e, f, y, g, h, i, z))


def _slerped(
    a: NDArray[np.float64], b: NDArray[np.float64], fraction: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Poses (7, N) between others: see `Pose.interpolate`."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    found = a + (b - a) * fraction
    sign = np.where((a[3:] * b[3:]).sum(axis=0) < 0.0, -1.0, 1.0)  # the shorter way
    # Of half the turn between both, by its sine where it is small.
    half = np.sqrt(np.square(a[3:] - sign * b[3:]).sum(axis=0)) / 2.0
    angle = 2.0 * np.arcsin(np.minimum(half, 1.0))
    sine = np.sin(angle)
    is_small = sine < _SMALL_TURN
    sine = np.where(is_small, 1.0, sine)
    of_a = np.where(is_small, 1.0 - fraction, np.sin((1.0 - fraction) * angle) / sine)
    of_b = sign * np.where(is_small, fraction, np.sin(fraction * angle) / sine)
    found[3:] = of_a * a[3:] + of_b * b[3:]
    return found


def _interpolated(
    at_ns: NDArray[np.int64], steps: NDArray[np.float64], times_ns: NDArray[np.int64]
) -> NDArray[np.float64]:
    """(7, N): corrections (7, K) of some moments for all times, held beyond them."""
    rows = np.clip(np.searchsorted(at_ns, times_ns, side="right") - 1, 0, len(at_ns) - 1)
    following = np.minimum(rows + 1, len(at_ns) - 1)
    gap = np.maximum(at_ns[following] - at_ns[rows], 1)
    fraction = np.clip((times_ns - at_ns[rows]) / gap, 0.0, 1.0)
    return _slerped(steps.take(rows, axis=1), steps.take(following, axis=1), fraction)
