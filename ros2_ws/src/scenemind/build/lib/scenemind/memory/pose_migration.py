"""The memory moves as the poses of its frames, while mapping goes on.

What takes time is done on copies, without the memory's lock: objects from their stretches, walls,
locations, relations. Then all of it takes its place at once, and what frames changed meanwhile is
done again. Doubles of drift are merged in small steps between frames. The caller holds the writer's
lock all the while: on disk it is one transaction.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import islice

from scenemind.memory.frame_corrections import FrameCorrections
from scenemind.memory.objects.object_map import PoseUpdate, corrected_objects
from scenemind.memory.state import MemoryState, PreparedPoses
from scenemind.memory.types import PoseCorrection

_AT_ONCE = 8  # objects that are copied under one lock


def migrate(
    state: MemoryState,
    lock: threading.Lock,
    steady: AbstractContextManager[bool],
    corrections: FrameCorrections,
    now_ns: int,
    swapped: Callable[[], None],
) -> PoseCorrection:
    """Move a memory with its frames.

    Args:
        lock: guards the state; the caller does not hold it.
        steady: held while a frame is on its way from its pose to the memory.
        now_ns: wall-clock time.
        swapped: called at the moment at which the world is another one.
    """
    prepared = _prepare(state, lock, corrections)
    with steady, lock:
        update = state.correct_poses(corrections, prepared)
        swapped()
    same: dict[int, int] = {}
    while True:
        with lock:
            joined = state.join_doubles()
        if joined is None:
            break
        _note(same, joined)
        time.sleep(0.0)  # a frame that waits for the lock gets it: locks are not fair
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


def _prepare(
    state: MemoryState, lock: threading.Lock, corrections: FrameCorrections
) -> PreparedPoses:
    with lock:
        ids, structure, packed = state.ids_of_all(), state.frozen_structure(), state.tree.packed()
        seen_before = state.perceived()
    left, frozen = iter(ids), []
    while part := list(islice(left, _AT_ONCE)):
        with lock:
            frozen += state.prepare_objects(part)
    structure.correct(corrections)
    floor_z, planes = structure.floor_z, structure.planes
    objects = corrected_objects(frozen, corrections, planes, floor_z)
    values = {**seen_before}
    values.update({o.value.object_id: o.value for o in objects if o.value is not None})
    graph, seen = state.relate_anew(values, planes)
    return PreparedPoses(objects, structure, state.tree.corrected(packed, corrections), graph, seen)


def _note(same: dict[int, int], update: PoseUpdate) -> None:
    for gone, kept in update.merged.items():
        for before, into in same.items():
            if into == gone:
                same[before] = kept
        same[gone] = kept
