"""The selectors that MemTree3D is compared with."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.frames import RGBDFrame
from scenemind.memory import Edit, KeyFrame, Memory
from scenemind.models import Allowance, ModelError
from scenemind.perception import PerceptionError
from scenemind.perception.protocols import TextEncoder
from scenemind.perception.text import CachedTextEncoder
from scenemind.perception.text.embedding_cache import EmbeddingCache
from scenemind.perception.text.encoders import PairedEncoder
from scenemind.perception.types import Detections
from scenemind.reasoning import Query, ReasoningError
from scenemind.reasoning.memtree_qa.baseline_selectors import (
    DetectorSelector,
    ObjectSelector,
    RetrievalSelector,
    UniformSelector,
    as_caption,
    evenly,
)
from scenemind.reasoning.method import Asking, Progress
from scenemind.reasoning.shared_models import SharedDetector
from scenemind.reasoning.stored_frames import Selection
from tests.chat_server import ChatServer, say
from tests.unit.memory import walk
from tests.unit.reasoning.memtree_qa.conftest import walk_past
from tests.unit.reasoning.memtree_qa.lost_images import cut_image, lose_image
from tests.unit.reasoning.memtree_qa.talk import Heard, asking, chat_with

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


def test_frames_are_spread_over_time_without_matches_with_a_note(row: Memory):
    selection, _ = search(row, classes("cold"))
    numbers = [frame.frame_number for frame in selection.key_frames]
    assert numbers == pytest.approx([13, 40, 66], abs=5)
    assert selection.steps[1] == "no frame shows any: frames evenly in time instead"


def test_empty_words_are_asked_for_again(row: Memory):
    selection, server = search(row, classes(), classes("warm", "!?"))
    complaint = server.requests[1].body["messages"][-1]["content"]
    assert "name 1 to 8 classes, not 0" in complaint
    assert selection.steps[:2] == (
        "asked again: name 1 to 8 classes, not 0",
        'took what is right of the second reply: no short names of kinds: "!?"',
    )
    assert selection.steps[2].startswith("looked for warm in ")  # what is left does


def test_empty_words_twice_are_an_error(row: Memory):
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
            selector.select(QUESTION, row, 3, Asking(allowance, Progress(cancel)))
    assert detector.seen <= 1  # none where the detector was still being made
    said = f"looked for warm in 0 of {len(row.stored_frames())}"
    assert heard.reports[-1] == ("select", said, [])


def test_frames_show_the_named_objects_one_a_location(row: Memory) -> None:
    found = ObjectSelector().select(Query("How many chairs are there?"), row, 3, asking())
    assert sorted(found.key_objects) == [1, 2, 3, 4, 5]
    assert len({frame.location_id for frame in found.key_frames}) == 3
    expected = row.select_key_frames([1, 2, 3, 4, 5], (), 3)
    assert [f.frame_number for f in found.key_frames] == [f.frame_number for f in expected]
    assert found.steps == ("the question names 5 objects: chair",)


@pytest.mark.parametrize("text", ["object 4", "what is next to chair 4?", "chair #4"])
def test_an_object_is_named_by_its_number(row: Memory, text: str) -> None:
    assert ObjectSelector().select(Query(text), row, 1, asking()).key_objects == (4,)


def test_marked_objects_come_first(row: Memory) -> None:
    query = Query("What is beside this?", marked_object_ids=(4,))
    found = ObjectSelector().select(query, row, 1, asking())
    assert found.key_objects == (4,)
    (frame,) = found.key_frames
    assert abs(frame.frame_number - 60) < 5  # chair 4 stands there


def test_frame_of_the_target_goes_before_one_of_two_landmarks() -> None:
    with Memory.create(None, SceneMindConfig()) as memory:
        walk_past(memory, range(80))
        tables = [Edit("rename", (i,), value="table") for i in (1, 2, 3, 4)]
        memory.apply([*tables, Edit("rename", (5,), value="cup")], "Ada", "told so")
        (most,) = memory.select_key_frames([1, 2, 3, 4, 5], (), 1)
        query = Query("Where is the cup on the table?")
        found = ObjectSelector().select(query, memory, 3, asking())
    assert 5 not in most.boxes_px
    assert len(most.boxes_px) == 2
    assert 5 in found.key_frames[0].boxes_px
    assert found.key_objects == (5,)
    assert set(found.cue_objects) == {1, 2, 3, 4}
    assert found.steps == ("the question names 1 object: cup", "it also names 4 objects: table")


@pytest.mark.parametrize("text", ["Where is the cat?", "Where am I?"])
def test_nothing_named_is_an_error(row: Memory, text: str) -> None:
    with pytest.raises(ReasoningError, match="names no object") as caught:
        ObjectSelector().select(Query(text), row, 3, asking())
    assert caught.value.failure.code == "not_found"


class RedEncoder:
    """Red turns a vector: 0 along x, 255 along y; a text ends with the red that it means."""

    name = "red"
    dimension = 2

    def __init__(self) -> None:
        self.encoded = 0
        self._lock = threading.Lock()

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return _turned([float(text.rsplit(" ", 1)[-1]) for text in texts])

    def encode_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        with self._lock:
            self.encoded += len(images)
        return _turned([float(image[..., 0].mean()) for image in images])


def _no_pictures() -> NoReturn:
    raise AssertionError("no picture is looked at before the question")


def _turned(reds: list[float]) -> NDArray[np.float32]:
    angles = np.array(reds) / 255.0 * np.pi / 2
    return np.column_stack((np.cos(angles), np.sin(angles))).astype(np.float32)


def numbers(selector: RetrievalSelector, memory: Memory, red: int, count: int = 3) -> list[int]:
    chosen = selector.select(Query(f"red {red}"), memory, count, Asking())
    return [frame.frame_number for frame in chosen.key_frames]


def test_error_of_a_missing_encoder_names_a_remedy(row: Memory, tmp_path: Path):
    def build() -> TextEncoder:
        raise PerceptionError("install torch")

    texts = CachedTextEncoder(EmbeddingCache("letters", tmp_path), "letters", 26, build)
    selector = RetrievalSelector(PairedEncoder(texts, _no_pictures))
    with pytest.raises(PerceptionError, match="install torch") as refused:
        selector.select(Query("Where is the cup?"), row, 3, Asking())
    assert "another selector" in str(refused.value)
    assert "vocabulary" not in str(refused.value)


def test_the_most_alike_frames_come_first_wherever_they_were_taken(row: Memory):
    selector = RetrievalSelector(RedEncoder())
    stored = sorted(row.stored_frames(), key=lambda number: abs(number - 41))
    chosen = selector.select(Query("red 41"), row, 3, Asking())
    assert {frame.frame_number for frame in chosen.key_frames} <= set(stored[:4])
    scores = [frame.score for frame in chosen.key_frames]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(1.0, abs=1e-3)
    assert chosen.steps == (
        f"compared {len(stored)} stored frames with the question by {RedEncoder.name}",
    )


def test_a_frame_is_embedded_once_for_all_questions_and_callers(row: Memory):
    encoder = RedEncoder()
    selector = RetrievalSelector(encoder)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda red: numbers(selector, row, red), (0, 20, 40, 60)))
    assert encoder.encoded == len(row.stored_frames())
    assert found == [numbers(selector, row, red) for red in (0, 20, 40, 60)]
    assert encoder.encoded == len(row.stored_frames())


def test_of_more_frames_than_there_is_room_for_the_newest_count(row: Memory):
    encoder = RedEncoder()
    chosen = RetrievalSelector(encoder, most_frames=5).select(Query("red 0"), row, 3, Asking())
    stored = row.stored_frames()
    assert [f.frame_number for f in chosen.key_frames] == stored[-5:-2]
    assert encoder.encoded == 5
    assert f"{len(stored) - 5} older frames were not looked at" in chosen.steps


def test_new_frames_are_added_and_lost_or_damaged_ones_left_out():
    encoder = RedEncoder()
    selector = RetrievalSelector(encoder)
    with Memory.create(None, SceneMindConfig()) as memory:
        walk_past(memory, range(40))
        first, second = numbers(selector, memory, 0, 2)
        known = encoder.encoded
        walk_past(memory, range(40, 60))
        lose_image(memory, first)
        cut_image(memory, memory.stored_frames()[-1])
        chosen = selector.select(Query("red 0"), memory, 1, Asking())
        assert [frame.frame_number for frame in chosen.key_frames] == [second]
        new = len([number for number in memory.stored_frames() if number >= 40])
        assert encoder.encoded == known + new - 1
        assert chosen.steps[-1].endswith("images could not be read")


def test_another_memory_s_frames_are_not_taken_for_those_of_the_same_number():
    encoder = RedEncoder()
    selector = RetrievalSelector(encoder)
    with Memory.create(None, SceneMindConfig()) as memory:
        walk_past(memory, range(40))
        assert numbers(selector, memory, 0)[0] == 0
        before = encoder.encoded
        memory.reset()
        walk_later(memory, range(40, 0, -1))
        assert numbers(selector, memory, 40)[0] == 0
        assert encoder.encoded == before + len(memory.stored_frames())


def test_cancelling_keeps_finished_vectors(row: Memory):
    encoder = RedEncoder()
    selector = RetrievalSelector(encoder)
    allowance, heard = Allowance(20.0), Heard()

    def cancel(stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        heard(stage, text, key_frames)
        allowance.cancel()

    with pytest.raises(ModelError, match="question was cancelled") as caught:
        selector.select(Query("red 0"), row, 3, Asking(allowance, Progress(cancel)))
    assert caught.value.kind == "cancelled"
    assert heard.reports == [("select", f"embedded 16 of {len(row.stored_frames())} frames", [])]
    assert encoder.encoded == 16
    numbers(selector, row, 0)
    assert encoder.encoded == len(row.stored_frames())


def test_question_is_cut_after_a_whole_word():
    assert as_caption(" Where\nis  the\x07 cup? ") == "Where is the cup?"
    long = "Where is the " + "very " * 20 + "old cup?"
    cut = as_caption(long)
    assert len(cut) <= 80
    assert cut.endswith(" very")
    assert long.startswith(cut)
    assert as_caption("x" * 100) == "x" * 80


def walk_later(memory: Memory, way: range) -> None:
    """Another recording, whose frames count from 0 again."""
    for number, place in enumerate(way):
        step = walk.step(place)
        frame = replace(step.frame, number=number, stamp_ns=10**12 + number * walk.FRAME_NS)
        memory.integrate(frame, step.detections, step.track_ids, step.observations)
    memory.flush()


ANY = Query("What is there?")


def test_one_frame_is_taken_from_the_middle_of_each_stretch():
    assert list(evenly(range(301), 3)) == [50, 150, 250]
    assert list(evenly([0, 1, 2, 3, 98, 99, 100], 2)) == [3, 98]


@given(st.sets(st.integers(0, 1000), min_size=1), st.integers(1, 12))
def test_as_many_as_were_asked_for_each_once_in_order(numbers, count):
    chosen = list(evenly(sorted(numbers), count))
    assert len(chosen) == min(count, len(numbers))
    assert chosen == sorted(set(chosen) & numbers)


def test_the_memory_s_frames_are_spread_over_the_walk(row: Memory):
    selection = UniformSelector().select(ANY, row, 4, Asking())
    numbers = [frame.frame_number for frame in selection.key_frames]
    assert numbers == pytest.approx([10, 30, 50, 70], abs=3)
    assert all(frame.boxes_px for frame in selection.key_frames)
    assert selection.steps == (f"4 of {len(row.stored_frames())} stored frames, evenly in time",)


def test_images_that_went_meanwhile_are_made_up_for():
    with Memory.create(None, SceneMindConfig()) as memory:
        walk_past(memory, range(80))
        (lost,) = UniformSelector().select(ANY, memory, 1, Asking()).key_frames
        lose_image(memory, lost.frame_number)
        selection = UniformSelector().select(ANY, memory, 1, Asking())
        assert abs(selection.key_frames[0].frame_number - lost.frame_number) in range(1, 4)
        assert "images could not be read" in selection.steps[1]


def test_memory_without_frames_has_nothing_to_choose():
    with (
        Memory.create(None, SceneMindConfig()) as memory,
        pytest.raises(ReasoningError, match="no frame is stored yet") as caught,
    ):
        UniformSelector().select(ANY, memory, 3, Asking())
    assert caught.value.failure.code == "empty_memory"
