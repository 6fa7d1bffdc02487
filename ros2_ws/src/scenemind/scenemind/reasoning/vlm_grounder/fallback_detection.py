"""A look over stored frames for a class that nothing mapped fits."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scenemind.memory import KeyFrame, MemoryAccess
from scenemind.perception.errors import PerceptionError
from scenemind.perception.text import normalized_label
from scenemind.perception.types import Detections
from scenemind.reasoning.detecting import SharedDetector, search_frames
from scenemind.reasoning.method import Asking
from scenemind.reasoning.stored_frames import StoredFrames
from scenemind.reasoning.vlm_grounder.types import BoxPx
from scenemind.words.quoting import quoted

_log = logging.getLogger(__name__)
_STAGE = "detect"
# Of the time that the question has left: the model must still look, and a box be measured.
_SHARE_OF_TIME = 0.5


@dataclass(frozen=True, slots=True)
class SeenBox:
    """A thing of the class in a stored frame.

    Attributes:
        score: of the detector, in [0, 1].
    """

    frame_number: int
    box_px: BoxPx
    score: float


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look found.

    Attributes:
        boxes: by frame, oldest first; of each frame the surest first.
        steps: what was done, and what could not be, in words.
    """

    boxes: tuple[SeenBox, ...]
    steps: tuple[str, ...]


class ClassDetector:
    """Looks for the class of a query with an open-vocabulary detector, as VLM-Grounder does for
    every query (section 3.1: view pre-selection). Here what the map was made from is asked first,
    and this only where its vocabulary had no such class."""

    def __init__(self, detector: SharedDetector, most_frames: int, least_score: float) -> None:
        """
        Args:
            most_frames: of one look, evenly from all that are stored.
            least_score: surer boxes count.
        """
        self._detector = detector
        self._most_frames = most_frames
        self._least_score = least_score

    def detect(
        self,
        target_class: str,
        memory: MemoryAccess,
        asking: Asking,
        frame_numbers: Sequence[int] | None = None,
    ) -> Seen:
        """Boxes of the class, also none: where there is no detector for it, the steps say so.

        Half of the time that is left is used at most. What was looked at by then lies evenly over
        the frames.

        Args:
            target_class: one name of a kind of things, in any spelling.
            frame_numbers: those to look at, such as the one that a model chose; None: all stored.

        Raises:
            ModelError: cancelled, or the allowance is used up.
            ReasoningError: no frame is stored.
        """
        stored = StoredFrames(memory)
        order = coarse_to_fine(stored.numbers if frame_numbers is None else frame_numbers)
        numbers = order[: self._most_frames]
        started, left_s = time.monotonic(), asking.allowance.left_s
        boxes: list[SeenBox] = []
        looked = 0
        try:
            label = normalized_label(target_class)
            for frame, found in search_frames(
                self._detector, (label,), stored, numbers, asking, _STAGE
            ):
                looked += 1
                boxes += self._sure_boxes(frame, found)
                if asking.allowance.left_s < (1.0 - _SHARE_OF_TIME) * left_s:
                    break
        except PerceptionError as error:
            _log.warning("cannot look for %s in stored frames: %s", quoted(target_class), error)
            return Seen((), (f"could not look for {quoted(target_class)}: {error}",))
        boxes.sort(key=lambda box: (box.frame_number, -box.score))
        seconds = time.monotonic() - started
        step = (
            f"looked for {quoted(label)} in {looked} of {len(order)} frames:"
            f" {len({box.frame_number for box in boxes})} show some"
            f" ({self._detector.name}, {seconds:.2f} s)"
        )
        return Seen(tuple(boxes), (step, *stored.steps()))

    def _sure_boxes(self, frame: KeyFrame, found: Detections) -> Iterator[SeenBox]:
        for box, score in zip(found.boxes_px.tolist(), found.scores.tolist(), strict=True):
            if score >= self._least_score:
                yield SeenBox(frame.frame_number, tuple(box), score)


def coarse_to_fine(numbers: Sequence[int]) -> list[int]:
    """All of them, in such an order that the first few, however many, lie evenly over all: each
    round halves the gaps of the one before (the bits of the places reversed)."""
    bits = (len(numbers) - 1).bit_length() if numbers else 0
    places = (_reversed(i, bits) for i in range(1 << bits))
    return [numbers[place] for place in places if place < len(numbers)]


def _reversed(number: int, bits: int) -> int:
    return int(f"{number:0{bits}b}"[::-1], 2) if bits else 0
