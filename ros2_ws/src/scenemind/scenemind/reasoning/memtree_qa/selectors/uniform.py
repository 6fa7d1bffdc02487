"""Frames evenly in time: what a vision model is shown when nobody chooses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scenemind.memory import MemoryAccess
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind.reasoning.method import Asking
from scenemind.reasoning.stored_frames import StoredFrames
from scenemind.reasoning.types import Query


class UniformSelector:
    """The baseline of MemTree3D's tables (section 4.1): the question is not looked at.

    The time from the first stored frame to the last is cut into as many equal stretches as frames
    are wanted; of each the stored frame that is nearest to its middle is taken, in order of time.
    Time is counted in frames: a camera that was off does not get an empty stretch.
    """

    name = "uniform"

    def select(
        self,
        query: Query,  # noqa: ARG002
        memory: MemoryAccess,
        count: int,
        asking: Asking,
    ) -> Selection:
        """See `FrameSelector`."""
        asking.allowance.check()
        stored = StoredFrames(memory)
        key_frames = tuple(
            key_frame
            for number in evenly(stored.numbers, count)
            if (key_frame := stored.find(number)) is not None
        )
        if len(key_frames) < min(count, len(stored.numbers)):  # images went: once more without them
            left = [n for n in stored.numbers if stored.find(n) is not None]
            key_frames = stored.read(((number, 0.0) for number in evenly(left, count)), count)
        step = f"{len(key_frames)} of {len(stored.numbers)} stored frames, evenly in time"
        return Selection(key_frames, steps=(step, *stored.steps()))


def evenly(numbers: Sequence[int], count: int) -> Iterator[int]:
    """Up to `count` of ascending numbers, each at most once, in their order."""
    if len(numbers) <= count:
        yield from numbers
        return
    first, span = numbers[0], numbers[-1] - numbers[0]
    taken = -1
    for place in range(count):
        middle = first + span * (place + 0.5) / count
        # As many must be left for the stretches that follow.
        free = range(taken + 1, len(numbers) - (count - 1 - place))
        taken = min(free, key=lambda row: abs(numbers[row] - middle))
        yield numbers[taken]
