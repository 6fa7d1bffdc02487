"""What is asked: the rows of a benchmark that are about the scene that was recorded."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from scenemind.evaluation.benchmark import Benchmark, get_benchmark
from scenemind.evaluation.datasets import Question, Row
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.page.truth import Truth
from scenemind.evaluation.rooms import SIMULATION, RoomSource, TrueRooms, simulation_benchmark
from scenemind.evaluation.rooms.questions import room_rows
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.selection import check_truth, has_poses, selected
from scenemind.geometry import Pose
from scenemind.simulation import SimulatedSequence, open_source
from scenemind_ros.evaluation.options import LiveOptions

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AskedRows:
    """
    Attributes:
        truth: the benchmark's true objects; None: not given, or of a simulated room.
    """

    name: str
    scene_id: str
    rows: tuple[Row, ...]
    truth: Scenes | None

    def benchmark(self, source: RoomSource) -> Benchmark:
        """For scoring."""
        if self.name == SIMULATION:
            return simulation_benchmark([self.scene_id], source)
        return get_benchmark(self.name)

    def truth_to_show(self) -> Truth | None:
        """For pictures."""
        return TrueRooms() if self.name == SIMULATION else self.truth

    def viewpoint_of(self, row: Question) -> Pose | None:
        """Where who asks stands; None where nobody says, or without an alignment to turn it by."""
        if row.pose is None or self.truth is None:
            return None
        return self.truth.get_viewpoint(row.scene_id, row.pose)


def asked_rows(options: LiveOptions) -> AskedRows:
    """
    Raises:
        EvaluationError: files are missing, or have no rows about the scene.
        FrameError, SimulationError: there is no such recording.
    """
    scene_id = options.scene or _scene_of(options.recording)
    truth = None if options.objects is None else Scenes(options.objects)
    if options.benchmark == SIMULATION:
        every = list(room_rows([scene_id]))
        groups = simulation_benchmark([scene_id], TrueRooms()).groups
    else:
        benchmark = get_benchmark(options.benchmark)
        if options.data is None:
            raise EvaluationError(f"{benchmark.name} needs --data, its file or folder")
        every = [row for row in benchmark.read(options.data) if row.scene_id == scene_id]
        groups = benchmark.groups
    if not every:
        raise EvaluationError(
            f"{options.benchmark} has no rows about {scene_id}: name the scene that was recorded"
            " with --scene"
        )
    rows = selected(every, groups, limit=options.limit, seed=options.seed)
    if truth is not None:
        check_truth(rows, truth, with_poses=True)
    elif has_poses(rows):
        _LOG.warning(
            "the nodes are told in words alone where who asks stands: --objects FILE has"
            " the alignment that poses are turned by"
        )
    return AskedRows(options.benchmark, scene_id, tuple(rows), truth)


def _scene_of(recording: str) -> str:
    """A simulated room's own name; of a recording that of its folder or file."""
    if recording.partition(":")[0] != "sim":
        return Path(recording).stem
    sequence = open_source(recording)
    assert isinstance(sequence, SimulatedSequence), "it is named as one"
    return f"sim:{sequence.room.seed}"
