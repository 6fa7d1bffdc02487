"""What one object looks like: its colours over all views."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scenemind.memory.objects.object_record import ObjectRecord
from scenemind.perception.color_names import COLOR_NAMES
from scenemind.perception.types import Observation


class Looks:
    """Colours of the object's own pixels.

    Attributes:
        colors: (24,) float64, how many pixels bore each of `COLOR_NAMES`; never changed in place.
        appearance: (48,) float32 of sum 1, the mean colour histogram; None before the first.
    """

    __slots__ = ("appearance", "colors")

    def __init__(self) -> None:
        self.colors: NDArray[np.float64] = np.zeros(len(COLOR_NAMES))
        self.appearance: NDArray[np.float32] | None = None

    @classmethod
    def restored(cls, record: ObjectRecord) -> Looks:
        looks = cls()
        looks.colors = np.array([record.colors.get(name, 0.0) for name in COLOR_NAMES])
        looks.appearance = record.appearance
        return looks

    def color_counts(self) -> dict[str, float]:
        """Name -> pixels, for those that occur."""
        counts = zip(COLOR_NAMES, self.colors.tolist(), strict=True)
        return {name: count for name, count in counts if count > 0.0}

    def add(self, observation: Observation) -> None:
        """One view."""
        pixels = observation.pixel_count
        self._blend(observation.color_shares * pixels, pixels, observation.appearance)

    def absorb(self, other: Looks) -> None:
        """All views of a duplicate."""
        self._blend(other.colors, float(other.colors.sum()), other.appearance)

    def likeness(self, appearance: NDArray[np.float32]) -> float:
        """Share of the colour histograms that coincides, in [0, 1]."""
        if self.appearance is None:
            return 0.0
        return float(np.minimum(self.appearance, appearance).sum())

    def _blend(
        self,
        colors: NDArray[np.floating],
        pixels: float,
        appearance: NDArray[np.float32] | None,
    ) -> None:
        """Args: pixels: the sum of `colors`."""
        self.colors = self.colors + colors
        if self.appearance is None or appearance is None:
            self.appearance = appearance if self.appearance is None else self.appearance
            return
        share = np.float32(pixels / max(float(self.colors.sum()), 1.0))
        self.appearance = self.appearance + (appearance - self.appearance) * share
