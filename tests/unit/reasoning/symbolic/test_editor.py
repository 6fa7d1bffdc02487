"""Corrections in words, written to a real journal and asked again."""

from __future__ import annotations

import pytest

from scenemind.memory import Edit
from scenemind.reasoning import Router

from ..scene import query, room_memory


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("the marked object is a toolbox", Edit("rename", (7,), value="toolbox")),
        ("the sofa is a bench", Edit("rename", (8,), value="bench")),
        ("object 9 is grey", Edit("set_attribute", (9,), "color", "grey")),
        ("the laptop is on the sofa", Edit("add_relation", (3, 8), "on")),
        ("the laptop is not on the table", Edit("delete_relation", (3, 1), "on")),
        ("that is a reflection", Edit("delete_object", (7,))),
    ],
)
def test_sentences_become_edits(text: str, edit: Edit) -> None:
    memory = room_memory()
    alignment = Router(memory).align(query(text, marked_object_ids=(7,)), by="anna")
    assert alignment.failure is None
    (correction,) = memory.corrections()
    assert (correction.edit, correction.by, correction.reason) == (edit, "anna", text)
    assert alignment.correction_ids == (correction.correction_id,)
    assert alignment.object_ids == edit.object_ids


def test_a_correction_changes_the_next_answer_and_undo_brings_it_back() -> None:
    memory = room_memory()
    router = Router(memory)
    assert router.align(query("the cup on the shelf is a vase"), "anna").failure is None
    assert router.ask(query("where is the vase?")).objects[0].object_id == 10
    undone = router.align(query("no, undo that"), "anna")
    assert "I took back correction 1" in undone.response
    assert router.ask(query("where is the vase?")).failure is not None
    nothing_left = router.align(query("undo"), "anna")
    assert nothing_left.failure is not None
    assert nothing_left.failure.code == "memory_refused"


def test_a_deleted_relation_is_not_computed_again() -> None:
    memory = room_memory()
    router = Router(memory)
    assert router.ask(query("is chair 4 next to the table?")).text.startswith("Yes")
    router.align(query("chair 4 is not next to the table"), "anna")
    router.align(query("the table is not next to chair 4"), "anna")
    assert router.ask(query("is chair 4 next to the table?")).text.startswith("No")


def test_all_marked_objects_are_renamed() -> None:
    memory = room_memory()
    alignment = Router(memory).align(query("these are stools", marked_object_ids=(4, 5)), "anna")
    assert alignment.object_ids == (4, 5)
    assert alignment.response == "Now the chair (object 4) and the chair (object 5) are stools."
    assert [c.edit.value for c in memory.corrections()] == ["stool", "stool"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("the chair is a stool", "ambiguous"),
        ("the lamp is a stool", "not_found"),
        ("that is a stool", "not_found"),
        ("the sofa is on the sofa", "invalid_request"),
        ("what is on the table?", "not_understood"),
    ],
)
def test_what_is_not_clear_is_not_written(text: str, code: str) -> None:
    memory = room_memory()
    alignment = Router(memory).align(query(text), "anna")
    assert alignment.failure is not None
    assert alignment.failure.code == code
    assert memory.corrections() == []


def test_no_model_is_said_to_read_corrections() -> None:
    alignment = Router(room_memory()).align(query("the sofa is on fire and loud"), "anna")
    assert "I do not understand" in alignment.response
    assert "language model" not in alignment.response


def test_an_ambiguous_correction_lists_the_candidates() -> None:
    alignment = Router(room_memory()).align(query("the chair is a stool"), "anna")
    assert "object 4, a chair at x -1.2, y 0.0" in alignment.response
    assert "object 6, an office chair" in alignment.response
