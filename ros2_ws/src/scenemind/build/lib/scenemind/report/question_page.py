"""The page of one question: its answer, its key frames, and where they were taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scenemind.memory import KeyFrame, MemorySnapshot
from scenemind.models import Usage
from scenemind.reasoning import Answer, Grounding, Query
from scenemind.reasoning.query import MEASURED, SAME_AS, Picture
from scenemind.reasoning.stored_frames import Selection
from scenemind.reasoning.vadar.vadar import AskedView
from scenemind.reasoning.vadar.views import find_same
from scenemind.report.drawing import colors_of, render
from scenemind.report.keyframes import DrawnBox, draw_boxes, draw_key_frame
from scenemind.report.page import PAGE
from scenemind.report.topdown import MapLayers, render_top_down

_WIDTH_PX = 960
_PHOTOGRAPH = "photograph.jpg"
_NO_PATH = np.zeros((0, 3), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class QuestionRecord:
    """A question with its answer, its grounding, or the frames that were selected for it.

    Attributes:
        text: the answer in a sentence; empty where only frames were selected.
        headline: the method, for people.
        is_answered: the frames are evidence of an answer, not only a selection.
        warning: the reason why another method than the requested one answered; may be empty.
        figures: name -> value, for people.
        reasoning: of the frame selector; may be empty.
        steps: of the method.
        key_objects: ids of the objects that the answer mentions.
        cue_objects: ids of objects near those.
        key_frames: best first.
        snapshot: the map at that time.
        path: (N, 3) float32, world: camera positions.
        pictures: further pictures that the method examined, in order.
    """

    query: Query
    text: str
    headline: str
    is_answered: bool
    warning: str
    figures: Mapping[str, str]
    reasoning: str
    steps: tuple[str, ...]
    key_objects: tuple[int, ...]
    cue_objects: tuple[int, ...]
    key_frames: tuple[KeyFrame, ...]
    snapshot: MemorySnapshot
    path: NDArray[np.float32] = field(default_factory=_NO_PATH.copy)
    pictures: tuple[Picture, ...] = ()

    @classmethod
    def of_answer(
        cls, answer: Answer, snapshot: MemorySnapshot, path: NDArray[np.float32] = _NO_PATH
    ) -> QuestionRecord:
        """Record of an answer; other objects in its frames are cues."""
        keys = tuple(thing.object_id for thing in answer.objects)
        is_answered = answer.failure is None
        return cls(
            query=answer.query,
            text=answer.text,
            headline=f"{'Answered' if is_answered else 'Not answered'} by {answer.method}",
            is_answered=is_answered,
            warning=answer.fallback,
            figures=figures_of_answer(answer),
            reasoning="",
            steps=answer.steps,
            key_objects=keys,
            cue_objects=_others(answer.key_frames, keys),
            key_frames=answer.key_frames,
            snapshot=snapshot,
            path=path,
        )

    @classmethod
    def of_grounding(
        cls, found: Grounding, snapshot: MemorySnapshot, path: NDArray[np.float32] = _NO_PATH
    ) -> QuestionRecord:
        """Record of a grounding; a measured box without an object of the map is drawn too."""
        keys = tuple(dict.fromkeys(thing.object_id for thing in found.objects))
        measured = {t.object_id: t for t in reversed(found.objects) if t.object_id == MEASURED}
        is_answered = found.failure is None
        sure = {"confidence": f"{max(found.confidences):.0%}"} if found.confidences else {}
        return cls(
            query=found.query,
            text=_names(found) or found.reasoning,
            headline=f"{'Found' if is_answered else 'Not found'} by {found.method}",
            is_answered=is_answered,
            warning=found.fallback,
            figures=sure | usage_figures(found.seconds, found.usage),
            reasoning="",
            steps=found.steps or (found.reasoning,),
            key_objects=keys,
            cue_objects=_others(found.key_frames, keys),
            key_frames=found.key_frames,
            snapshot=replace(snapshot, objects={**snapshot.objects, **measured}),
            path=path,
            pictures=found.pictures,
        )

    @classmethod
    def of_selection(
        cls,
        query: Query,
        selection: Selection,
        selector: str,
        figures: Mapping[str, str],
        snapshot: MemorySnapshot,
        path: NDArray[np.float32] = _NO_PATH,
    ) -> QuestionRecord:
        """Record of frames that a selector chose, without an answer."""
        return cls(
            query=query,
            text="",
            headline=f"Frames chosen by {selector}",
            is_answered=False,
            warning="",
            figures=figures,
            reasoning=selection.reasoning,
            steps=selection.steps,
            key_objects=selection.key_objects,
            cue_objects=selection.cue_objects,
            key_frames=selection.key_frames,
            snapshot=snapshot,
            path=path,
        )

    def labels(self) -> dict[int, str]:
        """Object id -> label of the drawn objects."""
        objects = self.snapshot.objects
        return {i: objects[i].label for i in (*self.key_objects, *self.cue_objects) if i in objects}


def figures_of_answer(answer: Answer) -> dict[str, str]:
    """Confidence, time and usage of an answer, name -> value, for people."""
    sure = {"confidence": f"{answer.confidence:.0%}"} if answer.failure is None else {}
    return sure | usage_figures(answer.seconds, answer.usage)


def _names(found: Grounding) -> str:
    """Names of found objects, such as "chair 4, chair 7"; a measured box without an object has no
    number."""
    names = (
        thing.label if thing.object_id == MEASURED else f"{thing.label} {thing.object_id}"
        for thing in found.objects
        if SAME_AS not in thing.attributes
    )
    return ", ".join(names)


def _others(frames: tuple[KeyFrame, ...], keys: tuple[int, ...]) -> tuple[int, ...]:
    shown = dict.fromkeys(i for frame in frames for i in frame.boxes_px)
    return tuple(i for i in shown if i not in keys)


def usage_figures(seconds: float, usage: Usage) -> dict[str, str]:
    """Time and usage of models, name -> value, for people."""
    figures = {"seconds": f"{seconds:.2f}"}
    if usage.calls:
        cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
        figures["model calls"] = str(usage.calls)
        figures["tokens of prompt" + cached] = f"{usage.prompt_tokens:,}"
        figures["tokens of reply"] = f"{usage.reply_tokens:,}"
    if usage.cost:
        figures["cost"] = f"{usage.cost:.4g}"
    return figures


@dataclass(frozen=True, slots=True)
class _Shown:
    """An object in a picture."""

    object_id: int
    label: str
    color: str
    is_key: bool


@dataclass(frozen=True, slots=True)
class _Picture:
    """One frame's figure."""

    file: str
    frame: KeyFrame
    shown: tuple[_Shown, ...]


def write_question_page(asked: QuestionRecord, folder: Path) -> Path:
    """Write the page and its JPEGs into a folder, which is created; returns the page's path.

    Raises:
        ValueError: the image of a frame cannot be decoded.
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    labels = asked.labels()
    colors = colors_of([*_all_labels(asked), *labels.values()])
    pictures = []
    for rank, frame in enumerate(asked.key_frames, start=1):
        jpeg = draw_key_frame(frame, labels, colors, _WIDTH_PX, asked.cue_objects)
        file = f"{rank}-frame-{frame.frame_number:06d}.jpg"
        (folder / file).write_bytes(jpeg)
        pictures.append(_Picture(file, frame, _shown(frame, asked, labels, colors)))
    layers = MapLayers(asked.path, only=labels or None, key_frames=asked.key_frames)
    top_down = render_top_down(asked.snapshot, colors, layers)
    looked_at = []
    for number, picture in enumerate(asked.pictures, start=1):
        file = f"looked-at-{number:02d}.jpg"
        (folder / file).write_bytes(picture.jpeg)
        looked_at.append((file, picture.title))
    text = render(
        "asked.html.j2",
        asked=asked,
        pictures=pictures,
        looked_at=looked_at,
        top_down=top_down,
        style=render("style.css.j2"),
    )
    page = folder / PAGE
    page.write_text(str(text), encoding="utf-8")
    return page


def _all_labels(asked: QuestionRecord) -> list[str]:
    snapshot = asked.snapshot
    return [thing.label for thing in (*snapshot.objects.values(), *snapshot.gone.values())]


def _shown(
    frame: KeyFrame, asked: QuestionRecord, labels: Mapping[int, str], colors: Mapping[str, str]
) -> tuple[_Shown, ...]:
    """Objects to draw in a frame, key objects first."""
    ids = [i for i in labels if i in frame.boxes_px]
    return tuple(_Shown(i, labels[i], colors[labels[i]], i in asked.key_objects) for i in ids)


def write_photograph_page(asked: AskedView, folder: Path) -> Path:
    """Write the page of a question about a photograph into a folder, which is created.

    Returns:
        The page's path.

    Raises:
        ValueError: the image cannot be decoded.
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    jpeg = draw_boxes(asked.view.jpeg, _boxes(asked), _WIDTH_PX, asked.view.name)
    (folder / _PHOTOGRAPH).write_bytes(jpeg)
    html = render(
        "photograph.html.j2",
        answer=asked.answer,
        figures=figures_of_answer(asked.answer),
        picture=_PHOTOGRAPH,
        view=asked.view,
        style=render("style.css.j2"),
    )
    page = folder / PAGE
    page.write_text(str(html), encoding="utf-8")
    return page


def _boxes(asked: AskedView) -> Iterator[DrawnBox]:
    """Boxes of the answer, and in thin lines the other detections."""
    answer = dict(enumerate(asked.boxes_px))
    found = [(words, box) for words, boxes in asked.found.items() for box in boxes]
    colors = colors_of(["answer", *(words for words, _ in found)])
    for words, box in found:
        yield DrawnBox(box, words, colors[words], find_same(box, answer) is None)
    named = dict(enumerate(box for _, box in found))
    for box in asked.boxes_px:
        if find_same(box, named) is None:
            yield DrawnBox(box, "answer", colors["answer"])
