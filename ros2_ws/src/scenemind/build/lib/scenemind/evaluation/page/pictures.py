"""Pictures of the worst cases: the scene from above, and key frames as evidence."""

from __future__ import annotations

import base64
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
from markupsafe import Markup

from scenemind.errors import EvaluationError
from scenemind.evaluation.datasets import Question, ReferringExpression
from scenemind.evaluation.methods import photograph
from scenemind.evaluation.predictions import AnswerPrediction, Prediction
from scenemind.evaluation.result import Evaluation
from scenemind.evaluation.scenes import Scenes, SceneSource
from scenemind.geometry import Box3D, Pose
from scenemind.memory import MapObject, MemoryAccess, SceneMemoryError
from scenemind.report.drawing import (
    Anchor,
    LabelPlace,
    View,
    grid_of,
    place_labels,
    render_of,
    view_of,
)
from scenemind.report.keyframes import draw_boxes, draw_key_frame
from scenemind.report.topdown import is_building

_MOST_OF_A_SCENE = 2
_PACKAGE = "scenemind.evaluation.page"
_STEP_M = 0.6  # length of the asker's arrow
_TEXT_SCALE = 2.0  # labels are larger than `place_labels` assumes, as pages shrink drawings
_LOG = logging.getLogger(__name__)
_MOST_FRAMES = 3
_WIDTH_PX = 640
_FOUND_COLOR = "#c2410c"


class TrueObjects(Protocol):
    """True objects of scenes, such as `Scenes`."""

    def get_objects(self, scene_id: str) -> Mapping[int, MapObject]:
        """Id -> object.

        Raises:
            EvaluationError: there is no such scene.
        """
        ...


@dataclass(frozen=True, slots=True)
class Case:
    """A row with its prediction and score.

    Attributes:
        score: by the benchmark's main metric, percent.
    """

    prediction: Prediction
    groups: tuple[str, ...]
    score: float

    @property
    def text(self) -> str:
        """The question or description."""
        row = self.prediction.row
        return row.text if isinstance(row, ReferringExpression) else row.question

    @property
    def situation(self) -> str:
        """The asker's place in words; empty: not given."""
        row = self.prediction.row
        return "" if isinstance(row, ReferringExpression) else row.situation


def worst_cases(
    evaluation: Evaluation, predictions: Sequence[Prediction], count: int
) -> list[Case]:
    """The cases with the lowest scores, those with the highest confidence first.

    At most two of a scene, without rows that are right or not scored.
    """
    if evaluation.primary is None:
        return []
    of_row = {one.row.row_id: one for one in predictions}
    wrong = [
        (score, -(of_row[row.row_id].confidence or 0.0), row.row_id, row)
        for row in evaluation.rows
        if (score := row.scores[evaluation.primary]) is not None and score < 1.0
    ]
    chosen: list[Case] = []
    of_scene: dict[str, int] = {}
    for score, _, row_id, row in sorted(wrong, key=lambda one: one[:3]):
        if len(chosen) == count:
            break
        if of_scene.setdefault(row.scene_id, 0) < _MOST_OF_A_SCENE:
            of_scene[row.scene_id] += 1
            chosen.append(Case(of_row[row_id], row.groups, 100.0 * score))
    return chosen


@dataclass(frozen=True, slots=True)
class Marked:
    """A highlighted object.

    Attributes:
        kind: a class of the drawing's style, such as "true" or "found".
    """

    kind: str
    text: str
    box: Box3D


@dataclass(frozen=True, slots=True)
class _Shape:
    """An outline, ready to draw."""

    kind: str
    text: str
    outline: str
    label: LabelPlace | None = None


def draw_scene(
    objects: Mapping[int, MapObject], marked: Sequence[Marked], viewpoint: Pose | None = None
) -> Markup:
    """A scene from above as SVG: faint objects with tooltips, and highlighted ones.

    Args:
        objects: of the scene, world.
        viewpoint: `world_T_head` of the asker, x forward.
    """
    boxes = [thing.yaw_box for thing in objects.values()] + [one.box for one in marked]
    corners = [box.footprint() for box in boxes]
    if viewpoint is not None:
        corners.append(viewpoint.translation[None, :2].astype(np.float64))
    view = view_of(corners)
    anchors = [_anchor(one, view) for one in marked]
    places = place_labels(anchors, view.width / _TEXT_SCALE, view.height / _TEXT_SCALE)
    return render_of(
        _PACKAGE,
        "scene.svg.j2",
        view=view,
        grid=grid_of(view),
        objects=[
            _Shape(
                "building" if is_building(thing) else "object",
                f"{thing.label} {thing.object_id}",
                _outline(thing.yaw_box, view),
            )
            for thing in objects.values()
        ],
        marked=[
            _Shape(one.kind, one.text, _outline(one.box, view), _enlarged(place))
            for one, place in zip(marked, places, strict=True)
        ],
        arrow=None if viewpoint is None else _arrow(viewpoint, view),
    )


def _outline(box: Box3D, view: View) -> str:
    return view.points(box.footprint())


def _anchor(marked: Marked, view: View) -> Anchor:
    low, high = marked.box.bounds()
    half = (high - low)[:2] * view.px_per_m / 2
    x, y = view.x(marked.box.center[0]), view.y(marked.box.center[1])
    return Anchor(marked.text, *(float(px) / _TEXT_SCALE for px in (x, y, *half)))


def _enlarged(place: LabelPlace | None) -> LabelPlace | None:
    if place is None:
        return None
    return LabelPlace(place.x * _TEXT_SCALE, place.y * _TEXT_SCALE, place.needs_line)


def _arrow(viewpoint: Pose, view: View) -> tuple[float, float, float, float]:
    start = viewpoint.translation
    tip = start + _STEP_M * viewpoint.rotation[:, 0]
    return view.x(start[0]), view.y(start[1]), view.x(tip[0]), view.y(tip[1])


@dataclass(frozen=True, slots=True)
class Picture:
    """A photograph or key frame as a data URL."""

    title: str
    source: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A case with its pictures.

    Attributes:
        expected, said: truth and reply in words; for a phrase the names of objects.
    """

    case: Case
    expected: str
    said: str
    drawing: Markup | None
    pictures: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class PictureSources:
    """What cases are drawn from; each may be missing.

    Attributes:
        scenes: the method's knowledge of the scenes.
        truth: true objects of the scenes.
        images: folder of the benchmark's photographs.
    """

    scenes: SceneSource | None = None
    truth: TrueObjects | None = None
    images: Path | None = None

    @property
    def has_true_ids(self) -> bool:
        """Whether the method knew the true objects."""
        return self.scenes is not None and self.scenes.has_true_ids

    def draw(self, case: Case) -> Shown:
        """The case with pictures; without those of a scene that is not available, which is
        logged."""
        with ExitStack() as opened:
            memory = None
            if self.scenes is not None:
                try:
                    memory = opened.enter_context(self.scenes.opened(case.prediction.row.scene_id))
                except (EvaluationError, SceneMemoryError) as error:
                    _LOG.warning("no pictures of %s: %s", case.prediction.row.row_id, error)
            shown = _shown(case, memory, self.has_true_ids, self.truth)
        if self.images is None:
            return shown
        return replace(shown, pictures=_photographs(case, self.images))


def _shown(
    case: Case, memory: MemoryAccess | None, has_true_ids: bool, truth: TrueObjects | None
) -> Shown:
    mapped = {} if memory is None else memory.snapshot().objects
    true = _true_objects(case, truth) if truth is not None else mapped if has_true_ids else {}
    meant, found = list(_meant(case, true)), list(_found(case, mapped))
    drawn = true or mapped
    drawing = draw_scene(drawn, [*meant, *found], _viewpoint(case, truth)) if drawn else None
    frames = () if memory is None else tuple(_key_frames(case, memory, mapped))
    return Shown(case, *_in_words(case, meant, found), drawing, frames)


def _true_objects(case: Case, truth: TrueObjects) -> Mapping[int, MapObject]:
    """True objects of a case's scene; empty where the truth lacks the scene."""
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


def _viewpoint(case: Case, truth: TrueObjects | None) -> Pose | None:
    row = case.prediction.row
    if not isinstance(row, Question) or row.pose is None or not isinstance(truth, Scenes):
        return None
    try:
        return truth.get_viewpoint(row.scene_id, row.pose)
    except EvaluationError:  # no axis alignment: the method got the situation in words only
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
        yield Picture(f"frame {number}", data_url(jpeg))


def _photographs(case: Case, images: Path) -> tuple[Picture, ...]:
    row = case.prediction.row
    if isinstance(row, ReferringExpression) or not row.image:
        return ()
    try:
        jpeg = draw_boxes(photograph(images, row.image).read_bytes(), (), _WIDTH_PX, row.image)
    except (EvaluationError, OSError, ValueError) as error:
        _LOG.warning("no picture of %s: %s", row.row_id, error)
        return ()
    return (Picture(row.image, data_url(jpeg)),)


def data_url(jpeg: bytes) -> str:
    """A JPEG as the source of a page's picture."""
    return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode('ascii')}"
