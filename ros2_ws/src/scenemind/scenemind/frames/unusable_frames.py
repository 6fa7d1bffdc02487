"""Frames whose images cannot be used: left out of a recording, counted, and told of once."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from scenemind.frames.errors import FrameError

_log = logging.getLogger(__name__)

_T = TypeVar("_T")
# So many at the start, and it is not a few damaged images: the recording is not as it is read.
_PATIENCE = 30


@dataclass(frozen=True, slots=True)
class UnusableFrame:
    """In place of a frame.

    Attributes:
        cause: `<stream>_<what>`, with streams color and depth, and what is `missing` (no such
            file), `invalid` (no image that can be decoded) or `size` (not that of the camera).
        problem: which image, and what is wrong with it.
    """

    cause: str
    problem: str


class UnusableFrames:
    """Takes the unusable frames out; `counts` has those of the latest pass, by cause."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._told: set[str] = set()

    def sort_out(
        self, path: Path, frames: Iterable[_T | UnusableFrame], *, has_some: bool = False
    ) -> Iterator[_T]:
        """The usable ones, in order; the first one left out for a cause is logged.

        Args:
            path: of the recording.
            has_some: frames in front of these were usable.

        Raises:
            FrameError: none is usable, or none of the first 30.
        """
        self.counts.clear()
        first_problem = ""
        for frame in frames:
            if not isinstance(frame, UnusableFrame):
                has_some = True
                yield frame
                continue
            first_problem = first_problem or frame.problem
            self._count(path, frame)
            if not has_some and self.counts.total() == _PATIENCE:
                break
        if first_problem and not has_some:
            raise FrameError(
                f"{path}: none of the first {self.counts.total()} frames is usable:"
                f" {dict(self.counts)} (first: {first_problem}). Copy or download the recording"
                " again, or set its intrinsics and calibration to the size of its images"
            )

    def _count(self, path: Path, frame: UnusableFrame) -> None:
        if frame.cause not in self._told:
            self._told.add(frame.cause)
            _log.warning("%s: a frame is left out (%s): %s", path, frame.cause, frame.problem)
        self.counts[frame.cause] += 1
