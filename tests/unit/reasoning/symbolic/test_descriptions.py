"""Attributes that only models and people state: material, state, use, looks."""

from __future__ import annotations

from typing import Any

import pytest

from scenemind.reasoning import Answer, Router
from scenemind.reasoning.symbolic.attribute_scores import mentions
from tests.tables import read_table

from ..scene import ROOM, SmallMemory, query, said_by_model, snapshot_of, thing

TABLE = read_table(__file__, "descriptions")
BOTTLE = thing(14, "bottle", (0.6, 0.2, 0.87), (0.08, 0.08, 0.24), color="green", shape="long")
SAID = {
    1: {"material": "oak wood", "affordance": "put things on it"},
    4: {"material": "wood", "affordance": "sit on it", "caption": "A chair with a tall back."},
    14: {"material": "glass", "state": "empty", "texture": "smooth"},
}


def memory() -> SmallMemory:
    objects = [said_by_model(o, **SAID.get(o.object_id, {})) for o in (*ROOM, BOTTLE)]
    return SmallMemory(snapshot_of(objects))


def ask(text: str) -> Answer:
    return Router(memory()).ask(query(text))


@pytest.mark.parametrize(("text", "row"), TABLE["answers"].items())
def test_answers(text: str, row: dict[str, Any]) -> None:
    answer = ask(text)
    assert answer.failure is None
    assert row["answer"] in answer.text
    assert [obj.object_id for obj in answer.objects] == row["objects"]


@pytest.mark.parametrize(("phrase", "ids"), TABLE["phrases"].items())
def test_phrases(phrase: str, ids: list[int]) -> None:
    grounding = Router(memory()).ground(query(phrase))
    assert [obj.object_id for obj in grounding.objects] == ids


def test_unknown_attribute_is_not_guessed() -> None:
    failure = ask("what is the sofa made of?").failure
    assert failure is not None
    assert failure.text.startswith("The material of the sofa (object 8) is not known: a vision-")


@pytest.mark.parametrize(("text", "said"), TABLE["unknown"].items())
def test_unknown_attribute_is_not_denied(text: str, said: str) -> None:
    failure = Router(SmallMemory(snapshot_of(ROOM))).ask(query(text)).failure
    assert failure is not None
    assert failure.code == "not_found"
    assert failure.text.startswith(said)


def test_a_persons_word_counts_more_and_is_called_theirs() -> None:
    small = memory()
    router = Router(small)
    assert router.align(query("the bottle is full"), "anna").failure is None
    assert router.ask(query("is the bottle full?")).text.endswith("is full, a person says.")


def test_a_forgotten_attribute_is_not_known_until_that_is_undone() -> None:
    small = memory()
    router = Router(small)
    done = router.align(query("forget the colour of the sofa"), "anna")
    assert done.response == "I forgot the color of the sofa (object 8)."
    failure = router.ask(query("what colour is the sofa?")).failure
    assert failure is not None
    router.align(query("undo"), "anna")
    assert "dark grey" in router.ask(query("what colour is the sofa?")).text


@pytest.mark.parametrize(
    ("value", "wanted", "fits"),
    [
        ("oak wood", "wooden", True),
        ("suitable for sitting", "sit on", True),
        ("open it by its handle", "open", True),
        ("not empty", "empty", False),
        ("glass", "wooden", False),
        ("", "wooden", False),
    ],
)
def test_words_for_the_same_are_the_same(value: str, wanted: str, fits: bool) -> None:
    assert mentions(value, wanted) is fits
