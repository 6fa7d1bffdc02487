"""A look over stored frames for a class that nothing mapped fits."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scenemind.memory import KeyFrame, MemoryAccess
from scenemind.models import ModelError
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

    def __init__(
        self,
        detector: SharedDetector,
        most_frames: int,
        least_score: float,
        share_of_time: float = 0.5,
    ) -> None:
        """
        Args:
            most_frames: of one look, evenly from all that are stored.
            least_score: surer boxes count.
            share_of_time: that one look may take of what the question has left: the model must
                still look, and a box be measured.
        """
        self._detector = detector
        self._most_frames = most_frames
        self._least_score = least_score
        self._share_of_time = share_of_time

    def detect(
        self,
        target_class: str,
        memory: MemoryAccess,
        asking: Asking,
        frame_numbers: Sequence[int] | None = None,
    ) -> Seen:
        """Boxes of the class, also none. A look that cannot begin, or ends early, since there is no
        detector for the class, it fails, or its share of the time is over (of which waiting for the
        detector is part), gives what was found by then, and the steps say so. What was looked at
        lies evenly over the frames.

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
        started = time.monotonic()
        share = asking.allowance.part(self._share_of_time * asking.allowance.left_s)
        boxes: list[SeenBox] = []
        looked, ended = 0, ""
        try:
            classes = (normalized_label(target_class),)
            part = replace(asking, allowance=share)
            for frame, found in search_frames(
                self._detector, classes, stored, numbers, part, _STAGE
            ):
                looked += 1
                boxes += self._sure_boxes(frame, found)
        except PerceptionError as error:
            _log.warning("cannot look for %s in stored frames: %s", quoted(target_class), error)
            ended = str(error)
        except ModelError as error:
            asking.allowance.check_time()
            if error.kind != "too_late":
                raise
            ended = "its part of the question's time was over"
        if ended and not looked:
            return Seen((), (f"could not look for {quoted(target_class)}: {ended}",))
        boxes.sort(key=lambda box: (box.frame_number, -box.score))
        seconds = time.monotonic() - started
        step = (
            f"looked for {quoted(target_class)} in {looked} of {len(order)} frames:"
            f" {len({box.frame_number for box in boxes})} show some"
            f" ({self._detector.name}, {seconds:.2f} s)"
        )
        early = (f"the look ended early: {ended}",) if ended else ()
        return Seen(tuple(boxes), (step, *early, *stored.steps()))

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
