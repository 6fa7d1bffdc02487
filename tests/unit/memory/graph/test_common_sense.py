"""Common sense about things by their labels."""

from __future__ import annotations

import pytest

from scenemind.memory.graph.common_sense import Sense, sense_of, spoken_predicate
from scenemind.memory.graph.relations import RELATION_NAMES


def test_a_tv_is_mounted_on_a_wall_and_a_mirror_affixed() -> None:
    """The example of SynergAI's appendix B."""
    assert sense_of("tv").attached == "mounted on"
    assert sense_of("mirror").attached == "affixed on"
    assert sense_of("picture").attached == "hanging on"


@pytest.mark.parametrize(
    "label", ["table", "Dining Table", "wooden dining table", "tables", "dining_table"]
)
def test_a_table_is_a_table_by_any_name(label: str) -> None:
    assert sense_of(label).is_open_frame
    assert sense_of(label).stands


@pytest.mark.parametrize("label", ["", "   ", "xyzzy", "table lamp shade", "x" * 10_000])
def test_unknown_name_has_no_entry(label: str) -> None:
    sense = sense_of(label)
    assert sense == Sense(names=sense.names)


def test_the_special_name_counts_before_the_general_one() -> None:
    assert sense_of("wall").structure == "wall"
    assert sense_of("closet wall").structure == "wall"
    assert sense_of("wall clock").structure is None
    assert sense_of("ceiling light").attached == "mounted on"


def test_things_that_are_set_into_others() -> None:
    assert spoken_predicate("on", sense_of("sink"), sense_of("kitchen counter")) == "embedded in"
    assert spoken_predicate("on", sense_of("sink"), sense_of("chair")) == "on"
    assert spoken_predicate("inside", sense_of("cup"), sense_of("kitchen counter")) == "inside"


def test_the_table_names_relations_that_there_are() -> None:
    for label in ("tv", "picture", "mirror", "window", "shelf"):
        assert RELATION_NAMES[str(sense_of(label).attached)].one_way
