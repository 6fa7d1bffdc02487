"""Answers in a word, in a room that can be checked by eye (see `scene.py`).

The one who asks stands at (0, -3) and looks along +y, unless a test says otherwise.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.reasoning import Query, Router
from tests.unit.reasoning.scene import ROOM, SmallMemory, room_memory, snapshot_of, thing

# It tells no place, so the camera's counts.
HERE = "I have just come in."


def brief(question: str, router: Router | None = None) -> str:
    query = Query(question, HERE, policy="always_answer")
    answer = (router or Router(room_memory())).ask(query, "symbolic")
    assert answer.failure is None
    assert answer.text.strip(".").lower() == answer.brief.lower()
    return answer.brief


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many cups are in the room?", "two"),
        ("How many cups are on the shelf?", "one"),
        ("Is the number of cups odd or even?", "even"),
        ("Can the number of cups be divided by three?", "no"),
        ("How many chairs are behind me?", "zero"),
        ("What is on the shelf?", "cup"),
        ("What color is the cup on the table?", "red"),
        ("What shape is the dining table?", "rectangular"),
        ("Which way should I turn to get to the office chair?", "right"),
        ("Which direction is the door?", "forward"),
        ("Which way do I turn to get out?", "forward"),
        ("How many chairs stand on my right-hand side?", "one"),
        ("Is the door visible from here?", "yes"),
        ("Is the number of cups divisible by two?", "yes"),
        ("Is this room a bathroom?", "no"),
        ("Is the sofa made of the same material as the dining table?", "no"),
        ("What is nearer to me, the sofa or the dining table?", "dining table"),
        ("Where can I put my coat if I want to leave the room?", "forward"),
        ("Is the sofa on my left or on my right?", "left"),
        ("Is the cup on the shelf red or white?", "white"),
        ("Is there a sofa in front of me?", "yes"),
        ("Is there a sofa behind me?", "no"),
        ("Is there a fireplace?", "no"),
        ("Can I see the door from where I am standing?", "yes"),
        ("Can I see the door if I turn around?", "no"),
        ("Can I reach the shelf without moving?", "no"),
        ("Can I walk forward?", "yes"),
        ("What could I sleep on in front of me?", "sofa"),
        ("Am I in the bathroom?", "no"),
        ("How many legs does the dining table have?", "four"),
    ],
)
def test_answers_of_the_room(question: str, expected: str) -> None:
    assert brief(question) == expected


def test_an_answer_names_the_objects_that_it_rests_on() -> None:
    query = Query("What color is the cup on the table?", HERE, policy="always_answer")
    answer = Router(room_memory()).ask(query, "symbolic")
    assert [obj.object_id for obj in answer.objects] == [2]
    assert any("a cup (object 2)" in step for step in answer.steps)


def test_what_rests_on_no_object_says_so_and_is_less_sure() -> None:
    router = Router(room_memory())
    usual = router.ask(Query("Is the lamp on or off?", HERE, policy="always_answer"), "symbolic")
    found = router.ask(Query("How many cups?", HERE, policy="always_answer"), "symbolic")
    assert any("nothing seen answers it" in step for step in usual.steps)
    assert usual.objects == ()
    assert usual.confidence < found.confidence <= 0.5


def test_only_always_answer_guesses() -> None:
    router = Router(room_memory())
    for policy in ("balanced", "strict"):
        answer = router.ask(Query("Is the sofa tidy or messy?", policy=policy), "symbolic")  # type: ignore[arg-type]
        assert answer.failure is not None
    assert brief("Is the sofa tidy or messy?", router) == "tidy"


def test_what_the_grammar_is_sure_of_is_no_guess() -> None:
    query = Query("how many cups are there?", policy="always_answer")
    answer = Router(room_memory()).ask(query, "symbolic")
    assert answer.confidence > 0.5
    assert "2 cups" in answer.text


def test_what_people_said_of_a_thing_counts_more_than_what_is_usual() -> None:
    chair = thing(1, "chair", (0, 0, 0.45), (0.5, 0.5, 0.9), color="light grey")
    said = replace(chair, attribute_sources={"color": "user"})
    question = "What color is the chair?"
    assert brief(question, Router(SmallMemory(snapshot_of([chair])))) == "white"
    assert brief(question, Router(SmallMemory(snapshot_of([said])))) == "grey"


def test_sides_change_with_the_words_of_the_situation() -> None:
    router = Router(SmallMemory(snapshot_of(ROOM, camera=None)))
    question = "Is the sofa on my left or on my right?"
    for situation, expected in (
        ("I am facing the door and the dining table is behind me", "left"),
        ("I am facing the dining table and the door is behind me", "right"),
    ):
        answer = router.ask(Query(question, situation, policy="always_answer"), "symbolic")
        assert answer.brief == expected


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=60).filter(lambda text: text.strip()), st.text(max_size=60))
def test_there_is_always_an_answer(text: str, situation: str) -> None:
    query = Query(text, situation, policy="always_answer")
    answer = Router(room_memory()).ask(query, "symbolic")
    if answer.failure is None:
        assert answer.text.strip()
        assert 0.0 < answer.confidence <= 1.0
    else:
        assert answer.failure.code == "invalid_request"
