"""Noun phrases that are read as far as they can be."""

from __future__ import annotations

import pytest

from scenemind.reasoning.symbolic.situated.phrases import content_words, read_thing
from scenemind.reasoning.symbolic.situated.places import Places
from scenemind.reasoning.symbolic.situated.tree import Link, Thing


def read(words: str) -> Thing:
    places = Places(words)
    return read_thing(places.text, places)


@pytest.mark.parametrize(
    ("words", "noun"),
    [
        ("the trash can", "trash can"),
        ("two office chairs on my left", "office chairs"),
        ("the object behind me", ""),
        ("the chair in the room", "chair"),
        ("the brown table that has four legs", "table"),
        ("two chairs stand on my left", "chairs"),
        ("the tv stand on my left", "tv stand"),
        ("a plant hangs behind me", "plant"),
    ],
)
def test_the_noun_is_what_is_left_of_the_head(words: str, noun: str) -> None:
    assert read(words).noun == noun


def test_what_is_said_after_the_noun_is_a_hint() -> None:
    thing = read("the brown object behind me that contains mail")
    assert thing.adjectives == ("brown",)
    assert thing.hints == ("contains", "mail")
    assert len(thing.places) == 1


def test_places_after_a_relation_are_about_its_anchor() -> None:
    thing = read("the backpack on the chair to my left")
    assert thing.places == ()
    (link,) = thing.links
    assert link.relation == "on"
    assert link.anchors[0].noun == "chair"
    assert len(link.anchors[0].places) == 1


def test_places_of_a_wall_are_about_what_hangs_there() -> None:
    thing = read("the clock on the wall to my left")
    assert len(thing.places) == 1
    assert thing.links == (Link("on", (Thing("wall"),)),)


@pytest.mark.parametrize(
    ("words", "relation", "anchors"),
    [
        ("what is on the 7 o'clock of the copier", "7 o'clock", ("copier",)),
        ("the lamp to the left of the bed", "left", ("bed",)),
        ("the cup on top of the table", "on", ("table",)),
        ("the box between the desk and the door", "between", ("desk", "door")),
        ("the table between me and the board", "toward", ("board",)),
        ("the chairs around the table", "around", ("table",)),
    ],
)
def test_relations_are_named_as_relate_names_them(
    words: str, relation: str, anchors: tuple[str, ...]
) -> None:
    (link,) = read(words).links
    assert link.relation == relation
    assert tuple(anchor.noun for anchor in link.anchors) == anchors


@pytest.mark.parametrize(
    ("words", "extreme"),
    [
        ("the first object on my left", "closest"),
        ("the farthest chair", "farthest"),
        ("the largest table", "largest"),
        ("the chair", None),
    ],
)
def test_superlatives(words: str, extreme: str | None) -> None:
    assert read(words).extreme == extreme


def test_content_words_are_without_small_words_and_marks() -> None:
    assert content_words("what can I use to open @0 the window") == ("open", "window")
