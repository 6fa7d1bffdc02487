"""The mapper: one frame in, memory updated."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame
from scenemind.mapping.stage_timings import StageTimings
from scenemind.memory.memory import Memory
from scenemind.memory.stopwatch import Stopwatch
from scenemind.perception.errors import PerceptionError
from scenemind.perception.lifting import lift
from scenemind.perception.protocols import Detector
from scenemind.perception.tracker import Tracker
from scenemind.perception.types import Detections, Observation

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class MapperReport:
    """What became of one frame.

    Attributes:
        frame_number: of this frame in the memory, as key frames are numbered.
        changed: ids of objects that changed, came or went, tentative ones included.
        stage_ms: milliseconds of detect, track, lift, fuse, graph, tree and store.
    """

    frame_number: int
    stamp_ns: int
    detections: Detections
    observations: tuple[Observation, ...]
    changed: frozenset[int]
    stage_ms: dict[str, float]


class Mapper:
    """detect -> track -> lift -> remember, for one recording or camera stream.

    Attributes:
        memory: where it goes.
        timings: how long the stages took.
        failed_detections: frames that the detector failed on; they went on without detections.
    """

    def __init__(self, detector: Detector, memory: Memory, config: SceneMindConfig) -> None:
        self._detector = detector
        self._tracker = Tracker(config.tracker)
        self._config = config
        self.memory = memory
        self.timings = StageTimings()
        self.failed_detections = 0
        memory.begin_session()

    @property
    def detector(self) -> Detector:
        return self._detector

    def process(self, frame: RGBDFrame) -> MapperReport:
        """Map one frame; its images must not change afterwards.

        Raises:
            SceneMemoryError: the frame's number does not come after the last one's.
        """
        watch = Stopwatch()
        detections = self._detect(frame)
        watch.lap("detect")
        track_ids = self._tracker.update(detections, frame)
        watch.lap("track")
        observations = lift(detections, track_ids, frame, self._config.lifting, self._config.depth)
        watch.lap("lift")
        changed = self.memory.integrate(frame, detections, track_ids, observations, watch)
        self.timings.add(watch.stage_ms)
        return MapperReport(
            frame_number=self.memory.last_frame_number,
            stamp_ns=frame.stamp_ns,
            detections=detections,
            observations=tuple(observations),
            changed=changed,
            stage_ms=watch.stage_ms,
        )

    def _detect(self, frame: RGBDFrame) -> Detections:
        try:
            return self._detector.detect(frame)
        except PerceptionError as error:
            if self.failed_detections == 0:
                _log.error(
                    "%s failed on frame %d: %s; frames go on without detections",
                    self._detector.name,
                    frame.number,
                    error,
                )
            self.failed_detections += 1
            return Detections.empty()
