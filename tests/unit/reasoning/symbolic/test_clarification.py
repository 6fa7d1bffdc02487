"""Clarification: a partly understood correction gives a question and no write."""

from __future__ import annotations

from typing import Any

import pytest

from scenemind.reasoning import Alignment, Query, Router
from scenemind.reasoning.dialogue import Dialogues
from tests.tables import read_table

from ..scene import SmallMemory, room_memory

TABLE = read_table(__file__, "corrections")


def talk(memory: SmallMemory, *said: str, marked: tuple[int, ...] = ()) -> list[Alignment]:
    router = Router(memory, dialogues=Dialogues(2, 6))
    return [
        router.align(Query(text, marked_object_ids=marked, dialogue_id="a"), by="Ada")
        for text in said
    ]


@pytest.mark.parametrize(("text", "row"), TABLE["confirmed first"].items())
def test_it_asks_and_writes_after_a_yes(text: str, row: dict[str, Any]) -> None:
    memory = room_memory()
    asked, done = talk(memory, text, "yes", marked=tuple(row["marked"]))
    assert asked.failure is None
    assert asked.correction_ids == ()
    assert asked.response.endswith(f"Do you mean that {row['meaning']}?")
    assert done.correction_ids == (1,)
    assert memory.corrections()[0].reason == text


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("The laptop's back, so it hasn't disappeared after all.", "gone"),
        ("The shelf has no books on it.", "books"),
    ],
)
def test_what_a_sentence_denies_is_not_offered(text: str, never: str) -> None:
    (asked,) = talk(room_memory(), text)
    assert asked.correction_ids == ()
    assert f"Do you mean that the laptop (object 3) is {never}" not in asked.response
    assert f"contains {never}" not in asked.response


@pytest.mark.parametrize(
    ("said", "answer", "object_id"),
    [
        ("the chair is a stool", "number 5", 5),
        ("the chair is a stool", "it's the brown one", 5),
        ("the cup is a mug", "the one on the shelf", 10),
        ("the cup is a mug", "the higher one", 10),
    ],
)
def test_an_answer_tells_which_one_is_meant(said: str, answer: str, object_id: int) -> None:
    memory = room_memory()
    asked, done = talk(memory, said, answer)
    assert asked.failure is not None
    assert asked.failure.code == "ambiguous"
    assert done.correction_ids == (1,)
    assert [entry.edit.object_ids for entry in memory.corrections()] == [(object_id,)]


def test_another_one_than_was_proposed_is_asked_for() -> None:
    asked, other = talk(room_memory(), "the green cup on the shelf is a mug", "no, the other one")
    assert "object 10" in asked.response
    assert "object 2" in other.response
    assert other.correction_ids == ()


@pytest.mark.parametrize(
    "text", ["you missed the globe, it is on the shelf", "the globe stands on the shelf"]
)
def test_what_was_not_seen_is_not_added(text: str) -> None:
    memory = room_memory()
    (told,) = talk(memory, text)
    assert memory.corrections() == []
    assert "cannot add" in told.response
    assert '"object 10 is a globe"' in told.response


def test_the_thing_that_fits_best_is_proposed() -> None:
    asked, done = talk(room_memory(), "the large brown chair on the sofa is a stool", "yes")
    assert (
        asked.response
        == "The chair (object 5) is medium, not large and is not on the sofa. Rename it to stool?"
    )
    assert done.correction_ids == (1,)


def test_what_can_be_done_of_a_sentence_waits_for_a_yes() -> None:
    memory = room_memory()
    asked, done = talk(memory, "the red cup is Anna's and the banana is mine", "yes")
    assert "no banana" in asked.response
    assert asked.response.endswith("the rest: that the cup (object 2) belongs to Anna?")
    assert asked.correction_ids == ()
    (written,) = memory.corrections()
    assert done.correction_ids == (written.correction_id,)
    assert written.edit.object_ids == (2,)


def test_a_thing_that_is_called_otherwise_is_not_asked_about() -> None:
    (answer,) = talk(room_memory(), "object 8 is not a person")
    known = "I do not have the sofa (object 8) as a person."
    assert answer.response == f"{known} What is it instead?"
    (asked,) = talk(room_memory(), "object 8 is not a sofa")
    assert asked.response == "What is the sofa (object 8) instead?"


def test_a_correction_in_other_words_is_asked_back_and_written_after_a_yes() -> None:
    memory = room_memory()
    text = "By the way, the laptop belongs to Jonas from the second floor."
    asked, done = talk(memory, text, "yes")
    assert asked.response.endswith("Do you mean that the laptop (object 3) belongs to Jonas?")
    assert asked.correction_ids == ()
    (written,) = memory.corrections()
    assert done.correction_ids == (written.correction_id,)
    assert (written.edit.key, written.edit.value, written.reason) == ("owner", "Jonas", text)


@pytest.mark.parametrize(
    "text",
    [
        "I am afraid the laptop was thrown away yesterday, so you needn't look for it.",
        "No no, that isn't a laptop, we have always called it the netbook.",
    ],
)
def test_without_a_dialogue_the_sentence_that_is_written_at_once_is_told(text: str) -> None:
    memory = room_memory()
    router = Router(memory)
    failure = router.align(Query(text), by="Ada").failure
    assert failure is not None
    assert failure.suggestion
    assert memory.corrections() == []
    assert router.align(Query(failure.suggestion), by="Ada").failure is None
    assert len(memory.corrections()) == 1


def test_no_changes_nothing() -> None:
    memory = room_memory()
    talk(memory, "maybe the sofa is brown", "no")
    assert memory.corrections() == []


def test_reply_without_a_dialogue_suggests_a_sentence() -> None:
    memory = room_memory()
    done = Router(memory).align(Query("maybe the sofa is brown"), by="Ada")
    assert done.failure is not None
    assert done.failure.code == "not_understood"
    assert "Do you mean that the sofa (object 8) is brown? Then say just that." in done.response
    assert memory.corrections() == []


@pytest.mark.parametrize("text", TABLE["unclear"])
def test_unclear_sentence_gives_no_question(text: str) -> None:
    memory = room_memory()
    asked, after = talk(memory, text, "yes")
    assert asked.failure is not None
    assert after.correction_ids == ()
    assert memory.corrections() == []
