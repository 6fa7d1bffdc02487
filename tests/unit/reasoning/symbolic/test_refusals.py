"""Refusals with the nearest sentence that is understood."""

from __future__ import annotations

import pytest

from scenemind.reasoning import Answer, Router

from ..scene import SmallMemory, query, room_memory, snapshot_of, thing


def ask(text: str, policy: str = "balanced") -> Answer:
    return Router(room_memory()).ask(query(text, policy=policy))


def test_what_is_not_understood_comes_with_what_may_be_meant() -> None:
    failure = ask("what number chairs of is").failure
    assert failure is not None
    assert failure.text.endswith(
        'in "what number chairs of is". Did you mean "how many chairs are there?"'
    )
    assert failure.suggestion == "how many chairs are there?"
    assert ask(failure.suggestion).text.startswith("There are 3 chairs")


@pytest.mark.parametrize("text", ["object 4 is a stool", "the shelf is green", "that is a box"])
def test_who_tells_something_is_sent_to_corrections(text: str) -> None:
    failure = ask(text).failure
    assert failure is not None
    assert "say it with `scenemind align`" in failure.text


@pytest.mark.parametrize(
    ("text", "slip", "meant"),
    [
        ("which is the largest chiar?", "chiar", "chair"),
        ("how many chairzes are there?", "chairzes", "chairs"),
        ("is the laptob on the table?", "laptob", "laptop"),
    ],
)
def test_misspelled_thing_is_answered_by_its_name_and_said(
    text: str, slip: str, meant: str
) -> None:
    answer, right = ask(text), ask(text.replace(slip, meant))
    assert right.failure is None
    assert answer.text == f'I read "{slip}" as "{meant}". {right.text}'
    assert answer.objects == right.objects
    assert answer.confidence <= right.confidence


def test_what_has_no_nearest_question_is_told_what_can_be_asked() -> None:
    failure = ask("will it rain soon?").failure
    assert failure is not None
    assert failure.suggestion == ""
    assert "I answer questions about the objects of the map" in failure.text
    assert "how many chairs" not in failure.text


def test_near_label_stands_in_for_a_noun_that_no_object_has() -> None:
    failure = ask("what is on the sofer").failure
    assert failure is not None
    assert failure.code == "not_found"
    assert failure.text.endswith("Did you mean sofa?")
    assert failure.suggestion == "what is on the sofa"


@pytest.mark.parametrize(
    ("text", "words", "suggestion"),
    [
        ("how many fluffy chairs are there?", ['"fluffy"'], "how many chairs are there?"),
        ("where is the squeaky table?", ['"squeaky"'], "where is the table?"),
        (
            "is there a fluffy chair near the old wobbly table?",
            ['"fluffy"', '"old wobbly"'],
            "is there a chair near the table?",
        ),
    ],
)
def test_strict_refuses_words_that_nothing_confirms(
    text: str, words: list[str], suggestion: str
) -> None:
    failure = ask(text, "strict").failure
    assert failure is not None
    assert failure.code == "not_understood"
    assert all(word in failure.text for word in words)
    assert failure.suggestion == suggestion


def test_other_policies_weigh_such_words_and_name_them() -> None:
    answer = ask("where is the squeaky table?")
    assert answer.failure is None
    assert any("nothing says squeaky" in step for step in answer.steps)
    assert answer.confidence < ask("where is the table?").confidence


def test_words_that_attributes_confirm_are_used() -> None:
    assert ask("where is the red cup?", "strict").failure is None


def test_phrases_are_suggested_for_phrases() -> None:
    found = Router(room_memory()).ground(query("the laptop what is by the sofa", policy="strict"))
    assert found.failure is not None
    assert found.failure.suggestion == "laptop near a sofa"


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [("sofa left", "leftmost sofa"), ("spaceship left", "")],
)
def test_words_that_make_no_name_get_the_thing_they_name(text: str, suggestion: str) -> None:
    router = Router(room_memory())
    failure = router.ground(query(text)).failure
    assert failure is not None
    assert (failure.code, failure.suggestion) == ("not_found", suggestion)
    assert failure.text.endswith(f'Did you mean "{suggestion}"?') == bool(suggestion)
    if suggestion:
        assert router.ground(query(suggestion)).failure is None


def test_misspelled_correction_is_not_written_but_suggested() -> None:
    memory = room_memory()
    router = Router(memory)
    failure = router.align(query("objct 4 iss greey"), "anna").failure
    assert failure is not None
    assert failure.suggestion == "object 4 is grey"
    assert memory.corrections() == []
    assert router.align(query(failure.suggestion), "anna").failure is None


def test_what_is_only_like_it_is_said_to_be_the_nearest() -> None:
    kitchen = [
        thing(1, "oven", (0, 0, 0.5), (0.6, 0.6, 1.0)),
        thing(2, "sofa", (3, 0, 0.5), (2.0, 0.9, 1.0)),
    ]
    router = Router(SmallMemory(snapshot_of(kitchen)))
    failure = router.ground(query("the microwave on the sofa", policy="strict")).failure
    assert failure is not None
    assert failure.text == "I know of no microwave; the nearest that I know is an oven (object 1)."
    assert failure.suggestion == "the oven on the sofa"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("is there a coffee machine in the kitchen?", "No, I know of no coffee machine."),
        ("where is the coffee machine in the kitchen?", "There is no coffee machine in the"),
    ],
)
def test_the_thing_is_missing_before_its_place(question: str, text: str) -> None:
    assert ask(question).text.startswith(text)


def test_what_was_looked_for_is_not_suggested() -> None:
    kitchen = [thing(1, "oven", (0, 0, 0.5), (0.6, 0.6, 1.0), material="metal")]
    failure = Router(SmallMemory(snapshot_of(kitchen))).ground(query("the glass thing")).failure
    assert failure is not None
    assert failure.text == (
        'Nothing in the memory fits "object that is made of glass" (1 object is known).'
    )
    assert failure.suggestion == ""
