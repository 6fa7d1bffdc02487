"""The page of a question about a photograph."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from scenemind.reasoning import Answer, Query
from scenemind.reasoning.vadar.asked_view import AskedView
from scenemind.reasoning.vadar.view import BoxPx, View
from scenemind.report import write_photograph

CUP: BoxPx = (20.0, 30.0, 60.0, 70.0)
PLATE: BoxPx = (90.0, 40.0, 140.0, 60.0)


def asked(boxes_px: tuple[BoxPx, ...], found: dict[str, tuple[BoxPx, ...]]) -> AskedView:
    jpeg = cv2.imencode(".jpg", np.full((100, 160, 3), 255, np.uint8))[1].tobytes()
    view = View("photograph desk.jpg", 160, 100, jpeg, None, None)  # type: ignore[arg-type]
    answer = Answer(
        Query("which <b>cup</b>?"), "cup", 0.7, (), (), "vadar", 1.0, ("program:\n1 < 2",)
    )
    return AskedView(view, answer, boxes_px, found)


def line_pixels(folder: Path, box: BoxPx) -> int:
    """Coloured pixels about the left edge of a box."""
    picture = cv2.imread(str(folder / "photograph.jpg")).astype(int)
    x, y0, y1 = round(box[0]), round(box[1]), round(box[3])
    edge = picture[y0 + 5 : y1 - 5, x - 3 : x + 4]
    return int((edge.max(axis=2) - edge.min(axis=2) > 25).sum())


def test_what_the_answer_names_has_thicker_lines(tmp_path: Path) -> None:
    write_photograph(asked((CUP,), {"cup": (CUP,), "plate": (PLATE,)}), tmp_path)
    per_row = [line_pixels(tmp_path, box) / (box[3] - box[1] - 10) for box in (CUP, PLATE)]
    assert per_row[0] > per_row[1] > 0


@pytest.mark.parametrize("boxes", [(CUP,), ()])
def test_a_box_that_nobody_looked_for_is_drawn_too(
    tmp_path: Path, boxes: tuple[BoxPx, ...]
) -> None:
    write_photograph(asked(boxes, {}), tmp_path)
    assert (line_pixels(tmp_path, CUP) > 0) == bool(boxes)


def test_words_are_words_on_the_page(tmp_path: Path) -> None:
    page = write_photograph(asked((), {"a <i>cup": (CUP,)}), tmp_path / "new")
    html = page.read_text(encoding="utf-8")
    assert "which &lt;b&gt;cup" in html
    assert "1 &lt; 2" in html
    assert "photograph desk.jpg" in html
    assert "70%" in html
