"""Objects for which a correction may hold as well, with reasons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scenemind.memory import Edit, SceneMemoryError
from scenemind.memory.graph.corrections.similar import find_similar
from tests.unit.memory.graph.corrections.room import merge, relate, rename, set_attribute
from tests.unit.memory.things import thing

MICROWAVE = (0.5, 0.4, 0.3)
KITCHEN = {
    t.object_id: t
    for t in (
        replace(thing(1, "microwave", (0, 0, 1), MICROWAVE), attributes={"color": "white"}),
        replace(thing(2, "microwave", (3, 0, 1), MICROWAVE), attributes={"color": "white"}),
        replace(thing(3, "microwave", (6, 0, 1), (0.4, 0.5, 0.3)), attributes={"color": "black"}),
        replace(thing(4, "microwave", (9, 0, 1), (1.5, 1.2, 2.0)), attributes={"color": "black"}),
        replace(thing(5, "chair", (0, 3, 0), (0.5, 0.5, 0.9)), attributes={"color": "white"}),
    )
}
IS_OVEN = rename(1, "toaster oven")


def test_those_that_perception_calls_and_sees_alike_come_first() -> None:
    found = find_similar(IS_OVEN, KITCHEN, KITCHEN, {})
    assert [similar.object_id for similar in found] == [2, 3]
    assert found[0].score == pytest.approx(1.0)
    assert found[0].reasons == (
        "also perceived as microwave",
        "same color (white)",
        "about as large (100%)",
    )
    assert found[1].reasons == ("also perceived as microwave", "about as large (100%)")


def test_objects_that_have_the_new_name_are_left_out() -> None:
    seen = {**KITCHEN, 2: replace(KITCHEN[2], label="toaster oven")}
    assert [s.object_id for s in find_similar(IS_OVEN, KITCHEN, seen, {})] == [3]
    clean = set_attribute(1, "state", "clean")
    seen = {**KITCHEN, 3: replace(KITCHEN[3], attributes={"state": "clean"})}
    assert [s.object_id for s in find_similar(clean, KITCHEN, seen, {})] == [2]


def test_a_deleted_example_has_others_like_it() -> None:
    seen = {i: o for i, o in KITCHEN.items() if i != 1}
    found = find_similar(Edit("delete_object", (1,)), KITCHEN, seen, {})
    assert [similar.object_id for similar in found] == [2, 3]


def test_image_vectors_count_where_they_exist() -> None:
    along, across = np.array((1, 0), np.float32), np.array((0, 1), np.float32)
    found = find_similar(IS_OVEN, KITCHEN, KITCHEN, {1: along, 2: across, 3: along})
    assert [similar.object_id for similar in found] == [3, 2]
    assert "looks alike (1.00)" in found[0].reasons
    assert not any("looks" in reason for reason in found[1].reasons)


@pytest.mark.parametrize("edit", [merge(1, 2), relate(1, "on", 2)])
def test_corrections_of_certain_objects_hold_for_no_others(edit: Edit) -> None:
    with pytest.raises(SceneMemoryError, match="is about certain objects"):
        find_similar(edit, KITCHEN, KITCHEN, {})


def test_an_unknown_example_is_named() -> None:
    with pytest.raises(SceneMemoryError, match="no object 99"):
        find_similar(rename(99, "x"), KITCHEN, KITCHEN, {})
    with pytest.raises(SceneMemoryError, match="at least one object"):
        find_similar(Edit("rename", (), value="x"), KITCHEN, KITCHEN, {})
