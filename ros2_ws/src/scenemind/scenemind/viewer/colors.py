"""Colours of classes: far apart, and the same as long as a view is open."""

from __future__ import annotations

import colorsys
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

# Degrees that eyes tell apart (few greens, more reds and blues), taken in steps of five, so that
# neighbours in the legend differ most; the next dozen has another saturation and value.
_HUES = (0, 25, 45, 75, 130, 170, 195, 215, 250, 280, 310, 335)
_STEP = 5
_TONES = ((0.70, 0.85), (0.95, 0.55), (0.40, 0.95))


class ClassColors:
    """A colour for each label that was met, by the order in which they came."""

    def __init__(self) -> None:
        self._order: dict[str, int] = {}

    def meet(self, labels: Iterable[str]) -> None:
        """Give new labels their colours."""
        for label in labels:
            self._order.setdefault(label, len(self._order))

    def rgb(self, label: str) -> NDArray[np.uint8]:
        """(3,) RGB."""
        self.meet([label])
        number = self._order[label]
        dozen, place = divmod(number, len(_HUES))
        saturation, value = _TONES[dozen % len(_TONES)]
        hue = _HUES[place * _STEP % len(_HUES)] / 360.0
        return np.array(
            [round(255 * part) for part in colorsys.hsv_to_rgb(hue, saturation, value)], np.uint8
        )

    def css(self, label: str) -> str:
        """ "#rrggbb"."""
        return "#" + "".join(f"{part:02x}" for part in self.rgb(label).tolist())
