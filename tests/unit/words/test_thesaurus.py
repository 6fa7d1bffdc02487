"""The table of words against WordNet's synsets, as ScanNet's label map names them."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from scenemind.words.english import normal
from scenemind.words.label_index import LabelIndex
from scenemind.words.thesaurus import Thesaurus
from scenemind.words.vocabulary import Vocabulary

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


def test_two_thirds_of_what_wordnet_calls_one_thing_is_found_by_its_commonest_name(
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
