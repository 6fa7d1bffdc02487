"""What is said where a thing is not known: what stands in for it, and the missing head first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenemind.config import RelationConfig
from scenemind.reasoning import ReasoningError
from scenemind.reasoning.method import MethodReply
from scenemind.reasoning.symbolic import SymbolicReasoner
from tests.unit.reasoning.scene import ROOM, SmallMemory, query, snapshot_of, thing

OVEN = thing(85, "oven", (2, -2, 0.45), (0.6, 0.6, 0.9), color="black")
MEMORY = SmallMemory(snapshot_of([*ROOM, OVEN]))
NOTE = "I know no microwave; the nearest that I know is the oven (object 85)."
POLICIES = ("strict", "balanced", "always_answer")


def ask(text: str, policy: str) -> MethodReply:
    reasoner = SymbolicReasoner(MEMORY, RelationConfig())
    return reasoner.ask(query(text, policy=policy), MEMORY.snapshot())


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "text",
    ["where is the microwave?", "what color is the microwave?", "what is next to the microwave?"],
)
def test_an_answer_about_another_thing_says_so(text: str, policy: str) -> None:
    reply = ask(text, policy)
    assert reply.text.startswith(NOTE)
    assert reply.confidence <= 0.7


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("text", ["the microwave", "the chair closest to the microwave"])
def test_a_phrase_for_another_thing_says_so(text: str, policy: str) -> None:
    reasoner = SymbolicReasoner(MEMORY, RelationConfig())
    reply = reasoner.ground(query(text, policy=policy), MEMORY.snapshot())
    assert NOTE in reply.steps
    assert reply.confidence <= 0.8


def test_known_things_need_no_note() -> None:
    for policy in POLICIES:
        assert "I know no" not in ask("where is the oven?", policy).text
        assert "I know no" not in ask("where is the couch?", policy).text  # a sofa is one


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("place", ["in the kitchen", "on the counter", "next to the piano"])
def test_a_missing_thing_comes_before_a_missing_place(place: str, policy: str) -> None:
    reply = ask(f"is there a coffee machine {place}?", policy)
    assert "I know of no coffee machine" in reply.text
    assert reply.brief == "no"


# What people call a thing -> the label of the map that it is meant by.
CALLED = {
    "mug": "cup",
    "sideboard": "cabinet",
    "doormat": "rug",
    "cloth": "towel",
}


@pytest.mark.parametrize(("word", "label"), CALLED.items())
def test_what_people_call_so_is_answered_of_and_named(word: str, label: str) -> None:
    things = [thing(1, label, (0, 0, 0.5), (0.2, 0.2, 0.2), color="red")]
    things.append(thing(2, "lamp", (0.5, 0, 0.5), (0.2, 0.2, 0.4), color="white"))
    memory = SmallMemory(snapshot_of(things))
    reasoner = SymbolicReasoner(memory, RelationConfig())
    reply = reasoner.ask(query(f"is the {word} red?"), memory.snapshot())
    assert reply.text == f"Yes, the {label} (object 1), a {word} as I take it, is red."
    assert 0.5 < reply.confidence <= 0.8
    reply = reasoner.ask(query(f"what is next to the {word}?"), memory.snapshot())
    assert reply.text.startswith(f"I take the {label} (object 1) for a {word}. A lamp (object 2)")
    # Where something may be what was said, the detector has a class for it.
    likely = {"lamp": 0.7, word: 0.3}
    things[1] = replace(things[1], confidence=0.9, label_probabilities=likely)
    memory = SmallMemory(snapshot_of(things))
    reply = SymbolicReasoner(memory, RelationConfig()).ask(
        query(f"where is the {word}?"), memory.snapshot()
    )
    assert f"I know no {word}" in reply.text
    assert reply.confidence <= 0.5


TEXT = "how far is the table from the door?"


def beside_a_table(width_m: float) -> SmallMemory:
    """The room, with a side table."""
    other = thing(86, "side table", (4, 4, 0.25), (width_m, width_m, 0.5), color="black")
    return SmallMemory(snapshot_of([*ROOM, other]))


@pytest.mark.parametrize("policy", ["balanced", "always_answer"])
def test_of_several_kinds_the_far_larger_one_is_the_main_one(policy: str) -> None:
    memory = beside_a_table(0.5)  # a sixth of the dining table
    reply = SymbolicReasoner(memory, RelationConfig()).ask(
        query(TEXT, policy=policy), memory.snapshot()
    )
    assert reply.text.startswith("I take the table to be the dining table (object 1).")
    assert reply.confidence <= 0.5


@pytest.mark.parametrize(("width_m", "policy"), [(0.5, "strict"), (0.9, "balanced")])
def test_else_it_asks_which_one_is_meant(width_m: float, policy: str) -> None:
    memory = beside_a_table(width_m)
    with pytest.raises(ReasoningError, match="2 objects fit"):
        SymbolicReasoner(memory, RelationConfig()).ask(
            query(TEXT, policy=policy), memory.snapshot()
        )
