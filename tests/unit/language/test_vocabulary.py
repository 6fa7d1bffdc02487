"""Labels that words mean: by a table, by WordNet's synsets in ScanNet's label map, by the index."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenemind.language.english import normal
from scenemind.language.vocabulary import (
    LONGEST_NAME,
    LabelIndex,
    Thesaurus,
    Vocabulary,
    did_you_mean,
)
from tests.tables import read_table

TABLE = read_table(__file__, "words")
VOCABULARY = Vocabulary.load()


def labels_of(words: str, *labels: str) -> list[str]:
    return [match.label for match in VOCABULARY.match(words, labels)]


@pytest.mark.parametrize("row", TABLE["labels"], ids=lambda row: row["words"])
def test_labels_of_words(row: dict[str, Any]) -> None:
    assert labels_of(row["words"], *row["among"]) == row["meant"]


def test_loose_matches_are_unsure_and_name_the_unchecked_words() -> None:
    (mixed_up,) = VOCABULARY.match("mug", ["cup"])
    assert not mixed_up.sure
    (barer,) = VOCABULARY.match("red leather sofa", ["couch"])
    assert (barer.unknown, barer.sure) == ("red leather", False)
    (misspelled,) = VOCABULARY.match("sofaa", ["sofa"])
    assert misspelled.sure


def test_unknown_words_get_suggestions() -> None:
    assert did_you_mean("tabel", ["table", "door"]) == " Did you mean table?"


def test_a_word_suggests_no_namesake_of_what_is_meant() -> None:
    labels = ["mouse", "keyboard", "chair"]  # of a computer
    for word in ("cat", "rat", "guitar"):
        assert "Did you mean" not in did_you_mean(word, labels)
    assert did_you_mean("cat", ["dog", "mouse"]) == " Did you mean dog?"


def test_words_of_accidental_similarity_are_not_suggested() -> None:
    known = did_you_mean("unicorn", ["monitor", "door"])
    assert known == " Known are: door, monitor."
    assert did_you_mean("elephant", ["door", "cup"]) == " Known are: cup, door."
    assert did_you_mean("elephant", []) == ""


@pytest.mark.parametrize(
    ("word", "labels", "offered"),
    [
        ("briefcase", ["suitcase", "staircase"], ["suitcase"]),  # by what it means
        ("radio", ["tv", "radiator"], ["tv"]),
        ("clock", ["couch", "block"], []),  # an English word is no slip
        ("cabnit", ["cabinet", "carpet"], ["cabinet"]),
    ],
)
def test_meaning_comes_before_spelling(word: str, labels: list[str], offered: list[str]) -> None:
    assert VOCABULARY.suggest(word, labels) == offered


def test_names_of_other_things_are_hardly_taken_for_slips(shared_data: Path) -> None:
    """ScanNet's categories that no common one is a synonym of; by spelling 82 of 87 offers are of
    another class."""
    path = shared_data / "annotations" / "scannetv2-labels.combined.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        class_of = {
            row["raw_category"]: (row["nyuClass"], int(row["count"]))
            for row in csv.DictReader(file, delimiter="\t")
        }
    labels = [name for name, (_, count) in class_of.items() if count >= 60]
    words = [name for name, (_, count) in class_of.items() if 2 <= count < 60]
    offers = {w: VOCABULARY.suggest(w, labels)[:1] for w in words if not labels_of(w, *labels)}
    wrong = [w for w, each in offers.items() if each and class_of[each[0]][0] != class_of[w][0]]
    assert len(offers) > 200
    assert len(wrong) <= 5, wrong


@settings(deadline=None)
@given(st.text(max_size=80), st.lists(st.text(max_size=40), max_size=5))
def test_any_words_and_labels_give_scored_labels(words: str, labels: list[str]) -> None:
    for match in VOCABULARY.match(words, labels):
        assert match.label in labels
        assert 0.0 < match.score <= 1.0
    assert set(VOCABULARY.suggest(words, labels)) <= set(labels)


COMMON = 3  # objects of ScanNet that bear a label; rarer ones are often slips


@pytest.fixture(scope="module")
def synsets(shared_data: Path) -> dict[str, list[str]]:
    """WordNet synset -> ScanNet's labels for it, the most common first."""
    path = shared_data / "annotations" / "scannetv2-labels.combined.tsv"
    found = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["wnsynsetid"] and int(row["count"]) >= COMMON:
                found[row["wnsynsetid"]].append((-int(row["count"]), row["raw_category"]))
    return {synset: [label for _, label in sorted(labels)] for synset, labels in found.items()}


def test_commonest_name_finds_two_thirds_of_the_labels_of_a_synset(
    synsets: dict[str, list[str]],
) -> None:
    """The rest are mostly parts ("shower floor") and siblings ("dresser" for "nightstand")."""
    index = LabelIndex({label for labels in synsets.values() for label in labels})
    vocabulary = Vocabulary.load()
    found = [
        label in {match.label for match in vocabulary.strict(normal(first), index)}
        for first, *others in synsets.values()
        for label in others
    ]
    assert len(found) > 90
    assert sum(found) / len(found) > 0.7


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("sofa", "couch"),
        ("settee", "sofa"),
        ("refrigerator", "fridge"),
        ("spanner", "wrench"),
        ("pram", "stroller"),
        ("wastebasket", "trash can"),
        ("faucet", "tap"),
        ("torch", "flashlight"),
        ("skillet", "frying pan"),
        ("duvet", "comforter"),
    ],
)
def test_synonyms_hold_both_ways(word: str, other: str) -> None:
    thesaurus = Thesaurus.load()
    assert other in thesaurus.synonyms(word)
    assert word in thesaurus.synonyms(other)


def test_nothing_is_both_the_same_and_only_alike() -> None:
    thesaurus = Thesaurus.load()
    for word in thesaurus.known():
        assert not thesaurus.synonyms(word) & thesaurus.alike(word), word


def test_a_kind_takes_in_what_its_members_are_also_called() -> None:
    names = {name.text for name in Thesaurus.load().names("furniture")}
    assert {"chair", "couch", "sofa", "bookcase"} <= names


def test_words_for_one_quality() -> None:
    thesaurus = Thesaurus.load()
    assert thesaurus.attribute_words("wooden") >= {"wood", "wooden"}
    assert thesaurus.attribute_words("gray") >= {"grey"}
    assert thesaurus.attribute_words("octarine") == {"octarine"}


LABELS = st.sampled_from(
    ["table", "Tables", "dining table", "coffee-table", "cup", "cup of tea", "", "x" * 100]
)


def test_a_name_finds_all_its_spellings_and_its_compounds() -> None:
    index = LabelIndex(["table", "Tables", "dining_table", "tablet", "chair"])
    assert index.called("table") == ["Tables", "table"]
    assert index.ending_in("table") == ["dining_table"]
    assert index.called("dining table") == ["dining_table"]
    assert index.called("tab") == []


def test_words_of_similar_spelling_are_ordered_by_score() -> None:
    index = LabelIndex(["table", "cable", "chair"])
    (first, how_alike), *_ = index.look_alikes("tabel", 0.6, 3)
    assert first == "table"
    assert how_alike == 0.8  # 4 of 5 letters of either, in the same order
    assert index.look_alikes("elephant", 0.8, 3) == []


def test_unusual_labels_are_found_by_their_whole_text_only() -> None:
    label = "very " * 2000 + "chair"
    index = LabelIndex([label])
    assert index.called(normal(label)) == [label]
    assert index.ending_in("chair") == []
    assert index.look_alikes("v" * (LONGEST_NAME + 1), 0.0, 1) == []


@settings(deadline=None)
@given(st.lists(LABELS, unique=True), st.lists(LABELS, unique=True))
def test_what_was_removed_leaves_no_trace(kept: list[str], others: list[str]) -> None:
    passing = [label for label in others if label not in kept]
    index, fresh = LabelIndex([*passing, *kept]), LabelIndex(kept)
    for label in passing:
        index.remove(label)
    for word in ("table", "dining table", "tea", "cup", "", "x" * 100):
        assert index.called(word) == fresh.called(word)
        assert index.ending_in(word) == fresh.ending_in(word)
        assert index.look_alikes(word, 0.5, 9) == fresh.look_alikes(word, 0.5, 9)
