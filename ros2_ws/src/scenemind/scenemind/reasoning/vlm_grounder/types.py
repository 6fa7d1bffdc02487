"""What the steps of VLM-Grounder hand to each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory import KeyFrame
from scenemind.perception.types import BoxMask

BoxPx = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels of the colour image."""


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """What a query asks for (paper, section 3.1).

    Attributes:
        target_class: kind of the object, "unknown" where no word says it.
        attributes: its own properties.
        conditions: what it has to do with other things.
        wants_all: the query asks for several objects ("all chairs ...").
    """

    target_class: str
    attributes: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    wants_all: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """An object in the image that shows it best.

    Attributes:
        box_px: where it is in the image.
        object_id: of the map, that was detected there; None: of none.
        score: of the detection.
    """

    frame: KeyFrame
    box_px: BoxPx
    object_id: int | None = None
    score: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredView:
    """One image that a box was measured from.

    Attributes:
        mask: of the target, after morphology.
        points: (M, 3) float32, world, metres.
        chamfer_m: to the points of that view among the others that it is nearest to; 0 for the
            anchor, the first, itself.
    """

    frame: KeyFrame
    box_px: BoxPx
    mask: BoxMask
    points: NDArray[np.float32]
    chamfer_m: float


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A target in three dimensions (paper, section 3.4).

    Attributes:
        box: axis-aligned, world, around `points`.
        points: (M, 3) float32, world, metres: of all views, without outliers.
        views: the anchor first; at most N.
        masks: the name of who drew them.
        steps: what was done and left out, in words.
    """

    box: Box3D
    points: NDArray[np.float32]
    views: tuple[MeasuredView, ...]
    masks: str
    steps: tuple[str, ...] = ()
