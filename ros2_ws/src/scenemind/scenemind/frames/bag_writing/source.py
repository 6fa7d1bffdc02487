"""Chosen frames of a sequence, to be read by several threads where that is possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice

from scenemind.frames.errors import FrameError
from scenemind.frames.frame import SensorFrame
from scenemind.frames.indexed_sequence import IndexedSequence
from scenemind.frames.sequence import RecordedSequence

ReadFrame = Callable[[], SensorFrame]


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
        self._indexed = sequence.part(frames) if isinstance(sequence, IndexedSequence) else None
        self._sequence = sequence
        self._frames = frames
        self._last: SensorFrame | None = None

    def __len__(self) -> int:
        """How many there are; of a sequence that drops frames while it is read, at most."""
        return self._count

    def sample(self, count: int) -> list[SensorFrame]:
        """The first one, and others.

        Raises:
            FrameError: there is none after all.
        """
        frames: Iterable[SensorFrame] = self._streamed()
        if self._indexed is not None:
            frames = self._indexed.part(slice(None, None, max(1, self._count // count)))
        sample = list(islice(frames, count))
        if not sample:
            raise FrameError(f"{self._sequence.path}: none of the chosen frames is usable")
        return sample

    def reads(self, start: int) -> Iterator[ReadFrame]:
        """What reads each frame from this one on, in order."""
        if self._indexed is not None:
            yield from (entry.read for entry in self._indexed.entries[start:])
            return
        for number, frame in enumerate(self._streamed()):
            self._last = frame
            if number >= start:
                yield partial(_itself, frame)

    def last(self) -> SensorFrame:
        """The last frame; to be asked for once `reads` has come to its end."""
        if self._indexed is not None:
            return self._indexed.entries[-1].read()
        assert self._last is not None
        return self._last

    def _streamed(self) -> Iterator[SensorFrame]:
        frames = self._frames
        start, stop, step = frames.indices(len(self._sequence))
        return islice(self._sequence, start, stop, step)


def _itself(frame: SensorFrame) -> SensorFrame:
    return frame
