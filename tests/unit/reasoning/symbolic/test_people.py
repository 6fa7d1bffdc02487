"""People and animals go where they like: answers say when they were seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenemind.reasoning import Router

from ..scene import ROOM, SmallMemory, query, snapshot_of, thing

S = 1_000_000_000
NEWEST_NS = 1000 * S


def ask(text: str, *ages_s: int) -> str:
    """In the room, where people were seen so long before the newest frame."""
    people = tuple(
        replace(thing(20 + n, "person", (3.0, n, 0.9), (0.5, 0.5, 1.7)), last_seen_ns=at)
        for n, at in enumerate(NEWEST_NS - age * S for age in ages_s)
    )
    others = tuple(replace(one, last_seen_ns=0) for one in ROOM)
    snapshot = replace(snapshot_of((*others, *people)), stamp_ns=NEWEST_NS)
    answer = Router(SmallMemory(snapshot)).ask(query(text))
    assert answer.failure is None
    assert {o.object_id for o in answer.objects} <= {20, 21} or "chair" in text
    return answer.text


@pytest.mark.parametrize("text", ["how many people are there?", "how many persons do you know?"])
def test_people_who_were_seen_are_counted_with_when(text: str) -> None:
    assert ask(text, 400, 30) == (
        "2 people were seen: the person (object 20) was last seen 7 min before the newest frame and"
        " the person (object 21) was last seen 30 s before the newest frame."
    )


def test_a_person_in_view_is_there() -> None:
    assert ask("how many people are there?", 1) == "There is 1 person: a person (object 20)."
    assert ask("is there a person?", 0) == "Yes, there is a person: object 20."


def test_where_a_person_was() -> None:
    assert ask("where is the person?", 30).startswith(
        "The person (object 20) was last seen 30 s before the newest frame, "
    )
    assert ask("is there a person?", 30) == (
        "Yes, the person (object 20) was last seen 30 s before the newest frame."
    )


def test_furniture_is_where_it_was_however_long_ago() -> None:
    assert " were seen" not in ask("how many chairs are there?")


def test_a_seat_is_taken_by_who_was_seen_at_it() -> None:
    """The person is 0.2 m from the office chair."""
    seen = "the person (object 20) was last seen 30 s before the newest frame."
    assert (
        ask("is the office chair taken?", 30) == "No, I saw nobody at the office chair (object 6)."
    )
    near = replace(thing(20, "person", (3.6, -2.0, 0.9), (0.3, 0.5, 1.7)), last_seen_ns=NEWEST_NS)
    memory = SmallMemory(replace(snapshot_of((*ROOM, near)), stamp_ns=NEWEST_NS + 30 * S))
    for text, word in (("taken", "Yes"), ("in use", "Yes"), ("free", "No"), ("not taken", "No")):
        answer = Router(memory).ask(query(f"is the office chair {text}?"))
        assert answer.text == f"{word}, {seen}"


def test_nobody_at_a_seat_is_no_proof_and_an_unknown_seat_no_answer() -> None:
    memory = SmallMemory(snapshot_of(ROOM))
    answer = Router(memory).ask(query("is the sofa free?"))
    assert answer.text == "Yes, I saw nobody at the sofa (object 8)."
    assert answer.confidence <= 0.5
    failure = Router(memory).ask(query("is the throne free?")).failure
    assert failure is not None
    assert failure.text.startswith("There is no throne in the memory.")


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("is the white cup the only cup?", "No, there are 2 cups"),
        ("is the laptop the only laptop?", "Yes, there is a laptop: object 3. Yes, the laptop"),
        ("is the office chair the tallest thing?", "No, the office chair (object 6) is not"),
        ("is the sofa the closest to the door?", "Yes, the sofa (object 8) is the closest sofa"),
        ("which cups are red or white?", "A cup (object 2) is red. A cup (object 10) is white."),
        ("is everything in the same room?", "Rooms are not known"),
        ("is there a lamp in the kitchen?", "No, I know of no lamp"),
    ],
)
def test_the_only_one_the_most_and_either(text: str, start: str) -> None:
    answer = Router(SmallMemory(snapshot_of(ROOM))).ask(query(text))
    said = answer.text if answer.failure is None else answer.failure.text
    assert said.startswith(start)


@pytest.mark.parametrize("text", ["the man in the white shirt", "the person with the red bag"])
def test_what_people_wear_is_not_looked_at_and_said(text: str) -> None:
    assert ask(f"where is {text}?", 0).startswith("I do not know what people wear or carry")
