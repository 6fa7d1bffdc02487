"""What is half understood is asked, never written."""

from __future__ import annotations

import pytest

from scenemind.reasoning import Alignment, Query, Router
from scenemind.reasoning.dialogue import Dialogues

from ..scene import SmallMemory, room_memory


def talk(memory: SmallMemory, *said: str, marked: tuple[int, ...] = ()) -> list[Alignment]:
    router = Router(memory, dialogues=Dialogues(2, 6))
    return [
        router.align(Query(text, marked_object_ids=marked, dialogue_id="a"), by="Ada")
        for text in said
    ]


@pytest.mark.parametrize(
    ("text", "marked", "meant"),
    [
        ("the sofa strikes me as more of a bench", (), "the sofa (object 8) is a bench"),
        ("maybe the sofa is a bench", (), "the sofa (object 8) is a bench"),
        ("the sofa is a bench?", (), "the sofa (object 8) is a bench"),
        ("sofa brown", (), "the sofa (object 8) is brown"),
        ("object 7, wooden I guess", (), "the shelf (object 7) is wooden"),
        ("you say red, everybody else says blue", (2,), "the cup (object 2) is blue"),
        ("there's a lamp on the shelf", (), "the cup (object 10) is a lamp"),
        ("there's a laptop on the sofa", (), "the laptop (object 3) is on the sofa (object 8)"),
    ],
)
def test_it_asks_and_writes_after_a_yes(text: str, marked: tuple[int, ...], meant: str) -> None:
    memory = room_memory()
    asked, done = talk(memory, text, "yes", marked=marked)
    assert asked.failure is None
    assert asked.correction_ids == ()
    assert asked.response.endswith(f"Do you mean that {meant}?")
    assert done.correction_ids == (1,)
    assert memory.corrections()[0].reason == text


def test_a_no_leaves_all_as_it_was() -> None:
    memory = room_memory()
    talk(memory, "sofa brown", "no")
    assert memory.corrections() == []


def test_without_a_dialogue_it_says_how_to_say_it() -> None:
    memory = room_memory()
    done = Router(memory).align(Query("sofa brown"), by="Ada")
    assert done.failure is not None
    assert done.failure.code == "not_understood"
    assert "Do you mean that the sofa (object 8) is brown? Then say just that." in done.response
    assert memory.corrections() == []


@pytest.mark.parametrize(
    "text",
    [
        "is the sofa brown or red?",
        "I like the brown sofa",
        "bring the brown sofa here",
        "if the sofa was brown it would fit",
        "why the brown sofa?",
        "the sofa brown or red",
        "the sofa not brown",
        "the sofa and the shelf brown",
        "chair brown",
        "the sofa strikes me as nice",
    ],
)
def test_what_is_not_clear_is_not_asked(text: str) -> None:
    memory = room_memory()
    asked, after = talk(memory, text, "yes")
    assert asked.failure is not None
    assert after.correction_ids == ()
    assert memory.corrections() == []
