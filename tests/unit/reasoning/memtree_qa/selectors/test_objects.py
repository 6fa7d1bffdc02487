"""Frames of what a question names, without a model."""

from __future__ import annotations

import pytest

from scenemind.memory import Memory
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.memtree_qa.selectors.objects import ObjectSelector
from scenemind.reasoning.types import Query
from tests.unit.reasoning.memtree_qa.talk import asking


def test_frames_show_what_is_named_one_a_location(row: Memory) -> None:
    found = ObjectSelector().select(Query("How many chairs are there?"), row, 3, asking())
    assert sorted(found.key_objects) == [1, 2, 3, 4, 5]
    assert len({frame.location_id for frame in found.key_frames}) == 3
    expected = row.select_key_frames([1, 2, 3, 4, 5], (), 3)
    assert [f.frame_number for f in found.key_frames] == [f.frame_number for f in expected]
    assert found.steps == ("the question names 5 objects: chair",)


def test_marked_objects_come_first(row: Memory) -> None:
    query = Query("What is beside this?", marked_object_ids=(4,))
    found = ObjectSelector().select(query, row, 1, asking())
    assert found.key_objects == (4,)
    (frame,) = found.key_frames
    assert abs(frame.frame_number - 60) < 5  # chair 4 stands there


@pytest.mark.parametrize("text", ["Where is the cat?", "Where am I?"])
def test_nothing_named_is_an_error(row: Memory, text: str) -> None:
    with pytest.raises(ReasoningError, match="names no object") as caught:
        ObjectSelector().select(Query(text), row, 3, asking())
    assert caught.value.failure.code == "not_found"
