"""Which kind of question a sentence is: every one is some kind."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.reasoning.symbolic.situated.grammar import read_question
from scenemind.reasoning.symbolic.situated.tree import (
    AskClaim,
    AskClear,
    AskCount,
    AskDirection,
    AskExists,
    AskProperty,
    AskReach,
    AskRoom,
    AskSame,
    AskState,
    AskVisible,
    AskWhat,
    AskWhich,
    SituatedTree,
)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What color is the door behind me?", AskProperty),
        ("The table on my left is what shape?", AskProperty),
        ("What is the desk made of?", AskProperty),
        ("Tell me the color of the table behind me.", AskProperty),
        ("How many chairs are on my left?", AskCount),
        ("Is the number of chairs behind me odd or even?", AskCount),
        ("Are there an odd or an even number of chairs?", AskCount),
        ("What is the count of chairs on my left?", AskCount),
        ("Count the chairs behind me.", AskCount),
        ("Is the number of tables divisible by three?", AskCount),
        ("Can the amount of tables be divided by three?", AskCount),
        ("Which direction should I go to open the window?", AskDirection),
        ("Where do I turn to wash my hands?", AskDirection),
        ("If I want to leave the room, which way should I walk?", AskDirection),
        ("Should I turn left or right to see the clock?", AskDirection),
        ("What is nearer to me, the box or the counter?", AskWhich),
        ("Which is bigger between the bed and the desk?", AskWhich),
        ("Is the door on my right open or closed?", AskState),
        ("Is the window in front of me or behind me?", AskState),
        ("What is on top of the table behind me?", AskWhat),
        ("When I turn around, what do I see?", AskWhat),
        ("Where can I sit on my left?", AskWhat),
        ("Is there a clock on the wall to my left?", AskExists),
        ("Is the door behind me?", AskExists),
        ("Can I see the sink from where I am standing?", AskVisible),
        ("Is the sink visible from here?", AskVisible),
        ("If I turned around, would the door be in view?", AskVisible),
        ("When I turn around, can I see the door?", AskVisible),
        ("Can I reach the towel?", AskReach),
        ("Could I water the plant without moving?", AskReach),
        ("Can I still walk forward?", AskClear),
        ("Is the chair the same color as the table?", AskSame),
        ("Am I in the kitchen?", AskRoom),
        ("What room am I in?", AskRoom),
        ("Is this room a bathroom?", AskRoom),
        ("Is this a chair?", AskClaim),
        ("Is the bed behind me made?", AskClaim),
        ("The window on my left is open; true or false?", AskClaim),
    ],
)
def test_kinds_of_questions(question: str, kind: type[SituatedTree]) -> None:
    assert isinstance(read_question(question), kind)


def test_the_parity_that_is_asked() -> None:
    even = read_question("Is there an even number of cups on the table?")
    either = read_question("Is the amount of cups odd or even?")
    assert isinstance(even, AskCount)
    assert isinstance(either, AskCount)
    assert (even.parity, either.parity) == ("even", "either")
    assert even.of.noun == either.of.noun == "cups"


def test_the_comparand() -> None:
    question = read_question("Is the chair of the same material as the table?")
    assert isinstance(question, AskSame)
    assert question.which == "material"


def test_an_article_does_not_change_the_parity() -> None:
    question = read_question("Is there an odd or an even number of cups?")
    assert isinstance(question, AskCount)
    assert question.parity == "either"


def test_turning_around_changes_what_is_seen() -> None:
    before, after = (
        read_question(text)
        for text in ("Can I see the door?", "If I turn around, is the door visible?")
    )
    assert isinstance(before, AskVisible)
    assert isinstance(after, AskVisible)
    assert (before.turned, after.turned) == (False, True)


def test_sides_are_offered_by_their_names() -> None:
    question = read_question("Is the radiator on my left or behind me?")
    assert isinstance(question, AskState)
    assert question.options == ("left", "back")


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_some_question(text: str) -> None:
    assert read_question(text) is not None


_HEAP = (
    "what is on my left behind me the chair table or and in front of which how many 7 o'clock can i"
    " see between same color as , ? where @3 odd number divided by without moving"
)
_words = st.sampled_from(_HEAP.split())


@settings(deadline=None)
@given(st.lists(_words, max_size=25).map(" ".join))
def test_any_heap_of_words_is_some_question(text: str) -> None:
    assert read_question(text) is not None
