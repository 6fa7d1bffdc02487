"""What was said before, and what it makes of what is said now."""

from __future__ import annotations

import pytest

from scenemind.memory import Edit
from scenemind.reasoning import Query
from scenemind.reasoning.dialogue import Dialogue, Dialogues, Proposal, Turn, agrees, declines


@pytest.mark.parametrize("text", ["yes", "Yes, please!", "ok", "do it", "yes do that", "go ahead."])
def test_yes(text: str) -> None:
    assert agrees(text)
    assert not declines(text)


@pytest.mark.parametrize("text", ["no", "No, thanks.", "cancel", "never mind", "no, don't do it"])
def test_no(text: str) -> None:
    assert declines(text)
    assert not agrees(text)


@pytest.mark.parametrize("text", ["yes, the cup is red", "no, that is a toolbox", "", "okra"])
def test_neither(text: str) -> None:
    assert not agrees(text)
    assert not declines(text)


def test_words_that_point_mean_what_was_spoken_of_last() -> None:
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


def test_what_waits_for_a_yes_can_be_looked_at() -> None:
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


def test_dialogues_are_bounded_and_the_silent_ones_go_first() -> None:
    dialogues = Dialogues(2, 3)
    first = dialogues.get("a")
    dialogues.get("b")
    assert dialogues.get("a") is first
    dialogues.get("c")
    assert dialogues.ids() == ("a", "c")
    for number in range(9):
        first.add(Turn(str(number), ""))
    assert [turn.said for turn in first.turns] == ["6", "7", "8"]


def test_a_question_that_stands_alone_has_no_past() -> None:
    dialogues = Dialogues(2, 3)
    dialogues.get("").add(Turn("a", "b", (1,)))
    assert dialogues.get("").turns == ()
    assert dialogues.ids() == ()
