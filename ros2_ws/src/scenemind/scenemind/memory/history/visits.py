"""When the camera was there: stretches of frames without a long pause."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Without frames for so long, it was away: shorter pauses are a stopped camera or a restarted node.
PAUSE_S = 300.0
_NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """From one stamp to another, both included."""

    first_ns: int
    last_ns: int


@dataclass(frozen=True, slots=True)
class Visit:
    """A stretch of time in which the camera was there.

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
    """Visits of a memory, oldest first: a new one begins after a pause, or where stamps go back (a
    recording of another clock).

    Args:
        numbers, stamps_ns: (N,) int64 of all frames, by ascending number.
        pause_s: what is longer than this is a pause.
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
