"""Labels, vocabularies and the similarity of labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.language.questions import read_text
from scenemind.language.trees import NounPhrase
from scenemind.language.vocabulary import Vocabulary
from scenemind.perception import PerceptionError
from scenemind.perception.text import (
    EmbeddingCache,
    checked_vocabulary,
    default_vocabulary,
    label_similarity,
    normalized_label,
)
from scenemind.perception.text.labels import MAX_VOCABULARY, read_vocabulary
from scenemind.reasoning.symbolic.answers import subject_of
from scenemind.simulation import simulate


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
def test_error_names_a_text_that_is_no_word(text: str) -> None:
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
def test_reasoner_reads_each_default_word_as_its_label(word: str) -> None:
    best, *others = Vocabulary.load().match(word, default_vocabulary())
    assert (best.label, best.score) == (word, 1.0)
    assert not [other for other in others if other.reason.startswith("another word")]
    subject = subject_of(read_text(f"where is the {word}?").question)
    assert isinstance(subject, NounPhrase)
    assert (subject.noun, subject.conditions, subject.ranks) == (word, (), ())


WORDS = ("cup", "mug", "bowl", "pillow", "cushion", "refrigerator", "sofa")


def test_other_names_are_alike_and_other_things_are_not(lvis: EmbeddingCache) -> None:
    found = lvis.find(WORDS, 512)
    similarity = label_similarity("clip_vit_b32", WORDS, np.stack([found[w] for w in WORDS]))
    assert similarity("cup", "cup") == 1.0
    assert similarity("unheard of", "unheard of") == 1.0
    assert similarity("unheard of", "cup") == 0.0
    assert similarity("pillow", "cushion") == similarity("cushion", "pillow") > 0.9
    assert similarity("cup", "mug") > 0.7 > similarity("cup", "bowl") > 0.1
    assert similarity("cup", "refrigerator") == similarity("sofa", "mug") == 0.0


def test_without_calibrated_vectors_only_equal_labels_are_alike() -> None:
    same = np.eye(1, 512, dtype=np.float32).repeat(2, axis=0)
    similarity = label_similarity("mobileclip", ("cup", "mug"), same)
    assert (similarity("cup", "cup"), similarity("cup", "mug")) == (1.0, 0.0)
