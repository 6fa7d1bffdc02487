"""Frames evenly in time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.config import SceneMindConfig
from scenemind.memory import Memory
from scenemind.reasoning import Query, ReasoningError
from scenemind.reasoning.memtree_qa.selectors.uniform import UniformSelector, evenly
from scenemind.reasoning.method import Asking
from tests.unit.reasoning.memtree_qa.conftest import walk_past
from tests.unit.reasoning.memtree_qa.selectors.lost_images import lose_image

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
