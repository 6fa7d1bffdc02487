"""Speakers: "mine" and "my cup" are of the one who asks, points or corrects."""

from __future__ import annotations

import pytest

from scenemind.memory import Edit
from scenemind.reasoning import Query, Router
from scenemind.reasoning.dialogue import Dialogues
from tests.unit.reasoning.scene import SmallMemory, room_memory


@pytest.fixture(scope="module")
def memory() -> SmallMemory:
    """Ada owns the red cup and the laptop, Bob the white cup."""
    room = room_memory()
    owners = {2: "Ada", 3: "Ada", 10: "Bob"}
    room.apply([Edit("set_attribute", (i,), "owner", o) for i, o in owners.items()], "Ada", "test")
    return room


@pytest.mark.parametrize("policy", ["balanced", "strict", "always_answer"])
@pytest.mark.parametrize(("by", "cup"), [("Ada", 2), ("Bob", 10), ("bob", 10)])
def test_my_cup_is_the_cup_of_the_one_who_speaks(
    memory: SmallMemory, by: str, cup: int, policy: str
) -> None:
    router = Router(memory)
    asked = Query("where is my cup?", policy=policy, by=by)  # type: ignore[arg-type]
    assert [thing.object_id for thing in router.ask(asked).objects][:1] == [cup]
    meant = Query("my cup", policy=policy, by=by)  # type: ignore[arg-type]
    assert router.ground(meant).objects[0].object_id == cup


@pytest.mark.parametrize(
    ("text", "by", "ids"),
    [
        ("what belongs to me?", "Ada", [2, 3]),
        ("which cup is mine?", "Bob", [10]),
        ("which things are mine?", "Ada", [2, 3]),
        ("how many of the cups are mine?", "Bob", [10]),
    ],
)
def test_what_is_mine(memory: SmallMemory, text: str, by: str, ids: list[int]) -> None:
    answer = Router(memory).ask(Query(text, by=by))
    assert sorted(thing.object_id for thing in answer.objects) == ids


def test_whether_a_thing_is_mine(memory: SmallMemory) -> None:
    router = Router(memory)
    assert router.ask(Query("is the red cup mine?", by="Ada")).text.startswith("Yes")
    assert router.ask(Query("is the red cup mine?", by="Bob")).text.startswith("No")


def test_my_thing_is_any_thing_where_the_speaker_owns_none(memory: SmallMemory) -> None:
    for by in ("Ada", "Eve", ""):
        grounding = Router(memory).ground(Query("my sofa", by=by))
        assert [thing.object_id for thing in grounding.objects] == [8]


def test_nobody_owns_what_is_asked_by_nobody(memory: SmallMemory) -> None:
    answer = Router(memory).ask(Query("what belongs to me?"))
    assert answer.failure is not None
    assert "I do not know who you are" in answer.text


def test_a_correction_of_my_cup_is_of_the_speaker() -> None:
    room = room_memory()
    router = Router(room)
    router.align(Query("the white cup is mine"), by="Bob")
    assert router.align(Query("my cup is a mug"), by="Bob").object_ids == (10,)
    assert router.align(Query("my cup is a mug"), by="Ada").object_ids == (2,)


def test_a_name_that_is_none_is_refused(memory: SmallMemory) -> None:
    answer = Router(memory).ask(Query("where is my cup?", by="A" * 121))
    assert answer.failure is not None
    assert answer.failure.code == "invalid_request"


def test_who_speaks_is_asked_for_and_known_from_then_on() -> None:
    room = room_memory()
    router = Router(room, dialogues=Dialogues(2, 6))
    said = ["the laptop is mine", "I'm Lena", "the sofa is mine"]
    told = [router.align(Query(text, dialogue_id="a"), by="") for text in said]
    assert told[0].response == "Who are you? Tell me your name."
    assert [one.correction_ids for one in told] == [(), (1,), (2,)]
    assert {(c.edit.value, c.by) for c in room.corrections()} == {("Lena", "Lena")}
