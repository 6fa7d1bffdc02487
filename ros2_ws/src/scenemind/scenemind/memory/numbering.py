"""Frames and tracks of several sessions in one memory, without a number used twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.errors import SceneMemoryError
from scenemind.perception.types import Observation


class Numbering:
    """Each session counts frames and tracks from 0; the memory goes on from what it has."""

    def __init__(self, next_frame: int = 0, next_track: int = 0) -> None:
        self._next_frame, self._next_track = next_frame, next_track
        self.begin_session()

    @property
    def next_frame(self) -> int:
        return self._next_frame

    def begin_session(self) -> None:
        self._frame_offset, self._track_offset = self._next_frame, self._next_track

    def frame(self, number: int) -> int:
        """The memory's number of a frame of this session.

        Raises:
            SceneMemoryError: it does not come after the frame before.
        """
        own = number + self._frame_offset
        if own < self._next_frame:
            raise SceneMemoryError(
                f"frame {number} comes after frame {self._next_frame - 1 - self._frame_offset}:"
                " frames are numbered upwards; call begin_session() before a new recording"
            )
        self._next_frame = own + 1
        return own

    def tracks(self, track_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The memory's ids of tracks (N,) of this session; -1 stays -1."""
        own = np.where(track_ids >= 0, track_ids + self._track_offset, -1)
        self._next_track = max(self._next_track, int(own.max(initial=-1)) + 1)
        return own

    def observations(self, observations: Sequence[Observation]) -> Sequence[Observation]:
        """The same observations with the memory's track ids."""
        if self._track_offset == 0:
            return observations
        return [
            replace(o, track_id=o.track_id + self._track_offset) if o.track_id >= 0 else o
            for o in observations
        ]
