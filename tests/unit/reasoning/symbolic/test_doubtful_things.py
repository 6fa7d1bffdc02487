"""What is probably not there is named beside nothing surer; and nothing is said to be there by half
of what was asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scenemind.memory.types import LIKELY
from scenemind.reasoning import Answer, Router
from tests.unit.reasoning.scene import ROOM, SmallMemory, query, snapshot_of, thing

LAMP = thing(20, "lamp", (0.4, 0.0, 0.9), (0.2, 0.2, 0.3), 0.9, color="white")
GHOST = 30


def ask(text: str, *things: Any) -> Answer:
    return Router(SmallMemory(snapshot_of([*ROOM, *things]))).ask(query(text))


def fan(number: int, x: float, confidence: float) -> Any:
    """A fan on the floor; none other is in the room."""
    return thing(number, "fan", (x, -2.5, 0.4), (0.3, 0.3, 0.8), confidence, color="black")


def numbers(answer: Answer) -> set[int]:
    return {found.object_id for found in answer.objects}


@pytest.mark.parametrize(
    "text",
    [
        "where is the fan?",
        "how many fans are there?",
        "is there a fan?",
        "what colour is the fan?",
        "how big is the fan?",
        "which fans do you see?",
        "what is left of the fan?",
    ],
)
def test_what_is_probably_not_there_is_no_part_of_an_answer(text: str) -> None:
    sure, alone = fan(GHOST + 1, -2.5, 0.6), ask(text, fan(GHOST + 1, -2.5, 0.6))
    answer = ask(text, sure, fan(GHOST, 2.5, 0.02))
    assert GHOST not in numbers(answer)
    assert answer.confidence == pytest.approx(alone.confidence)
    assert numbers(answer) == numbers(alone)


def test_where_nothing_is_likely_the_surest_is_named_and_doubted() -> None:
    for text in ("where is the fan?", "is there a fan?", "how many fans are there?"):
        answer = ask(text, fan(GHOST + 1, -2.5, 0.4), fan(GHOST, 2.5, 0.02))
        assert numbers(answer) == {GHOST + 1}
        assert answer.confidence == pytest.approx(0.4)
        assert answer.text.startswith(("Not for sure", "Perhaps"))
    assert numbers(ask("where is the fan?", fan(GHOST, 2.5, 0.02))) == {GHOST}


def test_a_number_counts_what_is_likelier_there_than_not() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        sure = rng.uniform(0.0, 1.0, 4).round(2)
        fans = [fan(40 + i, -3.0 + i, float(each)) for i, each in enumerate(sure)]
        answer = ask("how many fans are there?", *fans)
        expected = {40 + i for i, each in enumerate(sure) if each >= LIKELY}
        assert numbers(answer) == (expected or {40 + int(np.argmax(sure))})
        assert ("not counted" in answer.text) == (len(fans) > len(numbers(answer)))


def test_the_least_trusted_things_may_be_asked_for() -> None:
    answer = ask(
        "which fan do you trust the least?", fan(GHOST + 1, -2.5, 0.9), fan(GHOST, 2.5, 0.02)
    )
    assert numbers(answer) == {GHOST}


# A thing is asked for where it is not: how the answer begins, what it tells of its place.
ELSEWHERE = {
    "is there a lamp on the shelf?": "No, I know of no lamp on the shelf; the lamp (object 20)",
    "is there a white lamp next to the door?": "No, I know of no white lamp next to the door",
    "is the lamp on the shelf?": "No, the lamp (object 20) is not on the shelf; it is on",
    "are there any lamps on the shelf?": "No, I know of no lamps on the shelf; the lamp",
}


@pytest.mark.parametrize(("text", "begin"), ELSEWHERE.items())
def test_a_thing_that_is_elsewhere_is_no_yes(text: str, begin: str) -> None:
    answer = ask(text, LAMP)
    assert answer.brief == "no"
    assert answer.text.startswith(begin)


def test_all_that_was_asked_is_said_again() -> None:
    said = ask("is there a white lamp on the table?", LAMP).text
    assert said == "Yes, there is a white lamp on the table: object 20."
    assert "behind you" in ask("is there a lamp behind me?", LAMP).text


def test_an_unknown_anchor_is_said() -> None:
    assert "no piano in the memory" in str(ask("is there a lamp on the piano?", LAMP).failure)
    assert "and no piano" in ask("is there a lamp on the piano?").text


def test_a_weak_yes_is_a_perhaps() -> None:
    for text in ("is there a fan?", "is the fan black?"):
        answer = ask(text, fan(GHOST, 2.5, 0.3))
        assert (answer.brief, answer.text[:7]) == ("yes", "Perhaps")


def test_an_exception_of_what_is_not_known_leaves_all() -> None:
    all_of = numbers(ask("how many chairs are there?"))
    for left_out in ("except the red one", "but not the ones on the ceiling"):
        assert numbers(ask(f"how many chairs are there {left_out}?")) == all_of
    assert numbers(ask("which cups are there except the red one?")) == {10}


@pytest.mark.parametrize(
    "text",
    [
        "how many drawers does the table have?",
        "how many drawers does that table have?",
        "are there drawers in the table?",
    ],
)
def test_parts_of_things_are_not_denied(text: str) -> None:
    answer = ask(text)
    assert "I cannot tell" in (answer.failure.text if answer.failure else answer.text)
    assert ask("how many doors are in the room?").brief == "one"


def test_what_is_probably_not_there_and_would_rank_first_is_told() -> None:
    """The sofa stands at x -2: the fan at 2.5 is farther from it than that at -2.5."""
    sure, question = fan(GHOST + 1, -2.5, 0.9), "which fan is the farthest from the sofa?"
    answer = ask(question, sure, fan(GHOST, 2.5, 0.02))
    assert numbers(answer) == {GHOST + 1}
    told = f"I leave out what is doubtful and would come first: a fan (object {GHOST})."
    assert answer.text.startswith(told)
    assert answer.confidence <= 0.5
    nearest = ask(question.replace("farthest from", "closest to"), sure, fan(GHOST, 2.5, 0.02))
    assert numbers(nearest) == {GHOST + 1}
    assert "leave out" not in nearest.text


@pytest.mark.parametrize(("text", "found"), [("both fans", [31, 32]), ("the fans", [31])])
def test_who_speaks_of_both_knows_that_there_are_two(text: str, found: list[int]) -> None:
    things = (fan(31, -2.5, 0.6), fan(32, 2.5, 0.2))
    router = Router(SmallMemory(snapshot_of([*ROOM, *things])))
    grounding = router.ground(query(text))
    assert sorted(thing.object_id for thing in grounding.objects) == found
    assert min(grounding.confidences) == (0.2 if len(found) > 1 else 0.6)
