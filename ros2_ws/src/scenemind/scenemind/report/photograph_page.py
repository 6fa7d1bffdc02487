"""The page of one question about a photograph: its answer, and what was found where."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scenemind.reasoning.vadar.asked_view import AskedView
from scenemind.reasoning.vadar.view import find_same
from scenemind.report.asked import figures_of
from scenemind.report.keyframes import DrawnBox, draw_boxes
from scenemind.report.page import PAGE
from scenemind.report.palette import colors_of
from scenemind.report.templating import render

_WIDTH_PX = 960
_PICTURE = "photograph.jpg"


def write_photograph(asked: AskedView, folder: Path) -> Path:
    """Write the page and the picture into a folder, which is made; returns the page's path.

    Raises:
        ValueError: the image is no picture.
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    jpeg = draw_boxes(asked.view.jpeg, _boxes(asked), _WIDTH_PX, asked.view.name)
    (folder / _PICTURE).write_bytes(jpeg)
    html = render(
        "photograph.html.j2",
        answer=asked.answer,
        figures=figures_of(asked.answer),
        picture=_PICTURE,
        view=asked.view,
        style=render("style.css.j2"),
    )
    page = folder / PAGE
    page.write_text(str(html), encoding="utf-8")
    return page


def _boxes(asked: AskedView) -> Iterator[DrawnBox]:
    """What the answer names, and in thin lines what else was found."""
    answer = dict(enumerate(asked.boxes_px))
    found = [(words, box) for words, boxes in asked.found.items() for box in boxes]
    colors = colors_of(["answer", *(words for words, _ in found)])
    for words, box in found:
        yield DrawnBox(box, words, colors[words], find_same(box, answer) is None)
    named = dict(enumerate(box for _, box in found))
    for box in asked.boxes_px:
        if find_same(box, named) is None:
            yield DrawnBox(box, "answer", colors["answer"])
