"""What a page shows of one case: the scene from above, and the key frames that it rests on."""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from scenemind.evaluation.datasets import Question, ReferringExpression
from scenemind.evaluation.errors import EvaluationError
from scenemind.evaluation.page.cases import Case
from scenemind.evaluation.page.scene_drawing import Marked, draw_scene
from scenemind.evaluation.page.truth import Truth
from scenemind.evaluation.photographs import photograph
from scenemind.evaluation.predictions import AnswerPrediction
from scenemind.evaluation.scene_source import SceneSource
from scenemind.evaluation.scenes import Scenes
from scenemind.geometry import Pose
from scenemind.memory import MapObject, MemoryAccess, SceneMemoryError
from scenemind.report import draw_key_frame
from scenemind.report.keyframes import draw_boxes
from scenemind.report.templating import Markup

_LOG = logging.getLogger(__name__)
_MOST_FRAMES = 3
_WIDTH_PX = 640
_FOUND_COLOR = "#c2410c"


@dataclass(frozen=True, slots=True)
class Picture:
    """A photograph or key frame as a data URL."""

    title: str
    source: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A case with its pictures.

    Attributes:
        expected, said: the truth and the reply in words; of a phrase the objects' names.
    """

    case: Case
    expected: str
    said: str
    drawing: Markup | None
    pictures: tuple[Picture, ...]


def with_pictures(
    cases: Sequence[Case],
    source: SceneSource | None,
    truth: Truth | None,
    images: Path | None,
) -> Iterator[Shown]:
    """Each case; without pictures where its scene cannot be had any more, which is logged.

    Args:
        images: folder of photographs that questions are about.
    """
    for case in cases:
        with ExitStack() as opened:
            memory = None
            if source is not None:
                try:
                    memory = opened.enter_context(source.opened(case.prediction.row.scene_id))
                except (EvaluationError, SceneMemoryError) as error:
                    _LOG.warning("no pictures of %s: %s", case.prediction.row.row_id, error)
            shown = _shown(case, memory, source is not None and source.has_true_ids, truth)
            yield shown if images is None else replace(shown, pictures=_photographs(case, images))


def _shown(
    case: Case, memory: MemoryAccess | None, has_true_ids: bool, truth: Truth | None
) -> Shown:
    mapped = {} if memory is None else memory.snapshot().objects
    true = _true_objects(case, truth) if truth is not None else mapped if has_true_ids else {}
    meant, found = list(_meant(case, true)), list(_found(case, mapped))
    drawn = true or mapped
    drawing = draw_scene(drawn, [*meant, *found], _viewpoint(case, truth)) if drawn else None
    frames = () if memory is None else tuple(_key_frames(case, memory, mapped))
    return Shown(case, *_in_words(case, meant, found), drawing, frames)


def _true_objects(case: Case, truth: Truth) -> Mapping[int, MapObject]:
    """None where the truth has no such scene: questions can be asked and scored without."""
    try:
        return truth.get_objects(case.prediction.row.scene_id)
    except EvaluationError as error:
        _LOG.warning("%s is drawn without true objects: %s", case.prediction.row.row_id, error)
        return {}


def _in_words(case: Case, meant: list[Marked], found: list[Marked]) -> tuple[str, str]:
    one = case.prediction
    if isinstance(one, AnswerPrediction):
        return " / ".join(one.row.answers), one.sentence or one.answer
    target = meant[0].text if meant else f"object {one.row.target_id}"
    return target, found[0].text if found else ""


def _meant(case: Case, true: Mapping[int, MapObject]) -> Iterator[Marked]:
    row = case.prediction.row
    ids = (row.target_id,) if isinstance(row, ReferringExpression) else row.target_ids
    for thing in (true[i] for i in ids if i in true):
        yield Marked("true", f"{thing.label} {thing.object_id}", thing.yaw_box)


def _found(case: Case, mapped: Mapping[int, MapObject]) -> Iterator[Marked]:
    prediction = case.prediction
    if isinstance(prediction, AnswerPrediction):
        for thing in (mapped[i] for i in prediction.object_ids if i in mapped):
            yield Marked("found", f"{thing.label} {thing.object_id}", thing.yaw_box)
    elif prediction.boxes:
        yield Marked("found", _name_of(prediction.object_ids[0], mapped), prediction.boxes[0])


def _name_of(object_id: int, mapped: Mapping[int, MapObject]) -> str:
    return f"{mapped[object_id].label} {object_id}" if object_id in mapped else "found"


def _viewpoint(case: Case, truth: Truth | None) -> Pose | None:
    row = case.prediction.row
    if not isinstance(row, Question) or row.pose is None or not isinstance(truth, Scenes):
        return None
    try:
        return truth.get_viewpoint(row.scene_id, row.pose)
    except EvaluationError:  # no alignment: who answered was told in words alone
        return None


def _key_frames(
    case: Case, memory: MemoryAccess, mapped: Mapping[int, MapObject]
) -> Iterator[Picture]:
    labels = {i: mapped[i].label for i in case.prediction.object_ids if i in mapped}
    colors = dict.fromkeys(labels.values(), _FOUND_COLOR)
    for number in case.prediction.frames[:_MOST_FRAMES]:
        try:
            jpeg = draw_key_frame(memory.key_frame(number, tuple(labels)), labels, colors)
        except (SceneMemoryError, ValueError) as error:
            row_id = case.prediction.row.row_id
            _LOG.warning("frame %d of %s is not shown: %s", number, row_id, error)
            continue
        yield Picture(f"frame {number}", _data_url(jpeg))


def _photographs(case: Case, images: Path) -> tuple[Picture, ...]:
    row = case.prediction.row
    if isinstance(row, ReferringExpression) or not row.image:
        return ()
    try:
        jpeg = draw_boxes(photograph(images, row.image).read_bytes(), (), _WIDTH_PX, row.image)
    except (EvaluationError, OSError, ValueError) as error:
        _LOG.warning("no picture of %s: %s", row.row_id, error)
        return ()
    return (Picture(row.image, _data_url(jpeg)),)


def _data_url(jpeg: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode('ascii')}"
