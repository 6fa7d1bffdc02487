"""Statements and denials of relations, and the thresholds of papers."""

from __future__ import annotations

import pytest

from scenemind.memory import SceneMemoryError
from scenemind.memory.graph.relations import (
    CARRYING,
    INVERSE,
    RELATION_NAMES,
    STORED,
    canonical_relation,
    denials_of,
    find_relation,
    statements_of,
)

SYNERGAI_TABLE_A1 = (
    *("support", "embed", "hanging on", "inside", "mounted on", "affixed on", "below", "above"),
    *("higher than", "lower than", "near", "far", "besides", "next to"),
    *("left", "right", "behind", "is in front of"),
)
LLM_TPC = (
    *("left", "right", "front", "back", "on", "on top of", "above", "below"),
    *("closest", "farthest", "within reach", "around", "12 o'clock", "three o'clock"),
)


@pytest.mark.parametrize("text", [*SYNERGAI_TABLE_A1, *LLM_TPC])
def test_every_relation_of_the_papers_is_known(text: str) -> None:
    assert find_relation(text) is not None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        # A peer accepts these two and answers with an empty set.
        ("on top of", "on"),
        ("three o'clock", "3 o'clock"),
        ("  Three   O\u2019Clock ", "3 o'clock"),
        ("supported-by", "on"),
        ("front", "in front of"),
        ("back", "behind"),
        ("nearest", "closest"),
    ],
)
def test_spellings_have_one_name(text: str, name: str) -> None:
    assert canonical_relation(text).name == name


def test_an_unknown_relation_lists_the_names() -> None:
    with pytest.raises(SceneMemoryError, match=r"no relation 'tied to'; the relations are on, .*"):
        canonical_relation("tied to")


def test_an_endless_relation_is_cut_in_the_message() -> None:
    with pytest.raises(SceneMemoryError) as error:
        canonical_relation("x" * 10_000)
    assert len(str(error.value)) < 2000


def test_the_inverse_of_an_inverse_is_the_relation() -> None:
    for relation in RELATION_NAMES.values():
        if relation.inverse is not None:
            assert RELATION_NAMES[relation.inverse].inverse == relation.name


def test_forms_name_one_relation_each() -> None:
    forms = [form for r in RELATION_NAMES.values() for form in (r.name, *r.forms)]
    assert len(forms) == len(set(forms))


def test_opposite_hours_are_inverse() -> None:
    assert canonical_relation("12 o'clock").inverse == "6 o'clock"
    assert canonical_relation("3 o'clock").inverse == "9 o'clock"
    assert canonical_relation("7 o'clock").inverse == "1 o'clock"


def test_one_way_relations_are_stored_and_have_no_stored_inverse() -> None:
    assert set(CARRYING) < set(STORED)
    assert not set(CARRYING) & set(INVERSE)
    for name in CARRYING:
        assert not RELATION_NAMES[str(RELATION_NAMES[name].inverse)].stored


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ((1, "on", 2), {(1, "on", 2)}),
        ((2, "supports", 1), {(1, "on", 2)}),
        ((2, "contains", 1), {(1, "inside", 2)}),
        ((1, "above", 2), {(1, "above", 2), (2, "below", 1)}),
        ((1, "near", 2), {(1, "near", 2), (2, "near", 1)}),
        ((1, "left", 2), {(1, "left of", 2), (2, "right of", 1)}),
        ((1, "closest", 2), {(1, "closest", 2)}),
        ((1, "tied to", 2), {(1, "tied to", 2)}),
    ],
)
def test_stored_form_of_a_statement(
    said: tuple[int, str, int], kept: set[tuple[int, str, int]]
) -> None:
    assert set(statements_of(*said)) == kept


def test_denied_next_to_denies_besides() -> None:
    assert set(denials_of(1, "next to", 2)) == {
        *((1, "next to", 2), (2, "next to", 1), (1, "besides", 2), (2, "besides", 1)),
    }
    assert set(denials_of(1, "besides", 2)) == {(1, "besides", 2), (2, "besides", 1)}
