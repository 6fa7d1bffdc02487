"""A visit whose world has another origin than the map it comes back to: mapped on its own until it
is located, then part of the map."""

from __future__ import annotations

import math
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np

from scenemind.config import SceneMindConfig
from scenemind.errors import SceneMemoryError
from scenemind.geometry import Pose
from scenemind.memory.memory import Memory
from scenemind.memory.merging import Merge
from scenemind.memory.places.locating import Location, locate
from scenemind.memory.reader import MemoryReader

# Frames between two looks, and how near the places of two looks are that confirm each other.
_EVERY_FRAMES = 15
_SAME_M, _SAME_RAD = 0.2, math.radians(4.0)


def merge_located(memory: Memory, other: MemoryReader) -> Merge:
    """Add another memory of the place, wherever the origin of its world is.

    Raises:
        SceneMemoryError: where it lies cannot be told for sure, or see `Memory.merge`; nothing was
            changed.
    """
    found = locate(other, memory)
    if found.old_T_new is None:
        raise SceneMemoryError(
            f"{other.path.name} is not merged, since where it lies in {memory.path.name} cannot be"
            f" told: {found.reason}"
        )
    return memory.merge(other, found.old_T_new)


def move_world(memory: Memory, new_T_old: Pose) -> None:
    """Move all of a memory into another world, such as that of a robot's SLAM that began anew; ids,
    corrections and history stay.

    Args:
        new_T_old: where the memory's world lies in it.
    """
    now_ns = memory.snapshot().stamp_ns
    (pose,) = memory.poses_at([now_ns])
    memory.correct_poses(np.array([now_ns]), [new_T_old @ pose])


class ComingBack:
    """Locates a visit in an old memory while it is mapped. One thread calls it; looking for the
    place happens on another one.

    Attributes:
        visit: receives the frames until the visit is located; temporary.
        reason: why it is not located yet.
    """

    def __init__(self, old: Memory, config: SceneMindConfig) -> None:
        self._old = old
        self.visit = Memory.create(None, config)
        self.reason = "nothing has been mapped yet"
        self._looking = ThreadPoolExecutor(1, "locating")
        self._look: Future[Location] | None = None
        self._last: Pose | None = None  # of the look before
        self._frames = 0

    def note_frame(self, *, patiently: bool) -> Pose | None:
        """After each frame of the visit: where its world lies in that of the old memory, once two
        looks agree on it.

        Args:
            patiently: wait for a look, as with recordings, whose result then is always the same.
        """
        self._frames += 1
        if self._look is None and self._frames % _EVERY_FRAMES == 0:
            self._look = self._looking.submit(locate, self.visit, self._old)
        if self._look is None or not (patiently or self._look.done()):
            return None
        found, self._look = self._look.result(), None
        before, self._last = self._last, found.old_T_new
        self.reason = found.reason or "it was located once, and not confirmed yet"
        if before is None or self._last is None:
            return None
        middle = self.visit.trajectory().mean(axis=0)
        apart_m = math.dist(before.transform(middle), self._last.transform(middle))
        agree = apart_m <= _SAME_M and before.angle_rad(self._last) <= _SAME_RAD
        return self._last if agree else None

    def close(self) -> None:
        """End looking, and forget the visit, whose content may be part of the old memory."""
        self._looking.shutdown()
        self.visit.close()
