"""One segmenter for all queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import RGBDFrame
from scenemind.models import Allowance
from scenemind.perception.protocols import Segmenter
from scenemind.perception.types import BoxMask
from scenemind.reasoning.shared_model import SharedModel


class SharedSegmenter:
    """An image at a time, from any thread; see `SharedModel`."""

    def __init__(self, build: Callable[[], Segmenter]) -> None:
        """
        Args:
            build: makes the segmenter; called again where it failed.
        """
        self._shared = SharedModel(build, "segmenter")

    def within(self, allowance: Allowance) -> Segmenter:
        """The segmenter as one query uses it, which waits for it no longer than it may take. What
        cannot be had, or not in time, is told by the first image."""
        return _OfQuery(self._shared, allowance)


@dataclass(frozen=True, slots=True)
class _OfQuery:
    shared: SharedModel[Segmenter]
    allowance: Allowance

    @property
    def name(self) -> str:
        """Of the segmenter, as soon as it is made."""
        segmenter = self.shared.find()
        return "the segmenter" if segmenter is None else segmenter.name

    def segment(
        self, frame: RGBDFrame, boxes_px: NDArray[np.floating]
    ) -> tuple[BoxMask | None, ...]:
        """See `Segmenter`.

        Raises:
            ModelError: cancelled, or the allowance is used up.
        """
        with self.shared.turn(self.allowance) as segmenter:
            return segmenter.segment(frame, boxes_px)
