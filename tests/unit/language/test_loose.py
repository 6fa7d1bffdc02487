"""Situated questions: their kinds, noun phrases, places about the asker, clues of a situation."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scenemind.language import verbalization
from scenemind.language.loose import (
    content_words,
    places_of,
    read_phrase,
    read_question,
    with_marks,
    words_of,
)
from scenemind.language.situation import read_situation, split_situation
from scenemind.language.trees import (
    Choose,
    Count,
    Exists,
    HasAttribute,
    ListObjects,
    NounPhrase,
    Rank,
    Related,
    Same,
    Verify,
    Viewer,
)
from tests.tables import read_table

TABLE = read_table(__file__, "situated")


@pytest.mark.parametrize(
    ("question", "kind"), [(q, kind) for kind, of in TABLE["kinds"].items() for q in of]
)
def test_kinds_of_questions(question: str, kind: str) -> None:
    assert type(read_question(question)).__name__ == kind


def test_the_parity_that_is_asked() -> None:
    even = read_question("Is there an even number of cups on the table?")
    either = read_question("Is the amount of cups odd or even?")
    assert isinstance(even, Count)
    assert isinstance(either, Count)
    assert (even.parity, either.parity) == ("even", "either")
    assert even.subject == NounPhrase("cups", conditions=(Related("on", (NounPhrase("table"),)),))
    assert either.subject == NounPhrase("cups")


def test_the_comparand() -> None:
    question = read_question("Is the chair of the same material as the table?")
    assert question == Same((NounPhrase("chair"), NounPhrase("table")), "material")


def test_an_article_does_not_change_the_parity() -> None:
    question = read_question("Is there an odd or an even number of cups?")
    assert isinstance(question, Count)
    assert question.parity == "either"


def test_turning_around_changes_directions() -> None:
    before, after = (
        read_question(text)
        for text in ("Can I see the door?", "If I turn around, is the door visible?")
    )
    assert before == Verify(NounPhrase("door"), Related("in view of", (Viewer(),)))
    assert after == Verify(NounPhrase("door"), Related("in view of", (Viewer(turned=True),)))


def test_sides_are_offered_by_their_names() -> None:
    question = read_question("Is the radiator on my left or behind me?")
    places = Related("left of", (Viewer(),)), Related("behind", (Viewer(),))
    assert question == Choose(NounPhrase("radiator"), places)


def test_a_claim_is_the_last_thing_said_of_the_subject() -> None:
    asked = read_question("Is the red door on my left open?")
    assert isinstance(asked, Verify)
    assert asked.condition == HasAttribute("state", "open")
    assert isinstance(asked.subject, NounPhrase)
    assert asked.subject.noun == "door"
    assert set(asked.subject.conditions) == {
        HasAttribute("color", "red"),
        Related("left of", (Viewer(),)),
    }


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
@example("what is that")
@example("end or medium")  # a choice of nothing
def test_any_heap_of_words_is_some_question(text: str) -> None:
    assert read_question(text) is not None


def read(words: str) -> NounPhrase:
    return read_phrase(words_of(words))


@pytest.mark.parametrize(("words", "noun"), TABLE["nouns"].items())
def test_nouns(words: str, noun: str) -> None:
    assert read(words).noun == noun


@pytest.mark.parametrize(("words", "relation"), TABLE["relations"].items())
def test_relations(words: str, relation: list[object]) -> None:
    (said,) = (c for c in read(words).conditions if isinstance(c, Related))
    assert [said.predicate, [verbalization.describe(anchor) for anchor in said.anchors]] == relation


@pytest.mark.parametrize(("words", "superlative"), TABLE["superlatives"].items())
def test_superlatives(words: str, superlative: str | None) -> None:
    assert [rank.superlative for rank in read(words).ranks] == [superlative] * bool(superlative)


def test_words_after_the_noun_stay_unread() -> None:
    assert read("the brown object behind me that contains mail") == NounPhrase(
        "",
        conditions=(HasAttribute("color", "brown"), Related("behind", (Viewer(),))),
        unread=("mail",),
    )


def test_places_after_a_relation_are_about_its_anchor() -> None:
    chair = NounPhrase("chair", conditions=(Related("left of", (Viewer(),)),))
    assert read("the backpack on the chair to my left") == NounPhrase(
        "backpack", conditions=(Related("on", (chair,)),)
    )


def test_places_of_a_wall_are_about_the_things_on_it() -> None:
    assert read("the clock on the wall to my left") == NounPhrase(
        "clock",
        conditions=(Related("left of", (Viewer(),)), Related("on", (NounPhrase("wall"),))),
    )


def test_places_after_a_clause_are_about_the_nearer_thing() -> None:
    chair = NounPhrase("chair", conditions=(Related("left of", (Viewer(),)),))
    assert read("on top of the chair that is on my left").conditions == (Related("on", (chair,)),)


def test_a_thing_may_be_between_the_asker_and_another() -> None:
    between = Related("between", (Viewer(), NounPhrase("bulletins")))
    assert read("between me and the bulletins") == NounPhrase("", conditions=(between,))


def test_content_words_are_without_small_words_and_marks() -> None:
    words = with_marks(words_of("what can I use to open on my left the window"))
    assert content_words(words) == ("open", "window")


@pytest.mark.parametrize(("words", "predicates"), TABLE["places"].items())
def test_places_of_the_asker(words: str, predicates: list[str]) -> None:
    places = places_of(words_of(words))
    assert sorted(place.predicate for place in places) == predicates
    assert all(place.anchors == (Viewer(),) for place in places)


@pytest.mark.parametrize("words", TABLE["places of other things"])
def test_sides_of_other_things_are_no_places_of_the_asker(words: str) -> None:
    assert places_of(words_of(words)) == ()


def test_marks_that_were_typed_are_no_places() -> None:
    assert places_of(words_of("what is @behind the door")) == ()


def test_what_is_asked_is_at_the_place_of_the_clause_before_it() -> None:
    behind = NounPhrase("chair", conditions=(Related("behind", (Viewer(),)),))
    assert read_question("If I turn around, is there a chair?") == Exists(behind)
    assert read_question("Is there a chair if I turn around?") == Exists(behind)


def test_a_clause_of_several_places_tells_none() -> None:
    said = "If I line up the chairs behind me and on my left, how many chairs are there?"
    assert read_question(said) == Count(NounPhrase("chairs"))


def test_one_of_several_is_asked_for_by_a_comparison() -> None:
    asked = read_question("Which of the two tables behind me is the higher one?")
    behind = (Related("behind", (Viewer(),)),)
    assert asked == ListObjects(NounPhrase("tables", conditions=behind, ranks=(Rank("highest"),)))


def test_who_looks_into_the_room_has_the_door_behind_them() -> None:
    clues = read_situation("standing at the door looking into the room")
    assert {(thing.noun, place.predicate) for thing, place in clues} == {
        ("door", "near"),
        ("room", "in front of"),
    }


def test_two_places_hold_together() -> None:
    assert len(places_of(words_of("behind me and on my left"))) == 2


@pytest.mark.parametrize(("situation", "is_at_it"), TABLE["at the thing"].items())
def test_things_may_be_looked_at_from_afar(situation: str, is_at_it: bool) -> None:
    clues = read_situation(situation)
    assert {thing.noun for thing, _ in clues} == {"door"}
    assert any(place.predicate == "near" for _, place in clues) is is_at_it


def test_clues_name_their_things_without_the_words_after_them() -> None:
    clues = read_situation("I am sitting on the chair facing a table with two trash cans behind me")
    told = {(thing.noun, place.predicate) for thing, place in clues}
    assert {("chair", "supports"), ("table", "in front of"), ("trash cans", "behind")} <= told


@pytest.mark.parametrize(
    ("text", "question", "situation"),
    [
        ("What's left of it when I'm at the desk?", "What's left of it", "I'm at the desk"),
        ("What's behind me when you're sat there?", "What's behind me", "you're sat there"),
        ("I'm stood at the door, is it left?", "is it left?", "I'm stood at the door"),
        ("If I am sitting here, what is behind me?", "what is behind me?", "I am sitting here"),
        ("I am at the door. What is behind me?", "What is behind me?", "I am at the door"),
        ("facing the window, which is left?", "which is left?", "facing the window"),
        ("on the bed - is it on my left?", "on the bed - is it on my left?", ""),
        ("sitting on the bed - is it on my left?", "is it on my left?", "sitting on the bed"),
        ("where is the cup?", "where is the cup?", ""),
        ("what do I see if I turn around?", "what do I see if I turn around?", ""),
    ],
)
def test_a_situation_in_the_question_is_taken_out(text: str, question: str, situation: str) -> None:
    assert split_situation(text) == (question, situation)
