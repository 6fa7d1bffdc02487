"""Data that the steps of VLM-Grounder exchange: the analysed query, targets, measured boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.geometry import Box3D
from scenemind.memory import FrameIndex, KeyFrame, MemoryAccess, MemorySnapshot
from scenemind.perception.types import BoxMask
from scenemind.reasoning.query import ReasoningError

BoxPx = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels of the colour image."""


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """The result of query analysis (section 3.1).

    Attributes:
        target_class: class of the object, "unknown" where the query does not tell it.
        attributes: properties of the object itself.
        conditions: its relations to other objects and to the place.
        wants_all: the query asks for several objects ("all chairs ...").
        labels: of a detector, as the model wrote them, that it may have given to such a thing.
    """

    target_class: str
    attributes: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    wants_all: bool = False
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """An object in the image that the model chose: detected, or drawn by the model.

    Attributes:
        box_px: of the detection, or as the model drew it.
        object_id: of the map's object that the detection belongs to; None: of none.
        score: of the detection; 0 for a drawn box.
        is_drawn: the model drew its box.
        is_asked: the model saw this very image with marks; else the only candidate was taken.
        labels: of the class.
        not_objects: ids of the map's objects that the model was shown there, and that are not it.
    """

    frame: KeyFrame
    box_px: BoxPx
    object_id: int | None = None
    score: float = 1.0
    is_drawn: bool = False
    is_asked: bool = True
    labels: frozenset[str] = frozenset()
    not_objects: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredView:
    """One image that a box was measured from.

    Attributes:
        mask: of the target, after morphology.
        points: (M, 3) float32, world, metres.
        chamfer_m: Chamfer distance to the nearest of the views before it; 0 for the anchor, which
            is the first.
    """

    frame: KeyFrame
    box_px: BoxPx
    mask: BoxMask
    points: NDArray[np.float32]
    chamfer_m: float


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A target in three dimensions (section 3.4).

    Attributes:
        box: axis-aligned, world, around `points`.
        points: (M, 3) float32, world, metres: of all views, without outliers.
        views: the anchor first; at most N.
        masks: name of the segmenter.
        steps: how it was measured, and which views were left out.
    """

    box: Box3D
    points: NDArray[np.float32]
    views: tuple[MeasuredView, ...]
    masks: str
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class StoredScene:
    """The stored frames and the map of a memory at one moment.

    Attributes:
        index: of all stored frames; at least one.
    """

    memory: MemoryAccess
    index: FrameIndex
    snapshot: MemorySnapshot

    @classmethod
    def of(cls, memory: MemoryAccess) -> StoredScene:
        """The memory now.

        Raises:
            ReasoningError: no frame is stored.
        """
        index = memory.frame_index()
        if not len(index):
            raise ReasoningError(
                "empty_memory", "no frame is stored yet: let the camera look around"
            )
        return cls(memory, index, memory.snapshot())
