"""The stored frames of a memory: reading, choosing and searching them for one question."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from scenemind.frames import FrameError, RGBDFrame
from scenemind.frames.images import decode_color_file
from scenemind.geometry import PinholeCamera, Pose
from scenemind.memory import KeyFrame, MemoryAccess, SceneMemoryError
from scenemind.perception.types import Detections
from scenemind.reasoning.method import Asking
from scenemind.reasoning.query import Query, ReasoningError
from scenemind.reasoning.shared_models import SharedDetector

_log = logging.getLogger(__name__)

_REPORT_EVERY = 25  # frames of a search


class RankedFrame(NamedTuple):
    """A stored frame with the score by which a selector ranks it."""

    score: float
    frame_number: int
    location_id: int


class StoredFrames:
    """The stored frames of a memory at one moment. Their images may be deleted meanwhile, since a
    robot makes room for new ones.

    Attributes:
        numbers: frame numbers, oldest first; constant.
        gone: numbers of frames whose image was deleted since, or is damaged.
    """

    def __init__(self, memory: MemoryAccess) -> None:
        """
        Raises:
            ReasoningError: the memory has no frame.
        """
        self.numbers: Sequence[int] = memory.stored_frames()
        self._memory = memory
        self.gone: set[int] = set()
        if not self.numbers:
            raise ReasoningError(
                "empty_memory", "no frame is stored yet: let the camera look around"
            )

    def find(self, number: int) -> KeyFrame | None:
        """The frame with the boxes of all objects in it; None where its image was deleted."""
        if number in self.gone:
            return None
        try:
            return self._memory.key_frame(number)
        except SceneMemoryError:
            self.gone.add(number)
            return None

    def find_color(self, number: int) -> tuple[KeyFrame, NDArray[np.uint8]] | None:
        """The frame and its image (H, W, 3), RGB; None where that was deleted or is damaged."""
        key_frame = self.find(number)
        if key_frame is None:
            return None
        try:
            return key_frame, decode_color_file(key_frame.jpeg)
        except FrameError:
            self.gone.add(number)
            return None

    def read(self, ranked: Iterable[tuple[int, float]], count: int) -> tuple[KeyFrame, ...]:
        """The first `count` frames with an image, of frame numbers with their scores."""
        found: list[KeyFrame] = []
        for number, score in ranked:
            if len(found) == count:
                break
            key_frame = self.find(number)
            if key_frame is not None:
                found.append(replace(key_frame, score=score))
        return tuple(found)

    def steps(self) -> tuple[str, ...]:
        """A line on images that could not be read; none where all could."""
        if not self.gone:
            return ()
        return (f"{len(self.gone)} of {len(self.numbers)} images could not be read",)


def one_a_location_first(frames: Iterable[RankedFrame]) -> list[tuple[int, float]]:
    """Frame numbers with scores: the best frame of each location, best first, then the others,
    which mostly repeat a view; of equal scores the older frame first."""
    leading: list[tuple[int, float]] = []
    following: list[tuple[int, float]] = []
    seen: set[int] = set()
    for frame in sorted(frames, key=lambda frame: (-frame.score, frame.frame_number)):
        group = following if frame.location_id in seen else leading
        group.append((frame.frame_number, frame.score))
        seen.add(frame.location_id)
    return leading + following


def with_all_boxes(frame: KeyFrame, memory: MemoryAccess) -> KeyFrame:
    """The frame with the boxes of all objects in it."""
    try:
        every = memory.key_frame(frame.frame_number).boxes_px
    except SceneMemoryError as error:  # its image was deleted since it was chosen
        _log.info("frame %d is shown with fewer boxes: %s", frame.frame_number, error)
        return frame
    return replace(frame, boxes_px=every)


def with_boxes_of(object_ids: Collection[int], frame: KeyFrame) -> KeyFrame:
    """The frame without the boxes of other objects."""
    boxes = {i: box for i, box in frame.boxes_px.items() if i in object_ids}
    return replace(frame, boxes_px=boxes)


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Key frames for a question.

    Attributes:
        key_frames: best first.
        reasoning: why these were chosen, in the model's words; empty without a model.
        steps: how they were chosen, a line each, repairs of model replies included.
        key_objects, cue_objects: ids of objects that help to answer, and of objects near them.
    """

    key_frames: tuple[KeyFrame, ...]
    reasoning: str = ""
    steps: tuple[str, ...] = ()
    key_objects: tuple[int, ...] = ()
    cue_objects: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """Frames that did not show what a question asks.

    Attributes:
        frames: that a model saw.
        thought: what it said of them, in one line.
    """

    frames: tuple[KeyFrame, ...] = ()
    thought: str = ""

    @property
    def frame_numbers(self) -> frozenset[int]:
        return frozenset(frame.frame_number for frame in self.frames)

    @property
    def location_ids(self) -> frozenset[int]:
        return frozenset(frame.location_id for frame in self.frames)


class FrameSelector(Protocol):
    """Chooses stored frames for a question; may be asked from several threads at once."""

    @property
    def name(self) -> str:
        """Name of the selector, as in `MemTreeConfig.selector`; that of a simulated one or an
        oracle contains that word."""
        ...

    def select(self, query: Query, memory: MemoryAccess, count: int, asking: Asking) -> Selection:
        """Up to `count` stored frames.

        Raises:
            ReasoningError: the memory has no frame to choose.
            ModelError: a model failed, or the allowance is used up.
            PerceptionError: an encoder or detector cannot be had.
        """
        ...


@runtime_checkable
class LooksElsewhere(FrameSelector, Protocol):
    """A selector that can choose again where the first frames did not show it."""

    def select_elsewhere(
        self, query: Query, memory: MemoryAccess, count: int, asking: Asking, looked: Looked
    ) -> Selection:
        """Up to `count` stored frames of other places or views.

        Raises: as `select`.
        """
        ...


def search_frames(
    detector: SharedDetector,
    classes: tuple[str, ...],
    stored: StoredFrames,
    numbers: Sequence[int],
    asking: Asking,
    stage: str,
) -> Iterator[tuple[KeyFrame, Detections]]:
    """Each frame with its detections of these classes, in the order of the numbers, without frames
    whose image was deleted.

    Args:
        classes: normalised (`checked_vocabulary`).
        stage: of the progress reports.

    Raises:
        PerceptionError: see `SharedDetector.detect`.
        ModelError: cancelled, or the allowance is used up.
    """
    for done, number in enumerate(numbers):
        asking.allowance.check()
        if done % _REPORT_EVERY == 0:
            asking.progress.report(
                stage, f"looked for {', '.join(classes)} in {done} of {len(numbers)}"
            )
        found = stored.find_color(number)
        if found is None:
            continue
        key_frame, color = found
        yield key_frame, detector.detect(color_frame(color, key_frame), classes, asking.allowance)


def color_frame(color: NDArray[np.uint8], key_frame: KeyFrame | None = None) -> RGBDFrame:
    """An image (H, W, 3) RGB as detectors take it, without measured depth.

    Args:
        key_frame: of the image; None: a photograph, whose camera is assumed to be one of a usual
            field of view.
    """
    height, width = color.shape[:2]
    depth_m = np.zeros((height, width), np.float32)
    if key_frame is None:
        camera = PinholeCamera(width, height, width, width, width / 2.0, height / 2.0)
        return RGBDFrame(0, 0, color, depth_m, camera, Pose.identity())
    number, stamp_ns = key_frame.frame_number, key_frame.stamp_ns
    return RGBDFrame(number, stamp_ns, color, depth_m, key_frame.camera, key_frame.world_T_camera)
