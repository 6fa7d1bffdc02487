"""What only models and people say of things: material, state, use, looks."""

from __future__ import annotations

import pytest

from scenemind.reasoning import Answer, Router
from scenemind.reasoning.symbolic.sayings import says

from ..scene import ROOM, SmallMemory, query, said_by_model, snapshot_of, thing

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


@pytest.mark.parametrize(
    ("text", "ids", "said"),
    [
        ("what is the table made of?", [1], "is made of oak wood, a model says."),
        ("what material is the bottle?", [14], "The bottle (object 14) is made of glass, a model"),
        ("which bottle is empty?", [14], "A bottle (object 14) is empty, a model says."),
        ("is the bottle empty?", [14], "Yes, the bottle (object 14) is empty, a model says."),
        (
            "is the bottle full?",
            [14],
            "No, the bottle (object 14) is empty, a model says, not full",
        ),
        ("is the bottle smooth?", [14], "Yes, "),
        ("is the bottle long?", [14], "Yes, the bottle (object 14) is long."),
        ("what shape is the bottle?", [14], "The bottle (object 14) is long."),
        ("what can I sit on?", [4], "A chair (object 4) is good to sit on, a model says."),
        ("is there something to sit on?", [4], "Yes, there is a chair: object 4."),
        ("what is the table for?", [1], "can be used to put things on it, a model says."),
        ("what can I drink from?", [], "No object in the memory is good to drink from."),
        (
            "describe chair 4",
            [4],
            "is black; it is medium; it is made of wood, a model says; it can be used to sit on it,"
            ' a model says; it looks like this: "A chair with a tall back", a model says.',
        ),
        ("what does the sofa look like?", [8], "The sofa (object 8) is dark grey; it is large."),
    ],
)
def test_answers(text: str, ids: list[int], said: str) -> None:
    answer = ask(text)
    assert answer.failure is None
    assert said in answer.text
    assert [obj.object_id for obj in answer.objects] == ids


@pytest.mark.parametrize(
    ("phrase", "ids"),
    [
        ("the wooden chair", [4]),
        ("the glass bottle", [14]),
        ("the wooden thing", [1, 4]),
        ("a chair to sit on", [4]),
        ("the chair that is made of wood", [4]),
    ],
)
def test_phrases(phrase: str, ids: list[int]) -> None:
    grounding = Router(memory()).ground(query(phrase))
    assert [obj.object_id for obj in grounding.objects] == ids


def test_what_nobody_said_is_not_guessed() -> None:
    failure = ask("what is the sofa made of?").failure
    assert failure is not None
    assert failure.text.startswith("The material of the sofa (object 8) is not known: a vision-")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("what can I sit on?", "The use of no object is known: a vision-language model can be"),
        ("how many chairs are made of wood?", "The material of no chair is known: a vision-"),
        ("which chairs are not made of wood?", "The material of no chair is known: a vision-"),
        ("is there something to sit on?", "The use of no object is known: a vision-language"),
        ("is the sofa made of wood?", "The material of the sofa (object 8) is not known: a vis"),
        ("is the door open?", "The state of the door (object 9) is not known: a vision-"),
    ],
)
def test_what_nobody_said_is_not_denied(text: str, said: str) -> None:
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
    assert says(value, wanted) is fits
