"""The mapper: one frame in, memory updated."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame
from scenemind.mapping.governor import EVERYTHING, Plan
from scenemind.mapping.stage_timings import StageTimings
from scenemind.memory.memory import Memory
from scenemind.memory.stopwatch import Stopwatch
from scenemind.perception.errors import PerceptionError
from scenemind.perception.lifting import lift
from scenemind.perception.protocols import Detector, OpenVocabularyDetector
from scenemind.perception.text.similarity import LabelSimilarity, same_word
from scenemind.perception.tracker import Tracker
from scenemind.perception.types import Detections, Observation

_log = logging.getLogger(__name__)

DETECT = "detect"


@dataclass(frozen=True, slots=True, eq=False)
class DetectedFrame:
    """A frame on its way from the detector to the map."""

    frame: RGBDFrame
    detections: Detections
    detect_ms: float


@dataclass(frozen=True, slots=True, eq=False)
class MapperReport:
    """What became of one frame.

    Attributes:
        frame_number: of this frame in the memory, as key frames are numbered.
        changed: ids of objects that changed, came or went, tentative ones included.
        stage_ms: milliseconds of detect, track, lift, fuse, graph, tree and store.
        put_off: what was not done for want of time (`mapping.governor`).
    """

    frame_number: int
    stamp_ns: int
    detections: Detections
    observations: tuple[Observation, ...]
    changed: frozenset[int]
    stage_ms: dict[str, float]
    put_off: tuple[str, ...]

    @property
    def mapping_ms(self) -> float:
        """All stages but the detector's."""
        return sum(ms for stage, ms in self.stage_ms.items() if stage != DETECT)


class Mapper:
    """detect -> track -> lift -> remember, for one recording or camera stream.

    Attributes:
        memory: where it goes.
        timings: how long the stages took.
        failed_detections: frames that the detector failed on; they went on without detections.
    """

    def __init__(self, detector: Detector, memory: Memory, config: SceneMindConfig) -> None:
        self._detector = detector
        self._label_similarity: LabelSimilarity = same_word
        if isinstance(detector, OpenVocabularyDetector):
            self._label_similarity = detector.label_similarity
        self._tracker = Tracker(config.tracker)
        self._config = config
        self.memory = memory
        self.timings = StageTimings()
        self.failed_detections = 0
        self._turn = 0  # frames that were mapped
        memory.begin_session()

    @property
    def detector(self) -> Detector:
        return self._detector

    def process(self, frame: RGBDFrame) -> MapperReport:
        """Map one frame, everything of it; its images must not change afterwards.

        Raises:
            SceneMemoryError: the frame's number does not come after the last one's.
        """
        return self.integrate(self.detect(frame))

    def detect(self, frame: RGBDFrame) -> DetectedFrame:
        """The first half, which another thread may do while `integrate` has an earlier frame."""
        watch = Stopwatch()
        try:
            detections = self._detector.detect(frame)
        except PerceptionError as error:
            if self.failed_detections == 0:
                _log.error(
                    "%s failed on frame %d: %s; frames go on without detections",
                    self._detector.name,
                    frame.number,
                    error,
                )
            self.failed_detections += 1
            detections = Detections.empty()
        watch.lap(DETECT)
        return DetectedFrame(frame, detections, watch.stage_ms[DETECT])

    def integrate(self, detected: DetectedFrame, plan: Plan = EVERYTHING) -> MapperReport:
        """The second half: track, lift and remember; frames in order, on one thread.

        Raises:
            SceneMemoryError: the frame's number does not come after the last one's.
        """
        frame, detections = detected.frame, detected.detections
        watch = Stopwatch()
        track_ids = self._tracker.update(detections, frame)
        watch.lap("track")
        lifted = track_ids if plan.does("lifting") else _every_other(track_ids, self._turn)
        observations = lift(detections, lifted, frame, self._config.lifting, self._config.depth)
        watch.lap("lift")
        changed = self.memory.integrate(
            frame,
            detections,
            track_ids,
            observations,
            watch,
            relations=plan.does("relations"),
            upkeep=plan.does("upkeep", self._turn),
            label_similarity=self._label_similarity,
        )
        self._turn += 1
        stage_ms = {DETECT: detected.detect_ms, **watch.stage_ms}
        self.timings.add(stage_ms)
        return MapperReport(
            frame_number=self.memory.last_frame_number,
            stamp_ns=frame.stamp_ns,
            detections=detections,
            observations=tuple(observations),
            changed=changed,
            stage_ms=stage_ms,
            put_off=plan.put_off,
        )


def _every_other(track_ids: NDArray[np.int64], turn: int) -> NDArray[np.int64]:
    """One half of the tracks in even turns, the other in odd ones; the rest is -1."""
    return np.where((track_ids + turn) % 2 == 0, track_ids, -1)
