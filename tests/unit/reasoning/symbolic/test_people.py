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
