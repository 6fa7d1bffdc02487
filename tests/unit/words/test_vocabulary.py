"""Which labels a word means, by a table of what people say indoors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.words.vocabulary import Vocabulary, did_you_mean

VOCABULARY = Vocabulary.load()


def labels_of(words: str, *labels: str) -> list[str]:
    return [match.label for match in VOCABULARY.match(words, labels)]


@pytest.mark.parametrize(
    ("words", "labels", "expected"),
    [
        ("chair", ("chair", "table"), ["chair"]),
        ("chairs", ("chair",), ["chair"]),
        ("shelf", ("shelves",), ["shelves"]),
        ("sofa", ("couch", "chair"), ["couch"]),
        ("settee", ("sofa",), ["sofa"]),
        ("television", ("tv",), ["tv"]),
        ("fridge", ("refrigerator",), ["refrigerator"]),
        ("plant", ("potted plant",), ["potted plant"]),
        ("table", ("dining table", "table", "desk"), ["table", "dining table"]),
        ("dining table", ("coffee table", "dining table"), ["dining table"]),
        ("mug", ("mug", "cup"), ["mug"]),
        ("mug", ("cup",), ["cup"]),
        ("screen", ("tv", "cup"), ["tv"]),
        ("monitor", ("tv",), ["tv"]),
        ("furniture", ("cup", "sofa", "office chair"), ["office chair", "sofa"]),
        ("wooden chair", ("chair", "cup"), ["chair"]),
        ("cup of coffee", ("cup",), ["cup"]),
        ("chiar", ("chair", "door"), ["chair"]),
        ("televison", ("tv", "door"), ["tv"]),
        ("red chiar", ("chair", "door"), ["chair"]),
        ("ironing-board", ("ironing board",), ["ironing board"]),
        ("elephant", ("chair", "door"), []),
        ("", ("chair",), []),
    ],
)
def test_labels_of_words(words: str, labels: tuple[str, ...], expected: list[str]) -> None:
    assert labels_of(words, *labels) == expected


def test_loose_matches_are_not_sure_and_say_what_was_not_checked() -> None:
    (mixed_up,) = VOCABULARY.match("mug", ["cup"])
    assert not mixed_up.sure
    (barer,) = VOCABULARY.match("red leather sofa", ["couch"])
    assert (barer.unknown, barer.sure) == ("red leather", False)
    (misspelled,) = VOCABULARY.match("sofaa", ["sofa"])
    assert misspelled.sure


def test_unknown_words_get_suggestions() -> None:
    assert did_you_mean("tabel", ["table", "door"], VOCABULARY) == " Did you mean table?"


def test_what_looks_alike_by_chance_is_not_suggested() -> None:
    known = did_you_mean("unicorn", ["monitor", "door"], VOCABULARY)
    assert known == " Known are: door, monitor."
    assert did_you_mean("elephant", ["door", "cup"], VOCABULARY) == " Known are: cup, door."
    assert did_you_mean("elephant", [], VOCABULARY) == ""


@given(st.text(max_size=80), st.lists(st.text(max_size=40), max_size=5))
def test_any_words_and_labels_give_scored_labels(words: str, labels: list[str]) -> None:
    for match in VOCABULARY.match(words, labels):
        assert match.label in labels
        assert 0.0 < match.score <= 1.0
    assert set(VOCABULARY.suggest(words, labels)) <= set(labels)
