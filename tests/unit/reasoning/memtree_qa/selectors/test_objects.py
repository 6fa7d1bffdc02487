"""Frames of what a question names, without a model."""

from __future__ import annotations

import pytest

from scenemind.config import SceneMindConfig
from scenemind.memory import Edit, Memory
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.memtree_qa.selectors.objects import ObjectSelector
from scenemind.reasoning.types import Query
from tests.unit.reasoning.memtree_qa.conftest import walk_past
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


def test_frame_of_what_is_asked_for_goes_before_one_of_two_that_it_is_beside() -> None:
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
