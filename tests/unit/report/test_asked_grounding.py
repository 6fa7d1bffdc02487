"""The page of a phrase that was grounded, read back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from scenemind.reasoning import Grounding, Query, ReasoningFailure
from scenemind.reasoning.types import MEASURED, SAME_AS, Picture
from scenemind.report import Asked, write_asked
from tests.unit.report.made import make_object

from .test_asked_page import CHAIR, FRAMES, SNAPSHOT

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
    return write_asked(Asked.of_grounding(found, SNAPSHOT), folder).read_text(encoding="utf-8")


def test_what_was_looked_at_and_measured_is_shown_with_captions(tmp_path: Path) -> None:
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


def test_what_was_measured_and_is_no_object_of_the_map_is_drawn_all_the_same() -> None:
    frame = replace(FRAMES[0], boxes_px={MEASURED: (10.0, 10.0, 60.0, 60.0)})
    asked = Asked.of_grounding(
        grounding(objects=(MUG,), confidences=(0.5,), key_frames=(frame,)), SNAPSHOT
    )
    assert asked.text == "mug"
    assert asked.labels() == {MEASURED: "mug"}
    assert np.allclose(asked.snapshot.objects[MEASURED].box.center, (1.0, 2.0, 0.8))
    assert MEASURED not in SNAPSHOT.objects


def test_a_failure_shows_what_was_looked_at(tmp_path: Path) -> None:
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
