"""Frames into the files of a bag, read and encoded by several threads."""

from __future__ import annotations

import logging
import os
import shutil
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from itertools import chain, dropwhile, islice
from pathlib import Path
from typing import TypeVar

from rosbags.interfaces import (
    Connection,
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

from scenemind.frames.bag import humble_types
from scenemind.frames.bag_writer.messages import (
    EncodedFrame,
    EncodedMessage,
    FrameEncoder,
    ImageEncoding,
    Storage,
    WriteOptions,
)
from scenemind.frames.bag_writer.work_folder import WorkFolder
from scenemind.frames.frame import FrameError, SensorFrame
from scenemind.frames.sequence import IndexedSequence, RecordedSequence, UnusableFrame

_log = logging.getLogger(__name__)

ReadFrame = Callable[[], SensorFrame | UnusableFrame]
_T = TypeVar("_T")
# Metadata of this version is what rosbag2 of Iron writes; later ones read it, and so does Humble.
_METADATA_VERSION = 8
_PLUGINS = {"mcap": StoragePlugin.MCAP, "db3": StoragePlugin.SQLITE3}
_FOREVER = QosTime(2147483647, 4294967295)
_LATCHED = Qos(
    QosHistory.KEEP_LAST,
    1,
    QosReliability.RELIABLE,
    QosDurability.TRANSIENT_LOCAL,
    _FOREVER,
    _FOREVER,
    QosLiveliness.AUTOMATIC,
    _FOREVER,
    False,
)
_THREADS = min(4, os.cpu_count() or 1)


class BagRecorder:
    """Writes a bag file by file.

    Attributes:
        rounded: frames whose depth had to be rounded to millimetres.
    """

    def __init__(
        self,
        work: WorkFolder,
        encoder: FrameEncoder,
        options: WriteOptions,
        encoding: ImageEncoding,
        report: Callable[[int], None] | None,
    ) -> None:
        self.rounded = 0
        self._work = work
        self._encoder = encoder
        self._options = options
        # Float depth shrinks to half or less; JPEG and PNG do not shrink.
        self._compressed = encoding.depth == "32FC1"
        self._report = report
        self._done = 0
        self._newest_ns = -1

    def write(self, source: FrameSource, done: int, behind_ns: int) -> None:
        """Write the frames after a stamp into further files.

        Args:
            done: frames in the finished files.
            behind_ns: stamp of the last of them; -1 where there is none.
        """
        self._done, self._newest_ns = done, behind_ns
        number = len(self._work.files())
        with closing(in_threads(source.reads(behind_ns), self._encoder.encode)) as encoded:
            frames = source.sort_out(encoded, has_some=done > 0)
            while first := next(frames, None):
                rest = islice(frames, self._options.frames_per_file - 1)
                self._write_file(number, first.stamp_ns, chain((first,), rest))
                self._work.keep(number)
                number += 1

    def _write_file(self, number: int, stamp_ns: int, frames: Iterable[EncodedFrame]) -> None:
        folder = self._work.writing(number)
        with bag_part(folder, self._options.storage, compressed=self._compressed) as part:
            # Repeated in each file: each can be played alone.
            part.write(stamp_ns, self._encoder.encode_fixed(stamp_ns))
            for frame in frames:
                self._check_order(frame.stamp_ns)
                part.write(frame.stamp_ns, frame.messages)
                self._note(frame)

    def _check_order(self, stamp_ns: int) -> None:
        if stamp_ns <= self._newest_ns:
            raise FrameError(
                f"a frame at {stamp_ns} ns follows one at {self._newest_ns} ns: a recording's"
                " stamps have to increase"
            )
        self._newest_ns = stamp_ns

    def _note(self, frame: EncodedFrame) -> None:
        self._done += 1
        if self._report is not None:
            self._report(self._done)
        if frame.is_exact:
            return
        if not self.rounded:
            _log.warning(
                "depth at %d ns is not in whole millimetres as before; it is rounded",
                frame.stamp_ns,
            )
        self.rounded += 1


def in_threads(
    reads: Iterator[ReadFrame], encode: Callable[[SensorFrame], EncodedFrame]
) -> Generator[EncodedFrame | UnusableFrame, None, None]:
    """Encoded frames in order; a bounded number is read and encoded at any time."""

    def read_and_encode(read: ReadFrame) -> EncodedFrame | UnusableFrame:
        frame = read()
        return frame if isinstance(frame, UnusableFrame) else encode(frame)

    waiting: deque[Future[EncodedFrame | UnusableFrame]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        try:
            for read in reads:
                waiting.append(pool.submit(read_and_encode, read))
                if len(waiting) == 2 * _THREADS:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


class FrameSource:
    """Chosen frames of a sequence, readable from any stamp on.

    Frames of an `IndexedSequence` are read without those before them, by several threads.
    """

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
        """Number of frames; an upper bound for a sequence that drops frames on reading."""
        return self._count

    @property
    def drops(self) -> Mapping[str, int]:
        """Frames left out, by cause: of the recording, and of those that were read."""
        if self._indexed is None:
            return self._sequence.drops
        return {**self._left_out, **self._indexed.drops}

    def sample(self, count: int) -> list[SensorFrame]:
        """The first usable frame and others, at most `count`.

        Raises:
            FrameError: no frame is usable.
        """
        if self._indexed is not None:
            return _sample(self._indexed, count)
        sample = list(islice(self._streamed(), count))
        if not sample:
            raise FrameError(f"{self._sequence.path}: none of the chosen frames is usable")
        return sample

    def reads(self, behind_ns: int) -> Iterator[ReadFrame]:
        """Functions that read the frames after a stamp, in order.

        A stamp and not a count, since some frames before may have been unusable.
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
        """The usable frames among those read, as `IndexedSequence.sort_out`."""
        if self._indexed is not None:
            return self._indexed.sort_out(frames, has_some=has_some)
        return _usable(frames)

    def last(self) -> SensorFrame:
        """The last usable frame; valid once `reads` is exhausted."""
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


@contextmanager
def bag_part(folder: Path, storage: Storage, *, compressed: bool) -> Iterator[BagPart]:
    """Write a bag of one file, `folder.name` in `folder`, synced to the disk at the end.

    Args:
        compressed: compress the chunks of an mcap file; a db3 file has none.
    """
    shutil.rmtree(folder, ignore_errors=True)  # left by a killed process
    writer = Writer(folder, version=_METADATA_VERSION, storage_plugin=_PLUGINS[storage])
    if compressed and storage == "mcap":
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        yield BagPart(writer)
    for file in folder.iterdir():
        descriptor = os.open(file, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class BagPart:
    """A bag of one file that is being written."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._store = humble_types()
        self._connections: dict[str, Connection] = {}

    def write(self, stamp_ns: int, messages: tuple[EncodedMessage, ...]) -> None:
        for message in messages:
            topic = message.topic
            if topic not in self._connections:
                self._connections[topic] = self._writer.add_connection(
                    topic,
                    message.kind,
                    typestore=self._store,
                    offered_qos_profiles=(_LATCHED,) if message.is_latched else (),
                )
            self._writer.write(self._connections[topic], stamp_ns, message.data)
