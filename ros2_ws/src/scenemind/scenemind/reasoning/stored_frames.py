"""The stored frames of a memory while a question looks through them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import FrameError
from scenemind.frames.encodings import decode_color_file
from scenemind.memory import KeyFrame, MemoryAccess, SceneMemoryError
from scenemind.reasoning.errors import ReasoningError


class RankedFrame(NamedTuple):
    """How well a frame answers, to who ranks them."""

    score: float
    frame_number: int
    location_id: int


class StoredFrames:
    """Images may go while somebody looks: a robot makes room for new ones.

    Attributes:
        numbers: of the frames, oldest first; constant.
        gone: those of them whose image has gone since, or was damaged.
    """

    def __init__(self, memory: MemoryAccess) -> None:
        """
        Raises:
            ReasoningError: the memory has no frame.
        """
        self.numbers: Sequence[int] = memory.stored_frames()
        self._memory = memory
        self.gone: set[int] = set()
        if not self.numbers:
            raise ReasoningError(
                "empty_memory", "no frame is stored yet: let the camera look around"
            )

    def find(self, number: int) -> KeyFrame | None:
        """The frame with the boxes of all objects in it; None where its image has gone."""
        if number in self.gone:
            return None
        try:
            return self._memory.key_frame(number)
        except SceneMemoryError:
            self.gone.add(number)
            return None

    def find_color(self, number: int) -> tuple[KeyFrame, NDArray[np.uint8]] | None:
        """The frame and its image (H, W, 3), RGB; None also where that is cut short or no image."""
        key_frame = self.find(number)
        if key_frame is None:
            return None
        try:
            return key_frame, decode_color_file(key_frame.jpeg)
        except FrameError:
            self.gone.add(number)
            return None

    def read(self, ranked: Iterable[tuple[int, float]], count: int) -> tuple[KeyFrame, ...]:
        """The first `count` that are there of frame numbers with their scores."""
        found: list[KeyFrame] = []
        for number, score in ranked:
            if len(found) == count:
                break
            key_frame = self.find(number)
            if key_frame is not None:
                found.append(replace(key_frame, score=score))
        return tuple(found)

    def steps(self) -> tuple[str, ...]:
        """A line that says what could not be looked at; none where nothing was missed."""
        if not self.gone:
            return ()
        return (f"{len(self.gone)} of {len(self.numbers)} images could not be read",)


def one_a_location_first(frames: Iterable[RankedFrame]) -> list[tuple[int, float]]:
    """Frame numbers with scores: the best of each location, best first, and then the others, which
    look much like one that is already there; the older of equals."""
    leading: list[tuple[int, float]] = []
    following: list[tuple[int, float]] = []
    seen: set[int] = set()
    for frame in sorted(frames, key=lambda frame: (-frame.score, frame.frame_number)):
        group = following if frame.location_id in seen else leading
        group.append((frame.frame_number, frame.score))
        seen.add(frame.location_id)
    return leading + following
