"""Dialogues: what was spoken of, what waits for a yes, and how a sentence is meant."""

from __future__ import annotations

import re

import pytest

from scenemind.evaluation.alignment.generator import fill_wording, read_wordings
from scenemind.language.assertions import assents
from scenemind.language.speech_acts import (
    agrees,
    any_of,
    declines,
    find_request,
    find_speaker,
    is_order,
    is_question,
    statements_in,
    words_in,
)
from scenemind.memory import Edit
from scenemind.reasoning import Query
from scenemind.reasoning.dialogue import Dialogue, Dialogues, Proposal, Turn


@pytest.mark.parametrize(
    "text",
    [
        "yes", "Yes, please!", "ok", "do it", "yes do that", "go ahead.", "Yes, exactly.", "right",
        "That's right.", "please do it", "yes, that\u2019s what I meant", "sure, why not",
        "those too", "That's the one, you got it.", "right, do it", "yes, that one",
        "yes, mate", "hey robot, yes please", "sure, thank you very much",
    ],
)  # fmt: skip
def test_yes(text: str) -> None:
    assert agrees(text)
    assert not declines(text)


@pytest.mark.parametrize(
    "text",
    [
        "no", "No, thanks.", "cancel", "never mind", "no, don't do it", "no, leave it",
        "leave it as it is", "better not", "No. That's not what I said.",
        "no, forget it", "not now, thanks", "no, pal", "no thanks a lot, my friend",
    ],
)  # fmt: skip
def test_no(text: str) -> None:
    assert declines(text)
    assert not agrees(text)


@pytest.mark.parametrize(
    "text",
    [
        "yes, the cup is red", "no, that is a toolbox", "", "okra", "yeah right", "please",
        "yes and no", "no, the other one", "mate", "thanks, my friend",
    ],
)  # fmt: skip
def test_neither(text: str) -> None:
    assert not agrees(text)
    assert not declines(text)


@pytest.mark.parametrize(
    ("text", "is_yes"),
    [
        ("Yes, that is the chair I mean", True),
        ("right, the one beside the lamp", True),
        ("yes, and the cup is red", True),
        ("sure, if Anna agrees", False),
        ("ok, but not the cup", False),
        ("yes, but where is it?", False),
        ("the cup is red", False),
    ],
)
def test_a_yes_may_go_on(text: str, is_yes: bool) -> None:
    assert assents(text) is is_yes


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I'm Lena.", "Lena"), ("my name is Anna Maria, thanks", "Anna Maria"), ("Bob", "Bob"),
        ("no", None), ("who are you?", None), ("the cup is a mug and mine", None),
    ],
)  # fmt: skip
def test_names_of_speakers(text: str, name: str | None) -> None:
    assert find_speaker(text) == name


def test_a_dialogue_knows_the_speaker_that_it_asked_for() -> None:
    dialogue = Dialogue("a")
    assert dialogue.resolved(Query("I'm Lena")).by == ""
    dialogue.add(Turn("this is mine", "And what is your name?"))
    assert dialogue.resolved(Query("I'm Lena")).by == "Lena"
    dialogue.add(Turn("I'm Lena", "Done."))
    assert dialogue.resolved(Query("it is red")).by == "Lena"
    assert dialogue.resolved(Query("it is red", by="Bob")).by == "Bob"


@pytest.mark.parametrize(
    ("text", "asks", "orders"),
    [
        ("mate, where is the cup", True, False),
        ("excuse me, by the way, what is that", True, False),
        ("hey robot is it blue", True, False),
        ("dude, show me the cup", False, True),
        ("pal, the cup is a mug", False, False),
        ("man is on the chair", False, False),
        ("robot is on the table", False, False),
    ],
)
def test_address_changes_no_speech_act(text: str, asks: bool, orders: bool) -> None:
    assert is_question(text) is asks
    assert is_order(text) is orders


def test_pointing_words_mean_the_object_of_the_last_turn() -> None:
    dialogue = Dialogue("a")
    dialogue.add(Turn("what is on the shelf?", "a cup", (10,)))
    dialogue.add(Turn("thanks", "you are welcome"))
    assert dialogue.resolved(Query("that is a toolbox")).marked_object_ids == (10,)
    assert dialogue.resolved(
        Query("that is a toolbox", marked_object_ids=(3,))
    ).marked_object_ids == (3,)
    assert dialogue.resolved(Query("where is the cup?")).marked_object_ids == ()
    assert dialogue.resolved(Query("no, dark blue.")).marked_object_ids == (10,)
    assert dialogue.resolved(Query("no, the cup on the shelf is blue")).marked_object_ids == ()


@pytest.mark.parametrize(
    ("text", "means_last"),
    [
        ("grey, not red", True),
        ("made of wood, actually", True),
        ("that one is a book", True),
        ("this thing is a book", True),
        ("sorry, the correct colour is white", True),
        ("the colour of the cup is white", False),
        ("that vent is a book", False),
        ("that washing machine should be called desk", False),
        ("there is no window there", False),
        ("object 4 is red", False),
        ("undo", False),
    ],
)
def test_a_sentence_without_a_subject_means_the_last_one(text: str, means_last: bool) -> None:
    dialogue = Dialogue("a")
    dialogue.add(Turn("what is on the shelf?", "a cup", (10,)))
    assert dialogue.resolved(Query(text)).marked_object_ids == ((10,) if means_last else ())


def test_proposal_that_waits_for_a_yes_is_readable() -> None:
    dialogue = Dialogue("a")
    proposal = Proposal((Edit("delete_object", (4,)),), "remove it", "I forgot it.", {4: "cup"})
    dialogue.propose(proposal)
    assert dialogue.proposal is proposal
    assert dialogue.take_proposal() == (proposal, True)
    assert dialogue.proposal is None


def test_where_several_were_spoken_of_none_is_meant() -> None:
    dialogue = Dialogue("a")
    dialogue.add(Turn("which cups are there?", "two", (2, 10)))
    assert dialogue.resolved(Query("it is red")).marked_object_ids == ()


@pytest.mark.parametrize("said", ["yes", "no", "No, thanks."])
def test_a_yes_or_no_is_nothing_that_was_spoken_of(said: str) -> None:
    dialogue = Dialogue("d")
    dialogue.add(Turn("is there a chair?", "Yes."))
    dialogue.add(Turn(said, "As you like."))
    assert dialogue.resolved(Query("what is this?")).before == "is there a chair?"


def test_dialogues_are_bounded_and_the_silent_ones_go_first() -> None:
    dialogues = Dialogues(2, 3)
    first = dialogues.get("a")
    second = dialogues.get("b")
    assert dialogues.get("a") is first
    dialogues.get("c")
    assert dialogues.get("a") is first
    assert dialogues.get("b") is not second
    for number in range(9):
        first.add(Turn(str(number), ""))
    assert [turn.said for turn in first.turns] == ["6", "7", "8"]


def test_a_question_that_stands_alone_has_no_past() -> None:
    dialogues = Dialogues(2, 3)
    dialogues.get("").add(Turn("a", "b", (1,)))
    assert dialogues.get("").turns == ()


WORDS = {
    **dict.fromkeys(("noun", "wrong", "anchor", "other"), "stool"),
    **dict.fromkeys(("value", "color"), "red"),
    "number": "3",
    "second": "4",
}


@pytest.mark.parametrize(
    "text",
    [
        "where is the cup?",
        "what color does the lamp have",
        "Whose is it, then?",
        "is the cup blue",
        "hm, is that a stool",
        "The cup is blue?",
        "Do you see a red stool?",
        "do those chairs touch the table",
        "tell me, what is on the shelf",
    ],
)
def test_questions(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "this is a stool",
        "this is red, isn't it?",
        "That's a stool, right?",
        "What you call lamp is a cup.",
        "What's on the shelf is a mug.",
        "whatever stands on the shelf is not a cup",
        "Could you please call that a stool?",
        "The lamp? That's a stool.",
        "No, it does stand on the shelf.",
        "it is 1.5 m wide",
        "How nice! This is a stool.",
        "Do that.",
        "please do it",
        "no, do not",
        "do the same for the other chairs",
    ],
)
def test_statements_and_requests(text: str) -> None:
    assert not is_question(text)


@pytest.mark.parametrize("table", ["person.yaml", "person_more.yaml", "person_development.yaml"])
def test_the_words_of_simulated_persons(table: str) -> None:
    sets = read_wordings(table)
    for ways in (way for kind in sets["corrections"].values() for way in kind.values()):
        assert [w for w in ways if is_question(fill_wording(w, **WORDS))] == []
    for ways in sets.get("questions", {}).values():
        assert [w for w in ways if not is_question(fill_wording(w, **WORDS))] == []


def test_blanks_without_end_are_one() -> None:
    """In a time that grows with their number alone: a line typed in the browser may have any."""
    blanks = " " * 100_000
    assert is_question(f"where{blanks}is it")
    assert statements_in(f"it{blanks}is") == "it is"


def test_only_statements_count() -> None:
    assert statements_in("The cup? It is blue. Where is the lamp?") == "It is blue."
    assert statements_in("where is it") == ""


def test_a_request_is_taken_by_its_word() -> None:
    assert find_request("Could you please call that a stool?") == "please call that a stool"
    assert find_request("call that a stool") is None


def test_no_word_is_taken_for_a_truth_value() -> None:
    """YAML reads a bare `no` and `on` as booleans."""
    assert {"no", "yes"} <= words_in("before_question")
    assert "on" in words_in("little") & words_in("no_noun")


def test_a_class_is_one_pattern() -> None:
    assert re.fullmatch(f"{any_of('no')}, {any_of('around_answer')}", "no, thank you")
    assert not re.fullmatch(any_of("no"), "no, thank you")


@pytest.mark.parametrize(
    "text",
    ["show me the red chair", "take me to the lamp", "find the cup", "Please go to the couch!",
     "could you bring me the cup?", "ok, look for the cup", "I'm looking for the red cup"],
)  # fmt: skip
def test_orders(text: str) -> None:
    assert is_order(text)


@pytest.mark.parametrize(
    "text", ["the cup is red", "look, this is a cup", "this is the lamp I want to go to", "goggles"]
)
def test_what_orders_nothing(text: str) -> None:
    assert not is_order(text)
