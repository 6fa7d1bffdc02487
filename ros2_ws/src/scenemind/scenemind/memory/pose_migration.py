"""The memory moves as the poses of its frames, while mapping goes on.

What takes time is done on copies, without the memory's lock: objects from their stretches, walls,
locations, relations. The copies follow the frames that come meanwhile, until all of it takes its
place at once. The free and occupied floor follows block by block, and doubles of drift are merged,
in small steps between frames. The caller holds the writer's lock all the while: on disk it is one
transaction.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

from scenemind.memory.frame_corrections import FrameCorrections
from scenemind.memory.frames_first import Way, give_way
from scenemind.memory.objects.corrected_objects import (
    CorrectedObject,
    SeenFrame,
    corrected_objects,
    follow,
)
from scenemind.memory.objects.object_map import PoseUpdate
from scenemind.memory.objects.plausible_labels import WallPlanes
from scenemind.memory.state import MemoryState, PreparedPoses
from scenemind.memory.types import PoseCorrection

_CATCHING_UP = 8  # times that copies follow the frames before they take their place
_FEW = 1  # frames that they follow at that moment


def migrate(
    state: MemoryState,
    lock: threading.Lock,
    way: Way,
    corrections: FrameCorrections,
    now_ns: int,
    swapped: Callable[[], None],
) -> PoseCorrection:
    """Move a memory with its frames.

    Args:
        lock: guards the state; the caller does not hold it.
        way: that frames take from their pose to the memory.
        now_ns: wall-clock time.
        swapped: called at the moment at which the world is another one.
    """
    objects = state.object_map
    try:
        copies = _Copies(state, lock, corrections)
        prepared = _prepare(state, lock, corrections, copies)
        for left in reversed(range(_CATCHING_UP)):
            give_way(to_long_step=True)
            with way.taken(), lock:
                frames = objects.take_seen()
                if len(frames) <= _FEW or not left:
                    copies.follow(frames)
                    update = state.correct_poses(corrections, prepared)
                    floor = iter(state.occupancy.take().items())
                    swapped()
                    break
            for frame in frames:
                give_way()
                copies.follow([frame])
            copies.make_late()
    finally:
        objects.unwatch()
    same: dict[int, int] = {}
    try:
        _relate(state, lock)
        for key, block in floor:
            give_way()
            with lock:
                state.occupancy.put_moved({key: block}, corrections.of_frames)
        while True:
            give_way(to_long_step=True)
            with lock:
                joined = state.join_doubles()
            if joined is None:
                break
            _note(same, joined)
            if joined.merged:
                _relate(state, lock)
    finally:
        with lock:
            objects.leave_doubles()  # after an error frames go on to merge
    give_way()
    with lock:
        joined, returned = state.return_unmoved()
        _note(same, joined)
        noted = PoseCorrection(
            number=len(state.pose_corrections) + 1,
            at_ns=now_ns,
            frames=corrections.count,
            largest_m=corrections.largest_m,
            largest_deg=corrections.largest_deg,
            same=tuple(same.items()),
            apart=tuple((of, part) for part, (of, _) in update.split_off.items()),
            returned=tuple(sorted(returned)),
        )
        state.note_poses(noted)
    return noted


class _Copies:
    """Objects in the corrected world, made while mapping goes on.

    Attributes:
        ready: by id.
    """

    def __init__(self, state: MemoryState, lock: threading.Lock, by: FrameCorrections) -> None:
        self._map, self._lock, self._corrections = state.object_map, lock, by
        self._newest = by.newest.matrix()
        self._late: set[int] = set()
        self._walls = WallPlanes()
        self._floor_z: float | None = None
        self.ready: dict[int, CorrectedObject] = {}

    def make(self, ids: Iterable[int], walls: WallPlanes, floor_z: float | None) -> None:
        """Copy objects and move them.

        Args:
            walls, floor_z: as they are in the corrected world.
        """
        self._walls, self._floor_z = walls, floor_z
        for object_id in ids:
            give_way()
            with self._lock:
                frozen = self._map.frozen([object_id])
            for done in corrected_objects(frozen, self._corrections, walls, floor_z):
                self.ready[object_id] = done

    def follow(self, frames: Sequence[SeenFrame]) -> None:
        """Add what frames added to the map."""
        self._late |= follow(self.ready, frames, self._newest)

    def make_late(self) -> None:
        """Make those that could not follow, or are new."""
        late, self._late = sorted(self._late), set()
        self.make(late, self._walls, self._floor_z)


def _prepare(
    state: MemoryState, lock: threading.Lock, corrections: FrameCorrections, copies: _Copies
) -> PreparedPoses:
    objects = state.object_map
    with lock:
        objects.watch()
        ids, structure, packed = objects.ids_of_all(), state.frozen_structure(), state.tree.packed()
        seen_before = state.perceived()
    if state.journal.entries():
        corrections.note_places()  # their anchors ask while frames wait
    give_way()
    structure.correct(corrections)
    planes = structure.planes
    walls = WallPlanes(planes)
    copies.make(ids, walls, structure.floor_z)
    values = dict(seen_before)
    values.update({i: o.value for i, o in copies.ready.items() if o.value is not None})
    give_way()
    graph, seen = state.relate_anew(values, planes)
    tree = state.tree.corrected(packed, corrections)
    return PreparedPoses(copies.ready, walls, structure, tree, graph, seen)


def _relate(state: MemoryState, lock: threading.Lock) -> None:
    """Make the values and relations of what changed, or the next frame would do so."""
    give_way(to_long_step=True)
    with lock:
        state.snapshot()


def _note(same: dict[int, int], update: PoseUpdate) -> None:
    for gone, kept in update.merged.items():
        for before, into in same.items():
            if into == gone:
                same[before] = kept
        same[gone] = kept
