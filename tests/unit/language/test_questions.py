"""Grammar of questions and phrases: a table of trees, and trees that survive their own words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.language import lexicon
from scenemind.language.english import plural
from scenemind.language.measures import CLOSER, COMPARISONS, length_words
from scenemind.language.questions import read_text
from scenemind.language.tokens import NotUnderstoodError
from scenemind.language.trees import (
    Ground,
    HasAttribute,
    NounPhrase,
    ObjectNumber,
    Rank,
    Related,
    Viewer,
)
from scenemind.language.verbalization import describe
from tests.tables import read_table
from tests.unit.language.notation import notation

TABLE = read_table(__file__, "questions")


@pytest.mark.parametrize(("text", "tree"), TABLE["questions"].items())
def test_questions(text: str, tree: str) -> None:
    assert notation(read_text(text).question) == tree


@pytest.mark.parametrize(("before", "text", "tree"), TABLE["follow_ups"])
def test_follow_ups(before: str, text: str, tree: str) -> None:
    assert notation(read_text(text, read_text(before).question).question) == tree


@pytest.mark.parametrize(("text", "tree"), TABLE["phrases"].items())
def test_phrases(text: str, tree: str) -> None:
    assert notation(read_text(text).question) == f"Ground({tree})"


@pytest.mark.parametrize(("text", "part"), TABLE["unread"].items())
def test_the_unread_part_is_quoted(text: str, part: str) -> None:
    with pytest.raises(NotUnderstoodError) as error:
        read_text(text)
    assert str(error.value) == part


NOUNS = st.sampled_from(["chair", "dining table", "cup", "trash can", "potted plant", "tv"])
ATTRIBUTES = st.builds(
    HasAttribute,
    st.just("color"),
    st.sampled_from([*sorted(set(lexicon.COLOURS.values())), "dark brown", "light grey"]),
) | st.builds(HasAttribute, st.just("size"), st.sampled_from(["small", "medium", "large"]))
EMPTY = HasAttribute("state", "empty")
QUALITIES = st.sampled_from(
    [
        *(EMPTY, replace(EMPTY, negated=True), HasAttribute("shape", "round")),
        *(HasAttribute("material", "wood"), HasAttribute("affordance", "sit on")),
    ]
)
COMPARED = [
    *sorted(set(COMPARISONS.values())),
    *("within 2 m of", "within 0.5 m of", "within 12.75 m of", CLOSER),
]
SIZES = st.builds(
    lambda by, metres, negated: HasAttribute("size", length_words(by, metres), negated),
    st.sampled_from(["longest", "tallest", "narrowest", "highest", "thickest"]),
    st.sampled_from([0.05, 0.5, 2.0, 12.75]),
    st.booleans(),
)
BOUNDED = st.builds(
    lambda noun, said: NounPhrase(plural(noun), count=said[0], bound=said[1]),
    NOUNS,
    st.tuples(st.integers(2, 40), st.sampled_from(["at least", "at most", "exactly"]))
    | st.sampled_from([(None, "most"), (None, "fewest")]),
)
ANCHORS = st.one_of(
    st.builds(NounPhrase, NOUNS, st.booleans()),
    BOUNDED,
    st.just(Viewer()),
    st.builds(ObjectNumber, st.integers(0, 999)),
)
RELATED = st.builds(
    lambda predicate, a, b, negated: Related(
        predicate, (a, b) if predicate in ("between", CLOSER) else (a,), negated
    ),
    st.sampled_from([*lexicon.PREDICATES, *COMPARED]),
    ANCHORS,
    ANCHORS,
    st.booleans(),
)
RANKS = st.one_of(
    st.builds(Rank, st.sampled_from(["largest", "smallest", "tallest"]), st.integers(1, 9)),
    st.builds(Rank, st.sampled_from(["closest", "farthest"]), st.integers(1, 9), ANCHORS),
)
DESCRIPTIONS = st.builds(
    lambda noun, definite, count, attributes, related, qualities, ranks: NounPhrase(
        noun, definite, count, (*attributes, *qualities, *related), ranks
    ),
    NOUNS,
    st.booleans(),
    st.none() | st.integers(2, 12),
    st.lists(ATTRIBUTES, max_size=2, unique=True),
    st.lists(RELATED, max_size=2, unique=True),
    st.lists(QUALITIES | SIZES, max_size=1),
    st.just(()) | st.tuples(RANKS),
)


@settings(max_examples=150, deadline=None)
@given(DESCRIPTIONS)
def test_trees_are_read_back_from_their_words(phrase: NounPhrase) -> None:
    assert read_text(describe(phrase)).question == Ground(phrase)


def test_what_is_named_before_that_is_meant_and_not_what_is_pointed_at() -> None:
    before = read_text("which is the tallest of the plants?").question
    asked = read_text("and the small one, where's that?", before, is_pointed=True).question
    assert notation(asked) == "Where(the plant [size=small])"
    pointed = read_text("where's that?", before, is_pointed=True).question
    assert notation(pointed) == "Where(this)"
