"""What else things may be: asked for, and looked for by that name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenemind.config import RelationConfig
from scenemind.reasoning.symbolic import SymbolicReasoner
from tests.unit.reasoning.scene import ROOM, SmallMemory, query, snapshot_of, thing

LIKELY = {"refrigerator": 0.5, "microwave": 0.3, "box": 0.04}
FRIDGE = replace(
    thing(85, "refrigerator", (2, -2, 0.45), (0.6, 0.6, 0.9), color="black"),
    confidence=0.5,
    label_probabilities=LIKELY,
)
MEMORY = SmallMemory(snapshot_of([*ROOM, FRIDGE]))
REASONER = SymbolicReasoner(MEMORY, RelationConfig())


@pytest.mark.parametrize(
    "text",
    [
        "what else could object 85 be?",
        "What else might the refrigerator be?",
        "could object 85 be something else?",
        "what are the alternatives for object 85?",
    ],
)
def test_what_else_a_thing_may_be_is_said_with_probabilities(text: str) -> None:
    reply = REASONER.ask(query(text), MEMORY.snapshot())
    assert reply.text == (
        "The refrigerator (object 85) is one with 50 %; it may be a microwave with 30 % or a box"
        " with 4 % or something else, or nothing, with 16 %."
    )
    assert [o.object_id for o in reply.objects] == [85]


def test_what_is_sure_may_be_nothing_else() -> None:
    sure = replace(FRIDGE, confidence=1.0, label_probabilities={"refrigerator": 1.0})
    memory = SmallMemory(snapshot_of([*ROOM, sure]))
    reasoner = SymbolicReasoner(memory, RelationConfig())
    reply = reasoner.ask(query("what else could object 85 be?"), memory.snapshot())
    assert reply.text == "The refrigerator (object 85) is one with 100 %."


def test_what_a_thing_may_be_is_no_sure_answer() -> None:
    reply = REASONER.ask(query("is there a microwave?"), MEMORY.snapshot())
    assert reply.text.startswith("Not for sure: I know of no microwave")
    assert "refrigerator (object 85)" in reply.text
    assert reply.brief not in ("yes", "Yes")


def test_a_phrase_finds_it_by_its_second_label_with_less_confidence() -> None:
    def sure(phrase: str) -> float:
        reply = REASONER.ground(query(phrase, policy="always_answer"), MEMORY.snapshot())
        assert [o.object_id for o in reply.objects] == [85]
        return reply.confidence

    assert 0.0 < sure("the microwave") < sure("the refrigerator")


def test_labels_that_other_things_bear_mean_those() -> None:
    chairs = replace(FRIDGE, label_probabilities={"refrigerator": 0.5, "couch": 0.4})
    memory = SmallMemory(snapshot_of([*ROOM, chairs]))
    reasoner = SymbolicReasoner(memory, RelationConfig())
    reply = reasoner.ground(query("the couch"), memory.snapshot())
    assert 85 not in [o.object_id for o in reply.objects]
