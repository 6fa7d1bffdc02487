"""Frames that a detector picks: a model names classes over real HTTP, a detector sees colours."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest

from scenemind.frames import RGBDFrame
from scenemind.memory import KeyFrame, Memory
from scenemind.models import Allowance, ModelError
from scenemind.perception.types import Detections
from scenemind.reasoning import Query
from scenemind.reasoning.detecting import SharedDetector
from scenemind.reasoning.memtree_qa.selectors.detector_search import DetectorSelector
from scenemind.reasoning.memtree_qa.selectors.selection import Selection
from scenemind.reasoning.method import Asking
from tests.chat_server import ChatServer, say
from tests.unit.reasoning.memtree_qa.talk import Heard, chat_with

QUESTION = Query("Is anything warm in here?")


class RedDetector:
    """Finds `warm` where red is 30 to 60, the surer the nearer to 45; frame n has n as its red."""

    name = "red detector"

    def __init__(self) -> None:
        self.vocabulary: tuple[str, ...] = ()
        self.told: list[tuple[str, ...]] = []
        self.seen = 0

    def set_vocabulary(self, classes: Sequence[str]) -> None:
        self.vocabulary = tuple(classes)
        self.told.append(self.vocabulary)

    def label_similarity(self, a: str, b: str) -> float:
        return float(a == b)

    def detect(self, frame: RGBDFrame) -> Detections:
        self.seen += 1
        red = float(frame.color[..., 0].mean())
        if "warm" not in self.vocabulary or not 30 <= red <= 60:
            return Detections.empty()
        score = np.array([1.0 - abs(red - 45.0) / 20.0], np.float32)
        return Detections(("warm",), score, np.array([[0, 0, 9, 9]], np.float32), (None,))


def classes(*names: str) -> str:
    return json.dumps({"think": "what is red is warm", "classes": list(names)})


def search(
    memory: Memory, *replies: str, detector: RedDetector | None = None, count: int = 3
) -> tuple[Selection, ChatServer]:
    server = ChatServer(*map(say, replies))
    with chat_with(server) as chat:
        selector = DetectorSelector(chat, SharedDetector(lambda: detector or RedDetector()))
        return selector.select(QUESTION, memory, count, Asking(Allowance(20.0))), server


def test_the_surest_frame_of_each_location_and_then_the_others(row: Memory):
    selection, _ = search(row, classes("warm", "Lamp"), count=20)
    frames = selection.key_frames
    assert all(30 <= frame.frame_number <= 60 for frame in frames)
    assert abs(frames[0].frame_number - 45) < 4
    places = [frame.location_id for frame in frames]
    leading = len(set(places))
    assert leading > 1
    assert len(set(places[:leading])) == leading
    for part in (frames[:leading], frames[leading:]):
        scores = [frame.score for frame in part]
        assert scores == sorted(scores, reverse=True)
    assert selection.reasoning == "what is red is warm"
    assert selection.steps[0].startswith(
        f"looked for warm, lamp in {len(row.stored_frames())} stored frames: {len(frames)} show"
        " some (red detector, "
    )


def test_the_question_reaches_the_model_as_a_quotation(row: Memory):
    _, server = search(row, classes("warm"))
    system, user = server.requests[0].body["messages"]
    assert "classes" in system["content"]
    assert str(user["content"]).endswith('The question: "Is anything warm in here?"')


def test_every_question_is_searched_for_anew(row: Memory):
    detector, server = RedDetector(), ChatServer(say(classes("warm")), say(classes("cup")))
    with chat_with(server) as chat:
        selector = DetectorSelector(chat, SharedDetector(lambda: detector))
        for _ in range(2):
            selector.select(QUESTION, row, 3, Asking(Allowance(20.0)))
    assert detector.told == [("warm",), ("cup",)]
    assert detector.seen == 2 * len(row.stored_frames())


def test_where_nothing_is_found_frames_are_spread_over_time_and_it_says_so(row: Memory):
    selection, _ = search(row, classes("cold"))
    numbers = [frame.frame_number for frame in selection.key_frames]
    assert numbers == pytest.approx([13, 40, 66], abs=5)
    assert selection.steps[1] == "no frame shows any: frames evenly in time instead"


def test_words_that_name_nothing_are_asked_for_again(row: Memory):
    selection, server = search(row, classes(), classes("warm", "!?"))
    complaint = server.requests[1].body["messages"][-1]["content"]
    assert "name 1 to 8 classes, not 0" in complaint
    assert selection.steps[:2] == (
        "asked again: name 1 to 8 classes, not 0",
        'took what is right of the second reply: no short names of kinds: "!?"',
    )
    assert selection.steps[2].startswith("looked for warm in ")  # what is left does


def test_a_model_that_names_nothing_twice_is_an_error(row: Memory):
    with pytest.raises(ModelError, match="asked twice") as caught:
        search(row, classes(), classes("?"))
    assert caught.value.kind == "bad_reply"


def test_a_search_ends_when_it_is_cancelled(row: Memory):
    allowance, detector, heard = Allowance(20.0), RedDetector(), Heard()

    def cancel(stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        heard(stage, text, key_frames)
        if text.startswith("looked for"):
            allowance.cancel()

    with chat_with(ChatServer(say(classes("warm")))) as chat:
        selector = DetectorSelector(chat, SharedDetector(lambda: detector))
        with pytest.raises(ModelError, match="question was cancelled"):
            selector.select(QUESTION, row, 3, Asking(allowance, cancel))
    assert detector.seen <= 1  # none where the detector was still being made
    said = f"looked for warm in 0 of {len(row.stored_frames())}"
    assert heard.reports[-1] == ("select", said, [])
