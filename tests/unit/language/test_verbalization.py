"""Trees in words, which are read as the same trees."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.language.questions import parse_question
from scenemind.language.time_expressions import Moment
from scenemind.language.trees import (
    Count,
    Distance,
    Exists,
    HasAttribute,
    NounPhrase,
    Question,
    Rank,
    Related,
    Size,
    Verify,
    Where,
    WhereAt,
)
from scenemind.language.verbalization import question_words

from .test_documented_sentences import sentences

THINGS = st.builds(
    NounPhrase,
    st.sampled_from(["cup", "chairs", "dining table", "box", ""]),
    st.booleans(),
    conditions=st.lists(
        st.sampled_from(
            [
                HasAttribute("color", "red"),
                HasAttribute("size", "large"),
                Related("on", (NounPhrase("shelf", definite=True),)),
                Related("near", (NounPhrase("door", definite=True),), negated=True),
            ]
        ),
        max_size=2,
        unique_by=lambda condition: (type(condition), getattr(condition, "key", "")),
    ).map(lambda found: tuple(sorted(found, key=lambda c: (isinstance(c, Related), str(c))))),
    ranks=st.sampled_from([(), (Rank("largest"),), (Rank("leftmost", 2),)]),
)
NAMED = THINGS.filter(lambda thing: thing.noun != "")
DEFINITE = NAMED.map(lambda thing: replace(thing, definite=True))
QUESTIONS = st.one_of(
    st.builds(Exists, THINGS),
    st.builds(Where, THINGS),
    st.builds(Size, THINGS, st.sampled_from(["", "height", "width", "length"])),
    st.builds(Distance, THINGS, THINGS),
    st.builds(Verify, DEFINITE, st.just(Related("next to", (NounPhrase("sofa", definite=True),)))),
    st.builds(WhereAt, THINGS, st.sampled_from([Moment(ago_s=300.0), Moment(ago_s=5.0)])),
)


@pytest.mark.parametrize("sentence", [*sentences("Questions"), *sentences("Phrases")])
def test_sentences_in_other_words_mean_the_same(sentence: str) -> None:
    question = parse_question(sentence)
    assert parse_question(question_words(question)) == question


@given(QUESTIONS)
def test_words_of_a_question_are_read(question: Question) -> None:
    said = question_words(question)
    assert question_words(parse_question(said)) == said


def test_many_are_counted() -> None:
    assert question_words(Count(NounPhrase("chair"))) == "how many chairs are there?"
