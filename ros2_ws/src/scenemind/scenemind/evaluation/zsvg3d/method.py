"""`zsvg3d_programs`: the programs that ZSVG3D's language model wrote, as a method of grounding."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from scenemind.config import RelationConfig
from scenemind.evaluation.datasets import ReferringExpression, Row
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.method import Predict
from scenemind.evaluation.predictions import GroundingPrediction
from scenemind.evaluation.scene_source import SceneSource
from scenemind.evaluation.zsvg3d.interpreter import ProgramScene
from scenemind.evaluation.zsvg3d.syntax import parse_program
from scenemind.memory import MemorySnapshot


class RecordedPrograms:
    """A `Method` that runs each row's own program; its sentence is not read."""

    name = "zsvg3d_programs"

    def __init__(self, source: SceneSource, relations: RelationConfig | None = None) -> None:
        self._source = source
        self._relations = relations or RelationConfig()

    @contextmanager
    def at(self, scene_id: str) -> Iterator[Predict]:
        """See `Method`."""
        with self._source.opened(scene_id) as memory:
            snapshot = memory.snapshot()
            scene = ProgramScene(snapshot, self._relations)
            yield lambda row: _ground(scene, snapshot, row)


def _ground(scene: ProgramScene, snapshot: MemorySnapshot, row: Row) -> GroundingPrediction:
    """
    Raises:
        EvaluationError: the row comes without a program.
    """
    if not isinstance(row, ReferringExpression):
        raise EvaluationError(f"{RecordedPrograms.name} answers no questions")
    if not row.program:
        raise EvaluationError(
            f"row {row.row_id} has no recorded program: {RecordedPrograms.name} needs ZSVG3D's"
            " files (github.com/CurryYuan/ZSVG3D)"
        )
    start = time.perf_counter()
    outcome = scene.run(parse_program(row.program))
    seconds = time.perf_counter() - start
    return GroundingPrediction(
        row,
        outcome.object_ids,
        tuple(snapshot.objects[object_id].yaw_box for object_id in outcome.object_ids),
        outcome.tied,
        seconds,
        failure="" if outcome.object_ids else "not_found",
        steps=f"not used: {', '.join(outcome.unused)}" if outcome.unused else "",
    )
