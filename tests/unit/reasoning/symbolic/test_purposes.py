"""Phrases that name a thing by what it does, or by what somebody does with it."""

from __future__ import annotations

import pytest

from scenemind.reasoning import Router
from scenemind.reasoning.symbolic.purposes import by_purpose
from tests.unit.reasoning.scene import SmallMemory, query, snapshot_of, thing


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("the thing that keeps the milk cold", "the thing for milk cold"),
        ("the tall thing by the door that gets hot", "the tall thing for hot by the door"),
        ("the thing the cat sleeps on", "the thing for sleeps"),
        ("something for when it rains", "something for rains"),
        ("the place where you'd do the washing-up", "the place for washing"),
        ("the thing that hums all night long", "the thing for night"),
        ("the thing that grunts", ""),
        ("the lamp that gives us light", ""),  # it has a name
        ("keeps the milk cold", ""),
        ("the bits and bobs that go with the computer", ""),
    ],
)
def test_a_clause_about_a_nameless_thing_is_its_purpose(said: str, plain: str) -> None:
    assert by_purpose(said) == plain


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("the thing that keeps the milk cold", 1),
        ("the thing that tells us the time", 2),
        ("the thing by the clock that keeps the rain off", 3),
        ("the place where you'd do the washing-up", 4),
        ("the thing that grunts", None),
    ],
)
def test_what_is_for_most_of_it_is_meant(said: str, number: int | None) -> None:
    labels = ("refrigerator", "clock", "umbrella", "sink", "book")
    things = [thing(n, label, (2.0 * n, 0, 0.5), (0.4,) * 3) for n, label in enumerate(labels, 1)]
    found = Router(SmallMemory(snapshot_of(things))).ground(query(said))
    assert [each.object_id for each in found.objects] == [number] * (number is not None)
