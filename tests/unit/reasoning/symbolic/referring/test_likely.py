"""Phrases that nothing fits to the letter: what is likely meant, or nothing."""

from __future__ import annotations

import pytest

from scenemind.config import RelationConfig
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.method import GroundReply
from scenemind.reasoning.symbolic import SymbolicReasoner
from tests.unit.reasoning.scene import query, room_memory

MEMORY = room_memory()


def grounded(text: str, **more: object) -> GroundReply:
    return SymbolicReasoner(MEMORY, RelationConfig()).ground(query(text, **more), MEMORY.snapshot())


def test_the_likeliest_of_the_kind_is_named_with_what_does_not_fit() -> None:
    reply = grounded("the red cup next to the lamp")
    assert [thing.object_id for thing in reply.objects] == [2, 10]
    assert reply.steps[0].startswith("to the letter: There is no lamp in the memory.")
    assert reply.steps[-1] == "not used: lamp"
    assert 0.5 < reply.confidence < grounded("the red cup").confidence


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("the stapler on the table", "no stapler"),  # nothing of the kind
        ("the green sofa", "Nothing in the memory fits"),  # the only one is grey
        ("the sofa on the shelf", "Nothing in the memory fits"),
        ("the brown chair next to the lamp", "no lamp"),  # others may well be called brown
        ("the cup next to object 77", "77"),  # a number means that one and no other
        ("where is the red cup next to the lamp", "no lamp"),  # and no phrase
    ],
)
def test_what_is_no_likelier_than_not_is_refused(text: str, why: str) -> None:
    with pytest.raises(ReasoningError, match=why) as error:
        grounded(text)
    assert error.value.failure.code == "not_found"


def test_a_strict_query_is_taken_to_the_letter() -> None:
    with pytest.raises(ReasoningError, match="no lamp"):
        grounded("the red cup next to the lamp", policy="strict")


def test_something_is_always_named_where_that_is_wanted() -> None:
    reply = grounded("the green sofa", policy="always_answer")
    assert reply.objects[0].object_id == 8
    assert "not so of the best one: green" in reply.steps
    assert reply.confidence == pytest.approx(0.45)  # half of that it exists
