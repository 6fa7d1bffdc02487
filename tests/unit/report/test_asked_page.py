"""The page of one question, read back."""

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
from scenemind.reasoning import Answer, Query, ReasoningFailure
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind.report import Asked, write_asked
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


def test_a_page_says_what_was_asked_and_answered_and_at_what_price(tmp_path: Path) -> None:
    page = _Page(write_asked(Asked.of_answer(answer(), SNAPSHOT), tmp_path / "new"))
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
    page = write_asked(Asked.of_answer(answer(), SNAPSHOT), tmp_path)
    sources = _Page(page).sources
    assert sources == ["1-frame-000005.jpg", "2-frame-000005.jpg"]
    for source in sources:
        assert cv2.imread(str(tmp_path / source)).shape == (480, 640, 3)


def test_what_stands_beside_the_answers_objects_is_a_cue() -> None:
    asked = Asked.of_answer(answer(), SNAPSHOT)
    assert (asked.key_objects, asked.cue_objects) == ((1,), (2,))
    assert asked.labels() == {1: "chair", 2: "table"}


def test_a_fallback_is_told_first(tmp_path: Path) -> None:
    asked = Asked.of_answer(answer(method="symbolic", fallback="the model is <away>"), SNAPSHOT)
    html = write_asked(asked, tmp_path).read_text(encoding="utf-8")
    assert html.index("the model is &lt;away&gt;") < html.index("It is red.")


def test_a_failure_claims_no_confidence_and_shows_no_frames(tmp_path: Path) -> None:
    failed = answer(
        "I saw none.",
        objects=(),
        key_frames=(),
        confidence=0.0,
        failure=ReasoningFailure("not_found", "I saw none."),
    )
    page = _Page(write_asked(Asked.of_answer(failed, SNAPSHOT), tmp_path))
    assert "Not answered by memtree" in page.text
    assert "I saw none." in page.text
    assert "No frames." in page.text
    assert "confidence" not in page.text
    assert page.sources == []


def test_a_failure_shows_what_was_looked_at(tmp_path: Path) -> None:
    failed = answer(
        "Not seen in the 2 pictures.",
        objects=(),
        failure=ReasoningFailure("not_found", "Not seen in the 2 pictures."),
    )
    page = _Page(write_asked(Asked.of_answer(failed, SNAPSHOT), tmp_path))
    for words in ("What was looked at", "What was tried", "looked at 2 of them", "chair 1"):
        assert words in page.text
    for words in ("What it rests on", "Thick boxes", "No frames."):
        assert words not in page.text
    assert page.sources == ["1-frame-000005.jpg", "2-frame-000005.jpg"]


def test_a_selection_shows_why_these_frames(tmp_path: Path) -> None:
    chosen = Selection(FRAMES, "The table is a cue.", ("asked again",), (1,), (2,))
    asked = Asked.of_selection(Query("where?"), chosen, "tree", 1.0, Usage(), SNAPSHOT)
    page = _Page(write_asked(asked, tmp_path))
    for words in ("Frames chosen by tree", "The table is a cue.", "asked again", "Chosen frames"):
        assert words in page.text
    assert "tokens" not in page.text  # no model was asked


def test_the_map_numbers_the_frames_where_they_were_taken(tmp_path: Path) -> None:
    turned = Pose(
        np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]), np.array([0.0] * 3)
    )
    frames = (moved(FRAMES[0], turned, 0.0), moved(FRAMES[1], turned, 4.0))
    asked = Asked.of_answer(answer(key_frames=frames), SNAPSHOT)
    html = write_asked(asked, tmp_path).read_text(encoding="utf-8")
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


def test_frames_that_nobody_ranked_have_no_score(tmp_path: Path) -> None:
    for score, is_shown in ((0.5, True), (0.0, False)):
        frames = tuple(replace(frame, score=score) for frame in FRAMES)
        asked = Asked.of_answer(answer(key_frames=frames), SNAPSHOT)
        assert ("score" in _Page(write_asked(asked, tmp_path / str(score))).text) == is_shown


def test_an_object_that_is_gone_from_the_map_is_left_out(tmp_path: Path) -> None:
    stranger = make_object(9, "lamp", (0.0, 0.0, 0.0))
    asked = Asked.of_answer(answer(objects=(stranger,)), SNAPSHOT)
    assert asked.labels() == {1: "chair", 2: "table"}
    assert write_asked(asked, tmp_path).is_file()
