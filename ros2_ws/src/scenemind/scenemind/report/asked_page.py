"""The page of one question: its answer, the frames it rests on, and where they were taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scenemind.memory import KeyFrame
from scenemind.report.asked import Asked
from scenemind.report.keyframes import draw_key_frame
from scenemind.report.page import PAGE
from scenemind.report.palette import colors_of
from scenemind.report.templating import render
from scenemind.report.topdown import render_top_down

_WIDTH_PX = 960


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


def write_asked(asked: Asked, folder: Path) -> Path:
    """Write the page and its JPEGs into a folder, which is made; returns the page's path.

    Raises:
        ValueError: the image of a frame is no picture.
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
    top_down = render_top_down(
        asked.snapshot,
        colors,
        asked.path,
        only=labels or None,
        key_frames=asked.key_frames,
    )
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


def _all_labels(asked: Asked) -> list[str]:
    snapshot = asked.snapshot
    return [thing.label for thing in (*snapshot.objects.values(), *snapshot.gone.values())]


def _shown(
    frame: KeyFrame, asked: Asked, labels: Mapping[int, str], colors: Mapping[str, str]
) -> tuple[_Shown, ...]:
    """What is drawn in a frame, key objects first."""
    ids = [i for i in labels if i in frame.boxes_px]
    return tuple(_Shown(i, labels[i], colors[labels[i]], i in asked.key_objects) for i in ids)
