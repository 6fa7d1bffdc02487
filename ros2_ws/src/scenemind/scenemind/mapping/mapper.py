"""The mapper: one frame in, memory updated, each stage timed."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame
from scenemind.geometry import Pose
from scenemind.mapping.governor import FULL_PLAN, Plan
from scenemind.memory.attributes.sizes import find_stance
from scenemind.memory.loops.closing import LoopClosing
from scenemind.memory.memory import Memory
from scenemind.memory.state import IntegrationOptions, Stopwatch
from scenemind.perception.lifting import lift
from scenemind.perception.protocols import Detector, OpenVocabularyDetector
from scenemind.perception.standing import Ground
from scenemind.perception.text.labels import LabelSimilarity, same_word
from scenemind.perception.tracker import Tracker
from scenemind.perception.types import Detections, Observation, PerceptionError

_log = logging.getLogger(__name__)

_WINDOW = 1000  # frames: half a minute at 30 Hz
DETECT = "detect"


@dataclass(frozen=True, slots=True, eq=False)
class DetectedFrame:
    """A frame on its way from the detector to the map."""

    frame: RGBDFrame
    detections: Detections
    detect_ms: float


@dataclass(frozen=True, slots=True, eq=False)
class MapperReport:
    """Result of mapping one frame.

    Attributes:
        frame_number: of this frame in the memory, as key frames are numbered.
        changed: ids of objects that changed, appeared or went, tentative ones included.
        stage_ms: milliseconds of detect, track, lift, fuse, graph, tree and store.
        put_off: steps deferred for lack of time (`mapping.governor`).
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

    def __repr__(self) -> str:
        total = sum(self.stage_ms.values())
        seen = f"{len(self.detections)} detections, {len(self.changed)} objects changed"
        return f"MapperReport(frame {self.frame_number}: {seen}, {total:.1f} ms)"


class Mapper:
    """detect -> track -> lift -> fuse, for one recording or camera stream.

    Attributes:
        memory: receives the observations.
        timings: duration of each stage.
        failed_detections: frames on which the detector failed; they are mapped without detections.
        loops: is told of each frame; None: no loops are closed.
    """

    def __init__(
        self,
        detector: Detector,
        memory: Memory,
        config: SceneMindConfig,
        world_T_poses: Pose | None = None,
        loops: LoopClosing | None = None,
    ) -> None:
        """
        Args:
            world_T_poses: where the world of the frames' poses lies in that of the memory; None: it
                is the same.
            loops: closes loops in this memory; its owner closes it.
        """
        self.loops = loops
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
        self._no_correction = memory.world_T_input
        self._world_T_poses = world_T_poses

    def go_on_in(
        self, memory: Memory, world_T_poses: Pose | None, loops: LoopClosing | None = None
    ) -> None:
        """Map the following frames into another memory; see `__init__`."""
        self.memory, self._world_T_poses, self.loops = memory, world_T_poses, loops

    @property
    def detector(self) -> Detector:
        return self._detector

    def process(self, frame: RGBDFrame) -> MapperReport:
        """Map one frame completely; its images must not change afterwards.

        Raises:
            SceneMemoryError: the frame's number does not come after the last one's.
        """
        return self.integrate(self.detect(frame))

    def detect(self, frame: RGBDFrame) -> DetectedFrame:
        """The first half; another thread may run it while `integrate` maps an earlier frame."""
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
        if not isinstance(detections, Detections):
            raise PerceptionError(
                f"the detector {self._detector.name} returned a {type(detections).__name__}: its"
                " `detect` must return scenemind.perception.Detections(labels, scores, boxes_px,"
                " masks)"
            )
        watch.lap(DETECT)
        return DetectedFrame(frame, detections, watch.stage_ms[DETECT])

    def integrate(self, detected: DetectedFrame, plan: Plan = FULL_PLAN) -> MapperReport:
        """The second half: track, lift and fuse; frames in order, on one thread.

        Raises:
            SceneMemoryError: the frame's number does not come after the last one's.
        """
        with self.memory.steady_world():
            report = self._integrate(detected, plan)
        if self.loops is not None:
            pose = detected.frame.world_T_camera
            self.loops.note_frame(report.frame_number, pose, is_late=bool(plan.put_off))
        return report

    def _integrate(self, detected: DetectedFrame, plan: Plan) -> MapperReport:
        watch = Stopwatch()
        # The tracker compares neighbouring poses, between which odometry does not jump.
        track_ids = self._tracker.update(detected.detections, detected.frame)
        frame, detections = self._in_world(detected.frame), detected.detections
        watch.lap("track")
        lifted = track_ids if plan.does("lifting") else _every_other(track_ids, self._turn)
        ground = Ground(find_stance, self.memory.floor_z())
        observations = lift(
            detections, lifted, frame, self._config.lifting, self._config.depth, ground
        )
        watch.lap("lift")
        changed = self.memory.integrate(
            frame,
            detections,
            track_ids,
            observations,
            watch,
            IntegrationOptions(
                relations=plan.does("relations"),
                upkeep=plan.does("upkeep", self._turn),
                label_similarity=self._label_similarity,
            ),
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

    @property
    def world_T_poses(self) -> Pose | None:
        """Where the world of the frames' poses lies in that of the memory, corrections included;
        None: it is the same."""
        moved, world_T_input = self._world_T_poses, self.memory.world_T_input
        if world_T_input is self._no_correction:
            return moved
        return world_T_input if moved is None else world_T_input @ moved

    def _in_world(self, frame: RGBDFrame) -> RGBDFrame:
        """A frame with its pose in the world of the memory."""
        moved = self.world_T_poses
        if moved is None:
            return frame
        return replace(frame, world_T_camera=moved @ frame.world_T_camera)


def _every_other(track_ids: NDArray[np.int64], turn: int) -> NDArray[np.int64]:
    """Track ids of one half in even turns, of the other in odd ones; -1 for the rest."""
    return np.where((track_ids + turn) % 2 == 0, track_ids, -1)


@dataclass(frozen=True, slots=True)
class StageStats:
    """Statistics of one stage over the last frames; `count` is of all frames."""

    median_ms: float
    count: int


class StageTimings:
    """Durations of stages over the last frames; filled by the mapping thread, read from any."""

    def __init__(self, window: int = _WINDOW) -> None:
        self._window = window
        self._recent: dict[str, deque[float]] = {}
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def add(self, stage_ms: Mapping[str, float]) -> None:
        """Add the stages of one frame, in milliseconds."""
        with self._lock:
            for stage, ms in stage_ms.items():
                self._recent.setdefault(stage, deque(maxlen=self._window)).append(ms)
                self._counts[stage] = self._counts.get(stage, 0) + 1

    def stats(self) -> dict[str, StageStats]:
        """Stage -> statistics, in the order in which the stages first ran."""
        with self._lock:
            recent = {stage: np.array(values) for stage, values in self._recent.items()}
            counts = dict(self._counts)
        return {
            stage: StageStats(float(np.median(values)), counts[stage])
            for stage, values in recent.items()
        }
