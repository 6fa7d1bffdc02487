"""Frames into the files of a bag, one after another."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from itertools import chain, islice

from scenemind.frames.bag_writing.bag_part import bag_part
from scenemind.frames.bag_writing.encoder import EncodedFrame, FrameEncoder
from scenemind.frames.bag_writing.options import ImageEncoding, WriteOptions
from scenemind.frames.bag_writing.source import FrameSource, ReadFrame
from scenemind.frames.bag_writing.work_folder import WorkFolder
from scenemind.frames.errors import FrameError
from scenemind.frames.frame import SensorFrame
from scenemind.frames.unusable_frames import UnusableFrame

_log = logging.getLogger(__name__)

_THREADS = min(4, os.cpu_count() or 1)


class Recorder:
    """Writes file after file.

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
        """Write the frames behind this stamp into the files behind those that are finished.

        Args:
            done: frames in the finished files.
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
            # In each file, so that each can be played alone.
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
    """Frames in order; a few are read and encoded at any time, so that memory is bounded."""

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
