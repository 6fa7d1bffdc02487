"""Phrases in words, which are read as the same trees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.language.questions import read_text
from scenemind.language.trees import Ground, HasAttribute, NounPhrase, Rank, Related
from scenemind.language.verbalization import describe

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


@pytest.mark.parametrize("sentence", sentences("Phrases"))
def test_phrases_in_other_words_mean_the_same(sentence: str) -> None:
    question = read_text(sentence).question
    assert isinstance(question, Ground)
    assert read_text(describe(question.subject)).question == question


@given(THINGS.filter(lambda thing: thing.noun != ""))
def test_words_of_a_phrase_are_read(thing: NounPhrase) -> None:
    assert read_text(describe(thing)).question == Ground(thing)
