"""Things in a picture, as an open-vocabulary detector finds them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scenemind.models import Allowance
from scenemind.perception import PerceptionError
from scenemind.perception.text import normalized_label
from scenemind.reasoning.detecting import SharedDetector, picture
from scenemind.reasoning.sandbox import ApiError
from scenemind.reasoning.vadar.view import BoxPx

MOST_BOXES = 50
# The paper's, of GroundingDINO.
_LEAST_SCORE = 0.25


class DetectorLocator:
    """A `Locator` that looks at the picture itself."""

    def __init__(
        self,
        detector: SharedDetector,
        color: NDArray[np.uint8],
        allowance: Allowance | None = None,
    ) -> None:
        """
        Args:
            color: (H, W, 3) RGB.
            allowance: of the question, where others use the detector as well.
        """
        self._detector = detector
        self._color = color
        self._allowance = allowance

    @property
    def name(self) -> str:
        return self._detector.name or "a detector"

    def locate(self, prompt: str) -> Sequence[BoxPx]:
        """See `Locator`.

        Raises:
            ApiError: the words are no name of a kind of things, or of none that the detector knows.
            PerceptionError: the detector cannot be had.
            ModelError: cancelled, or the allowance is used up.
        """
        try:
            label = normalized_label(prompt)
        except PerceptionError as error:
            raise ApiError(f"loc(image, object_prompt): {error}") from error
        self._detector.open(self._allowance)
        try:
            found = self._detector.detect(picture(self._color), (label,), self._allowance)
        except PerceptionError as error:  # of these words: it may know other ones
            raise ApiError(
                f"loc(image, object_prompt): {label} cannot be looked for, perhaps a common name of"
                f" it can: {error}"
            ) from error
        sure = found.boxes_px[found.scores >= _LEAST_SCORE][:MOST_BOXES].tolist()
        return [(x0, y0, x1, y1) for x0, y0, x1, y1 in sure]
