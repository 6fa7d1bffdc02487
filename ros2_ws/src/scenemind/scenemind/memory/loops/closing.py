"""Closing of loops while a place is mapped: revisits, alignments, the pose graph, the correction.

The camera's way is cut into pieces (`submaps`). Each new piece is compared with older ones that, as
far as odometry can be trusted, may show the same place. Odometry's error grows with the way since
the last loop: while it is small, the clouds are aligned from where they are; where it has grown,
the objects that both pieces show must first stand to each other as in one place (`places/`), and so
surely that it is no chance. A loop counts when another one says the same. What odometry and loops
agree on best (`pose_graph`) corrects the memory. A wrong loop is worse than none.
"""

from __future__ import annotations

import logging
import math
import os
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations
from types import ModuleType

import numpy as np
import scipy  # its parts are imported when they are first used
from numpy.typing import NDArray

from scenemind.config import LoopClosureConfig
from scenemind.errors import SceneMemoryError
from scenemind.geometry import Pose
from scenemind.geometry.open3d import MissingOpen3DError, load_open3d
from scenemind.memory.loops.alignment import Surface, align, seen_from
from scenemind.memory.loops.pose_graph import Loop, solve
from scenemind.memory.loops.submaps import (
    LEAST_FRAMES,
    PIECE_M,
    TURN_M,
    Clouds,
    Piece,
    joined,
    piece_of,
    shared,
)
from scenemind.memory.memory import Memory
from scenemind.memory.places.constellation import find_transforms, yaw_of
from scenemind.memory.types import FrameIndex, MapObject

_log = logging.getLogger(__name__)

# Steps of the way, so that the shake of single poses is none.
_STEP_M, _STEP_RAD = 0.15, math.radians(10.0)
# A bound of odometry's error: at rest, a metre of way, a radian of turn.
_STILL_M, _STILL_RAD = 0.05, 0.01
_PER_M, _RAD_PER_M, _RAD_PER_RAD = 0.03, 0.025, 0.01
# Up to this bound clouds are aligned from where they are.
_NEAR_M, _NEAR_RAD = 0.5, math.radians(15.0)
_FARTHEST_M = 100.0  # beyond this bound nothing is looked for
# Candidates: way between both pieces, share of points that may be in both, pieces that are tried.
_LEAST_WAY_M, _LEAST_SHARED, _TRIED = 4.0, 0.5, 5
_BESIDE_M, _BESIDE_RAD = 0.6, math.radians(30.0)
_CELL_M = 0.5
# By objects: pieces just before whose objects help, pairs and bits beyond chance that are needed,
# and the share of the bits that another transform may explain.
_BESIDE, _LEAST_PAIRS, _LEAST_BITS, _RIVAL_SHARE = 3, 5, 20.0, 0.6
_APART_M2 = math.pi * 0.12**2  # places that are told apart
_APART_RAD = math.radians(15.0)
# Two loops agree: way between their pieces, and by how much they may differ.
_NEIGHBOUR_M, _AGREE_M, _AGREE_RAD = 8.0, 0.05, math.radians(1.0)
# Standard deviations of an alignment (simulated rooms with exact poses), and how many of them a
# correction must be: a smaller one may be the alignments' own error.
_ALIGNED_M, _ALIGNED_DEG, _SURE = 0.01, 0.35, 3.0
_LOOP_WAY_M = 0.5  # a loop counts as so much way for the error across it
_MOST_NODES = 200
_NICENESS = 10


@dataclass(frozen=True, slots=True)
class LoopReport:
    """What closing of loops has done.

    Attributes:
        pieces: of the way. found: loops that are in the graph. waiting: those that no other one
            confirms yet. refused: by reason.
        residual_m: median of the loops in the graph; None: there is none.
        applied: corrections of the memory. largest_m, largest_deg: the farthest that a camera was
            moved, and turned, by one.
        put_off: looks that waited, as mapping was slow.
        problem: why loops are not closed; empty where they are. failed: it is a defect.
    """

    pieces: int
    found: int
    waiting: int
    refused: Mapping[str, int]
    residual_m: float | None
    applied: int
    largest_m: float
    largest_deg: float
    put_off: int
    problem: str
    failed: bool = False


@dataclass(slots=True)
class _Way:
    """The way of the frames that came since the last look."""

    odometry: dict[int, Pose] = field(default_factory=dict)
    ways: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    last: Pose | None = None
    way: NDArray[np.float64] = field(default_factory=lambda: np.zeros(2))

    def add(self, number: int, pose: Pose) -> None:
        if self.last is None:
            self.last = pose
        apart_m, turn = pose.distance_m(self.last), pose.angle_rad(self.last)
        if apart_m >= _STEP_M or turn >= _STEP_RAD:
            self.way = self.way + np.array([apart_m, turn])
            self.last = pose
        self.odometry[number] = pose
        self.ways[number] = self.way


def _length(way: NDArray[np.float64]) -> NDArray[np.float64]:
    """Length of ways (..., 2), turns included."""
    return np.asarray(way @ np.array([1.0, TURN_M]))


class LoopClosing:
    """Closes loops of one recording or camera stream in the memory that it is mapped into.

    One thread notes frames. Looking and correcting happen on another one; or, if patiently, while
    the caller waits: recordings are mapped the same way every time.
    """

    def __init__(
        self, memory: Memory, config: LoopClosureConfig, *, patiently: bool = False
    ) -> None:
        self._memory, self._config, self._patiently = memory, config, patiently
        self._way = _Way()
        self._looked_m = 0.0
        self._taken = -1  # number of the last frame that is in a piece
        self._pieces: list[Piece] = []
        self._world_T: list[Pose] = []
        self._loops: list[Loop] = []
        self._waiting: list[Loop] = []
        self._refused: Counter[str] = Counter()
        self._clouds = Clouds()
        self._applied = 0
        self._largest_m = self._largest_deg = 0.0
        self._put_off = self._putting_off = 0
        self._open3d: ModuleType | None = None
        self._problem = "" if config.enabled else "loop_closure.enabled is false"
        self._failed = False
        self._newest, self._begins_anew = -1, False
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, "closing loops", _be_nice)
        self._look: Future[None] | None = None

    def prepare(self) -> None:
        """Load Open3D now, before frames come: it takes a second, in which no frame is mapped.

        Not on the thread that looks for loops: its low priority makes half a minute of it on a
        busy machine, and the caller would wait as long.
        """
        if not self._problem:
            self._load()

    def note_frame(self, number: int, input_T_camera: Pose, *, is_late: bool = False) -> None:
        """After each frame.

        Args:
            number: of the frame in the memory.
            input_T_camera: its pose as it came, without the corrections of the memory.
            is_late: mapping is too slow for the camera: the look may wait.
        """
        if self._problem:
            return
        if number <= self._newest:  # the memory was reset
            self.begin_anew()
        self._newest = number
        with self._lock:
            self._way.add(number, input_T_camera)
            way_m = float(_length(self._way.way))
        if way_m - self._looked_m < PIECE_M / 2.0:
            return
        if self._look is not None and not self._look.done():
            return
        if is_late and self._putting_off < self._config.put_off_frames:
            self._putting_off += 1
            self._put_off += self._putting_off == 1
            return
        self._putting_off, self._looked_m = 0, way_m
        self._look = self._thread.submit(self._look_safely)
        if self._patiently:
            self._look.result()

    def begin_anew(self) -> None:
        """Forget the way so far: another memory was merged, whose frames stand between those of the
        way, or the memory was reset."""
        with self._lock:
            self._way, self._looked_m, self._begins_anew = _Way(), 0.0, True

    def report(self) -> LoopReport:
        """What was done so far."""
        with self._lock:
            residuals = [loop.residual_m for loop in self._loops]
            return LoopReport(
                len(self._pieces),
                len(self._loops),
                len(self._waiting),
                dict(self._refused),
                float(np.median(residuals)) if residuals else None,
                self._applied,
                self._largest_m,
                self._largest_deg,
                self._put_off,
                self._problem,
                self._failed,
            )

    def closed(self) -> list[tuple[int, int]]:
        """Stamps, nanoseconds, of the two middles of each loop that is in the graph."""
        with self._lock:
            ends = [(self._pieces[loop.first], self._pieces[loop.second]) for loop in self._loops]
        return [(first.stamp_ns, second.stamp_ns) for first, second in ends]

    def close(self) -> None:
        """End; a look that was begun is finished."""
        self._thread.shutdown(cancel_futures=True)

    def _look_safely(self) -> None:
        try:
            open3d = self._load()
            if open3d is not None:
                self._look_back(open3d)
        except SceneMemoryError as error:  # the disk failed: its next commit tries again
            _log.warning("no loop was closed: %s", error)
        except Exception as error:  # noqa: BLE001 - mapping goes on without
            _log.exception("closing of loops has stopped")
            self._failed = True
            self._give_up(f"it has stopped (the log has the traceback): {error!r}")

    def _load(self) -> ModuleType | None:
        if self._open3d is None:
            try:
                self._open3d = load_open3d("closing loops")
            except MissingOpen3DError as error:
                self._give_up(str(error))
        return self._open3d

    def _give_up(self, why: str) -> None:
        with self._lock:
            self._problem = why
            self._way = _Way()

    def _look_back(self, open3d: ModuleType) -> None:
        with self._lock:
            if self._begins_anew:
                self._begins_anew, self._taken = False, -1
                self._pieces, self._world_T, self._loops, self._waiting = [], [], [], []
        if self._patiently:
            self._memory.flush()
        index, objects = self._memory.frame_index(), self._memory.snapshot().objects
        new = self._cut(index, objects)
        confirmed = False
        for piece in new:
            confirmed |= self._close(open3d, piece)
        if confirmed and self._drifts():
            self._correct(open3d)

    # Pieces

    def _cut(self, index: FrameIndex, objects: Mapping[int, MapObject]) -> list[int]:
        """Cut the way into pieces as far as it came; their numbers."""
        with self._lock:
            odometry, ways = dict(self._way.odometry), dict(self._way.ways)
        known = np.isin(index.frame_numbers, list(odometry)) & (index.frame_numbers > self._taken)
        rows = np.flatnonzero(known)
        if not len(rows):
            return []
        numbers = index.frame_numbers[rows].tolist()
        length = np.array([float(_length(ways[number])) for number in numbers])
        made, start = [], 0
        for row in range(1, len(rows)):
            if length[row] - length[start] <= PIECE_M:
                continue
            if row - start >= LEAST_FRAMES:
                piece = piece_of(self._memory, index, rows[start:row], odometry, ways, objects)
                if piece is not None:
                    at = rows[start:row][index.frame_numbers[rows[start:row]] == piece.anchor][0]
                    made.append(len(self._pieces))
                    with self._lock:
                        self._pieces.append(piece)
                    self._world_T.append(Pose.from_matrix(index.world_T_camera[at]))
            start = row
        self._taken = numbers[start] - 1
        with self._lock:
            for number in [n for n in self._way.odometry if n <= self._taken]:
                del self._way.odometry[number], self._way.ways[number]
        return made

    def _surface(self, number: int) -> Surface:
        cloud = self._clouds.of(self._memory, self._pieces[number])
        pose = self._world_T[number]
        return Surface(pose.transform(cloud.points), [view.moved(pose) for view in cloud.views])

    # Loops

    def _close(self, open3d: ModuleType, second: int) -> bool:
        """Look for older pieces that show the place of a piece; True if that is confirmed."""
        way = np.array([piece.way for piece in self._pieces[: second + 1]])
        error_way = self._way_between(second, way)
        turn = _RAD_PER_M * error_way[:, 0] + _RAD_PER_RAD * error_way[:, 1]
        bound_rad = _STILL_RAD + turn
        bound_m = _STILL_M + (_PER_M + 0.5 * turn) * error_way[:, 0]
        earlier = (_length(way[second] - way) >= _LEAST_WAY_M) & (bound_m <= _FARTHEST_M)
        near = (bound_m <= _NEAR_M) & (bound_rad <= _NEAR_RAD)
        looks = [(Pose.identity(), np.flatnonzero(earlier & near), False)]
        unsure = np.flatnonzero(earlier & ~near)
        if len(unsure) and not any(self._may_show(second, looks[0][0], looks[0][1].tolist())):
            guess = self._by_objects(second, unsure, bound_m, bound_rad)
            if guess is not None:
                looks.append((guess, unsure, True))
        confirmed = False
        source = self._surface(second)
        middle = source.points.mean(axis=0).astype(np.float64) if len(source.points) else None
        for guess, pieces, far in looks:
            for first in self._may_show(second, guess, pieces.tolist()):
                target = self._surface(first)
                if middle is None or not len(target.points):
                    continue
                aligned = align(open3d, source, target, guess)
                bounds = float(bound_m[first]), float(bound_rad[first])
                refusal = aligned.refusal or _too_far(aligned.move, guess, middle, *bounds)
                if refusal:
                    self._refuse(refusal)
                    continue
                first_T_second = (
                    self._world_T[first].inverse() @ aligned.move @ self._world_T[second]
                )
                held = seen_from(aligned.held, aligned.move @ self._world_T[second])
                residual_m, moves = aligned.residual_m, aligned.moves
                confirmed |= self._note(
                    Loop(first, second, first_T_second, residual_m, held, far, moves)
                )
        return confirmed

    def _may_show(self, second: int, move: Pose, pieces: Sequence[int]) -> list[int]:
        """The older pieces that most likely show the place of a piece, if it is moved so."""
        piece = self._pieces[second]
        points = (move @ self._world_T[second]).transform(piece.sparse)
        found = []
        for first in pieces:
            theirs = self._world_T[first].transform(self._pieces[first].sparse)
            share = shared(points, theirs, _CELL_M)
            if share >= _LEAST_SHARED:
                found.append((share, first))
        # Views from several sides also tell how long the way between them is.
        chosen: list[int] = []
        for _, first in sorted(found, reverse=True):
            if not any(self._is_beside(first, other) for other in chosen):
                chosen.append(first)
        return chosen[:_TRIED]

    def _is_beside(self, one: int, other: int) -> bool:
        """True if two pieces have about the same view."""
        a, b = self._world_T[one], self._world_T[other]
        return a.distance_m(b) < _BESIDE_M and a.angle_rad(b) < _BESIDE_RAD

    def _way_between(self, second: int, way: NDArray[np.float64]) -> NDArray[np.float64]:
        """(N, 2): way and turn from each piece to a piece, along loops where they are shorter."""
        count = second + 1
        steps = np.diff(way, axis=0)
        starts, ends = list(range(second)), list(range(1, count))
        both = [*steps.tolist()]
        for loop in self._loops:
            starts.append(loop.first)
            ends.append(loop.second)
            both.append([_LOOP_WAY_M, 0.0])
        parts = np.array(both).reshape(-1, 2)
        weights = np.maximum(_length(parts), 1e-6)
        graph = scipy.sparse.coo_matrix((weights, (starts, ends)), (count, count)).tocsr()
        length, before = scipy.sparse.csgraph.dijkstra(
            graph, directed=False, indices=second, return_predecessors=True
        )
        cost = {frozenset((a, b)): part for a, b, part in zip(starts, ends, parts, strict=True)}
        total = np.zeros((count, 2))
        for node in np.argsort(length).tolist():
            if before[node] >= 0:
                total[node] = total[before[node]] + cost[frozenset((node, int(before[node])))]
        return total

    def _by_objects(
        self,
        second: int,
        older: NDArray[np.intp],
        bound_m: NDArray[np.float64],
        bound_rad: NDArray[np.float64],
    ) -> Pose | None:
        """The move of a piece that puts its objects, and those of the pieces just before, where
        older pieces have them; None where that may be chance, or fits in several ways."""
        recent = range(max(int(older[-1]) + 1, second - _BESIDE), second + 1)
        ours, theirs = (
            joined([(self._pieces[i].landmarks, self._world_T[i]) for i in pieces])
            for pieces in (recent, older.tolist())
        )
        middle = self._world_T[second].transform(self._pieces[second].sparse.mean(axis=0))
        middle = middle.astype(np.float64)
        most_m, most_rad = float(bound_m[older].max()), float(bound_rad[older].max())
        places = max(1.0, math.pi * most_m**2 / _APART_M2)
        headings = min(2.0 * math.pi, 2.0 * most_rad) / _APART_RAD
        within = [
            h
            for h in find_transforms(ours, theirs)
            if np.linalg.norm(h.b_T_a.transform(middle) - middle) <= most_m
            and abs(h.yaw) <= most_rad
        ]
        if not within:
            self._refuse("the objects stand otherwise")
            return None
        best = within[0]
        bits = best.bits - math.log2(places * max(1.0, headings))
        if len(best.pairs) < _LEAST_PAIRS or bits < _LEAST_BITS:
            self._refuse("too few objects stand so, which may be chance")
            return None
        if len(within) > 1 and within[1].bits > _RIVAL_SHARE * best.bits:
            self._refuse("the objects fit in more than one way")
            return None
        return best.b_T_a

    def _note(self, loop: Loop) -> bool:
        """Note a loop; True if it and others confirm each other."""
        known = [*self._loops, *self._waiting]
        agreeing = [other for other in known if self._agree(loop, other)]
        with self._lock:
            if not agreeing:
                self._waiting.append(loop)
                return False
            self._loops.append(loop)
            for other in agreeing:
                if other in self._waiting:
                    self._waiting.remove(other)
                    self._loops.append(other)
        return True

    def _agree(self, a: Loop, b: Loop) -> bool:
        """True if two loops between neighbouring pieces say the same."""
        pieces = self._pieces
        if a.second == b.second and (a.far or b.far or abs(a.first - b.first) < 2):
            return False
        way = abs(float(_length(pieces[a.first].way - pieces[b.first].way)))
        way += abs(float(_length(pieces[a.second].way - pieces[b.second].way)))
        if way > _NEIGHBOUR_M:
            return False
        firsts = pieces[b.first].odometry_T_anchor.inverse() @ pieces[a.first].odometry_T_anchor
        seconds = pieces[a.second].odometry_T_anchor.inverse() @ pieces[b.second].odometry_T_anchor
        round_trip = firsts @ a.first_T_second @ seconds @ b.first_T_second.inverse()
        off_m = float(np.linalg.norm(round_trip.translation))
        off_rad = abs(yaw_of(round_trip))
        return off_m <= _AGREE_M + 0.5 * (_PER_M + _RAD_PER_M) * way and (
            off_rad <= _AGREE_RAD + 0.5 * _RAD_PER_M * way
        )

    def _refuse(self, reason: str) -> None:
        with self._lock:
            self._refused[reason] += 1

    # The correction

    def _drifts(self) -> bool:
        """True once two loops agree that the poses are not right. What others say before may be
        their own error: the surfaces fit as well as they lie."""
        moving = [loop for loop in self._loops if loop.moves]
        return self._applied > 0 or any(self._agree(a, b) for a, b in combinations(moving, 2))

    def _correct(self, open3d: ModuleType) -> None:
        loops = self._loops
        while len(nodes := _ends(loops, len(self._pieces))) > _MOST_NODES:
            loops = loops[::2]
        poses, kept = solve(
            open3d,
            nodes,
            [self._world_T[i] for i in nodes],
            [self._pieces[i].odometry_T_anchor for i in nodes],
            np.array([self._pieces[i].way for i in nodes]),
            loops,
        )
        dropped = [loop for loop in loops if loop not in kept]
        if dropped:
            self._refused["other loops contradict it"] += len(dropped)
            with self._lock:
                self._loops = [loop for loop in self._loops if loop not in dropped]
        doubt = _SURE / math.sqrt(max(1, len(kept)))  # the more loops say it, the surer it is
        noted = self._memory.correct_poses(
            np.array([self._pieces[i].stamp_ns for i in nodes]),
            poses,
            keeps_odometry=True,
            least_m=max(self._config.least_m, doubt * _ALIGNED_M),
            least_deg=max(self._config.least_deg, doubt * _ALIGNED_DEG),
        )
        if noted is None:
            return
        with self._lock:
            self._applied += 1
            self._largest_m = max(self._largest_m, noted.largest_m)
            self._largest_deg = max(self._largest_deg, noted.largest_deg)
        self._follow(nodes, poses)

    def _follow(self, nodes: Sequence[int], poses: Sequence[Pose]) -> None:
        """Note where the anchors are after a correction; one whose frame is not stored any more
        went with the nearest node."""
        index = self._memory.frame_index()
        before = {node: self._world_T[node] for node in nodes}
        after = dict(zip(nodes, poses, strict=True))
        row_of = {number: row for row, number in enumerate(index.frame_numbers.tolist())}
        for number, piece in enumerate(self._pieces):
            row = row_of.get(piece.anchor)
            if row is not None:
                self._world_T[number] = Pose.from_matrix(index.world_T_camera[row])
            else:
                near = min(nodes, key=lambda node: abs(node - number))
                move = after[near] @ before[near].inverse()
                self._world_T[number] = move @ self._world_T[number]


def _too_far(
    move: Pose, guess: Pose, middle: NDArray[np.float64], bound_m: float, bound_rad: float
) -> str:
    """Why a move is none: odometry cannot be so far off, or the surfaces were aligned elsewhere
    than where they were looked for."""
    there = move.transform(middle)
    if np.linalg.norm(there - middle) > bound_m or abs(yaw_of(move)) > bound_rad:
        return "odometry cannot be so far off"
    if np.linalg.norm(there - guess.transform(middle)) > _NEAR_M:
        return "depth and objects do not say the same"
    return ""


def _ends(loops: Iterable[Loop], count: int) -> list[int]:
    """Numbers of the pieces at the ends of loops, and of the first and the last one."""
    return sorted({0, count - 1, *(i for loop in loops for i in (loop.first, loop.second))})


def _be_nice() -> None:
    """Let mapping go first: this thread, and those that Open3D starts from it."""
    if hasattr(os, "setpriority"):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
