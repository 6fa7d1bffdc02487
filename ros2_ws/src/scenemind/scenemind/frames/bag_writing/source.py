"""Chosen frames of a sequence, to be read by several threads where that is possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import dropwhile, islice
from typing import TypeVar

from scenemind.frames.errors import FrameError
from scenemind.frames.frame import SensorFrame
from scenemind.frames.indexed_sequence import IndexedSequence
from scenemind.frames.sequence import RecordedSequence
from scenemind.frames.unusable_frames import UnusableFrame

ReadFrame = Callable[[], SensorFrame | UnusableFrame]
_T = TypeVar("_T")


class FrameSource:
    """Frames from anywhere on; those of an `IndexedSequence` without reading the ones before."""

    def __init__(self, sequence: RecordedSequence, frames: slice) -> None:
        """
        Raises:
            FrameError: no frame is chosen.
        """
        self._count = len(range(*frames.indices(len(sequence))))
        if not self._count:
            raise FrameError(f"{sequence.path} has {len(sequence)} frames, none of which is chosen")
        self._indexed: IndexedSequence | None = None
        self._left_out: Mapping[str, int] = {}
        if isinstance(sequence, IndexedSequence):
            self._indexed, self._left_out = sequence.part(frames), sequence.left_out
        self._sequence = sequence
        self._frames = frames
        self._last: SensorFrame | None = None

    def __len__(self) -> int:
        """How many there are; of a sequence that drops frames while it is read, at most."""
        return self._count

    @property
    def drops(self) -> Mapping[str, int]:
        """What was left out of the recording, and of the frames that were sorted out, by cause."""
        if self._indexed is None:
            return self._sequence.drops
        return {**self._left_out, **self._indexed.drops}

    def sample(self, count: int) -> list[SensorFrame]:
        """The first one that is usable, and others.

        Raises:
            FrameError: there is none after all.
        """
        if self._indexed is not None:
            return _sample(self._indexed, count)
        sample = list(islice(self._streamed(), count))
        if not sample:
            raise FrameError(f"{self._sequence.path}: none of the chosen frames is usable")
        return sample

    def reads(self, behind_ns: int) -> Iterator[ReadFrame]:
        """What reads each frame behind this stamp, in order.

        By the stamp, since the number of frames in front says nothing where some are unusable.
        """
        if self._indexed is not None:
            entries = dropwhile(lambda e: e.stamp_ns <= behind_ns, self._indexed.entries)
            yield from (partial(self._indexed.read, entry) for entry in entries)
            return
        for frame in self._streamed():
            self._last = frame
            if frame.stamp_ns > behind_ns:
                yield partial(_itself, frame)

    def sort_out(self, frames: Iterable[_T | UnusableFrame], *, has_some: bool) -> Iterator[_T]:
        """The usable ones of what `reads` gave, as `IndexedSequence.sort_out`."""
        if self._indexed is not None:
            return self._indexed.sort_out(frames, has_some=has_some)
        return _usable(frames)

    def last(self) -> SensorFrame:
        """The last usable frame; to be asked for once `reads` has come to its end."""
        if self._indexed is not None:
            return next(_usable(map(self._indexed.read, reversed(self._indexed.entries))))
        assert self._last is not None
        return self._last

    def _streamed(self) -> Iterator[SensorFrame]:
        frames = self._frames
        start, stop, step = frames.indices(len(self._sequence))
        return islice(self._sequence, start, stop, step)


def _sample(sequence: IndexedSequence, count: int) -> list[SensorFrame]:
    first = next(iter(sequence))
    step = max(1, len(sequence) // count)
    others = _usable(map(sequence.read, sequence.entries[step::step]))
    return [first, *islice((f for f in others if f.stamp_ns > first.stamp_ns), count - 1)]


def _usable(frames: Iterable[_T | UnusableFrame]) -> Iterator[_T]:
    return (frame for frame in frames if not isinstance(frame, UnusableFrame))


def _itself(frame: SensorFrame) -> SensorFrame:
    return frame
