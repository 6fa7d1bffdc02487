"""How right replies about rooms are, by what the rooms really hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from scenemind.evaluation.columns import mean_column
from scenemind.evaluation.metrics.boxes import extents, iou_pairs
from scenemind.evaluation.predictions import AnswerPrediction, Prediction
from scenemind.evaluation.rooms.questions import get_room, room_questions
from scenemind.evaluation.scene_source import SceneSource
from scenemind.evaluation.scored import Material, Scored, Scorer

RIGHT = "right"
_LEAST_IOUS = {"acc_25": 0.25, "acc_50": 0.5}
_NO_OBJECT = 0  # instance ids go from 1


class RoomSource(SceneSource, Protocol):
    """A source of simulated rooms."""

    def instance_of(self, scene_id: str) -> Mapping[int, int]:
        """Object id in the scene's memory -> the real object's, where it stands for one."""
        ...


def room_scorer(source: RoomSource) -> Scorer:
    """A scorer of what was said of the rooms of a source.

    `right` is the question's own judgement (`simulation.Question.is_answered_by`). `acc_25` and
    `acc_50` are of phrases alone: the box that was found has so much IoU with the target's.
    """

    def score(predictions: Sequence[Prediction], _material: Material) -> Scored:
        ious = [_iou(one) for one in predictions]
        columns = {RIGHT: mean_column([float(_is_right(one, source)) for one in predictions])}
        for name, least in _LEAST_IOUS.items():
            columns[name] = mean_column([None if i is None else float(i >= least) for i in ious])
        return Scored(columns, [()] * len(predictions), {})

    return score


def _is_right(prediction: Prediction, source: RoomSource) -> bool:
    row = prediction.row
    instance_of = source.instance_of(row.scene_id)
    ids = [instance_of.get(object_id, _NO_OBJECT) for object_id in prediction.object_ids]
    said = ""
    if isinstance(prediction, AnswerPrediction):
        said = prediction.sentence or prediction.answer
    question = room_questions(row.scene_id)[row.row_id]
    return not prediction.failure and question.is_answered_by(said, ids)


def _iou(prediction: Prediction) -> float | None:
    """With the target; None for questions, which name no box."""
    if isinstance(prediction, AnswerPrediction):
        return None
    if not prediction.boxes:
        return 0.0
    target = get_room(prediction.row.scene_id).get_object(prediction.row.target_id)
    return float(iou_pairs(extents(prediction.boxes[:1]), extents([target.box]))[0])
