"""Image vectors of stored frames, made once each and kept between questions."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scenemind.perception.protocols import ImageTextEncoder
from scenemind.reasoning.method import Asking
from scenemind.reasoning.stored_frames import RankedFrame, StoredFrames

_log = logging.getLogger(__name__)

_BATCH = 16


class _Kept(NamedTuple):
    stamp_ns: int
    location_id: int
    vector: NDArray[np.float32]


class FrameVectors:
    """Thread-safe; callers that need the same frames share the work.

    A vector takes about 2 kB: those of the newest `most` frames are kept, and none of frames that
    are stored no more.
    """

    def __init__(self, encoder: ImageTextEncoder, most: int) -> None:
        self._encoder = encoder
        self._most = most
        self._kept: dict[int, _Kept] = {}
        self._lock = threading.Lock()  # of the kept ones, and while a batch is embedded

    def compare(self, text: str, stored: StoredFrames, asking: Asking) -> list[RankedFrame]:
        """The cosine between a text and each frame that can be read, oldest first.

        Raises:
            ModelError: the allowance is used up; what was embedded until then is kept.
            PerceptionError: the encoder cannot be had, or does not take the text.
        """
        (wanted,) = self._encoder.encode_texts([text])
        numbers = stored.numbers[-self._most :]
        with self._lock:
            self._forget_others(numbers, stored)
        self._embed_all(numbers, stored, asking)
        with self._lock:
            kept = [(number, self._kept[number]) for number in numbers if number in self._kept]
        return [
            RankedFrame(float(frame.vector @ wanted), number, frame.location_id)
            for number, frame in kept
        ]

    def _forget_others(self, numbers: Sequence[int], stored: StoredFrames) -> None:
        """Frames that are gone, and all when they are another memory's: then the oldest frame that
        both have is another one."""
        stay = sorted(self._kept.keys() & set(numbers))
        oldest = stored.find(stay[0]) if stay else None
        if oldest is not None and oldest.stamp_ns != self._kept[stay[0]].stamp_ns:
            _log.info("frame %d is another one than before: all are embedded anew", stay[0])
            stay = []
        self._kept = {number: self._kept[number] for number in stay}

    def _embed_all(self, numbers: Sequence[int], stored: StoredFrames, asking: Asking) -> None:
        while True:
            asking.allowance.check()
            with self._lock:
                missing = [n for n in numbers if n not in self._kept and n not in stored.gone]
                self._embed(missing[:_BATCH], stored)
            if len(missing) <= _BATCH:
                return
            done = len(numbers) - len(missing) + _BATCH
            asking.report("select", f"embedded {done} of {len(numbers)} frames")

    def _embed(self, numbers: Sequence[int], stored: StoredFrames) -> None:
        found = [seen for n in numbers if (seen := stored.find_color(n)) is not None]
        if not found:
            return
        vectors = self._encoder.encode_images([color for _, color in found])
        for (frame, _), vector in zip(found, vectors, strict=True):
            self._kept[frame.frame_number] = _Kept(frame.stamp_ns, frame.location_id, vector)
