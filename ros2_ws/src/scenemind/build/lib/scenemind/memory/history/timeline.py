"""The time line of a memory: stamps for people, visits of the camera, and where an object was at a
moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory.types import MapObject, Stay

_NS_PER_S = 1_000_000_000
_IS_A_DATE_FROM_S, _IS_A_DATE_TO_S = 1e9, 1e10  # the years 2001 to 2286


def is_date(stamp_ns: int) -> bool:
    """True if a stamp can be a date."""
    return _IS_A_DATE_FROM_S <= stamp_ns / _NS_PER_S <= _IS_A_DATE_TO_S


def show_stamp(stamp_ns: int) -> str:
    """A stamp as a local date, if it can be one, else in seconds."""
    seconds = stamp_ns / _NS_PER_S
    if not is_date(stamp_ns):
        return f"{seconds:.1f} s"
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")


# Longest time without frames within a visit: a stopped camera or a restarted node.
PAUSE_S = 300.0


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time span from one stamp to another, both included."""

    first_ns: int
    last_ns: int


@dataclass(frozen=True, slots=True)
class Visit:
    """A time span in which the camera was there without a long pause.

    Attributes:
        number: from 1, in the order of frames.
        span: stamps of the first and the last frame.
        frame_numbers: of the first and the last frame.
    """

    number: int
    span: TimeSpan
    frame_numbers: tuple[int, int]


def find_visits(
    numbers: NDArray[np.int64], stamps_ns: NDArray[np.int64], pause_s: float = PAUSE_S
) -> tuple[Visit, ...]:
    """Visits of a memory, oldest first. A new one begins after a pause, or when stamps decrease (a
    recording with another clock).

    Args:
        numbers, stamps_ns: (N,) int64 of all frames, by ascending number.
        pause_s: longest time without frames within a visit.
    """
    if not len(numbers):
        return ()
    steps_ns = np.diff(stamps_ns)
    first = np.flatnonzero(np.r_[True, (steps_ns < 0) | (steps_ns > pause_s * _NS_PER_S)])
    last = np.r_[first[1:], len(numbers)] - 1
    return tuple(
        Visit(
            count,
            TimeSpan(int(stamps_ns[a]), int(stamps_ns[b])),
            (int(numbers[a]), int(numbers[b])),
        )
        for count, (a, b) in enumerate(zip(first, last, strict=True), start=1)
    )


Knowledge = Literal["seen", "assumed", "gone", "ghost"]
_NEVER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class PlaceAt:
    """The place of an object at a moment.

    Attributes:
        box: axis-aligned, world; of a gone object, its last place.
        knowledge: "seen": it was observed there before and after the moment, or at it; "assumed":
            it was observed there before, and there was no sign yet that it had left; "gone": its
            place was found empty, and it was not found elsewhere; "ghost": it was hardly ever
            detected in plain view, and was therefore taken for a ghost.
        first_seen_ns, last_seen_ns: stamps of the first and the last observation there.
        gone_ns: stamp at which the place was found empty, or the object was taken for a ghost;
            None: never.
    """

    box: Box3D
    knowledge: Knowledge
    first_seen_ns: int
    last_seen_ns: int
    gone_ns: int | None


def find_place(thing: MapObject, stamp_ns: int, *, is_gone: bool = False) -> PlaceAt | None:
    """The place of an object at a stamp, as known then; None before its first observation.

    An object that was moved out of view is at its old place until that was found empty, or until it
    was observed at the new one.

    Args:
        is_gone: True for objects of `MemorySnapshot.gone`.
    """
    known = [stay for stay in _stays(thing, is_gone) if stay.first_seen_ns <= stamp_ns]
    if not known:
        return None
    stay = known[-1]
    knowledge: Knowledge = "seen"
    gone_ns = None if stay.gone_ns == _NEVER else stay.gone_ns
    if stamp_ns > stay.last_seen_ns:
        left: Knowledge = "ghost" if thing.is_ghost and stay == thing.stays[-1] else "gone"
        knowledge = left if stamp_ns >= stay.gone_ns else "assumed"
    return PlaceAt(stay.box, knowledge, stay.first_seen_ns, stay.last_seen_ns, gone_ns)


def _stays(thing: MapObject, is_gone: bool) -> tuple[Stay, ...]:
    """All places of an object, oldest first; the present one is never found empty."""
    if is_gone:
        return thing.stays
    since_ns = thing.here_since_ns
    if since_ns is None:
        left_ns = thing.stays[-1].gone_ns if thing.stays else thing.first_seen_ns
        since_ns = min(left_ns, thing.last_seen_ns)
    return (*thing.stays, Stay(thing.box, since_ns, thing.last_seen_ns, _NEVER))
