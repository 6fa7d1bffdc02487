"""Frames by cosine: frame n of the walk has n as its red."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from numpy.typing import NDArray

from scenemind.config import SceneMindConfig
from scenemind.memory import KeyFrame, Memory
from scenemind.models import Allowance, ModelError
from scenemind.perception import PerceptionError
from scenemind.perception.protocols import TextEncoder
from scenemind.perception.text import CachedTextEncoder
from scenemind.perception.text.embedding_cache import EmbeddingCache
from scenemind.perception.text.paired_encoder import PairedEncoder
from scenemind.reasoning import Query
from scenemind.reasoning.memtree_qa.selectors.retrieval import RetrievalSelector, as_caption
from scenemind.reasoning.method import Asking
from tests.unit.memory import walk
from tests.unit.reasoning.memtree_qa.conftest import walk_past
from tests.unit.reasoning.memtree_qa.selectors.lost_images import cut_image, lose_image
from tests.unit.reasoning.memtree_qa.talk import Heard


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


def test_an_encoder_that_cannot_be_had_is_said_with_the_way_out(row: Memory, tmp_path: Path):
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


def test_cancelling_keeps_what_was_embedded(row: Memory):
    encoder = RedEncoder()
    selector = RetrievalSelector(encoder)
    allowance, heard = Allowance(20.0), Heard()

    def cancel(stage: str, text: str = "", key_frames: Sequence[KeyFrame] = ()) -> None:
        heard(stage, text, key_frames)
        allowance.cancel()

    with pytest.raises(ModelError, match="question was cancelled") as caught:
        selector.select(Query("red 0"), row, 3, Asking(allowance, cancel))
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
