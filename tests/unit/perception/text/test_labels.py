"""One spelling a word, the refusal of what is none, and the default words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.perception import PerceptionError
from scenemind.perception.text import checked_vocabulary, default_vocabulary, normalized_label
from scenemind.perception.text.labels import MAX_VOCABULARY, read_vocabulary
from scenemind.reasoning.symbolic.executor import subject_of
from scenemind.reasoning.symbolic.grammar import parse_question
from scenemind.reasoning.symbolic.syntax import NounPhrase
from scenemind.simulation import simulate
from scenemind.words.vocabulary import Vocabulary


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Office_Chair ", "office chair"),
        ("  tv\u00a0 stand\n", "tv stand"),
        ("\uff23\uff35\uff30", "cup"),
        ("cafe\u0301 sign", "café sign"),
        ("dad's mug", "dad's mug"),
        ('the "big" box; rm -rf $(x)', 'the "big" box; rm -rf $(x)'),
        ("椅子", "椅子"),
        ("3D printer", "3d printer"),
    ],
)
def test_a_word_has_one_spelling(text: str, label: str) -> None:
    assert normalized_label(text) == label


@pytest.mark.parametrize(
    "text", ["", "   ", "\n", "?!", "cup\nmug", "a\tb", "c\u200bup", "\ud800a", "x" * 81]
)
def test_what_is_no_word_is_named(text: str) -> None:
    with pytest.raises(PerceptionError) as refused:
        normalized_label(text)
    assert repr(text[:80])[:-1] in str(refused.value)


@given(st.text(max_size=60))
def test_a_normalised_word_stays_as_it_is(text: str) -> None:
    try:
        label = normalized_label(text)
    except PerceptionError:
        return
    assert normalized_label(label) == label
    assert label == label.strip()


def test_a_vocabulary_keeps_its_order_and_names_each_thing_once() -> None:
    assert checked_vocabulary(["Cup", "mug", "cup "]) == ("cup", "mug")
    assert read_vocabulary(["Cup", "", " mug"]) == ("cup", "mug")


def test_a_vocabulary_is_neither_empty_nor_endless() -> None:
    with pytest.raises(PerceptionError, match="empty"):
        checked_vocabulary([])
    with pytest.raises(PerceptionError, match=f"too long.* {MAX_VOCABULARY} words"):
        checked_vocabulary(f"thing {n}" for n in range(10_000))


def test_the_default_words_are_about_200_different_ones() -> None:
    words = default_vocabulary()
    assert 180 <= len(words) <= 220
    assert checked_vocabulary(words) == words
    assert {"chair", "couch", "tv", "cup", "potted plant", "person"} <= set(words)


def test_the_default_words_name_everything_in_simulated_rooms() -> None:
    for seed in (1, 2):
        sequence = simulate(seed, frame_count=1, objects=60)
        assert set(sequence.class_names.values()) <= set(default_vocabulary())


@pytest.mark.parametrize("word", default_vocabulary())
def test_the_reasoner_reads_each_default_word_as_that_thing(word: str) -> None:
    best, *others = Vocabulary.load().match(word, default_vocabulary())
    assert (best.label, best.score) == (word, 1.0)
    assert not [other for other in others if other.reason.startswith("another word")]
    subject = subject_of(parse_question(f"where is the {word}?"))
    assert isinstance(subject, NounPhrase)
    assert (subject.noun, subject.conditions, subject.rank) == (word, (), None)
