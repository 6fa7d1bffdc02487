"""The page of one question."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest

from scenemind.geometry import Pose
from scenemind.memory import KeyFrame, MemorySnapshot
from scenemind.models import Usage
from scenemind.reasoning import Answer, Grounding, Query, ReasoningFailure
from scenemind.reasoning.query import MEASURED, SAME_AS, Picture
from scenemind.reasoning.stored_frames import Selection
from scenemind.reasoning.vadar.vadar import AskedView
from scenemind.reasoning.vadar.views import BoxPx, View
from scenemind.report.question_page import (
    QuestionRecord,
    write_photograph_page,
    write_question_page,
)
from tests.unit.report.made import make_key_frame, make_object

CHAIR, TABLE, CUP = (
    make_object(1, "chair", (1.0, 0.0, 0.4)),
    make_object(2, "table", (2.0, 0.0, 0.4)),
    make_object(3, "cup", (2.0, 1.0, 0.9)),
)
SNAPSHOT = MemorySnapshot(1, 10, {o.object_id: o for o in (CHAIR, TABLE, CUP)}, (), Pose.identity())
FRAMES = (
    make_key_frame({1: (100.0, 200.0, 300.0, 400.0), 2: (320.0, 200.0, 600.0, 400.0)}),
    make_key_frame({2: (10.0, 20.0, 300.0, 400.0)}),
)


class _Page(HTMLParser):
    """Sources of pictures, and all text."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.words: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.sources.append(dict(attrs)["src"] or "")

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def answer(text: str = "It is red.", **more: object) -> Answer:
    values: dict[str, object] = {
        "query": Query("what colour is the chair?", "I sit at the table", policy="strict"),
        "text": text,
        "confidence": 0.62,
        "objects": (CHAIR,),
        "key_frames": FRAMES,
        "method": "memtree",
        "seconds": 3.251,
        "steps": ("tree chose the frames", "looked at 2 of them"),
        "usage": Usage(2, 6120, 4800, 230, 0.0123),
    }
    return Answer(**values | more)  # type: ignore[arg-type]


def test_page_has_question_answer_and_cost(tmp_path: Path) -> None:
    page = _Page(
        write_question_page(QuestionRecord.of_answer(answer(), SNAPSHOT), tmp_path / "new")
    )
    for words in (
        "what colour is the chair?",
        "I sit at the table",
        "It is red.",
        "Answered by memtree, policy strict.",
        "62% confidence",
        "3.25 seconds",
        "6,120 tokens of prompt (4,800 cached)",
        "0.0123 cost",
        "tree chose the frames",
    ):
        assert words in page.text


def test_its_pictures_are_files_beside_it_best_first(tmp_path: Path) -> None:
    page = write_question_page(QuestionRecord.of_answer(answer(), SNAPSHOT), tmp_path)
    sources = _Page(page).sources
    assert sources == ["1-frame-000005.jpg", "2-frame-000005.jpg"]
    for source in sources:
        assert cv2.imread(str(tmp_path / source)).shape == (480, 640, 3)


def test_objects_beside_those_of_the_answer_are_cues() -> None:
    asked = QuestionRecord.of_answer(answer(), SNAPSHOT)
    assert (asked.key_objects, asked.cue_objects) == ((1,), (2,))
    assert asked.labels() == {1: "chair", 2: "table"}


def test_fallback_is_named_first(tmp_path: Path) -> None:
    asked = QuestionRecord.of_answer(
        answer(method="symbolic", fallback="the model is <away>"), SNAPSHOT
    )
    html = write_question_page(asked, tmp_path).read_text(encoding="utf-8")
    assert html.index("the model is &lt;away&gt;") < html.index("It is red.")


def test_a_failure_claims_no_confidence_and_shows_no_frames(tmp_path: Path) -> None:
    failed = answer(
        "I saw none.",
        objects=(),
        key_frames=(),
        confidence=0.0,
        failure=ReasoningFailure("not_found", "I saw none."),
    )
    page = _Page(write_question_page(QuestionRecord.of_answer(failed, SNAPSHOT), tmp_path))
    assert "Not answered by memtree" in page.text
    assert "I saw none." in page.text
    assert "No frames." in page.text
    assert "confidence" not in page.text
    assert page.sources == []


def test_failure_shows_the_examined_frames(tmp_path: Path) -> None:
    failed = answer(
        "Not seen in the 2 pictures.",
        objects=(),
        failure=ReasoningFailure("not_found", "Not seen in the 2 pictures."),
    )
    page = _Page(write_question_page(QuestionRecord.of_answer(failed, SNAPSHOT), tmp_path))
    for words in ("What was looked at", "What was tried", "looked at 2 of them", "chair 1"):
        assert words in page.text
    for words in ("What it rests on", "Thick boxes", "No frames."):
        assert words not in page.text
    assert page.sources == ["1-frame-000005.jpg", "2-frame-000005.jpg"]


def test_a_selection_shows_why_these_frames(tmp_path: Path) -> None:
    chosen = Selection(FRAMES, "The table is a cue.", ("asked again",), (1,), (2,))
    asked = QuestionRecord.of_selection(Query("where?"), chosen, "tree", {}, SNAPSHOT)
    page = _Page(write_question_page(asked, tmp_path))
    for words in ("Frames chosen by tree", "The table is a cue.", "asked again", "Chosen frames"):
        assert words in page.text
    assert "tokens" not in page.text  # no model was asked


def test_the_map_numbers_the_frames_where_they_were_taken(tmp_path: Path) -> None:
    turned = Pose(
        np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]), np.array([0.0] * 3)
    )
    frames = (moved(FRAMES[0], turned, 0.0), moved(FRAMES[1], turned, 4.0))
    asked = QuestionRecord.of_answer(answer(key_frames=frames), SNAPSHOT)
    html = write_question_page(asked, tmp_path).read_text(encoding="utf-8")
    drawing = ElementTree.fromstring(html[html.index("<svg class=") : html.index("</svg>") + 6])
    (marks,) = [
        g for g in drawing.iter("{http://www.w3.org/2000/svg}g") if g.get("class") == "marks"
    ]
    circles = [float(c.get("cx", "")) for c in marks.iter("{http://www.w3.org/2000/svg}circle")]
    tips = [float(t.get("x2", "")) for t in marks.iter("{http://www.w3.org/2000/svg}line")]
    wedges = list(marks.iter("{http://www.w3.org/2000/svg}polygon"))
    assert circles[1] > circles[0]  # x goes to the right
    assert [tip - x for tip, x in zip(tips, circles, strict=True)] == pytest.approx([18, 18])
    assert len(wedges) == 2
    for x, wedge in zip(circles, wedges, strict=True):
        corners = [point.split(",") for point in (wedge.get("points") or "").split()]
        assert float(corners[0][0]) == x
        assert all(float(corner[0]) > x for corner in corners[1:])  # both borders lie ahead
        assert float(corners[1][1]) < float(corners[2][1])  # left of the image is left: up


def moved(frame: KeyFrame, pose: Pose, x: float) -> KeyFrame:
    """The frame as taken at (x, 0, 1)."""
    return KeyFrame(
        frame.frame_number,
        frame.stamp_ns,
        frame.location_id,
        frame.camera,
        Pose(pose.rotation, np.array([x, 0.0, 1.0])),
        frame.jpeg,
        frame.score,
        frame.boxes_px,
    )


def test_unranked_frames_have_no_score(tmp_path: Path) -> None:
    for score, is_shown in ((0.5, True), (0.0, False)):
        frames = tuple(replace(frame, score=score) for frame in FRAMES)
        asked = QuestionRecord.of_answer(answer(key_frames=frames), SNAPSHOT)
        assert (
            "score" in _Page(write_question_page(asked, tmp_path / str(score))).text
        ) == is_shown


def test_an_object_that_is_gone_from_the_map_is_left_out(tmp_path: Path) -> None:
    stranger = make_object(9, "lamp", (0.0, 0.0, 0.0))
    asked = QuestionRecord.of_answer(answer(objects=(stranger,)), SNAPSHOT)
    assert asked.labels() == {1: "chair", 2: "table"}
    assert write_question_page(asked, tmp_path).is_file()


JPEG = FRAMES[0].jpeg
MUG = make_object(MEASURED, "mug", (1.0, 2.0, 0.8), (0.1, 0.1, 0.1))
AGAIN = replace(MUG, label="chair", attributes={SAME_AS: "1"}, box=CHAIR.box)


def grounding(**more: object) -> Grounding:
    values: dict[str, object] = {
        "query": Query("the red chair"),
        "objects": (CHAIR, AGAIN),
        "confidences": (0.6, 0.6),
        "reasoning": "chose image 00001; it is there",
        "key_frames": FRAMES[:1],
        "method": "vlm_grounder",
        "seconds": 1.5,
        "pictures": (Picture("Sheet 1 of 1: <images>", JPEG), Picture("The mask", JPEG)),
        "steps": ("chose image 00001", "it is there"),
    }
    return Grounding(**values | more)  # type: ignore[arg-type]


def page_of(found: Grounding, folder: Path) -> str:
    return write_question_page(QuestionRecord.of_grounding(found, SNAPSHOT), folder).read_text(
        encoding="utf-8"
    )


def test_examined_pictures_and_measurements_have_captions(tmp_path: Path) -> None:
    page = page_of(grounding(), tmp_path)
    for words in (
        "Found by vlm_grounder",
        '<p class="reply">chair 1</p>',
        "What was looked at and measured",
        "<b>Sheet 1 of 1: &lt;images&gt;</b>",
        "<b>The mask</b>",
        "60%",
        "<li>it is there</li>",
    ):
        assert words in page
    assert page.index("looked-at-01.jpg") < page.index("looked-at-02.jpg")
    assert (tmp_path / "looked-at-02.jpg").read_bytes() == JPEG


def test_measured_box_without_an_object_of_the_map_is_drawn() -> None:
    frame = replace(FRAMES[0], boxes_px={MEASURED: (10.0, 10.0, 60.0, 60.0)})
    asked = QuestionRecord.of_grounding(
        grounding(objects=(MUG,), confidences=(0.5,), key_frames=(frame,)), SNAPSHOT
    )
    assert asked.text == "mug"
    assert asked.labels() == {MEASURED: "mug"}
    assert np.allclose(asked.snapshot.objects[MEASURED].box.center, (1.0, 2.0, 0.8))
    assert MEASURED not in SNAPSHOT.objects


def test_a_failed_grounding_shows_its_frames(tmp_path: Path) -> None:
    failed = grounding(
        objects=(),
        confidences=(),
        reasoning="No such thing.",
        failure=ReasoningFailure("not_found", "No such thing."),
    )
    page = page_of(failed, tmp_path)
    for words in ("Not found by vlm_grounder", "No such thing.", "What was tried", "Sheet 1 of 1"):
        assert words in page
    for words in ("confidence", "and measured"):
        assert words not in page


def test_a_failure_without_frames_shows_the_sheets_and_the_map_alone(tmp_path: Path) -> None:
    page = page_of(
        grounding(
            objects=(),
            confidences=(),
            key_frames=(),
            failure=ReasoningFailure("model_failed", "No image was named."),
        ),
        tmp_path,
    )
    for words in ("Sheet 1 of 1", "<h2>The map</h2>"):
        assert words in page
    for words in ("No frames.", "Where they were taken", "field of view"):
        assert words not in page


def test_a_grounding_without_pictures_shows_its_frames_alone(tmp_path: Path) -> None:
    page = page_of(grounding(pictures=(), steps=()), tmp_path)
    assert "What was looked at and measured" not in page
    assert "1-frame-000005.jpg" in page
    assert "chose image 00001; it is there" in page


CUP_BOX: BoxPx = (20.0, 30.0, 60.0, 70.0)
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


def test_objects_of_the_answer_have_thicker_lines(tmp_path: Path) -> None:
    write_photograph_page(asked((CUP_BOX,), {"cup": (CUP_BOX,), "plate": (PLATE,)}), tmp_path)
    per_row = [line_pixels(tmp_path, box) / (box[3] - box[1] - 10) for box in (CUP_BOX, PLATE)]
    assert per_row[0] > per_row[1] > 0


@pytest.mark.parametrize("boxes", [(CUP_BOX,), ()])
def test_box_of_another_object_is_drawn_too(tmp_path: Path, boxes: tuple[BoxPx, ...]) -> None:
    write_photograph_page(asked(boxes, {}), tmp_path)
    assert (line_pixels(tmp_path, CUP_BOX) > 0) == bool(boxes)


def test_html_in_an_answer_stays_text(tmp_path: Path) -> None:
    page = write_photograph_page(asked((), {"a <i>cup": (CUP_BOX,)}), tmp_path / "new")
    html = page.read_text(encoding="utf-8")
    assert "which &lt;b&gt;cup" in html
    assert "1 &lt; 2" in html
    assert "photograph desk.jpg" in html
    assert "70%" in html
