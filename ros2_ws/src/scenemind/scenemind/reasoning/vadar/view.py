"""A picture, with who knows what is in it and how far away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import FrameError
from scenemind.frames.encodings import decode_color_file
from scenemind.geometry import iou_matrix_2d
from scenemind.reasoning.errors import ReasoningError

BoxPx = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels of the picture."""

# Two boxes of one thing, from a detector and from the map.
_SAME_THING_IOU = 0.5


class Locator(Protocol):
    """Finds things in one picture by words."""

    @property
    def name(self) -> str:
        """Shown in the steps; an oracle says so here."""
        ...

    def locate(self, prompt: str) -> Sequence[BoxPx]:
        """Boxes of all that the words mean, surest first; none where there is no such thing.

        Raises:
            PerceptionError: a detector cannot be had, or does not take the words.
            ModelError: it was waited for longer than the question has time.
        """
        ...


class DepthSource(Protocol):
    """Knows how far away what a picture shows is."""

    @property
    def name(self) -> str:
        """Shown in the steps; an oracle says so here."""
        ...

    def find_depth_m(self, box_px: BoxPx) -> float | None:
        """Metres along the optical axis to what is in the middle of a box; None: not known.

        Raises:
            PerceptionError: a model cannot be had.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What programs are about.

    Attributes:
        name: such as frame 12.
        depth: None where nobody knows any.
        boxes_px: of the objects of the map that are in it, by id; for the evidence.
    """

    name: str
    width: int
    height: int
    jpeg: bytes
    locator: Locator
    depth: DepthSource | None
    boxes_px: dict[int, BoxPx] = field(default_factory=dict)

    def decoded(self) -> NDArray[np.uint8]:
        """(H, W, 3) RGB.

        Raises:
            ReasoningError: the image is damaged.
        """
        return decoded(self.jpeg, self.name)

    def find_objects(self, boxes_px: Iterable[BoxPx]) -> tuple[int, ...]:
        """Ids of the objects of the map that boxes are about, each once, in their order."""
        found = (self.find_object(box) for box in boxes_px)
        return tuple(dict.fromkeys(i for i in found if i is not None))

    def find_object(self, box_px: BoxPx) -> int | None:
        """Id of the object of the map that a box is about."""
        return find_same(box_px, self.boxes_px)


def find_same(box_px: BoxPx, boxes_px: Mapping[int, BoxPx]) -> int | None:
    """Id of the box that covers about the same as another one."""
    if not boxes_px:
        return None
    boxes = np.array(list(boxes_px.values()), np.float64)
    overlaps = iou_matrix_2d(np.array([box_px], np.float64), boxes)[0]
    best = int(overlaps.argmax())
    return list(boxes_px)[best] if overlaps[best] >= _SAME_THING_IOU else None


def decoded(jpeg: bytes, name: str) -> NDArray[np.uint8]:
    """(H, W, 3) RGB.

    Raises:
        ReasoningError: it is no image, or a damaged one.
    """
    try:
        return decode_color_file(jpeg)
    except FrameError as error:
        raise ReasoningError(
            "invalid_request", f"The image of {name} cannot be read: {error}"
        ) from error
