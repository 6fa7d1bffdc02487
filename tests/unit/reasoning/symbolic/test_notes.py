"""Notes: facts in a person's own words, found again by questions that share a word with them."""

from __future__ import annotations

import pytest

from scenemind.memory import Edit, MapObject
from scenemind.reasoning import Query, Router
from tests.unit.reasoning.scene import SmallMemory, room_memory


@pytest.fixture(scope="module")
def memory() -> SmallMemory:
    room = room_memory()
    room.apply([Edit("set_attribute", (3,), "note", "was bought in Rome")], "Ada", "so it was")
    room.apply([Edit("set_attribute", (3,), "note", "must not get wet")], "Bob", "keep it dry")
    return room


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("where was the laptop bought?", "was bought in Rome (Ada said so)."),
        ("what was bought in Rome?", "was bought in Rome (Ada said so)."),
        ("which thing is from Rome?", "was bought in Rome (Ada said so)."),
        ("may the laptop get wet?", "must not get wet (Bob said so)."),
        ("what did Bob say about the laptop?", "must not get wet (Bob said so)."),
    ],
)
def test_a_question_finds_the_note_that_shares_a_word(
    memory: SmallMemory, text: str, told: str
) -> None:
    answer = Router(memory).ask(Query(text))
    assert answer.failure is None
    assert answer.text == f"Of the laptop (object 3) I was told: {told}"
    assert [thing.object_id for thing in answer.objects] == [3]


@pytest.mark.parametrize("text", ["where is the laptop?", "what color is the laptop?"])
def test_other_answers_are_left_alone(memory: SmallMemory, text: str) -> None:
    assert Router(memory).ask(Query(text)).text == Router(room_memory()).ask(Query(text)).text


def test_questions_about_other_things_are_refused_as_before(memory: SmallMemory) -> None:
    answer = Router(memory).ask(Query("where was the sofa bought?"))
    assert answer.failure is not None


def test_a_description_has_the_notes(memory: SmallMemory) -> None:
    told = Router(memory).ask(Query("describe the laptop")).text
    assert "was bought in Rome (Ada said so); must not get wet (Bob said so)" in told


def test_each_note_is_taken_back_by_itself() -> None:
    room = room_memory()

    def laptop() -> MapObject:
        return room.snapshot().objects[3]

    for value in ("is new", "is loud"):
        room.apply([Edit("set_attribute", (3,), "note", value)], "Ada", value)
    room.undo(1)
    assert laptop().attributes["note"] == "is loud (Ada said so)"
    room.undo(2)
    assert "note" not in laptop().attributes
