"""`zsvg3d_programs`: the programs that ZSVG3D's language model wrote, as a method of grounding."""

from __future__ import annotations

import time

from scenemind.evaluation.datasets import ReferringExpression
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.predictions import GroundingPrediction
from scenemind.evaluation.scenes import Scenes
from scenemind.evaluation.zsvg3d.interpreter import ProgramScene
from scenemind.evaluation.zsvg3d.syntax import parse_program


class RecordedPrograms:
    """Runs each row's own program; its sentence is not read."""

    name = "zsvg3d_programs"

    def __init__(self, scenes: Scenes) -> None:
        self._scenes = scenes
        self._of_scene: dict[str, ProgramScene] = {}

    def ground(self, row: ReferringExpression) -> GroundingPrediction:
        """
        Raises:
            EvaluationError: the row comes without a program.
        """
        if not row.program:
            raise EvaluationError(
                f"row {row.row_id} has no recorded program: {self.name} needs ZSVG3D's files"
                " (github.com/CurryYuan/ZSVG3D)"
            )
        if row.scene_id not in self._of_scene:
            snapshot = self._scenes.get_snapshot(row.scene_id)
            self._of_scene[row.scene_id] = ProgramScene(snapshot, self._scenes.config)
        start = time.perf_counter()
        outcome = self._of_scene[row.scene_id].run(parse_program(row.program))
        seconds = time.perf_counter() - start
        objects = self._scenes.get_snapshot(row.scene_id).objects
        return GroundingPrediction(
            row,
            outcome.object_ids,
            tuple(objects[object_id].yaw_box for object_id in outcome.object_ids),
            outcome.tied,
            seconds,
            failure="" if outcome.object_ids else "not_found",
            steps=f"not used: {', '.join(outcome.unused)}" if outcome.unused else "",
        )
